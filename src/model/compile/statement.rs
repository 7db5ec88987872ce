//! Statements: control flow becomes structured instructions that narrow the active mask.

use std::rc::Rc;

use naga::{
    AtomicFunction, Block as NagaBlock, Expression, Handle, Span, Statement, SwitchCase, SwitchValue,
};

use super::super::error::ModelError;
use super::super::ir::{Block, Case, IfOp, LoopOp, Mask, Op, Reg, SwitchOp};
use super::super::layout::Num;
use super::super::report::AtomicFun;
use super::{Compiler, Frame, Value};

impl<'a> Compiler<'a> {
    /// Compiles the statements of a block.
    pub(super) fn block(
        &mut self,
        frame: &mut Frame<'a>,
        statements: &'a NagaBlock,
        block: &mut Block,
    ) -> Result<(), ModelError> {
        for (statement, &span) in statements.span_iter() {
            self.statement(frame, statement, span, block)?;
            self.check_size(span)?;
        }
        Ok(())
    }

    fn statement(
        &mut self,
        frame: &mut Frame<'a>,
        statement: &'a Statement,
        span: Span,
        block: &mut Block,
    ) -> Result<(), ModelError> {
        match *statement {
            Statement::Emit(ref range) => {
                for expr in range.clone() {
                    let value = self.expression(frame, block, expr)?;
                    frame.values[expr.index()] = Some(value);
                    self.check_size(span)?;
                }
                Ok(())
            }
            Statement::Block(ref inner) => self.block(frame, inner, block),
            Statement::If { condition, ref accept, ref reject } => {
                self.if_statement(frame, condition, accept, reject, block)
            }
            Statement::Switch { selector, ref cases } => self.switch(frame, selector, cases, block),
            Statement::Loop { ref body, ref continuing, break_if } => {
                self.loop_statement(frame, span, body, continuing, break_if, block)
            }
            Statement::Break => self.leave(frame, span, frame.breaks.last().copied(), block),
            Statement::Continue => self.leave(frame, span, frame.continues.last().copied(), block),
            Statement::Return { value } => {
                if let Some(value) = value {
                    let words = self.words(frame, block, value)?;
                    match frame.result.clone() {
                        Some(result) => {
                            for (to, &from) in result.iter().zip(words.iter()) {
                                self.emit(block, Op::Assign { to: to.index() as u32, from });
                            }
                        }
                        None => frame.tail = Some(words),
                    }
                }
                self.leave(frame, span, Some(frame.returned), block)
            }
            Statement::Kill => Err(self.unsupported(span, "`discard`")),
            // all lanes of a workgroup are in lock-step
            Statement::ControlBarrier(_) | Statement::MemoryBarrier(_) => Ok(()),
            Statement::Store { pointer, value } => {
                let place = self.place(frame, block, pointer)?;
                let value = self.words(frame, block, value)?;
                self.store(block, access_span(frame, pointer, span), &place, &value)
            }
            Statement::ImageStore { .. } => {
                self.note(span, "a texture store is not analysed");
                Ok(())
            }
            Statement::ImageAtomic { .. } => {
                self.note(span, "a texture atomic is not analysed");
                Ok(())
            }
            Statement::Atomic { pointer, ref fun, value, result } => {
                self.atomic_statement(frame, span, pointer, fun, value, result, block)
            }
            Statement::WorkGroupUniformLoad { pointer, result } => {
                let place = self.place(frame, block, pointer)?;
                let words = self.load(block, access_span(frame, pointer, span), &place)?;
                let mut uniform = Vec::with_capacity(words.len());
                for &from in words.iter() {
                    let to = self.registers(1, true);
                    self.emit(block, Op::First { to, from });
                    uniform.push(to);
                }
                frame.values[result.index()] = Some(Value::Words(uniform.into()));
                Ok(())
            }
            Statement::Call { function, ref arguments, result } => {
                let words = self.call(frame, block, span, function, arguments)?;
                if let Some(result) = result {
                    frame.values[result.index()] = Some(Value::Words(words));
                }
                Ok(())
            }
            Statement::SubgroupBallot { result, predicate } => {
                let words = self.ballot(frame, block, predicate)?;
                frame.values[result.index()] = Some(Value::Words(words));
                Ok(())
            }
            Statement::SubgroupGather { mode, argument, result } => {
                let words = self.gather(frame, block, mode, argument)?;
                frame.values[result.index()] = Some(Value::Words(words));
                Ok(())
            }
            Statement::SubgroupCollectiveOperation { op, collective_op, argument, result } => {
                let words = self.collective(frame, block, span, op, collective_op, argument)?;
                frame.values[result.index()] = Some(Value::Words(words));
                Ok(())
            }
            Statement::RayQuery { .. } => Err(self.unsupported(span, "ray queries")),
            Statement::RayPipelineFunction(_) => Err(self.unsupported(span, "ray tracing pipelines")),
            Statement::CooperativeStore { .. } => Err(self.unsupported(span, "cooperative matrices")),
        }
    }

    fn leave(
        &mut self,
        frame: &mut Frame<'a>,
        span: Span,
        into: Option<Mask>,
        block: &mut Block,
    ) -> Result<(), ModelError> {
        let Some(into) = into else { return Err(self.unsupported(span, "a jump outside of a loop")) };
        frame.jumps.push(into);
        self.emit(block, Op::Leave { into });
        Ok(())
    }

