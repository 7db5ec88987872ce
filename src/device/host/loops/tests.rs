//! Every case of every pattern that has a host loop: what it leaves is what the scalar reference says, and
//! a wrong word shows.

use crate::device::host::Host;
use crate::device::{Device, KernelId};
use crate::pattern::{Case, Depth, Value, cases};

/// Small, and yet several chunks for each thread.
const FOOTPRINT: u64 = 1 << 20;

/// Room for the smaller of the matrices that are transposed.
const BINDING: u64 = 5 << 20;

/// The cases that a host runs.
fn prepared(host: &mut Host) -> Vec<(Case, KernelId)> {
    let prepare = |case: Case| {
        let kernel = host.prepare(&case).ok()?.id;
        Some((case, kernel))
    };
    cases(Depth::Full).into_iter().filter_map(prepare).collect()
}

/// A word of the first input that the case reads.
fn first_read(case: &Case) -> usize {
    match (case.value("cause"), case.value("offset_bytes")) {
        (Some(Value::Name("packed")), _) => 1027,
        (_, Some(Value::Int(offset))) => offset as usize / 4,
        _ => 0,
    }
}

#[test]
fn every_loop_agrees_with_its_reference() {
    let mut host = Host::small(FOOTPRINT, BINDING);
    for (case, kernel) in prepared(&mut host) {
        assert_eq!(host.check_after(kernel, |_| (), |_| ()), Ok(()), "{case}");
    }
}

#[test]
fn one_corrupted_word_of_the_output_shows() {
    let mut host = Host::small(FOOTPRINT, BINDING);
    for (case, kernel) in prepared(&mut host) {
        let last = host.check_after(kernel, |_| (), |output| output[output.len() - 1] ^= 0x100);
        assert!(last.is_err_and(|index| index > 0), "{case}");
    }
}

/// The first input is the subject or, of a gather, the indices; a loop that writes has none.
#[test]
fn one_corrupted_word_of_an_input_shows() {
    let mut host = Host::small(FOOTPRINT, BINDING);
    for (case, kernel) in prepared(&mut host) {
        let first = first_read(&case);
        let spoil = |all: &mut [Vec<u32>]| all.iter_mut().take(1).for_each(|input| input[first] ^= 1);
        // Another place for one of many equal stores can leave what was there before.
        if case.pattern.name != "scatter" {
            let wrong = host.check_after(kernel, spoil, |_| ()).is_err();
            assert_eq!(wrong, case.op() != "write", "{case}");
        }
    }
}

/// Beyond the sizes of the other tests a sum stands for more than its least, with up to 64 threads.
#[test]
fn long_chunks_are_whole() {
    let mut host = Host::small(128 << 20, 128 << 20);
    for id in ["contiguous/op=read/type=u32", "gather/type=u32/indices=sequential"] {
        let case = cases(Depth::Full).into_iter().find(|case| case.id() == id).unwrap();
        let kernel = host.prepare(&case).unwrap().id;
        assert_eq!(host.check_after(kernel, |_| (), |_| ()), Ok(()), "{id}");
        let spoil = |all: &mut [Vec<u32>]| *all[0].last_mut().unwrap() ^= 1;
        assert!(host.check_after(kernel, spoil, |_| ()).is_err(), "{id}");
    }
}

#[test]
fn a_rectangle_that_is_no_multiple_of_the_block_is_transposed() {
    let mut host = Host::small(32 << 20, 13 << 20);
    let rectangle = |case: &Case| case.pattern.name == "transpose" && case.name("matrix") == "1000x3016";
    let mut ran = 0;
    for case in cases(Depth::Full).into_iter().filter(rectangle) {
        if let Ok(kernel) = host.prepare(&case) {
            assert_eq!(host.check_after(kernel.id, |_| (), |_| ()), Ok(()), "{case}");
            ran += 1;
        }
    }
    // u32 alone fits: copy, naive twice and blocks, each with three sides of the block
    assert_eq!(ran, 12);
}

/// A word that is read changes places with its neighbour, with those of the next rows of sums and with the
/// one that the case's own distance leads to.
#[test]
fn two_swapped_words_of_an_input_show() {
    let mut host = Host::small(FOOTPRINT, BINDING);
    let (mut tried, mut unseen) = (0, Vec::new());
    for (case, kernel) in prepared(&mut host) {
        if case.op() == "write" || case.pattern.name == "scatter" {
            continue;
        }
        let words = case.element().words() as usize;
        let axes = ["stride_bytes", "record_bytes", "row_bytes"].map(|axis| (axis, 1));
        let axes = axes.into_iter().chain([("row_elements", case.element().bytes() as usize)]);
        let own = axes.filter_map(|(axis, unit)| match case.value(axis) {
            Some(Value::Int(distance)) => Some(distance as usize * unit / 4),
            _ => None,
        });
        for distance in own.chain([words, 16, 32, 64]) {
            let first = first_read(&case);
            let swap = |all: &mut [Vec<u32>]| {
                let input = &mut all[0];
                match input.get(first + distance) {
                    Some(word) if *word != input[first] => input.swap(first, first + distance),
                    // Out of the buffer, or the same index twice: a wrong word in place of the swap.
                    _ => input[first] ^= 1,
                }
            };
            tried += 1;
            if host.check_after(kernel, swap, |_| ()).is_ok() {
                unseen.push(format!("{case}: {distance}"));
            }
        }
    }
    assert!(unseen.len() * 1000 < tried, "{} of {tried}: {unseen:#?}", unseen.len());
}

#[test]
fn a_buffer_too_small_for_a_stride_is_said() {
    let mut host = Host::small(16 << 10, 16 << 10);
    let skipped: Vec<String> = cases(Depth::Full)
        .into_iter()
        .filter(|case| case.pattern.name == "stride")
        .filter_map(|case| host.prepare(&case).err())
        .map(|refusal| refusal.to_string())
        .collect();
    assert!(skipped.iter().any(|s| s == "a buffer of 16384 bytes has no room for 16 steps of 2048 bytes"));
}
