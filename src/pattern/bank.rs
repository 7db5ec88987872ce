//! `bank`: workgroup memory touched by lanes a fixed number of elements apart.

use std::sync::Arc;

use super::*;

/// 0 is a broadcast: all lanes touch one element.
const STRIDES: &[u64] = &[
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
    29, 30, 31, 32, 33, 64,
];

/// Accesses per lane: so many that filling the tile, once per workgroup, takes a few percent.
const STEPS: u64 = 256;

/// The largest subgroup whose lanes must not meet in one element by the wrap of the tile.
const SUBGROUP: u64 = 64;

/// Workgroup memory that nearly every adapter allows.
const USUAL_TILE: u64 = 32 << 10;

/// Footprint, per workgroup: the grid is as large as that of a pattern in device memory would be.
const FOOTPRINT_PER_GROUP: u64 = 128 << 10;

pub(super) const PATTERN: Pattern = Pattern {
    name: "bank",
    summary: "workgroup memory touched by lanes a fixed number of elements apart",
    why: "Workgroup memory is divided into banks (32 of 4 bytes on most GPUs) that each serve one word at a \
          time. Lanes that need different words of one bank wait for each other: at a stride of 2^k words, \
          2^k lanes share a bank, at any odd stride none do, which is why padding a row by one element \
          helps. A broadcast is a single word and costs nothing extra. Wider elements occupy several banks \
          and are served in phases, so their conflicts start at other strides. The twin is the same \
          pipeline with lanes one element apart. Bandwidth here is that of workgroup memory and has no part \
          in the roof.",
    wgsl: include_str!("../../shaders/bank.wgsl"),
    axes: &[
        Axis::names("op", "load or store", &["read", "write"]),
        Axis::TYPE,
        Axis::ints("stride_elements", "distance between neighbouring lanes; 0 is a broadcast", STRIDES),
    ],
    depth,
    plan,
    host: None,
    purpose: |case| if case.int("stride_elements") == 1 { Purpose::Ceiling } else { Purpose::Plain },
    chart: Chart::Curve { axis: "stride_elements", log: false },
    examples: &[
        Example::counted("op=read/type=u32/stride_elements=0"),
        Example::drawn("op=read/type=u32/stride_elements=1"),
        Example::drawn("op=read/type=u32/stride_elements=2"),
        Example::counted("op=read/type=u32/stride_elements=4"),
        Example::counted("op=read/type=u32/stride_elements=8"),
        Example::counted("op=read/type=u32/stride_elements=16"),
        Example::drawn("op=read/type=u32/stride_elements=32"),
        Example::drawn("op=read/type=u32/stride_elements=33"),
        Example::counted("op=read/type=u32x4/stride_elements=1"),
        Example::counted("op=read/type=u32x4/stride_elements=8"),
    ],
};

fn depth(case: &Case) -> Option<Depth> {
    Some(match (case.op(), case.element(), case.int("stride_elements")) {
        ("read", Element::U32, 1 | 8 | 32 | 33) => Depth::Quick,
        ("read", Element::U32, 0 | 2 | 3 | 4 | 12 | 16 | 17 | 24 | 31 | 64) => Depth::Default,
        ("read", Element::U32x2, 1 | 2 | 4 | 16 | 17) => Depth::Default,
        ("read", Element::U32x4, 1 | 2 | 4 | 8 | 9) => Depth::Default,
        ("write", Element::U32, 1 | 2 | 8 | 32 | 33) => Depth::Default,
        _ => Depth::Full,
    })
}

fn plan(case: &Case, limits: &Limits) -> Result<Plan, Skip> {
    let (element, stride) = (case.element(), case.int("stride_elements"));
    let tile = tile_bytes(element, stride, limits.max_workgroup_memory)? / element.bytes();
    let groups = (limits.footprint / FOOTPRINT_PER_GROUP)
        .min(limits.max_binding / (WORKGROUP * element.bytes()))
        .max(1);
    let walk = Walk { stride, tile };
    let touched = walk.touched();
    let distinct = touched.iter().filter(|touched| **touched).count() as u64;
    let value = move |place: u64, group: u64| {
        let word = (place as u32).wrapping_add(group as u32).wrapping_mul(2_654_435_761);
        splat(element, word)
    };
    let reads = case.op() == "read";
    let expected: Expected = if reads {
        Arc::new(move |_, index| {
            let (group, lane) = (index / WORKGROUP, index % WORKGROUP);
            fold(element, (0..STEPS).map(|step| value(walk.place(lane, step), group)))
        })
    } else {
        Arc::new(move |_, index| {
            let (group, lane) = (index / WORKGROUP, index % WORKGROUP);
            let read_back = (lane..tile).step_by(WORKGROUP as usize);
            fold(
                element,
                read_back.map(|i| if touched[i as usize] { value(i, group) } else { splat(element, 0) }),
            )
        })
    };
    Ok(Plan {
        entry: if reads { "load" } else { "store" },
        element,
        constants: vec![
            ("LANES", WORKGROUP as f64),
            ("ACCESSES", STEPS as f64),
            ("STRIDE", stride as f64),
            ("TILE", tile as f64),
        ],
        buffers: vec![BufferPlan::output("dst", Role::Sink, groups * WORKGROUP * element.bytes(), expected)],
        groups,
        twin_mask: Some(0),
        accesses_per_lane: STEPS,
        useful_bytes: groups * WORKGROUP * STEPS * element.bytes(),
        distinct_bytes: groups * distinct * element.bytes(),
        workgroup_subject: true,
        clamped: None,
        notes: vec![("tile_bytes", (tile * element.bytes()).to_string())],
    })
}