    fn if_statement(
        &mut self,
        frame: &mut Frame<'a>,
        condition: Handle<Expression>,
        accept: &'a NagaBlock,
        reject: &'a NagaBlock,
        block: &mut Block,
    ) -> Result<(), ModelError> {
        let condition = self.word(frame, block, condition)?;
        let (before, through) = (self.mask(), self.mask());
        let jumps = frame.jumps.len();
        let (mut accepted, mut rejected) = (Block::new(), Block::new());
        self.block(frame, accept, &mut accepted)?;
        self.block(frame, reject, &mut rejected)?;
        let jumps = frame.jumps[jumps..].iter().any(|&mask| mask < before);
        let writes = self.writes([&accepted[..], &rejected[..]]);
        let op = IfOp { condition, accept: accepted, reject: rejected, before, through, jumps, writes };
        self.emit(block, Op::If(Box::new(op)));
        Ok(())
    }

    fn loop_statement(
        &mut self,
        frame: &mut Frame<'a>,
        span: Span,
        body: &'a NagaBlock,
        continuing: &'a NagaBlock,
        break_if: Option<Handle<Expression>>,
        block: &mut Block,
    ) -> Result<(), ModelError> {
        let (broken, continued) = (self.mask(), self.mask());
        let jumps = frame.jumps.len();
        frame.breaks.push(broken);
        frame.continues.push(continued);
        let (mut first, mut second) = (Block::new(), Block::new());
        self.block(frame, body, &mut first)?;
        self.block(frame, continuing, &mut second)?;
        let break_if = match break_if {
            Some(expr) => Some(self.word(frame, &mut second, expr)?),
            None => None,
        };
        frame.breaks.pop();
        frame.continues.pop();
        let returns = frame.jumps[jumps..].iter().any(|&mask| mask < broken);
        let at = self.location(span);
        let writes = self.writes([&first[..], &second[..]]);
        let op = LoopOp { body: first, continuing: second, break_if, broken, continued, returns, at, writes };
        self.emit(block, Op::Loop(Box::new(op)));
        Ok(())
    }

    fn switch(
        &mut self,
        frame: &mut Frame<'a>,
        selector: Handle<Expression>,
        cases: &'a [SwitchCase],
        block: &mut Block,
    ) -> Result<(), ModelError> {
        let selector = self.word(frame, block, selector)?;
        let (before, through, broken) = (self.mask(), self.mask(), self.mask());
        let jumps = frame.jumps.len();
        frame.breaks.push(broken);
        let mut compiled: Vec<Case> = Vec::new();
        let (mut values, mut default) = (Vec::new(), false);
        for case in cases {
            match case.value {
                SwitchValue::I32(value) => values.push(value as u32),
                SwitchValue::U32(value) => values.push(value),
                SwitchValue::Default => default = true,
            }
            if case.fall_through && case.body.is_empty() {
                continue; // further values of the next case
            }
            let mut body = Block::new();
            self.block(frame, &case.body, &mut body)?;
            compiled.push(Case {
                values: std::mem::take(&mut values),
                default: std::mem::take(&mut default),
                body,
                fall_through: case.fall_through,
            });
        }
        frame.breaks.pop();
        let jumps = frame.jumps[jumps..].iter().any(|&mask| mask < before);
        let writes = self.writes(compiled.iter().map(|case| &case.body[..]));
        let op = SwitchOp { selector, cases: compiled, before, through, broken, jumps, writes };
        self.emit(block, Op::Switch(Box::new(op)));
        Ok(())
    }

    #[allow(clippy::too_many_arguments, reason = "the parts of the statement")]
    fn atomic_statement(
        &mut self,
        frame: &mut Frame<'a>,
        span: Span,
        pointer: Handle<Expression>,
        fun: &AtomicFunction,
        value: Handle<Expression>,
        result: Option<Handle<Expression>>,
        block: &mut Block,
    ) -> Result<(), ModelError> {
        let place = self.place(frame, block, pointer)?;
        let Some(scalar) = frame.inner(self.module, value).scalar() else {
            return Err(self.unsupported(span, "an atomic of this type"));
        };
        let num = self.num(span, scalar)?;
        let operand = |words: Rc<[Reg]>| Self::scalars(&words, num)[0];
        let value = operand(self.words(frame, block, value)?);
        let (fun, compare) = match *fun {
            AtomicFunction::Add => (AtomicFun::Add, None),
            AtomicFunction::Subtract => (AtomicFun::Subtract, None),
            AtomicFunction::And => (AtomicFun::And, None),
            AtomicFunction::ExclusiveOr => (AtomicFun::Xor, None),
            AtomicFunction::InclusiveOr => (AtomicFun::Or, None),
            AtomicFunction::Min => (AtomicFun::Min, None),
            AtomicFunction::Max => (AtomicFun::Max, None),
            AtomicFunction::Exchange { compare: None } => (AtomicFun::Exchange, None),
            AtomicFunction::Exchange { compare: Some(compare) } => {
                (AtomicFun::CompareExchange, Some(operand(self.words(frame, block, compare)?)))
            }
        };
        let bitwise = matches!(fun, AtomicFun::And | AtomicFun::Xor | AtomicFun::Or);
        if bitwise && num == Num::F32 {
            return Err(self.unsupported(span, "bitwise atomics of floats"));
        }
        let used = result.is_some();
        let (old, exchanged) = self.atomic(block, span, &place, fun, num, Some(value), compare, used)?;
        if let (Some(result), Some(old)) = (result, old) {
            let mut words = Vec::new();
            Self::push_words(&mut words, old);
            words.extend(exchanged);
            frame.values[result.index()] = Some(Value::Words(words.into()));
        }
        Ok(())
    }
}

/// The span of an access statement: the pointer's, unless that was taken elsewhere.
fn access_span(frame: &Frame<'_>, pointer: Handle<Expression>, statement: Span) -> Span {
    let pointer = frame.span(pointer);
    match (pointer.to_range(), statement.to_range()) {
        (Some(inner), Some(outer)) if outer.start <= inner.start && inner.end <= outer.end => pointer,
        _ => statement,
    }
}
