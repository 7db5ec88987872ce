//! Control flow: instructions that narrow the active mask and widen it again.

use super::super::error::{Location, ModelError};
use super::super::ir::{IfOp, LoopOp, Mask, Reg, SwitchOp, Writes};
use super::super::run::Limits;
use super::Executor;

/// Instructions that a loop may always take, however many were left before it.
const SHORT_LOOP: u64 = 1 << 12;

impl<'a> Executor<'a> {
    fn recount(&mut self) {
        self.active = self.mask.iter().map(|word| (word & 1) as usize).sum();
    }

    fn save(&mut self, to: Mask) {
        self.masks[to * self.lanes..][..self.lanes].copy_from_slice(&self.mask);
    }

    fn restore(&mut self, from: Mask) {
        self.mask.copy_from_slice(&self.masks[from * self.lanes..][..self.lanes]);
        self.recount();
    }

    fn clear(&mut self, mask: Mask) {
        self.masks[mask * self.lanes..][..self.lanes].fill(0);
    }

    /// Adds the active lanes to a mask.
    fn add_to(&mut self, to: Mask) {
        let to = &mut self.masks[to * self.lanes..][..self.lanes];
        to.iter_mut().zip(&self.mask).for_each(|(to, mask)| *to |= mask);
    }

    /// Activates the lanes of a mask too.
    fn add_from(&mut self, from: Mask) {
        let from = &self.masks[from * self.lanes..][..self.lanes];
        self.mask.iter_mut().zip(from).for_each(|(mask, from)| *mask |= from);
        self.recount();
    }

    /// Activates the lanes of a mask in which a condition holds, or does not.
    fn narrow(&mut self, before: Mask, condition: Reg, holds: bool) {
        let lanes = self.lanes;
        let condition = &self.registers[condition.index() * lanes..][..lanes];
        let before = &self.masks[before * lanes..][..lanes];
        let flip = if holds { 0 } else { u32::MAX };
        for ((mask, before), condition) in self.mask.iter_mut().zip(before).zip(condition) {
            *mask = before & (0u32.wrapping_sub(condition & 1) ^ flip);
        }
        self.recount();
    }

    /// Takes the active lanes out of the block.
    pub(super) fn leave(&mut self, into: Mask) {
        self.add_to(into);
        self.mask.fill(0);
        self.active = 0;
    }

    pub(super) fn if_op(&mut self, op: &'a IfOp) -> Result<(), ModelError> {
        let taint = self.mask_taint;
        self.mask_taint |= self.taint(op.condition);
        self.totals.branches[op.before] |= self.mask_taint;
        if op.condition.is_uniform() {
            let block = if self.uniform[op.condition.index()] & 1 != 0 { &op.accept } else { &op.reject };
            self.block(block)?;
        } else {
            self.save(op.before);
            self.narrow(op.before, op.condition, true);
            if self.active > 0 {
                self.block(&op.accept)?;
            }
            self.save(op.through);
            self.narrow(op.before, op.condition, false);
            if self.active > 0 {
                self.block(&op.reject)?;
            }
            self.add_from(op.through);
        }
        self.taint_writes(&op.writes, taint);
        if !op.jumps {
            self.mask_taint = taint;
        }
        Ok(())
    }

    pub(super) fn loop_op(&mut self, op: &'a LoopOp) -> Result<(), ModelError> {
        let taint = self.mask_taint;
        let (first_step, cuts) = (self.workgroup_steps, self.workgroup_cuts);
        self.clear(op.broken);
        loop {
            self.check_steps(&op.at)?;
            self.clear(op.continued);
            self.block(&op.body)?;
            self.add_from(op.continued);
            if self.active == 0 {
                break;
            }
            self.block(&op.continuing)?;
            self.workgroup_steps += 1;
            if let Some(condition) = op.break_if {
                self.mask_taint |= self.taint(condition);
                self.break_if(condition, op.broken);
            }
            if self.active == 0 {
                break;
            }
            if self.is_too_long(first_step) {
                // a loop around one that was left is too long because of that one
                if self.workgroup_cuts == cuts {
                    self.totals.cut_loops.insert(op.at.clone());
                }
                self.workgroup_cuts += 1;
                self.leave(op.broken);
                break;
            }
        }
        self.restore(op.broken);
        self.totals.branches[op.broken] |= self.mask_taint;
        self.taint_writes(&op.writes, taint);
        if !op.returns {
            self.mask_taint = taint;
        }
        Ok(())
    }

