//! What the tests of every pattern ask of its plans, without a device.

use super::*;
use crate::shader::Specialized;

/// A device small enough that plans can be walked in a test.
pub(super) fn tiny() -> Limits {
    Limits {
        footprint: 1 << 20,
        random_footprint: 1 << 19,
        max_binding: 1 << 22,
        max_workgroup_memory: 16 << 10,
        max_invocations: 256,
        last_level_cache: None,
    }
}

/// A case by its id.
pub(super) fn case(id: &str) -> Case {
    let (name, _) = id.split_once('/').expect("an id has axes");
    let pattern = find(name).expect("a pattern");
    pattern.cases(Depth::Full).into_iter().find(|case| case.id() == id).expect("a case of the pattern")
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
    let pattern = find(name).expect("a pattern");
    [Depth::Quick, Depth::Default, Depth::Full].map(|depth| pattern.cases(depth).len())
}

/// Every case of a pattern specialises and validates, its plan's buffers are those of its kernel, fit the
/// device and have whole 16-byte units; its output's expectation can be asked for at both ends.
pub(super) fn every_case_is_sound(name: &str) {
    let pattern = find(name).expect("a pattern");
    for case in pattern.cases(Depth::Full) {
        let Ok(plan) = (pattern.plan)(&case, &tiny()) else { continue };
        let kernel = Specialized::new(pattern.wgsl, &plan).unwrap_or_else(|e| panic!("{case}: {e}"));
        let bound: Vec<&str> =
            kernel.bindings.iter().map(|b| b.name.as_str()).filter(|n| *n != "params").collect();
        let planned: Vec<&str> = plan.buffers.iter().map(|b| b.name).collect();
        assert_eq!(bound, planned, "{case}");
        assert!(kernel.lanes() <= 256, "{case}");
        assert!(plan.groups > 0 && plan.useful_bytes > 0 && plan.distinct_bytes > 0, "{case}");
        assert!(plan.distinct_bytes <= plan.useful_bytes, "{case}");
        let subject: u64 = plan.buffers.iter().filter(|b| b.role == Role::Subject).map(|b| b.bytes).sum();
        assert!(plan.distinct_bytes <= subject, "{case}: {} of {subject}", plan.distinct_bytes);
        for buffer in &plan.buffers {
            assert!(buffer.bytes > 0 && buffer.bytes.is_multiple_of(16), "{case}: {buffer:?}");
            assert!(buffer.bytes <= tiny().max_binding, "{case}: {buffer:?}");
        }
        let outputs = plan.buffers.iter().filter(|b| matches!(b.content, Content::Output(_))).count();
        assert_eq!(outputs, 1, "{case}");
        let (output, expected) = plan.output();
        let fill = Fill::new(1);
        let last = output.bytes / plan.element.bytes() - 1;
        for index in [0, last] {
            let unused = &expected(&fill, index)[plan.element.words() as usize..];
            assert!(unused.iter().all(|word| *word == 0), "{case}");
        }
    }
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
