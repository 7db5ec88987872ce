//! What the tests of the patterns share.

use super::{Case, Content, Depth, Limits, Value, find};
use crate::shader::{BindingKind, Specialized};

/// A device of that footprint which allows everything that a pattern may ask for.
pub(super) fn limits(footprint: u64) -> Limits {
    Limits {
        footprint,
        random_footprint: footprint,
        max_binding: 1 << 30,
        max_workgroup_memory: 96 << 10,
        max_invocations: 256,
        last_level_cache: None,
    }
}

/// The case of a pattern with that id, less the pattern's name.
pub(super) fn case(pattern: &str, rest: &str) -> Case {
    let id = format!("{pattern}/{rest}");
    let cases = find(pattern).expect("a registered pattern").cases(Depth::Full);
    cases.into_iter().find(|case| case.id() == id).unwrap_or_else(|| panic!("no case {id}"))
}

/// How many cases a pattern has at a depth.
pub(super) fn count(pattern: &str, depth: Depth) -> usize {
    find(pattern).expect("a registered pattern").cases(depth).len()
}

/// Every case makes a valid shader whose bindings are the plan's buffers, the written one writable, and
/// whose figures agree with each other; every axis value is in some case.
pub(super) fn specialises_everywhere(name: &str) {
    let pattern = find(name).expect("a registered pattern");
    let cases = pattern.cases(Depth::Full);
    for (index, axis) in pattern.axes.iter().enumerate() {
        for value in axis.values.iter() {
            let used = cases.iter().any(|case| case.values[index] == value);
            assert!(used, "no case of {name} has {}={value}", axis.name);
        }
    }
    let limits = limits(128 << 20);
    for case in cases {
        let plan = (pattern.plan)(&case, &limits).unwrap_or_else(|skip| panic!("{case}: {skip}"));
        let shader = Specialized::new(pattern.wgsl, &plan).unwrap_or_else(|error| panic!("{case}: {error}"));
        assert!(shader.lanes() <= limits.max_invocations, "{case}: {} lanes", shader.lanes());
        let mut bound: Vec<(&str, bool)> = shader
            .bindings
            .iter()
            .filter(|binding| binding.kind != BindingKind::Uniform)
            .map(|binding| (binding.name.as_str(), binding.kind == BindingKind::ReadWriteStorage))
            .collect();
        let mut planned: Vec<(&str, bool)> = plan
            .buffers
            .iter()
            .map(|buffer| (buffer.name, matches!(buffer.content, Content::Output(_))))
            .collect();
        bound.sort_unstable();
        planned.sort_unstable();
        assert_eq!(bound, planned, "{case}");
        assert_eq!(planned.iter().filter(|(_, written)| *written).count(), 1, "{case}");
        for buffer in &plan.buffers {
            assert!(buffer.bytes > 0 && buffer.bytes.is_multiple_of(16), "{case}: {}", buffer.name);
        }
        assert!(plan.groups > 0 && plan.useful_bytes > 0 && plan.accesses_per_lane > 0, "{case}");
        assert!(plan.distinct_bytes <= plan.useful_bytes, "{case}");
        if let Some(Value::Name(op)) = case.value("op") {
            assert_eq!(op, case.op());
        }
    }
}
