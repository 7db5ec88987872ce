//! `bank`: neighbouring lanes a fixed distance apart in workgroup memory.

use std::sync::Arc;

use super::plan::{fold, splat};
use super::*;

/// 0 is a broadcast: all lanes read the same element.
const STRIDES: &[u64] = &[
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
    29, 30, 31, 32, 33, 64,
];

/// The tile, where the device allows it and the stride needs no more: the same for nearly all cases, so that
/// occupancy is the same too.
const TILE_BYTES: u64 = 32 << 10;

/// Lanes of the widest subgroup, none of which may wrap around the tile onto another's element.
const SUBGROUP: u64 = 64;

/// Reads of a lane: eight or more for each element that it stages.
const READS: u64 = 256;

/// Elements from a lane's read to its next: odd, so that no step repeats, and more than one, so that no
/// compiler joins two reads to a wider one.
const TURN: u64 = 33;

/// A workgroup for each of these bytes of the footprint: enough of them for large devices, and a dispatch
/// of some ten milliseconds on CPU adapters.
const FOOTPRINT_PER_GROUP: u64 = 256 << 10;

pub(super) const PATTERN: Pattern = Pattern {
    name: "bank",
    summary: "neighbouring lanes a fixed distance apart in workgroup memory",
    why: "Workgroup memory is spread over banks, word by word (32 banks of 4 bytes on most GPUs), and a bank \
          serves one word at a time. Lanes whose distinct words fall on one bank wait for each other: a \
          stride of 2 elements of 4 bytes costs twice, 32 costs 32 times, while every odd stride is free, \
          which is why a tile's rows are padded by one. Lanes that read the same word share it: stride 0 is \
          that broadcast. Wider elements are served in phases of fewer lanes, so 8 and 16 bytes conflict at \
          other strides. The twin runs the same instructions with neighbouring lanes on neighbouring \
          elements, free of conflicts.",
    wgsl: include_str!("../../shaders/bank.wgsl"),
    axes: &[
        Axis::TYPE,
        Axis::ints("stride_elements", "elements from one lane to the next; 0 is a broadcast", STRIDES),
    ],
    depth,
    plan,
    host: None,
    purpose: |_| Purpose::Plain,
    chart: Chart::Curve { axis: "stride_elements", log: false },
};

fn depth(case: &Case) -> Option<Depth> {
    Some(match (case.element(), case.int("stride_elements")) {
        (Element::U32, 0 | 1 | 2 | 32 | 33) => Depth::Quick,
        (Element::U32, 3..=8 | 12 | 16 | 17 | 24 | 31 | 64) => Depth::Default,
        (Element::U32x2 | Element::U32x4, 0..=4 | 8 | 16 | 32) => Depth::Default,
        _ => Depth::Full,
    })
}

/// Bytes of the tile: [`TILE_BYTES`] or what the device allows, more where a stride needs it.
///
/// `stride * lane` modulo a power of two repeats after that power divided by the largest power of two in
/// the stride, which has to be a subgroup or more.
fn tile_bytes(element: Element, stride: u64, allowed: u64) -> Result<u64, Skip> {
    let factor = if stride == 0 { 1 } else { 1 << stride.trailing_zeros() };
    // also no two reads of a lane on one element
    let needed = (SUBGROUP * factor).max(READS) * element.bytes();
    if needed > allowed {
        return Err(Skip::because(format!(
            "{SUBGROUP} lanes {stride} elements apart need {needed} bytes of workgroup memory; the device \
             allows {allowed}"
        )));
    }
    Ok(needed.max(TILE_BYTES.min(power_of_two_below(allowed))))
}

/// The element of the tile that a lane reads at a step.
fn slot(lane: u64, step: u64, stride: u64, slots: u64) -> u64 {
    (lane * stride + step * TURN) % slots
}

/// How many different elements the lanes of a workgroup read.
fn distinct(stride: u64, slots: u64) -> u64 {
    let mut read = vec![false; slots as usize];
    for lane in 0..WORKGROUP {
        for step in 0..READS {
            read[slot(lane, step, stride, slots) as usize] = true;
        }
    }
    read.into_iter().filter(|read| *read).count() as u64
}

