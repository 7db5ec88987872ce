//! Constant expressions: after naga has resolved the overrides they are literals and compositions of them.

use naga::{Expression, Handle, Literal, Span, Type};

use super::super::error::ModelError;
use super::super::ir::Reg;
use super::Compiler;

impl Compiler<'_> {
    /// The words of a literal.
    pub(super) fn literal(&mut self, span: Span, literal: Literal) -> Result<Vec<Reg>, ModelError> {
        let one = |word: u32| vec![word];
        let two = |bits: u64| vec![bits as u32, (bits >> 32) as u32];
        let words = match literal {
            Literal::Bool(value) => one(u32::from(value)),
            Literal::U32(value) => one(value),
            Literal::I32(value) => one(value as u32),
            Literal::F32(value) => one(value.to_bits()),
            Literal::F16(value) => one(u32::from(value.to_bits())),
            Literal::U64(value) => two(value),
            Literal::I64(value) | Literal::AbstractInt(value) => two(value as u64),
            Literal::F64(value) | Literal::AbstractFloat(value) => two(value.to_bits()),
            Literal::U16(_) | Literal::I16(_) => return Err(self.unsupported(span, "16-bit integers")),
        };
        Ok(words.into_iter().map(|word| self.constant(word)).collect())
    }

    /// The words of a type's zero value.
    pub(super) fn zero(&mut self, span: Span, ty: Handle<Type>) -> Result<Vec<Reg>, ModelError> {
        let words = self.layout(span, self.layouts.words(ty))?;
        Ok(vec![self.constant(0); words])
    }

    /// The words of an expression of module scope.
    pub(super) fn global_expression(&mut self, expr: Handle<Expression>) -> Result<Vec<Reg>, ModelError> {
        let module = self.module;
        let span = module.global_expressions.get_span(expr);
        self.depending(self.assumed.at(span), |this| this.global_expression_here(span, expr))
    }

    fn global_expression_here(
        &mut self,
        span: Span,
        expr: Handle<Expression>,
    ) -> Result<Vec<Reg>, ModelError> {
        let module = self.module;
        match module.global_expressions[expr] {
            Expression::Literal(literal) => self.literal(span, literal),
            Expression::Constant(constant) => self.global_expression(module.constants[constant].init),
            Expression::ZeroValue(ty) => self.zero(span, ty),
            Expression::Compose { ref components, .. } => {
                let mut words = Vec::new();
                for &component in components {
                    words.extend(self.global_expression(component)?);
                    if words.len() as u64 > super::super::layout::MAX_SCALARS {
                        let limit = super::super::layout::MAX_SCALARS;
                        return Err(self.too_large(
                            span,
                            "the number of scalars of a constant",
                            words.len() as u64,
                            limit,
                        ));
                    }
                }
                Ok(words)
            }
            Expression::Splat { size, value } => {
                let value = self.global_expression(value)?;
                Ok(value.repeat(size as usize))
            }
            Expression::Override(handle) => Err(ModelError::UnresolvedOverride {
                at: self.location(span),
                name: module.overrides[handle].name.clone().unwrap_or_default(),
            }),
            Expression::Access { .. }
            | Expression::AccessIndex { .. }
            | Expression::Swizzle { .. }
            | Expression::FunctionArgument(_)
            | Expression::GlobalVariable(_)
            | Expression::LocalVariable(_)
            | Expression::Load { .. }
            | Expression::ImageSample { .. }
            | Expression::ImageLoad { .. }
            | Expression::ImageQuery { .. }
            | Expression::Unary { .. }
            | Expression::Binary { .. }
            | Expression::Select { .. }
            | Expression::Derivative { .. }
            | Expression::Relational { .. }
            | Expression::Math { .. }
            | Expression::As { .. }
            | Expression::CallResult(_)
            | Expression::AtomicResult { .. }
            | Expression::WorkGroupUniformLoadResult { .. }
            | Expression::ArrayLength(_)
            | Expression::RayQueryVertexPositions { .. }
            | Expression::RayQueryProceedResult
            | Expression::RayQueryGetIntersection { .. }
            | Expression::SubgroupBallotResult
            | Expression::SubgroupOperationResult { .. }
            | Expression::CooperativeLoad { .. }
            | Expression::CooperativeMultiplyAdd { .. } => {
                Err(self.unsupported(span, "a module-scope expression that naga left unevaluated"))
            }
        }
    }
}
