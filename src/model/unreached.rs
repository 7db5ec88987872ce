//! Why an access was never executed: the assumptions of the branches, loops and returns around it.
//!
//! An access that is executed collects what its active mask depends on. One that is not has nobody to
//! collect it, so the conditions are remembered by branch and handed down afterwards, once.

use super::ir::{Block, Op};
use super::program::Program;

/// The assumptions that stand above each access, as bits.
///
/// `branches` holds, by the mask that saves the lanes before a branch, what its condition depended on.
pub(super) fn assumptions_above(program: &Program, branches: &[u64]) -> Vec<u64> {
    let mut walk = Walk {
        branches,
        accesses: vec![0; program.accesses.len()],
        functions: vec![0; program.functions.len()],
    };
    // a function is compiled before the functions that call it
    for (index, function) in program.functions.iter().enumerate().rev() {
        let above = walk.functions[index] | walk.branch(function.before);
        walk.block(&function.body, above);
    }
    walk.accesses
}

struct Walk<'a> {
    branches: &'a [u64],
    accesses: Vec<u64>,
    functions: Vec<u64>,
}

impl Walk<'_> {
    fn branch(&self, mask: usize) -> u64 {
        self.branches.get(mask).copied().unwrap_or(0)
    }

    fn block(&mut self, block: &Block, above: u64) {
        for op in block {
            match op {
                Op::Load(op) => self.accesses[op.access] |= above,
                Op::Store(op) => self.accesses[op.access] |= above,
                Op::Atomic(op) => self.accesses[op.access] |= above,
                Op::If(op) => {
                    let above = above | self.branch(op.before);
                    self.block(&op.accept, above);
                    self.block(&op.reject, above);
                }
                Op::Loop(op) => {
                    let above = above | self.branch(op.broken);
                    self.block(&op.body, above);
                    self.block(&op.continuing, above);
                }
                Op::Switch(op) => {
                    let above = above | self.branch(op.before);
                    for case in &op.cases {
                        self.block(&case.body, above);
                    }
                }
                Op::Call { function } => self.functions[*function] |= above,
                Op::Lanes1 { .. }
                | Op::Lanes2 { .. }
                | Op::Lanes3 { .. }
                | Op::Scalar(_)
                | Op::Copy { .. }
                | Op::First { .. }
                | Op::Assign { .. }
                | Op::Gather { .. }
                | Op::Scatter { .. }
                | Op::Pick { .. }
                | Op::Index(_)
                | Op::ArrayLength { .. }
                | Op::Subgroup(_)
                | Op::Leave { .. } => {}
            }
        }
    }
}
