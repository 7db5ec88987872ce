//! Atomics: each active lane in turn, in the order of the local invocation index.

use std::sync::atomic::Ordering::Relaxed;

use super::super::buffers::{PAGE_WORDS, Store};
use super::super::error::ModelError;
use super::super::ir::{AtomicOp, AtomicType, Memory, Piece};
use super::super::report::AtomicFun;
use super::Executor;
use super::counting::Kind;

impl Executor<'_> {
    pub(super) fn atomic(&mut self, op: &AtomicOp) -> Result<(), ModelError> {
        let words = match op.ty {
            AtomicType::U32 | AtomicType::I32 | AtomicType::F32 => 1,
            AtomicType::U64 | AtomicType::I64 => 2,
        };
        let piece = Piece { offset: 0, bytes: 4 * words };
        self.count(op.access, &op.address, &[piece], Kind::Atomic);
        let operands = op.value.map_or(0, |value| self.words_taint(value));
        let operands = operands | op.compare.map_or(0, |compare| self.words_taint(compare));
        let operands = operands | self.address_taint(&op.address);
        let contents = self.contents_taint(&op.address, &[]);
        for lane in 0..self.lanes {
            if !self.is_active(lane) {
                continue;
            }
            let at = self.address(&op.address, lane) / 4;
            let mut old = u64::from(self.memory_word(op.address.memory, at));
            if words == 2 {
                old |= u64::from(self.memory_word(op.address.memory, at + 1)) << 32;
            }
            let value = op.value.map_or(0, |value| self.bits(value, lane));
            let compare = op.compare.map(|compare| self.bits(compare, lane));
            let new = change(op.fun, op.ty, old, value, compare);
            if new != old {
                self.set_memory_word(op.address.memory, at, new as u32);
                if words == 2 {
                    self.set_memory_word(op.address.memory, at + 1, (new >> 32) as u32);
                }
            }
            if let Some(to) = op.old {
                self.set_bits(to, lane, old);
            }
            if let Some(to) = op.exchanged {
                self.set_word(to, lane, u32::from(compare == Some(old)));
            }
        }
        let taint = operands | contents;
        if let Some(to) = op.old {
            self.set_words_taint(to, taint);
        }
        if let Some(to) = op.exchanged {
            self.set_taint(to, taint);
        }
        if op.fun != AtomicFun::Load {
            self.taint_memory(op.address.memory, operands);
        }
        if let Memory::Buffer(binding) = op.address.memory
            && let Store::Sparse(sparse) = &self.context.buffers[binding].store
        {
            let bytes = sparse.lock().len() as u64 * u64::from(PAGE_WORDS) * 4;
            self.check_sparse(op.access, bytes)?;
        }
        Ok(())
    }

    fn memory_word(&self, memory: Memory, word: u32) -> u32 {
        match memory {
            Memory::Buffer(binding) => match &self.context.buffers[binding].store {
                Store::Dense(words) => words.get(word as usize).map_or(0, |word| word.load(Relaxed)),
                Store::Sparse(sparse) => sparse.load(&sparse.lock(), word),
            },
            Memory::Workgroup(var) => self.workgroup_memory[var].get(word as usize).copied().unwrap_or(0),
        }
    }

    fn set_memory_word(&mut self, memory: Memory, word: u32, value: u32) {
        match memory {
            Memory::Buffer(binding) => match &self.context.buffers[binding].store {
                Store::Dense(words) => {
                    if let Some(to) = words.get(word as usize) {
                        to.store(value, Relaxed);
                    }
                }
                Store::Sparse(sparse) => {
                    sparse.store(&mut sparse.lock(), word, value);
                }
            },
            Memory::Workgroup(var) => {
                if let Some(to) = self.workgroup_memory[var].get_mut(word as usize) {
                    *to = value;
                }
            }
        }
    }
}

/// The new value of an atomic.
fn change(fun: AtomicFun, ty: AtomicType, old: u64, value: u64, compare: Option<u64>) -> u64 {
    let signed = |bits: u64| match ty {
        AtomicType::I32 => i64::from(bits as i32),
        AtomicType::I64 | AtomicType::U32 | AtomicType::F32 | AtomicType::U64 => bits as i64,
    };
    let less = |a: u64, b: u64| match ty {
        AtomicType::U32 | AtomicType::U64 => a < b,
        AtomicType::I32 | AtomicType::I64 => signed(a) < signed(b),
        AtomicType::F32 => f32::from_bits(a as u32) < f32::from_bits(b as u32),
    };
    let float = |f: fn(f32, f32) -> f32| {
        u64::from(f(f32::from_bits(old as u32), f32::from_bits(value as u32)).to_bits())
    };
    let new = match fun {
        AtomicFun::Load => old,
        AtomicFun::Store | AtomicFun::Exchange => value,
        AtomicFun::Add if ty == AtomicType::F32 => float(|a, b| a + b),
        AtomicFun::Subtract if ty == AtomicType::F32 => float(|a, b| a - b),
        AtomicFun::Add => old.wrapping_add(value),
        AtomicFun::Subtract => old.wrapping_sub(value),
        AtomicFun::And => old & value,
        AtomicFun::Xor => old ^ value,
        AtomicFun::Or => old | value,
        AtomicFun::Min => {
            if less(value, old) {
                value
            } else {
                old
            }
        }
        AtomicFun::Max => {
            if less(old, value) {
                value
            } else {
                old
            }
        }
        AtomicFun::CompareExchange => {
            if compare == Some(old) {
                value
            } else {
                old
            }
        }
    };
    match ty {
        AtomicType::U32 | AtomicType::I32 | AtomicType::F32 => new & u64::from(u32::MAX),
        AtomicType::U64 | AtomicType::I64 => new,
    }
}
