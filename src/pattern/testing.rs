//! What the tests of the patterns share.

use super::{Case, Content, Depth, Fill, Limits, Plan, Role, Value, find};
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

/// A device small enough that plans can be walked in a test.
pub(super) fn tiny() -> Limits {
    Limits {
        random_footprint: 1 << 19,
        max_binding: 1 << 22,
        max_workgroup_memory: 16 << 10,
        ..limits(1 << 20)
    }
}

/// A case by its id.
pub(super) fn case(id: &str) -> Case {
    let (name, _) = id.split_once('/').expect("an id has axes");
    let cases = find(name).expect("a registered pattern").cases(Depth::Full);
    cases.into_iter().find(|case| case.id() == id).unwrap_or_else(|| panic!("no case {id}"))
}

/// The plan of a case on the tiny device.
pub(super) fn plan(id: &str) -> Plan {
    let case = case(id);
    (case.pattern.plan)(&case, &tiny()).expect("a plan")
}

/// The first word expected at an element of the output.
pub(super) fn word(plan: &Plan, fill: &Fill, index: u64) -> u32 {
    let (_, expected) = plan.output();
    expected(fill, index)[0]
}

/// How many cases the three depths hold.
pub(super) fn counts(name: &str) -> [usize; 3] {
    let pattern = find(name).expect("a registered pattern");
    [Depth::Quick, Depth::Default, Depth::Full].map(|depth| pattern.cases(depth).len())
}

/// Every element of the subject that a write's expectation leaves at zero is one that the plan doesn't
/// count, and the other way round.
pub(super) fn writes_what_it_counts(id: &str) {
    let plan = plan(id);
    let (output, expected) = plan.output();
    let fill = Fill::new(1);
    let written = (0..output.bytes / plan.element.bytes()).filter(|i| expected(&fill, *i)[0] != 0).count();
    assert_eq!(written as u64 * plan.element.bytes(), plan.distinct_bytes, "{id}");
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
        assert!(plan.distinct_bytes > 0 && plan.distinct_bytes <= plan.useful_bytes, "{case}");
        if !plan.workgroup_subject {
            let subject: u64 = plan.buffers.iter().filter(|b| b.role == Role::Subject).map(|b| b.bytes).sum();
            assert!(plan.distinct_bytes <= subject, "{case}: {} of {subject}", plan.distinct_bytes);
        }
        assert!(plan.buffers.iter().all(|buffer| buffer.bytes <= limits.max_binding), "{case}");
        let (output, expected) = plan.output();
        let last = output.bytes / plan.element.bytes() - 1;
        for index in [0, last] {
            let unused = &expected(&Fill::new(1), index)[plan.element.words() as usize..];
            assert!(unused.iter().all(|word| *word == 0), "{case}");
        }
        if let Some(Value::Name(op)) = case.value("op") {
            assert_eq!(op, case.op());
        }
    }
}
