//! Expressions: arithmetic becomes instructions, composing becomes a choice of registers.

use std::rc::Rc;

use naga::{BinaryOperator, Expression, Handle, ImageQuery, RelationalFunction, ScalarKind, Span};

use super::super::error::ModelError;
use super::super::ir::{Block, Reg, Words};
use super::super::lanes::{self, cast, float, operator};
use super::super::layout::Num;
use super::super::sources::Source;
use super::place::{Place, PlaceType, Root};
use super::{Compiler, Frame, Value};

/// What `textureDimensions` says: the model has no textures.
const TEXTURE_EXTENT: u32 = 1024;

impl<'a> Compiler<'a> {
    /// What an expression was evaluated to; constants and the like are evaluated where they are used.
    pub(super) fn value(
        &mut self,
        frame: &mut Frame<'a>,
        block: &mut Block,
        expr: Handle<Expression>,
    ) -> Result<Value, ModelError> {
        if let Some(value) = &frame.values[expr.index()] {
            return Ok(value.clone());
        }
        let value = self.expression(frame, block, expr)?;
        if frame.function.expressions[expr].needs_pre_emit() {
            frame.values[expr.index()] = Some(value.clone());
        }
        Ok(value)
    }

    /// The words of a value.
    pub(super) fn words(
        &mut self,
        frame: &mut Frame<'a>,
        block: &mut Block,
        expr: Handle<Expression>,
    ) -> Result<Rc<[Reg]>, ModelError> {
        match self.value(frame, block, expr)? {
            Value::Words(words) => Ok(words),
            Value::Place(_) | Value::Opaque(_) => {
                Err(self.unsupported(frame.span(expr), "this pointer or texture as a value"))
            }
        }
    }

    /// The only word of a scalar.
    pub(super) fn word(
        &mut self,
        frame: &mut Frame<'a>,
        block: &mut Block,
        expr: Handle<Expression>,
    ) -> Result<Reg, ModelError> {
        let words = self.words(frame, block, expr)?;
        words.first().copied().ok_or_else(|| self.unsupported(frame.span(expr), "a value without scalars"))
    }