fn plan(case: &Case, limits: &Limits) -> Result<Plan, Skip> {
    let (element, stride) = (case.element(), case.int("stride_elements"));
    let tile = tile_bytes(element, stride, limits.max_workgroup_memory)?;
    let slots = tile / element.bytes();
    let sink_per_group = WORKGROUP * element.bytes();
    let groups = (limits.footprint / FOOTPRINT_PER_GROUP).min(limits.max_binding / sink_per_group).max(1);
    let expected: Expected = Arc::new(move |_, index| {
        let lane = index % WORKGROUP;
        // the golden ratio's bits, times the position from 1
        let staged = |slot: u64| splat(element, (slot as u32 + 1).wrapping_mul(0x9e37_79b9));
        fold(element, (0..READS).map(|step| staged(slot(lane, step, stride, slots))))
    });
    Ok(Plan {
        entry: "load",
        element,
        constants: vec![
            ("LANES", WORKGROUP as f64),
            ("READS", READS as f64),
            ("STRIDE", stride as f64),
            ("SLOTS", slots as f64),
            ("TURN", TURN as f64),
        ],
        buffers: vec![BufferPlan::output("dst", Role::Sink, groups * sink_per_group, expected)],
        groups,
        twin_mask: Some(0),
        accesses_per_lane: READS,
        useful_bytes: groups * WORKGROUP * READS * element.bytes(),
        distinct_bytes: groups * distinct(stride, slots) * element.bytes(),
        workgroup_subject: true,
        clamped: None,
        notes: vec![("tile_bytes", tile.to_string())],
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::testing::{case, count, limits, specialises_everywhere};
    use super::*;

    #[test]
    fn every_case_specialises() {
        specialises_everywhere("bank");
    }

    #[test]
    fn depths_hold_what_they_should() {
        assert_eq!(count("bank", Depth::Quick), 5);
        assert_eq!(count("bank", Depth::Default), 5 + 12 + 2 * 8);
        assert_eq!(count("bank", Depth::Full), 3 * 35);
    }

    /// Distinct words on the busiest of 32 banks of 4 bytes, for 32 lanes from `first` at one step.
    fn degree(first: u64, step: u64, stride: u64, slots: u64) -> usize {
        let words: BTreeSet<u64> = (first..first + 32).map(|lane| slot(lane, step, stride, slots)).collect();
        (0..32).map(|bank| words.iter().filter(|word| *word % 32 == bank).count()).max().unwrap()
    }

    #[test]
    fn strides_conflict_as_their_power_of_two_says() {
        for (stride, expected) in
            [(0, 1), (1, 1), (2, 2), (3, 1), (4, 4), (6, 2), (12, 4), (31, 1), (32, 32), (33, 1), (64, 32)]
        {
            for first in [0, 32, 224] {
                for step in [0, 1, 100, 255] {
                    assert_eq!(degree(first, step, stride, 8192), expected, "{stride}, {first}, {step}");
                }
            }
        }
    }

    #[test]
    fn no_two_lanes_of_a_subgroup_meet_and_no_step_repeats() {
        for allowed in [16 << 10, 32 << 10, 64 << 10] {
            for element in Element::ALL {
                for &stride in STRIDES {
                    let Ok(tile) = tile_bytes(element, stride, allowed) else { continue };
                    assert!(tile.is_power_of_two() && tile <= allowed, "{element} {stride}: {tile}");
                    let slots = tile / element.bytes();
                    let steps: BTreeSet<u64> = (0..READS).map(|step| slot(3, step, stride, slots)).collect();
                    assert_eq!(steps.len() as u64, READS, "{element} {stride} in {tile}");
                    for first in (0..WORKGROUP).step_by(SUBGROUP as usize) {
                        let slots: BTreeSet<u64> =
                            (first..first + SUBGROUP).map(|lane| slot(lane, 7, stride, slots)).collect();
                        let expected = if stride == 0 { 1 } else { SUBGROUP };
                        assert_eq!(slots.len() as u64, expected, "{element} {stride} in {tile}");
                    }
                }
            }
        }
    }

    #[test]
    fn tiles_are_the_same_where_they_can_be() {
        assert_eq!(tile_bytes(Element::U32, 1, 96 << 10), Ok(32 << 10));
        assert_eq!(tile_bytes(Element::U32x4, 32, 32 << 10), Ok(32 << 10));
        assert_eq!(tile_bytes(Element::U32x4, 64, 96 << 10), Ok(64 << 10));
        assert_eq!(tile_bytes(Element::U32, 64, 17 << 10), Ok(16 << 10));
        let reason = tile_bytes(Element::U32x4, 64, 32 << 10).unwrap_err().0;
        assert!(reason.contains("64 lanes 64 elements apart need 65536 bytes"), "{reason}");
        assert!(reason.contains("allows 32768"), "{reason}");
    }

    #[test]
    fn a_lane_folds_its_reads_in_order() {
        let plan = plan(&case("bank", "type=u32x2/stride_elements=3"), &limits(1 << 20)).unwrap();
        assert_eq!((plan.groups, plan.buffers[0].bytes), (4, 4 * 256 * 8));
        // lane 2 of the second workgroup: 6, 39, 72 … of 4096 elements
        let mut sum = 0u32;
        for step in 0..256u32 {
            let position = (6 + 33 * step) & 4095;
            sum = sum.wrapping_mul(5).wrapping_add(0x9e37_79b9u32.wrapping_mul(position + 1));
        }
        assert_eq!((plan.output().1)(&Fill::new(0), 256 + 2), [sum, sum, 0, 0]);
    }

    #[test]
    fn distinct_elements_of_a_broadcast_are_its_steps() {
        assert_eq!(distinct(0, 8192), READS);
        // 0 to 33 * 255 + 255, wrapped around
        assert_eq!(distinct(1, 8192), 8192);
    }
}
