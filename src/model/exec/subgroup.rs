//! Subgroup operations, among the active lanes of each subgroup.

use std::ops::Range;

use super::super::ir::{Gather, Reg, Scan, SubgroupOp, Words};
use super::Executor;

impl Executor<'_> {
    pub(super) fn subgroup(&mut self, op: &SubgroupOp) {
        let size = self.context.numbers.subgroup;
        for first in (0..self.lanes).step_by(size) {
            let lanes = first..(first + size).min(self.lanes);
            match *op {
                SubgroupOp::Ballot { to, predicate } => self.ballot(to, predicate, lanes),
                SubgroupOp::Gather { to, from, mode } => self.gather(to, from, mode, lanes),
                SubgroupOp::Reduce { to, from, identity, f, scan } => {
                    self.reduce(to, from, identity, f, scan, lanes)
                }
            }
        }
        match *op {
            SubgroupOp::Ballot { to, predicate } => {
                let taint = self.mask_taint | predicate.map_or(0, |reg| self.taint(reg));
                to.into_iter().for_each(|reg| self.set_taint(reg, taint));
            }
            SubgroupOp::Gather { to, from, mode } => {
                let taint = self.taint(from)
                    | match mode {
                        Gather::First | Gather::QuadXor(_) => 0,
                        Gather::Lane(reg)
                        | Gather::Down(reg)
                        | Gather::Up(reg)
                        | Gather::Xor(reg)
                        | Gather::QuadLane(reg) => self.taint(reg),
                    };
                self.set_taint(to, taint);
            }
            SubgroupOp::Reduce { to, from, .. } => {
                let taint = self.words_taint(from) | self.mask_taint;
                self.set_words_taint(to, taint);
            }
        }
    }

    fn ballot(&mut self, to: [Reg; 4], predicate: Option<Reg>, lanes: Range<usize>) {
        let mut votes = 0u128;
        for lane in lanes.clone() {
            let holds = predicate.is_none_or(|reg| self.word(reg, lane) & 1 != 0);
            if self.is_active(lane) && holds {
                votes |= 1 << (lane - lanes.start);
            }
        }
        for lane in lanes {
            for (i, reg) in to.into_iter().enumerate() {
                self.set_word(reg, lane, (votes >> (32 * i)) as u32);
            }
        }
    }

    /// Takes each lane's value from another one; from outside of the subgroup its own.
    fn gather(&mut self, to: Reg, from: Reg, mode: Gather, lanes: Range<usize>) {
        let first = lanes.clone().find(|&lane| self.is_active(lane)).unwrap_or(lanes.start);
        for lane in lanes.clone() {
            let own = (lane - lanes.start) as u32;
            let source = match mode {
                Gather::First => (first - lanes.start) as u32,
                Gather::Lane(reg) => self.word(reg, lane),
                Gather::Down(reg) => own.saturating_add(self.word(reg, lane)),
                Gather::Up(reg) => own.checked_sub(self.word(reg, lane)).unwrap_or(own),
                Gather::Xor(reg) => own ^ self.word(reg, lane),
                Gather::QuadLane(reg) => own & !3 | self.word(reg, lane) & 3,
                Gather::QuadXor(by) => own ^ by,
            };
            let source = lanes.start + source as usize;
            let source = if lanes.contains(&source) { source } else { lane };
            let word = self.word(from, source);
            self.set_word(to, lane, word);
        }
    }

    fn reduce(
        &mut self,
        to: Words,
        from: Words,
        identity: u64,
        f: fn(u64, u64) -> u64,
        scan: Scan,
        lanes: Range<usize>,
    ) {
        let mut sum = identity;
        for lane in lanes.clone() {
            if !self.is_active(lane) {
                continue;
            }
            let next = f(sum, self.bits(from, lane));
            match scan {
                Scan::Reduce => {}
                Scan::Inclusive => self.set_bits(to, lane, next),
                Scan::Exclusive => self.set_bits(to, lane, sum),
            }
            sum = next;
        }
        if scan == Scan::Reduce {
            for lane in lanes {
                self.set_bits(to, lane, sum);
            }
        }
    }
}