    /// Evaluates an expression.
    pub(super) fn expression(
        &mut self,
        frame: &mut Frame<'a>,
        block: &mut Block,
        expr: Handle<Expression>,
    ) -> Result<Value, ModelError> {
        let module = self.module;
        let span = frame.span(expr);
        let words: Rc<[Reg]> = match frame.function.expressions[expr] {
            Expression::Literal(literal) => {
                self.depending(self.assumed.at(span), |this| this.literal(span, literal))?.into()
            }
            Expression::Constant(constant) => {
                let init = module.constants[constant].init;
                self.depending(self.assumed.at(span), |this| this.global_expression(init))?.into()
            }
            Expression::Override(handle) => {
                let name = module.overrides[handle].name.clone().unwrap_or_default();
                return Err(ModelError::UnresolvedOverride { at: self.location(span), name });
            }
            Expression::ZeroValue(ty) => {
                self.depending(self.assumed.at(span), |this| this.zero(span, ty))?.into()
            }
            Expression::Compose { ref components, .. } => {
                let mut words = Vec::new();
                for &component in components {
                    words.extend_from_slice(&self.words(frame, block, component)?);
                }
                words.into()
            }
            Expression::Splat { size, value } => {
                self.words(frame, block, value)?.repeat(size as usize).into()
            }
            Expression::Swizzle { size, vector, pattern } => {
                let words = self.words(frame, block, vector)?;
                let (num, _) = self.shape(span, frame.inner(module, vector))?;
                let parts = words.chunks(num.words()).collect::<Vec<_>>();
                pattern[..size as usize].iter().flat_map(|&i| parts[i as usize].iter().copied()).collect()
            }
            Expression::Access { base, index } => {
                return self.access_expression(frame, block, span, base, index);
            }
            Expression::AccessIndex { base, index } => {
                return self.access_index(frame, block, span, base, index);
            }
            Expression::FunctionArgument(index) => return Ok(frame.arguments[index as usize].clone()),
            Expression::GlobalVariable(handle) => match self.globals.get(&handle) {
                Some(value) => return Ok(value.clone()),
                None => return Err(self.unsupported(span, "this module-scope variable")),
            },
            Expression::LocalVariable(handle) => {
                let variable = &frame.function.local_variables[handle];
                return Ok(Value::Place(Place {
                    root: Root::Registers,
                    offset: frame.locals[handle.index()],
                    dynamic: None,
                    ty: PlaceType::Type(variable.ty),
                    variable: variable.name.as_deref().unwrap_or("unnamed").into(),
                }));
            }
            Expression::Load { pointer } => {
                let place = self.place(frame, block, pointer)?;
                self.load(block, span, &place)?
            }
            Expression::ImageSample { image, .. } | Expression::ImageLoad { image, .. } => {
                self.note(span, "a texture load is not analysed; it gives 0");
                let count = self.layout(span, self.layouts.words_of(frame.inner(module, expr)))?;
                let texture = self.texture(frame, block, image)?;
                let source = self.source(Source::Texels(texture));
                vec![self.depending(source, |this| this.constant(0)); count].into()
            }
            Expression::ImageQuery { image, query } => {
                let (value, what) = match query {
                    ImageQuery::Size { .. } => (TEXTURE_EXTENT, "the size of a texture is taken as 1024"),
                    ImageQuery::NumLevels | ImageQuery::NumLayers | ImageQuery::NumSamples => {
                        (1, "the levels, layers and samples of a texture are taken as 1")
                    }
                };
                self.note(span, what);
                let count = self.layout(span, self.layouts.words_of(frame.inner(module, expr)))?;
                let texture = self.texture(frame, block, image)?;
                let source = self.source(Source::Extent(texture));
                vec![self.depending(source, |this| this.constant(value)); count].into()
            }
            Expression::Unary { op, expr: operand } => {
                let (num, _) = self.shape(span, frame.inner(module, operand))?;
                let Some(f) = operator::unary(op, num) else {
                    return Err(self.unsupported(span, "this operator on this type"));
                };
                let words = self.words(frame, block, operand)?;
                self.each(block, &words, num, f, num)
            }
            Expression::Binary { op, left, right } => self.binary(frame, block, span, op, left, right)?,
            Expression::Select { condition, accept, reject } => {
                let condition = self.words(frame, block, condition)?;
                let accept = self.words(frame, block, accept)?;
                let reject = self.words(frame, block, reject)?;
                let each = accept.len() / condition.len().max(1);
                let mut words = Vec::with_capacity(accept.len());
                for (i, (&accept, &reject)) in accept.iter().zip(reject.iter()).enumerate() {
                    let condition = condition[(i / each.max(1)).min(condition.len() - 1)];
                    let args = [reject, accept, condition].map(|low| Words { low, high: None });
                    words.push(self.apply(block, lanes::select(), Num::U32, &args).low);
                }
                words.into()
            }
            Expression::Derivative { .. } => return Err(self.unsupported(span, "derivatives")),
            Expression::Relational { fun, argument } => self.relational(frame, block, span, fun, argument)?,
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                self.math(frame, block, expr, fun, [Some(arg), arg1, arg2, arg3])?
            }
            Expression::As { expr: operand, kind, convert } => {
                self.cast(frame, block, span, operand, kind, convert)?
            }
            Expression::ArrayLength(array) => {
                let place = self.place(frame, block, array)?;
                self.array_length(block, span, &place)?
            }
            Expression::CallResult(_)
            | Expression::AtomicResult { .. }
            | Expression::WorkGroupUniformLoadResult { .. }
            | Expression::SubgroupBallotResult
            | Expression::SubgroupOperationResult { .. } => {
                return Err(self.unsupported(span, "a result before its statement"));
            }
            Expression::RayQueryVertexPositions { .. }
            | Expression::RayQueryProceedResult
            | Expression::RayQueryGetIntersection { .. } => return Err(self.unsupported(span, "ray queries")),
            Expression::CooperativeLoad { .. } | Expression::CooperativeMultiplyAdd { .. } => {
                return Err(self.unsupported(span, "cooperative matrices"));
            }
        };
        Ok(Value::Words(words))
    }

    /// The variable of a texture.
    fn texture(
        &mut self,
        frame: &mut Frame<'a>,
        block: &mut Block,
        image: Handle<Expression>,
    ) -> Result<String, ModelError> {
        match self.value(frame, block, image)? {
            Value::Opaque(variable) => Ok(variable.to_string()),
            Value::Words(_) | Value::Place(_) => Err(self.unsupported(frame.span(image), "this texture")),
        }
    }

    /// Applies a function of one operand to each scalar.
    pub(super) fn each(
        &mut self,
        block: &mut Block,
        words: &[Reg],
        num: Num,
        f: lanes::Func,
        result: Num,
    ) -> Rc<[Reg]> {
        let mut to = Vec::with_capacity(words.len());
        for scalar in Self::scalars(words, num) {
            let scalar = self.apply(block, f, result, &[scalar]);
            Self::push_words(&mut to, scalar);
        }
        to.into()
    }

    fn binary(
        &mut self,
        frame: &mut Frame<'a>,
        block: &mut Block,
        span: Span,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Result<Rc<[Reg]>, ModelError> {
        let (left_ty, right_ty) = (frame.inner(self.module, left), frame.inner(self.module, right));
        let a = self.words(frame, block, left)?;
        let b = self.words(frame, block, right)?;
        if op == BinaryOperator::Multiply
            && let Some(product) = self.matrix_product(block, span, (left_ty, &a), (right_ty, &b))?
        {
            return Ok(product);
        }
        let (num, count) = self.shape(span, left_ty)?;
        let (right_num, right_count) = self.shape(span, right_ty)?;
        let result = match op {
            BinaryOperator::Equal
            | BinaryOperator::NotEqual
            | BinaryOperator::Less
            | BinaryOperator::LessEqual
            | BinaryOperator::Greater
            | BinaryOperator::GreaterEqual => Num::Bool,
            BinaryOperator::Add
            | BinaryOperator::Subtract
            | BinaryOperator::Multiply
            | BinaryOperator::Divide
            | BinaryOperator::Modulo
            | BinaryOperator::And
            | BinaryOperator::ExclusiveOr
            | BinaryOperator::InclusiveOr
            | BinaryOperator::LogicalAnd
            | BinaryOperator::LogicalOr
            | BinaryOperator::ShiftLeft
            | BinaryOperator::ShiftRight => num,
        };
        let Some(f) = operator::binary(op, num) else {
            return Err(self.unsupported(span, "this operator on this type"));
        };
        let (a, b) = (Self::scalars(&a, num), Self::scalars(&b, right_num));
        let mut words = Vec::new();
        for i in 0..count.max(right_count) {
            // a scalar operand goes with each component of the other
            let args = [a[if count == 1 { 0 } else { i }], b[if right_count == 1 { 0 } else { i }]];
            let scalar = self.apply(block, f, result, &args);
            Self::push_words(&mut words, scalar);
        }
        Ok(words.into())
    }

    fn relational(
        &mut self,
        frame: &mut Frame<'a>,
        block: &mut Block,
        span: Span,
        fun: RelationalFunction,
        argument: Handle<Expression>,
    ) -> Result<Rc<[Reg]>, ModelError> {
        let (num, _) = self.shape(span, frame.inner(self.module, argument))?;
        let words = self.words(frame, block, argument)?;
        let (op, each) = match fun {
            RelationalFunction::All => (BinaryOperator::LogicalAnd, None),
            RelationalFunction::Any => (BinaryOperator::LogicalOr, None),
            RelationalFunction::IsNan => (BinaryOperator::Equal, float::parts(num).map(|parts| parts.is_nan)),
            RelationalFunction::IsInf => (BinaryOperator::Equal, float::parts(num).map(|parts| parts.is_inf)),
        };
        if let Some(each) = each {
            return Ok(self.each(block, &words, num, each, Num::Bool));
        }
        let Some(f) = operator::binary(op, Num::Bool) else {
            return Err(self.unsupported(span, "this function on this type"));
        };
        let mut scalars = Self::scalars(&words, Num::Bool).into_iter();
        let Some(mut all) = scalars.next() else {
            return Err(self.unsupported(span, "a value without scalars"));
        };
        for scalar in scalars {
            all = self.apply(block, f, Num::Bool, &[all, scalar]);
        }
        Ok([all.low].into())
    }

    fn cast(
        &mut self,
        frame: &mut Frame<'a>,
        block: &mut Block,
        span: Span,
        operand: Handle<Expression>,
        kind: ScalarKind,
        convert: Option<u8>,
    ) -> Result<Rc<[Reg]>, ModelError> {
        let words = self.words(frame, block, operand)?;
        let Some(width) = convert else {
            return Ok(words); // a bit cast between scalars of one width
        };
        let (from, _) = self.shape(span, frame.inner(self.module, operand))?;
        let to = self.num(span, naga::Scalar { kind, width })?;
        Ok(match cast::convert(from, to) {
            Some(f) => self.each(block, &words, from, f, to),
            None => words,
        })
    }
}
