//! Calls: a function is compiled for each combination of pointer roots and uniform arguments.

use std::collections::BTreeMap;
use std::rc::Rc;

use naga::{Block as NagaBlock, Expression, Function, Handle, Span, Statement};

use super::super::error::ModelError;
use super::super::ir::{Block, Function as IrFunction, Op, Reg};
use super::place::{PlaceType, Root};
use super::{Compiler, Frame, MAX_CALL_DEPTH, Value};

/// What decides how a function is compiled.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ArgumentKey {
    /// Whether each word is uniform.
    Words(Vec<bool>),
    /// Root, static offset, type, and whether the dynamic offset is uniform.
    Place(Root, u32, PlaceType, Option<bool>),
    Opaque(Rc<str>),
}

/// A compiled function: its arguments' registers and where its result is.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    function: usize,
    arguments: Vec<Value>,
    result: Rc<[Reg]>,
}

/// The functions compiled so far.
#[derive(Debug, Default)]
pub(super) struct Instances {
    known: BTreeMap<(Handle<Function>, Vec<ArgumentKey>), Instance>,
}

impl<'a> Compiler<'a> {
    /// Calls a function; gives the words of its result.
    pub(super) fn call(
        &mut self,
        frame: &mut Frame<'a>,
        block: &mut Block,
        span: Span,
        function: Handle<Function>,
        arguments: &[Handle<Expression>],
    ) -> Result<Rc<[Reg]>, ModelError> {
        let mut values = Vec::new();
        for &argument in arguments {
            values.push(self.value(frame, block, argument)?);
        }
        let key = (function, values.iter().map(argument_key).collect::<Vec<_>>());
        let instance = match self.instances.known.get(&key) {
            Some(instance) => instance.clone(),
            None => {
                let instance = self.instance(span, function, &values, frame.depth + 1)?;
                self.instances.known.insert(key, instance.clone());
                instance
            }
        };
        for (to, from) in instance.arguments.iter().zip(&values) {
            match (to, from) {
                (Value::Words(to), Value::Words(from)) => {
                    for (&to, &from) in to.iter().zip(from.iter()) {
                        self.emit(block, Op::Copy { to, from });
                    }
                }
                (Value::Place(to), Value::Place(from)) => {
                    if let (Some(to), Some(from)) = (to.dynamic, from.dynamic) {
                        self.emit(block, Op::Copy { to, from });
                    }
                }
                _ => {}
            }
        }
        self.emit(block, Op::Call { function: instance.function });
        // the next call of the function overwrites its result
        let mut result = Vec::with_capacity(instance.result.len());
        for &from in instance.result.iter() {
            let to = self.registers(1, from.is_uniform());
            self.emit(block, Op::Copy { to, from });
            result.push(to);
        }
        Ok(result.into())
    }

    fn instance(
        &mut self,
        span: Span,
        handle: Handle<Function>,
        values: &[Value],
        depth: u64,
    ) -> Result<Instance, ModelError> {
        if depth > MAX_CALL_DEPTH {
            return Err(self.too_large(span, "the depth of calls", depth, MAX_CALL_DEPTH));
        }
        let module = self.module;
        let function = &module.functions[handle];
        let arguments: Vec<Value> = values
            .iter()
            .map(|value| match value {
                Value::Words(words) => {
                    Value::Words(words.iter().map(|word| self.registers(1, word.is_uniform())).collect())
                }
                Value::Place(place) => {
                    let dynamic = place.dynamic.map(|reg| self.registers(1, reg.is_uniform()));
                    Value::Place(super::place::Place { dynamic, ..place.clone() })
                }
                Value::Opaque(variable) => Value::Opaque(variable.clone()),
            })
            .collect();
        let (returned, before) = (self.mask(), self.mask());
        let mut frame = Frame::new(function, &self.info[handle], arguments.clone(), returned, depth);
        if let Some(result) = &function.result
            && returns(&function.body) > usize::from(ends_in_return(&function.body))
        {
            let count = self.layout(span, self.layouts.words(result.ty))?;
            let first = self.registers(count, false);
            frame.result = Some((0..count).map(|i| first.plus(i)).collect());
        }
        let body = self.function_body(&mut frame)?;
        let result = frame.result.or(frame.tail).unwrap_or_default();
        let (writes, writes_after_return) = self.function_writes(&body);
        let at = self.location(module.functions.get_span(handle));
        self.functions.push(IrFunction { body, before, returned, at, writes, writes_after_return });
        Ok(Instance { function: self.functions.len() - 1, arguments, result })
    }
}

fn argument_key(value: &Value) -> ArgumentKey {
    match value {
        Value::Words(words) => ArgumentKey::Words(words.iter().map(|word| word.is_uniform()).collect()),
        Value::Place(place) => {
            ArgumentKey::Place(place.root, place.offset, place.ty, place.dynamic.map(Reg::is_uniform))
        }
        Value::Opaque(variable) => ArgumentKey::Opaque(variable.clone()),
    }
}

/// Whether the last statement of a function is a return.
fn ends_in_return(block: &NagaBlock) -> bool {
    matches!(block.last(), Some(Statement::Return { .. }))
}

/// How many returns a block has.
fn returns(block: &NagaBlock) -> usize {
    block
        .iter()
        .map(|statement| match statement {
            Statement::Return { .. } => 1,
            Statement::Block(block) => returns(block),
            Statement::If { accept, reject, .. } => returns(accept) + returns(reject),
            Statement::Switch { cases, .. } => cases.iter().map(|case| returns(&case.body)).sum(),
            Statement::Loop { body, continuing, .. } => returns(body) + returns(continuing),
            Statement::Emit(_)
            | Statement::Break
            | Statement::Continue
            | Statement::Kill
            | Statement::ControlBarrier(_)
            | Statement::MemoryBarrier(_)
            | Statement::Store { .. }
            | Statement::ImageStore { .. }
            | Statement::Atomic { .. }
            | Statement::ImageAtomic { .. }
            | Statement::WorkGroupUniformLoad { .. }
            | Statement::Call { .. }
            | Statement::RayQuery { .. }
            | Statement::RayPipelineFunction(_)
            | Statement::SubgroupBallot { .. }
            | Statement::SubgroupGather { .. }
            | Statement::SubgroupCollectiveOperation { .. }
            | Statement::CooperativeStore { .. } => 0,
        })
        .sum()
}
