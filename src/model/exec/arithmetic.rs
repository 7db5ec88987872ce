//! Instructions between registers.

use super::super::ir::{Reg, ScalarOp, Words};
use super::super::lanes::wide::half_value;
use super::super::lanes::{Fn1, Fn2, Fn3, Operand, ScalarFn};
use super::Executor;

/// What lies below the split of a register file.
struct Operands<'r> {
    registers: &'r [u32],
    uniform: &'r [u32],
    lanes: usize,
}

impl<'r> Operands<'r> {
    fn get(&self, reg: Reg) -> Operand<'r> {
        if reg.is_uniform() {
            Operand::Uniform(self.uniform[reg.index()])
        } else {
            Operand::Lanes(&self.registers[reg.index() * self.lanes..][..self.lanes])
        }
    }
}

impl Executor<'_> {
    /// Splits the register file below `to`: its words, and the operands.
    fn split(&mut self, to: Reg) -> (&mut [u32], Operands<'_>) {
        let lanes = self.lanes;
        if to.is_uniform() {
            let (below, above) = self.uniform.split_at_mut(to.index());
            (&mut above[..1], Operands { registers: &[], uniform: below, lanes })
        } else {
            let (below, above) = self.registers.split_at_mut(to.index() * lanes);
            (&mut above[..lanes], Operands { registers: below, uniform: &self.uniform, lanes })
        }
    }

    pub(super) fn lanes1(&mut self, f: Fn1, to: Reg, a: Reg) {
        let (words, operands) = self.split(to);
        f(words, operands.get(a));
        self.set_taint(to, self.taint(a));
    }

    pub(super) fn lanes2(&mut self, f: Fn2, to: Reg, a: Reg, b: Reg) {
        let (words, operands) = self.split(to);
        f(words, operands.get(a), operands.get(b));
        self.set_taint(to, self.taint(a) | self.taint(b));
    }

    pub(super) fn lanes3(&mut self, f: Fn3, to: Reg, a: Reg, b: Reg, c: Reg) {
        let (words, operands) = self.split(to);
        f(words, operands.get(a), operands.get(b), operands.get(c));
        self.set_taint(to, self.taint(a) | self.taint(b) | self.taint(c));
    }

    /// The bits of a scalar in one lane.
    pub(super) fn bits(&self, words: Words, lane: usize) -> u64 {
        let low = u64::from(self.word(words.low, lane));
        words.high.map_or(low, |high| low | u64::from(self.word(high, lane)) << 32)
    }

    /// Sets the bits of a scalar in one lane.
    pub(super) fn set_bits(&mut self, words: Words, lane: usize, bits: u64) {
        self.set_word(words.low, lane, bits as u32);
        if let Some(high) = words.high {
            self.set_word(high, lane, (bits >> 32) as u32);
        }
    }

    pub(super) fn words_taint(&self, words: Words) -> u64 {
        self.taint(words.low) | words.high.map_or(0, |high| self.taint(high))
    }

    pub(super) fn set_words_taint(&mut self, words: Words, taint: u64) {
        self.set_taint(words.low, taint);
        if let Some(high) = words.high {
            self.set_taint(high, taint);
        }
    }

    pub(super) fn scalar(&mut self, op: &ScalarOp) {
        let lanes = if op.to.low.is_uniform() { 1 } else { self.lanes };
        for lane in 0..lanes {
            let mut args = [0; 3];
            for (bits, &words) in args.iter_mut().zip(&op.args) {
                *bits = self.bits(words, lane);
            }
            self.set_bits(op.to, lane, apply(op.f, args));
        }
        let taint = op.args.iter().fold(0, |taint, &words| taint | self.words_taint(words));
        self.set_words_taint(op.to, taint);
    }

    /// Copies a register whole.
    pub(super) fn copy(&mut self, to: Reg, from: Reg) {
        let lanes = self.lanes;
        match (to.is_uniform(), from.is_uniform()) {
            (true, _) => self.uniform[to.index()] = self.word(from, 0),
            (false, true) => {
                let word = self.uniform[from.index()];
                self.registers[to.index() * lanes..][..lanes].fill(word);
            }
            (false, false) => {
                let from = from.index() * lanes;
                self.registers.copy_within(from..from + lanes, to.index() * lanes);
            }
        }
        self.set_taint(to, self.taint(from));
    }

    pub(super) fn first(&mut self, to: Reg, from: Reg) {
        let word = self.word(from, self.first_active());
        self.set_word(to, 0, word);
        self.set_taint(to, self.taint(from));
    }

    /// Assigns to a variable in the active lanes.
    pub(super) fn assign(&mut self, to: u32, from: Reg) {
        let lanes = self.lanes;
        let to_reg = Reg::lane(to);
        let taint = self.taint(from) | self.mask_taint;
        if self.active == lanes {
            self.copy(to_reg, from);
            self.set_taint(to_reg, taint);
            return;
        }
        let to = to as usize * lanes;
        if from.is_uniform() {
            let word = self.uniform[from.index()];
            for (to, mask) in self.registers[to..to + lanes].iter_mut().zip(&self.mask) {
                *to = word & mask | *to & !mask;
            }
        } else {
            let from = from.index() * lanes;
            let (below, above) = self.registers.split_at_mut(to.max(from));
            let (to, from) = if to < from {
                (&mut below[to..to + lanes], &above[..lanes])
            } else {
                (&mut above[..lanes], &below[from..from + lanes])
            };
            for ((to, from), mask) in to.iter_mut().zip(from).zip(&self.mask) {
                *to = from & mask | *to & !mask;
            }
        }
        let taint = taint | self.taint(to_reg); // inactive lanes keep what they had
        self.set_taint(to_reg, taint);
    }

    pub(super) fn gather_variable(&mut self, to: Reg, first: u32, offset: Reg) {
        let lanes = self.lanes;
        let mut taint = self.taint(offset);
        for lane in 0..lanes {
            let register = first.wrapping_add(self.word(offset, lane));
            let at = register as usize * lanes + lane;
            let word = self.registers.get(at).copied().unwrap_or(0);
            self.set_word(to, lane, word);
            taint |= self.register_taint.get(register as usize).copied().unwrap_or(0);
        }
        self.set_taint(to, taint);
    }

    pub(super) fn scatter_variable(&mut self, first: u32, offset: Reg, from: Reg) {
        let lanes = self.lanes;
        let taint = self.taint(from) | self.taint(offset) | self.mask_taint;
        for lane in 0..lanes {
            if !self.is_active(lane) {
                continue;
            }
            let register = first.wrapping_add(self.word(offset, lane));
            let word = self.word(from, lane);
            if let Some(to) = self.registers.get_mut(register as usize * lanes + lane) {
                *to = word;
                self.register_taint[register as usize] |= taint;
            }
        }
    }

    pub(super) fn pick(&mut self, to: Reg, index: Reg, from: &[Reg]) {
        let lanes = if to.is_uniform() { 1 } else { self.lanes };
        for lane in 0..lanes {
            let index = (self.word(index, lane) as usize).min(from.len() - 1);
            let word = self.word(from[index], lane);
            self.set_word(to, lane, word);
        }
        let taint = from.iter().fold(self.taint(index), |taint, &reg| taint | self.taint(reg));
        self.set_taint(to, taint);
    }
}

/// Applies a function to the bits of its operands.
fn apply(f: ScalarFn, [a, b, c]: [u64; 3]) -> u64 {
    let single = |bits: u64| f32::from_bits(bits as u32);
    let from_single = |value: f32| u64::from(value.to_bits());
    let from_half = |value: f32| u64::from(half::f16::from_f32(value).to_bits());
    match f {
        ScalarFn::F1(f) => from_single(f(single(a))),
        ScalarFn::F2(f) => from_single(f(single(a), single(b))),
        ScalarFn::F3(f) => from_single(f(single(a), single(b), single(c))),
        ScalarFn::H1(f) => from_half(f(half_value(a))),
        ScalarFn::H2(f) => from_half(f(half_value(a), half_value(b))),
        ScalarFn::H3(f) => from_half(f(half_value(a), half_value(b), half_value(c))),
        ScalarFn::D1(f) => f(f64::from_bits(a)).to_bits(),
        ScalarFn::D2(f) => f(f64::from_bits(a), f64::from_bits(b)).to_bits(),
        ScalarFn::D3(f) => f(f64::from_bits(a), f64::from_bits(b), f64::from_bits(c)).to_bits(),
        ScalarFn::Raw(f) => f([a, b, c]),
    }
}
