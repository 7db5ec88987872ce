//! Every case of every pattern that has a host loop: what it leaves is what the scalar reference says, and
//! a wrong input shows.

use crate::device::host::{HostPlan, HostRunner};
use crate::pattern::{Case, Depth, Fill, Limits, cases};

fn small() -> Limits {
    Limits {
        footprint: 1 << 20,
        random_footprint: 1 << 19,
        max_binding: 1 << 20,
        max_workgroup_memory: 32 << 10,
        max_invocations: 256,
        last_level_cache: Some(1 << 20),
    }
}

/// The cases that the host runs within those limits, with their plans.
fn host_plans(limits: &Limits) -> Vec<(Case, HostPlan)> {
    cases(Depth::Full)
        .into_iter()
        .filter_map(|case| {
            let plan = (case.pattern.host?)(&case, limits).ok()?;
            Some((case, plan))
        })
        .collect()
}

#[test]
fn every_loop_agrees_with_its_reference_twice() {
    for (case, plan) in host_plans(&small()) {
        let mut runner = HostRunner::new(plan, case.element(), Fill::new(7)).unwrap();
        for dispatch in 1..=2 {
            assert_eq!(runner.verify(), Ok(()), "{case}, dispatch {dispatch}");
        }
    }
}

#[test]
fn one_corrupted_word_fails_every_case() {
    for (case, plan) in host_plans(&small()) {
        let mut runner = HostRunner::new(plan, case.element(), Fill::new(7)).unwrap();
        assert_eq!(runner.verify(), Ok(()), "{case}");
        let words = runner.output_words();
        for word in [0, words / 3, words - 1] {
            let index = word as u64 / case.element().words();
            let mismatch = runner.check_with_corrupt_output(word).expect_err("a flipped bit");
            assert_eq!(mismatch.index, index, "{case}");
        }
        if runner.corrupt_input(0) {
            assert!(runner.verify().is_err(), "{case}: input word 0");
        }
    }
}

#[test]
fn two_swapped_elements_fail_a_sum() {
    let limits = small();
    for (case, plan) in host_plans(&limits) {
        if case.pattern.name == "contiguous" && case.op() == "read" {
            let mut runner = HostRunner::new(plan, case.element(), Fill::new(7)).unwrap();
            runner.swap_input(0, 3, 3 + 4096);
            assert!(runner.verify().is_err(), "{case}");
        }
    }
}

#[test]
fn a_buffer_too_small_for_a_stride_is_said() {
    let mut limits = small();
    limits.footprint = 1 << 12;
    let skipped: Vec<String> = cases(Depth::Full)
        .into_iter()
        .filter(|case| case.pattern.name == "stride")
        .filter_map(|case| (case.pattern.host?)(&case, &limits).err())
        .map(|skip| skip.to_string())
        .collect();
    assert!(skipped.iter().any(|s| s == "a buffer of 4096 bytes has no room for 16 steps of 512 bytes"));
}