/// Bytes of the tile: one size for nearly all strides of a type, so that occupancy does not differ between
/// them, and more where a stride needs it.
///
/// Multiples of a stride repeat modulo the tile after tile / gcd(stride, tile) lanes, which has to be a
/// subgroup or more (but for a broadcast, whose lanes are meant to meet).
fn tile_bytes(element: Element, stride: u64, allowed: u64) -> Result<u64, Skip> {
    let apart = if stride == 0 { 1 } else { SUBGROUP << stride.trailing_zeros() };
    let needed = apart.max(WORKGROUP) * element.bytes();
    if needed > allowed {
        return Err(Skip::because(format!(
            "{SUBGROUP} lanes {stride} elements apart need {needed} bytes of workgroup memory; the device \
             allows {allowed}"
        )));
    }
    let usual = power_of_two_below(allowed).min(USUAL_TILE).min(SUBGROUP * 64 * element.bytes());
    Ok(needed.max(usual))
}

/// The places of a tile that lanes a stride apart visit: each step shifts all of them by flipping the same
/// bits of their indices.
#[derive(Clone, Copy)]
struct Walk {
    stride: u64,
    tile: u64,
}

impl Walk {
    /// The element that a lane touches in a step.
    fn place(self, lane: u64, step: u64) -> u64 {
        (lane * self.stride % self.tile) ^ (step * 67 % self.tile)
    }

    /// Which elements some lane of a workgroup touches.
    fn touched(self) -> Vec<bool> {
        let mut touched = vec![false; self.tile as usize];
        for step in 0..STEPS {
            for lane in 0..WORKGROUP {
                touched[self.place(lane, step) as usize] = true;
            }
        }
        touched
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::testing::{case, counts, limits, specialises_everywhere};
    use super::*;

    #[test]
    fn every_case_specialises() {
        specialises_everywhere("bank");
    }

    #[test]
    fn depths_hold_what_they_should() {
        assert_eq!(counts("bank"), [4, 29, 2 * 3 * 35]);
    }

    /// Most distinct words that one of 32 banks of 4 bytes serves for 32 lanes of 4 bytes.
    fn degree(walk: Walk, first_lane: u64, step: u64) -> usize {
        let words: BTreeSet<u64> = (first_lane..first_lane + 32).map(|lane| walk.place(lane, step)).collect();
        (0..32).map(|bank| words.iter().filter(|word| *word % 32 == bank).count()).max().unwrap()
    }

    #[test]
    fn every_step_has_the_conflicts_of_its_stride() {
        for (stride, conflicts) in
            [(0, 1), (1, 1), (2, 2), (3, 1), (8, 8), (12, 4), (32, 32), (33, 1), (64, 32)]
        {
            let walk = Walk { stride, tile: 4096 };
            for step in 0..STEPS {
                assert_eq!(degree(walk, 0, step), conflicts, "stride {stride}, step {step}");
                assert_eq!(degree(walk, 224, step), conflicts, "stride {stride}, step {step}");
            }
        }
    }

    #[test]
    fn lanes_of_a_subgroup_never_meet_and_stay_in_the_tile() {
        for case in find("bank").unwrap().cases(Depth::Full) {
            let plan = plan(&case, &limits(1 << 20)).unwrap();
            let constant = |name| plan.constants.iter().find(|(n, _)| *n == name).unwrap().1 as u64;
            let walk = Walk { stride: case.int("stride_elements"), tile: constant("TILE") };
            let needs_more = (plan.element, walk.stride) == (Element::U32x4, 64);
            let tile_bytes = walk.tile * plan.element.bytes();
            assert!(tile_bytes <= USUAL_TILE || needs_more && tile_bytes == 64 << 10, "{case}");
            let of_step: BTreeSet<u64> = (0..SUBGROUP).map(|lane| walk.place(lane, 5)).collect();
            assert_eq!(of_step.len() as u64, if walk.stride == 0 { 1 } else { SUBGROUP }, "{case}");
            let of_lane: BTreeSet<u64> = (0..STEPS).map(|step| walk.place(9, step)).collect();
            assert_eq!(of_lane.len() as u64, STEPS, "{case}");
            assert!(of_lane.iter().chain(&of_step).all(|place| *place < walk.tile), "{case}");
        }
    }

    #[test]
    fn lanes_fold_what_the_tile_holds() {
        let read = plan(&case("bank/op=read/type=u32/stride_elements=2"), &limits(1 << 20)).unwrap();
        let fill = Fill::new(0);
        // lane 3 of workgroup 1 starts at element 6; the first two steps flip 0, then 67 = 0b1000011
        let word = |place: u32| (place + 1).wrapping_mul(2_654_435_761);
        let walk = Walk { stride: 2, tile: 4096 };
        assert_eq!([walk.place(3, 0), walk.place(3, 1)], [6, 0b1000101]);
        let sum = (0..256u32)
            .fold(0u32, |sum, step| sum.wrapping_mul(5).wrapping_add(word(6 ^ ((67 * step) & 4095))));
        assert_eq!((read.output().1)(&fill, 256 + 3)[0], sum);
        // a broadcast writes one element per step: 256 of 4096
        let write = plan(&case("bank/op=write/type=u32/stride_elements=0"), &limits(1 << 20)).unwrap();
        assert_eq!(write.distinct_bytes, write.groups * 256 * 4);
    }

    #[test]
    fn a_small_workgroup_memory_skips_the_long_strides() {
        let mut small = limits(1 << 20);
        small.max_workgroup_memory = 16 << 10;
        assert!(plan(&case("bank/op=read/type=u32/stride_elements=64"), &small).is_ok());
        let reason = plan(&case("bank/op=read/type=u32x4/stride_elements=32"), &small).unwrap_err().0;
        assert!(reason.contains("need 32768 bytes") && reason.contains("allows 16384"), "{reason}");
    }
}
