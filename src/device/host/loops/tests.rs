//! Every case of every pattern that has a host loop: what it leaves is what the scalar reference says, and
//! a wrong word shows.

use crate::device::host::Host;
use crate::device::{Device, KernelId};
use crate::pattern::{Case, Depth, cases};

/// Small, and yet several chunks for each thread.
const FOOTPRINT: u64 = 1 << 20;

/// The cases that a host runs.
fn prepared(host: &mut Host) -> Vec<(Case, KernelId)> {
    let prepare = |case: Case| {
        let kernel = host.prepare(&case).ok()?.id;
        Some((case, kernel))
    };
    cases(Depth::Full).into_iter().filter_map(prepare).collect()
}

#[test]
fn every_loop_agrees_with_its_reference_and_one_corrupted_word_shows() {
    let mut host = Host::small(FOOTPRINT);
    for (case, kernel) in prepared(&mut host) {
        assert_eq!(host.check_after(kernel, |_| (), |_| ()), Ok(()), "{case}");
        let last = host.check_after(kernel, |_| (), |output| output[output.len() - 1] ^= 0x100);
        assert!(last.is_err_and(|index| index > 0), "{case}");
        let first = host.check_after(kernel, |_| (), |output| output[0] ^= 0x100);
        assert_eq!(first, Err(0), "{case}");
    }
}

#[test]
fn one_corrupted_word_of_an_input_shows() {
    let mut host = Host::small(FOOTPRINT);
    for (case, kernel) in prepared(&mut host) {
        let spoil = |all: &mut [Vec<u32>]| all.iter_mut().take(1).for_each(|input| input[0] ^= 1);
        let reads = case.op() != "write";
        assert_eq!(host.check_after(kernel, spoil, |_| ()).is_err(), reads, "{case}");
    }
}

#[test]
fn two_swapped_elements_fail_a_sum() {
    let mut host = Host::small(FOOTPRINT);
    for (case, kernel) in prepared(&mut host) {
        if case.pattern.name == "contiguous" && case.op() == "read" {
            let swap = |all: &mut [Vec<u32>]| all[0].swap(3, 3 + 4096);
            assert!(host.check_after(kernel, swap, |_| ()).is_err(), "{case}");
        }
    }
}

#[test]
fn a_buffer_too_small_for_a_stride_is_said() {
    let mut host = Host::small(4096);
    let skipped: Vec<String> = cases(Depth::Full)
        .into_iter()
        .filter(|case| case.pattern.name == "stride")
        .filter_map(|case| host.prepare(&case).err())
        .map(|refusal| refusal.to_string())
        .collect();
    assert!(skipped.iter().any(|s| s == "a buffer of 4096 bytes has no room for 16 steps of 512 bytes"));
}
