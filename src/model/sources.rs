//! What a program takes for granted that is in no buffer: override constants without a value, and textures.
//!
//! naga folds override constants into literals before the model sees the module. What came from one that
//! was assumed is found again by its place in the text: the expressions that reach it are collected before
//! the fold, and a literal with the span of one of them carries its assumption.

use std::collections::BTreeMap;

use naga::{Arena, Expression, Handle, Module, Override, Span};

/// Something outside of the buffers that values depend on.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// An override constant whose value was assumed, by name.
    Constant(String),
    /// What a texture holds: 0 in the model.
    Texels(String),
    /// The size of a texture: 1024 in the model.
    Extent(String),
}

/// Positions in [`Program::sources`](super::Program::sources), as bits; the last one stands for all further.
pub(super) type Sources = u64;

/// Levels of composition that a choice between constants may be in: vectors in an array or matrix.
const CHOICE_DEPTH: u32 = 2;

/// The bit of a position.
pub(super) fn bit(position: usize) -> Sources {
    1 << position.min(63)
}

/// Override constants whose values were assumed, and the expressions that their values reach.
#[derive(Clone, Debug, Default)]
pub struct AssumedConstants {
    names: Vec<String>,
    reached: BTreeMap<(usize, usize), Sources>,
}

impl AssumedConstants {
    /// What some override constants reach in a module before it is [resolved](super::resolve).
    pub fn new(module: &Module, names: Vec<String>) -> Self {
        let mut assumed = Self { names, reached: BTreeMap::new() };
        if assumed.names.is_empty() {
            return assumed;
        }
        let mut constants = BTreeMap::new();
        for (handle, constant) in module.overrides.iter() {
            let position = assumed.names.iter().position(|name| constant.name.as_ref() == Some(name));
            if let Some(position) = position {
                constants.insert(handle, bit(position));
            }
        }
        // a constant may be made of others, whose expressions come before its own
        let global = &module.global_expressions;
        for _ in 0..=module.overrides.len() {
            let before = constants.len();
            let reach = reach(global, &constants);
            for (handle, constant) in module.overrides.iter() {
                let sources = constant.init.map_or(0, |init| reach[init.index()]);
                if sources != 0 && !constants.contains_key(&handle) {
                    constants.insert(handle, sources);
                }
            }
            if constants.len() == before {
                assumed.add(global, &reach);
                break;
            }
        }
        let functions = module.functions.iter().map(|(_, function)| function);
        for function in functions.chain(module.entry_points.iter().map(|point| &point.function)) {
            assumed.add(&function.expressions, &reach(&function.expressions, &constants));
        }
        assumed
    }

    /// The names, in the order of their bits.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// What the constant expression at a place in the text depends on.
    pub(super) fn at(&self, span: Span) -> Sources {
        if self.reached.is_empty() {
            return 0;
        }
        let range = span.to_range();
        range.and_then(|range| self.reached.get(&(range.start, range.end))).copied().unwrap_or(0)
    }

    fn add(&mut self, expressions: &Arena<Expression>, reach: &[Sources]) {
        for (handle, expression) in expressions.iter() {
            self.mark(expressions, handle, reach[handle.index()], 0);
            // a fold that chooses leaves the operand chosen, with its own place
            if let Expression::Select { condition, accept, reject } = *expression {
                self.mark(expressions, accept, reach[condition.index()], CHOICE_DEPTH);
                self.mark(expressions, reject, reach[condition.index()], CHOICE_DEPTH);
            } else if let Expression::Access { base, index } = *expression {
                self.mark(expressions, base, reach[index.index()], CHOICE_DEPTH);
            }
        }
    }

    /// Marks an expression and, so many levels down, what it is composed of.
    fn mark(&mut self, all: &Arena<Expression>, expr: Handle<Expression>, sources: Sources, depth: u32) {
        if sources == 0 {
            return;
        }
        if let Some(range) = all.get_span(expr).to_range() {
            *self.reached.entry((range.start, range.end)).or_default() |= sources;
        }
        if let Expression::Compose { ref components, .. } = all[expr]
            && depth > 0
        {
            components.iter().for_each(|&component| self.mark(all, component, sources, depth - 1));
        }
    }
}

/// The constants that each expression depends on, through what can be folded; operands come first.
fn reach(expressions: &Arena<Expression>, constants: &BTreeMap<Handle<Override>, Sources>) -> Vec<Sources> {
    let mut reach: Vec<Sources> = Vec::with_capacity(expressions.len());
    for (_, expression) in expressions.iter() {
        let of = |operand: Handle<Expression>| reach.get(operand.index()).copied().unwrap_or(0);
        let maybe = |operand: Option<Handle<Expression>>| operand.map_or(0, of);
        let sources = match *expression {
            Expression::Override(handle) => constants.get(&handle).copied().unwrap_or(0),
            Expression::Compose { ref components, .. } => {
                components.iter().fold(0, |sources, &operand| sources | of(operand))
            }
            Expression::Access { base, index } => of(base) | of(index),
            Expression::AccessIndex { base, .. } => of(base),
            Expression::Splat { value, .. } => of(value),
            Expression::Swizzle { vector, .. } => of(vector),
            Expression::Unary { expr, .. } | Expression::As { expr, .. } => of(expr),
            Expression::Binary { left, right, .. } => of(left) | of(right),
            Expression::Select { condition, accept, reject } => of(condition) | of(accept) | of(reject),
            Expression::Relational { argument, .. } => of(argument),
            Expression::Math { arg, arg1, arg2, arg3, .. } => {
                of(arg) | maybe(arg1) | maybe(arg2) | maybe(arg3)
            }
            Expression::Literal(_)
            | Expression::Constant(_)
            | Expression::ZeroValue(_)
            | Expression::FunctionArgument(_)
            | Expression::GlobalVariable(_)
            | Expression::LocalVariable(_)
            | Expression::Load { .. }
            | Expression::ImageSample { .. }
            | Expression::ImageLoad { .. }
            | Expression::ImageQuery { .. }
            | Expression::Derivative { .. }
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
            | Expression::CooperativeMultiplyAdd { .. } => 0,
        };
        reach.push(sources);
    }
    reach
}