    /// Whether a loop that began at a step of the workgroup has to be left.
    fn is_too_long(&self, first_step: u64) -> bool {
        let Limits { cut_loops_after, steps_per_workgroup, .. } = self.context.limits;
        cut_loops_after.is_some_and(|most| {
            let left = (most >> self.workgroup_cuts.min(63)).max(most.min(SHORT_LOOP));
            self.workgroup_steps - first_step > left || self.workgroup_steps > steps_per_workgroup / 2
        })
    }

    /// Takes the lanes out of a loop in which a condition holds.
    fn break_if(&mut self, condition: Reg, broken: Mask) {
        for lane in 0..self.lanes {
            let holds = 0u32.wrapping_sub(self.word(condition, lane) & 1);
            let leaves = self.mask[lane] & holds;
            self.masks[broken * self.lanes + lane] |= leaves;
            self.mask[lane] &= !leaves;
        }
        self.recount();
    }

    pub(super) fn switch(&mut self, op: &'a SwitchOp) -> Result<(), ModelError> {
        let taint = self.mask_taint;
        self.mask_taint |= self.taint(op.selector);
        self.totals.branches[op.before] |= self.mask_taint;
        self.save(op.before);
        self.clear(op.through);
        self.clear(op.broken);
        self.mask.fill(0);
        for case in &op.cases {
            // lanes that fell through from the case before are still active
            for lane in 0..self.lanes {
                if self.masks[op.before * self.lanes + lane] == 0 {
                    continue;
                }
                let selector = self.word(op.selector, lane);
                let enters = case.values.contains(&selector)
                    || case.default && !op.cases.iter().any(|case| case.values.contains(&selector));
                if enters {
                    self.mask[lane] = u32::MAX;
                }
            }
            self.recount();
            if self.active > 0 {
                self.block(&case.body)?;
            }
            if !case.fall_through {
                self.add_to(op.through);
                self.mask.fill(0);
            }
        }
        self.add_from(op.through);
        self.add_from(op.broken);
        self.taint_writes(&op.writes, taint);
        if !op.jumps {
            self.mask_taint = taint;
        }
        Ok(())
    }

    pub(super) fn call(&mut self, function: usize) -> Result<(), ModelError> {
        let function = &self.program.functions[function];
        self.check_steps(&function.at)?;
        let taint = self.mask_taint;
        self.save(function.before);
        self.clear(function.returned);
        self.block(&function.body)?;
        self.restore(function.before);
        self.totals.branches[function.before] |= self.mask_taint;
        self.taint_writes(&function.writes_after_return, taint);
        self.mask_taint = taint;
        Ok(())
    }

    /// Marks what a part of the program may assign as dependent on the conditions in it, whether or not a
    /// lane did; `before` is what the mask depended on before it.
    fn taint_writes(&mut self, writes: &Writes, before: u64) {
        let taint = self.mask_taint;
        if taint == before {
            return;
        }
        for range in &writes.registers {
            for register in &mut self.register_taint[range.start as usize..range.end as usize] {
                *register |= taint;
            }
        }
        for &memory in &writes.memories {
            self.taint_memory(memory, taint);
        }
    }

    fn check_steps(&self, at: &Location) -> Result<(), ModelError> {
        let limit = self.context.limits.steps_per_workgroup;
        if self.workgroup_steps > limit {
            return Err(ModelError::StepLimit { at: at.clone(), workgroup: self.workgroup, limit });
        }
        Ok(())
    }
}
