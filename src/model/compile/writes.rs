//! What a branch, loop or function may assign, so that a value which a condition kept from being assigned
//! still depends on it.

use std::ops::Range;

use super::super::ir::{Op, Writes};
use super::super::report::AtomicFun;
use super::Compiler;

impl Compiler<'_> {
    /// What some blocks may assign. Each range and memory counts as an instruction, which bounds what deep
    /// nesting can make of a shader.
    pub(super) fn writes<'b>(&mut self, blocks: impl IntoIterator<Item = &'b [Op]>) -> Writes {
        let mut writes = Writes::default();
        for block in blocks {
            self.add_writes(block, &mut writes);
        }
        writes.registers.sort_by_key(|range| (range.start, range.end));
        writes.registers.dedup_by(|next, range| {
            let joins = next.start <= range.end;
            if joins {
                range.end = range.end.max(next.end);
            }
            joins
        });
        writes.memories.sort_unstable();
        writes.memories.dedup();
        self.ops += (writes.registers.len() + writes.memories.len()) as u64;
        writes
    }

    /// What a function may assign, and the part of it from the first statement on that may return.
    pub(super) fn function_writes(&mut self, body: &[Op]) -> (Writes, Writes) {
        let returns = |op: &Op| {
            matches!(op, Op::If(op) if op.jumps)
                || matches!(op, Op::Loop(op) if op.returns)
                || matches!(op, Op::Switch(op) if op.jumps)
        };
        let first = body.iter().position(returns).unwrap_or(body.len());
        (self.writes([body]), self.writes([&body[first..]]))
    }

    fn add_writes(&self, block: &[Op], writes: &mut Writes) {
        for op in block {
            match op {
                Op::Assign { to, .. } => match writes.registers.last_mut() {
                    // the words of a value, one after the other
                    Some(last) if last.end == *to => last.end += 1,
                    _ => writes.registers.push(*to..*to + 1),
                },
                Op::Scatter { first, .. } => writes.registers.push(self.variable_around(*first)),
                Op::Store(op) => writes.memories.push(op.address.memory),
                Op::Atomic(op) if op.fun != AtomicFun::Load => writes.memories.push(op.address.memory),
                Op::If(op) => add(writes, &op.writes),
                Op::Loop(op) => add(writes, &op.writes),
                Op::Switch(op) => add(writes, &op.writes),
                Op::Call { function } => add(writes, &self.functions[*function].writes),
                Op::Lanes1 { .. }
                | Op::Lanes2 { .. }
                | Op::Lanes3 { .. }
                | Op::Scalar(_)
                | Op::Copy { .. }
                | Op::First { .. }
                | Op::Gather { .. }
                | Op::Pick { .. }
                | Op::Index(_)
                | Op::ArrayLength { .. }
                | Op::Load(_)
                | Op::Atomic(_)
                | Op::Subgroup(_)
                | Op::Leave { .. } => {}
            }
        }
    }

    /// The registers of the variable that one of them belongs to.
    fn variable_around(&self, register: u32) -> Range<u32> {
        let after = self.variables.partition_point(|range| range.start <= register);
        match after.checked_sub(1).and_then(|index| self.variables.get(index)) {
            Some(range) if range.contains(&register) => range.clone(),
            _ => register..register + 1,
        }
    }
}

fn add(to: &mut Writes, from: &Writes) {
    to.registers.extend_from_slice(&from.registers);
    to.memories.extend_from_slice(&from.memories);
}

#[cfg(test)]
mod tests {
    use crate::model::ir::{Memory, Op, Writes};
    use crate::model::program::Program;

    fn program(body: &str) -> Program {
        let source = format!(
            "var<private> seen: u32;
            var<workgroup> tile: array<u32, 64>;
            @group(0) @binding(0) var<storage, read_write> dst: array<u32>;
            fn assign(to: ptr<function, u32>) {{ *to = 1u; seen = 2u; }}
            @compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) {{
                var a = 0u; var list: array<u32, 4>; var pair = vec2(0u); var b = 0u; {body} dst[0] = 0u;
            }}"
        );
        let module = naga::front::wgsl::parse_str(&source).unwrap();
        let all = naga::valid::Capabilities::all();
        let info = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), all).validate(&module);
        Program::new("test.wgsl", &source, &module, &info.unwrap(), "main").unwrap()
    }

    /// The number of registers that the first branch writes, and its memories.
    fn of(body: &str) -> (u32, Vec<Memory>) {
        let program = program(body);
        let main = &program.functions[program.entry].body;
        let found = main.iter().find_map(|op| match op {
            Op::If(op) => Some(&op.writes),
            Op::Loop(op) => Some(&op.writes),
            Op::Switch(op) => Some(&op.writes),
            _ => None,
        });
        let Writes { registers, memories } = found.unwrap();
        (registers.iter().map(|range| range.end - range.start).sum(), memories.clone())
    }

    #[test]
    fn all_that_a_branch_may_assign() {
        let (buffer, tile) = (Memory::Buffer(0), Memory::Workgroup(0));
        assert_eq!(of("if i == 1u { a = 1u; b = 1u; a = 2u; } else { pair.y = 1u; }"), (3, vec![]));
        assert_eq!(of("if i == 1u { list[i] = 1u; }"), (4, vec![]), "any element");
        assert_eq!(of("if i == 1u { if i == 2u { tile[i] = 1u; dst[i] = a; } }"), (0, vec![buffer, tile]));
        assert_eq!(of("if i == 1u { assign(&a); }"), (2, vec![]), "through a pointer, and `seen`");
        assert_eq!(of("switch i { case 1u: { a = 1u; } default: { b = 1u; } }"), (2, vec![]));
        assert_eq!(of("loop { a += 1u; if a > 9u { break; } continuing { pair = vec2(1u); } }"), (3, vec![]));
        assert_eq!(of("if i == 1u { let c = dst[i]; }"), (0, vec![]));
    }
}
