//! Subgroup operations.

use std::rc::Rc;

use naga::{CollectiveOperation, Direction, Expression, GatherMode, Handle, Span, SubgroupOperation};

use super::super::error::ModelError;
use super::super::ir::{Block, Gather, Op, Reg, Scan, SubgroupOp, Words};
use super::super::lanes::wide::half_value;
use super::super::layout::Num;
use super::{Compiler, Frame};

/// A reduction: its neutral element and how two values combine.
struct Reduction {
    identity: u64,
    f: fn(u64, u64) -> u64,
}

impl<'a> Compiler<'a> {
    pub(super) fn ballot(
        &mut self,
        frame: &mut Frame<'a>,
        block: &mut Block,
        predicate: Option<Handle<Expression>>,
    ) -> Result<Rc<[Reg]>, ModelError> {
        let predicate = match predicate {
            Some(predicate) => Some(self.word(frame, block, predicate)?),
            None => None,
        };
        let first = self.registers(4, false);
        let to = [0, 1, 2, 3].map(|i| first.plus(i));
        self.emit(block, Op::Subgroup(Box::new(SubgroupOp::Ballot { to, predicate })));
        Ok(to.into())
    }

    pub(super) fn gather(
        &mut self,
        frame: &mut Frame<'a>,
        block: &mut Block,
        mode: GatherMode,
        argument: Handle<Expression>,
    ) -> Result<Rc<[Reg]>, ModelError> {
        let words = self.words(frame, block, argument)?;
        let mode = match mode {
            GatherMode::BroadcastFirst => Gather::First,
            GatherMode::Broadcast(lane) | GatherMode::Shuffle(lane) => {
                Gather::Lane(self.word(frame, block, lane)?)
            }
            GatherMode::ShuffleDown(by) => Gather::Down(self.word(frame, block, by)?),
            GatherMode::ShuffleUp(by) => Gather::Up(self.word(frame, block, by)?),
            GatherMode::ShuffleXor(by) => Gather::Xor(self.word(frame, block, by)?),
            GatherMode::QuadBroadcast(lane) => Gather::QuadLane(self.word(frame, block, lane)?),
            GatherMode::QuadSwap(direction) => Gather::QuadXor(match direction {
                Direction::X => 1,
                Direction::Y => 2,
                Direction::Diagonal => 3,
            }),
        };
        let mut result = Vec::with_capacity(words.len());
        for &from in words.iter() {
            let to = self.registers(1, false);
            self.emit(block, Op::Subgroup(Box::new(SubgroupOp::Gather { to, from, mode })));
            result.push(to);
        }
        Ok(result.into())
    }

    pub(super) fn collective(
        &mut self,
        frame: &mut Frame<'a>,
        block: &mut Block,
        span: Span,
        op: SubgroupOperation,
        scan: CollectiveOperation,
        argument: Handle<Expression>,
    ) -> Result<Rc<[Reg]>, ModelError> {
        let (num, _) = self.shape(span, frame.inner(self.module, argument))?;
        let Some(Reduction { identity, f }) = reduction(op, num) else {
            return Err(self.unsupported(span, "this subgroup operation on this type"));
        };
        let scan = match scan {
            CollectiveOperation::Reduce => Scan::Reduce,
            CollectiveOperation::InclusiveScan => Scan::Inclusive,
            CollectiveOperation::ExclusiveScan => Scan::Exclusive,
        };
        let words = self.words(frame, block, argument)?;
        let mut result = Vec::with_capacity(words.len());
        for from in Self::scalars(&words, num) {
            let low = self.registers(num.words(), false);
            let to = Words { low, high: (num.words() == 2).then(|| low.plus(1)) };
            self.emit(block, Op::Subgroup(Box::new(SubgroupOp::Reduce { to, from, identity, f, scan })));
            Self::push_words(&mut result, to);
        }
        Ok(result.into())
    }
}

fn reduction(op: SubgroupOperation, num: Num) -> Option<Reduction> {
    let of = |identity: u64, f: fn(u64, u64) -> u64| Some(Reduction { identity, f });
    match op {
        SubgroupOperation::All => of(1, |a, b| a & b),
        SubgroupOperation::Any => of(0, |a, b| a | b),
        SubgroupOperation::And => of(u64::MAX, |a, b| a & b),
        SubgroupOperation::Or => of(0, |a, b| a | b),
        SubgroupOperation::Xor => of(0, |a, b| a ^ b),
        SubgroupOperation::Add | SubgroupOperation::Mul | SubgroupOperation::Min | SubgroupOperation::Max => {
            arithmetic(op, num)
        }
    }
}

macro_rules! float_reduction {
    ($op:expr, $decode:expr, $encode:expr) => {{
        let f: fn(u64, u64) -> u64 = match $op {
            SubgroupOperation::Add => |a, b| $encode($decode(a) + $decode(b)),
            SubgroupOperation::Mul => |a, b| $encode($decode(a) * $decode(b)),
            SubgroupOperation::Min => |a, b| $encode($decode(a).min($decode(b))),
            _ => |a, b| $encode($decode(a).max($decode(b))),
        };
        let identity = match $op {
            SubgroupOperation::Add => $encode(0.0),
            SubgroupOperation::Mul => $encode(1.0),
            SubgroupOperation::Min => $encode(f32::INFINITY.into()),
            _ => $encode(f32::NEG_INFINITY.into()),
        };
        Some(Reduction { identity, f })
    }};
}

fn arithmetic(op: SubgroupOperation, num: Num) -> Option<Reduction> {
    use SubgroupOperation::{Add, Max, Min, Mul};
    let of = |identity: u64, f: fn(u64, u64) -> u64| Some(Reduction { identity, f });
    match (num, op) {
        (Num::U32 | Num::I32, Add) => of(0, |a, b| u64::from((a as u32).wrapping_add(b as u32))),
        (Num::U32 | Num::I32, Mul) => of(1, |a, b| u64::from((a as u32).wrapping_mul(b as u32))),
        (Num::U64 | Num::I64, Add) => of(0, u64::wrapping_add),
        (Num::U64 | Num::I64, Mul) => of(1, u64::wrapping_mul),
        (Num::U32, Min) => of(u64::from(u32::MAX), |a, b| a.min(b)),
        (Num::U64, Min) => of(u64::MAX, |a, b| a.min(b)),
        (Num::U32 | Num::U64, Max) => of(0, |a, b| a.max(b)),
        (Num::I32, Min) => of(i32::MAX as u64, |a, b| u64::from((a as i32).min(b as i32) as u32)),
        (Num::I32, Max) => of(u64::from(i32::MIN as u32), |a, b| u64::from((a as i32).max(b as i32) as u32)),
        (Num::I64, Min) => of(i64::MAX as u64, |a, b| (a as i64).min(b as i64) as u64),
        (Num::I64, Max) => of(i64::MIN as u64, |a, b| (a as i64).max(b as i64) as u64),
        (Num::F32, _) => {
            float_reduction!(op, |a: u64| f32::from_bits(a as u32), |a: f32| u64::from(a.to_bits()))
        }
        (Num::F16, _) => {
            float_reduction!(op, half_value, |a: f32| u64::from(half::f16::from_f32(a).to_bits()))
        }
        (Num::F64, _) => float_reduction!(op, f64::from_bits, |a: f64| a.to_bits()),
        (Num::Bool, _) => None,
        // the caller has taken the bitwise ones
        (Num::U32 | Num::I32 | Num::U64 | Num::I64, _) => None,
    }
}
