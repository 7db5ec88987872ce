//! `misalign`: runs of consecutive elements that start off the boundary of a line.

use std::sync::Arc;

use super::plan::{fold, splat};
use super::*;

/// Every multiple of 4 bytes up to a line of 128; wider elements take the multiples of their size.
const OFFSETS: &[u64] = &[
    0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 68, 72, 76, 80, 84, 88, 92, 96, 100,
    104, 108, 112, 116, 120, 124, 128,
];

/// `field`: records of a 12-byte header (id, kind, length) and 128 bytes of payload.
const HEADER: u64 = 12;
const PAYLOAD: u64 = 128;

/// `packed`: the first array has 1027 elements of 4 bytes, so the second starts 12 bytes after a multiple of
/// 256.
const FIRST_ARRAY: u64 = 1027 * 4;

pub(super) const PATTERN: Pattern = Pattern {
    name: "misalign",
    summary: "contiguous runs that start off the boundary of a sector or line",
    why: "A run of consecutive bytes that starts in the middle of a sector needs one sector more than its \
          length: a 32-byte run then costs twice, a 128-byte run a quarter more, and an endless run next to \
          nothing, because the sector that is cut belongs to the neighbouring run too and waits in the \
          cache. Stores into a part of a sector may also make the memory read it first. A binding's offset \
          has to be a multiple of at least 32 bytes, so no API call can misalign a buffer this way; \
          shaders do it themselves with `base + i`. cause=slice is that sum; cause=field reads the payload \
          of records with a 12-byte header; cause=packed reads the second of two arrays in one buffer.",
    wgsl: include_str!("../../shaders/misalign.wgsl"),
    axes: &[
        Axis::names("op", "load or store", &["read", "write"]),
        Axis::TYPE,
        Axis::names(
            "cause",
            "a slice base + offset; the payload of records with a header; the second of two packed arrays",
            &["slice", "field", "packed"],
        ),
        Axis::names(
            "run",
            "length of each contiguous run; starts are 256 bytes apart (1024 for 512B)",
            &["32B", "128B", "512B", "endless"],
        ),
        Axis::ints("offset_bytes", "start of each run after its boundary", OFFSETS),
    ],
    depth,
    plan,
    host: Some(crate::device::host::loops::misalign),
    purpose: |_| Purpose::Plain,
    chart: Chart::Steps { axis: "offset_bytes" },
    examples: &[
        Example::counted("op=read/type=u32/cause=slice/run=endless/offset_bytes=0"),
        Example::drawn("op=read/type=u32/cause=slice/run=endless/offset_bytes=4"),
        Example::counted("op=read/type=u32/cause=slice/run=endless/offset_bytes=32"),
        Example::counted("op=read/type=u32/cause=slice/run=128B/offset_bytes=4"),
        Example::drawn("op=read/type=u32/cause=slice/run=32B/offset_bytes=0"),
        Example::drawn("op=read/type=u32/cause=slice/run=32B/offset_bytes=4"),
        Example::counted("op=read/type=u32/cause=field/run=128B/offset_bytes=12"),
        Example::counted("op=write/type=u32/cause=slice/run=32B/offset_bytes=4"),
    ],
};

fn depth(case: &Case) -> Option<Depth> {
    let (element, offset) = (case.element(), case.int("offset_bytes"));
    match (case.name("cause"), case.name("run")) {
        ("slice", _) if offset.is_multiple_of(element.bytes()) => {}
        ("field", "128B") | ("packed", "endless") if element == Element::U32 && offset == HEADER => {
            return Some(Depth::Default);
        }
        _ => return None,
    }
    Some(match (case.op(), element, case.name("run")) {
        ("read", Element::U32, "32B") if matches!(offset, 0 | 4 | 32) => Depth::Quick,
        ("read", Element::U32, "32B" | "128B") if matches!(offset, 0 | 4 | 16 | 32 | 64 | 128) => {
            Depth::Default
        }
        // Off a sector again, however far from the first boundary.
        ("read", Element::U32, "32B") if offset == 36 => Depth::Default,
        ("read", Element::U32, "128B") if matches!(offset, 36 | 68) => Depth::Default,
        ("read", Element::U32, _) if matches!(offset, 0 | 4 | 32 | 128) => Depth::Default,
        ("write", Element::U32, "32B") if matches!(offset, 0 | 4 | 32) => Depth::Default,
        ("write", Element::U32, "endless") if matches!(offset, 0 | 4) => Depth::Default,
        _ => Depth::Full,
    })
}

/// Runs of `run` bytes, `pitch` bytes from start to start, the first of them at `first`.
#[derive(Clone, Copy, Debug)]
struct Runs {
    first: u64,
    run: u64,
    pitch: u64,
}

impl Runs {
    fn of(case: &Case) -> Runs {
        let offset = case.int("offset_bytes");
        let chunk = WORKGROUP * ACCESSES * case.element().bytes();
        match (case.name("cause"), case.name("run")) {
            ("field", _) => Runs { first: HEADER, run: PAYLOAD, pitch: HEADER + PAYLOAD },
            ("packed", _) => Runs { first: FIRST_ARRAY, run: chunk, pitch: chunk },
            (_, "32B") => Runs { first: offset, run: 32, pitch: 256 },
            (_, "128B") => Runs { first: offset, run: 128, pitch: 256 },
            (_, "512B") => Runs { first: offset, run: 512, pitch: 1024 },
            _ => Runs { first: offset, run: chunk, pitch: chunk },
        }
    }

    /// How many runs lie in a buffer of that many bytes.
    fn within(self, bytes: u64) -> u64 {
        bytes.checked_sub(self.first + self.run).map_or(0, |room| room / self.pitch + 1)
    }

    /// The byte of the n-th element of a walk that takes the runs one after the other.
    fn byte(self, element: Element, n: u64) -> u64 {
        let walked = n * element.bytes();
        self.first + walked / self.run * self.pitch + walked % self.run
    }

    /// Whether one of the first `count` runs covers that byte.
    fn covers(self, byte: u64, count: u64) -> bool {
        byte >= self.first
            && (byte - self.first) / self.pitch < count
            && (byte - self.first) % self.pitch < self.run
    }
}

fn plan(case: &Case, limits: &Limits) -> Result<Plan, Skip> {
    let (element, runs) = (case.element(), Runs::of(case));
    let chunk = WORKGROUP * ACCESSES;
    let size = Sizing::new(limits.footprint, limits.max_binding, (chunk * element.bytes()).max(runs.pitch));
    let groups = runs.within(size.bytes) * (runs.run / element.bytes()) / chunk;
    if groups == 0 {
        return Err(Skip::because(format!(
            "a buffer of {} bytes has no room for one workgroup of runs of {} bytes",
            size.bytes, runs.run
        )));
    }
    let touched = groups * chunk * element.bytes();
    let reads = case.op() == "read";
    let buffers = if reads {
        let expected: Expected = Arc::new(move |fill, index| {
            let first = index / WORKGROUP * chunk + index % WORKGROUP;
            let places = (0..ACCESSES).map(|row| runs.byte(element, first + row * WORKGROUP));
            fold(element, places.map(|byte| fill.element(element, 0, byte / element.bytes())))
        });
        vec![
            BufferPlan::random("src", Role::Subject, size.bytes, 0),
            BufferPlan::output("dst", Role::Sink, groups * WORKGROUP * element.bytes(), expected),
        ]
    } else {
        let count = touched / runs.run;
        let expected: Expected = Arc::new(move |_, i| {
            splat(element, if runs.covers(i * element.bytes(), count) { i as u32 + 1 } else { 0 })
        });
        vec![BufferPlan::output("dst", Role::Subject, size.bytes, expected)]
    };
    Ok(Plan {
        entry: if reads { "load" } else { "store" },
        element,
        constants: vec![
            ("LANES", WORKGROUP as f64),
            ("ACCESSES", ACCESSES as f64),
            ("RUN_LOG2", f64::from((runs.run / element.bytes()).ilog2())),
            ("PITCH", (runs.pitch / element.bytes()) as f64),
            ("OFFSET", (runs.first / element.bytes()) as f64),
        ],
        buffers,
        groups,
        twin_mask: Some(window_mask(if reads { LOAD_WINDOW } else { STORE_WINDOW }, element)),
        accesses_per_lane: ACCESSES,
        useful_bytes: touched,
        distinct_bytes: touched,
        workgroup_subject: false,
        clamped: size.clamped,
        notes: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::testing::{case, counts, limits, specialises_everywhere};
    use super::*;

    #[test]
    fn every_case_specialises() {
        specialises_everywhere("misalign");
    }

    #[test]
    fn depths_hold_what_they_should() {
        // 33 + 17 + 9 offsets, 4 runs, 2 ops; 2 named causes, 2 ops
        assert_eq!(counts("misalign"), [3, 32, 59 * 4 * 2 + 4]);
    }

    /// Starts of the first places of the first run and of the second.
    #[test]
    fn runs_start_the_offset_after_their_boundary() {
        let bytes = |id: &str, ns: &[u64]| -> Vec<u64> {
            let case = case(&format!("misalign/{id}"));
            ns.iter().map(|&n| Runs::of(&case).byte(case.element(), n)).collect()
        };
        let id = "op=read/type=u32/cause=slice/run=32B/offset_bytes=12";
        assert_eq!(bytes(id, &[0, 1, 7, 8, 15, 16]), [12, 16, 40, 268, 296, 524]);
        let id = "op=read/type=u32x4/cause=slice/run=512B/offset_bytes=16";
        assert_eq!(bytes(id, &[0, 31, 32]), [16, 512, 1040]);
        let id = "op=read/type=u32x2/cause=slice/run=endless/offset_bytes=8";
        assert_eq!(bytes(id, &[0, 1, 4095, 4096]), [8, 16, 32_768, 32_776]);
        let id = "op=read/type=u32/cause=field/run=128B/offset_bytes=12";
        assert_eq!(bytes(id, &[0, 31, 32, 64]), [12, 136, 152, 292]);
        let id = "op=read/type=u32/cause=packed/run=endless/offset_bytes=12";
        assert_eq!(bytes(id, &[0, 1]), [4108, 4112]);
    }

    #[test]
    fn places_are_distinct_and_within_the_buffer() {
        let pattern = find("misalign").unwrap();
        let limits = limits(1 << 20);
        for case in pattern.cases(Depth::Default) {
            let (plan, runs) = (plan(&case, &limits).unwrap(), Runs::of(&case));
            let (element, bytes) = (plan.element, plan.buffers[0].bytes);
            let accesses = plan.useful_bytes / element.bytes();
            let places: BTreeSet<u64> = (0..accesses).map(|n| runs.byte(element, n)).collect();
            assert_eq!(places.len() as u64 * element.bytes(), plan.distinct_bytes, "{case}");
            assert!(places.iter().all(|byte| byte + element.bytes() <= bytes), "{case}");
            let count = plan.useful_bytes / runs.run;
            let covered = (0..bytes / element.bytes()).map(|i| i * element.bytes());
            assert!(covered.filter(|byte| runs.covers(*byte, count)).eq(places.iter().copied()), "{case}");
        }
    }

    #[test]
    fn a_lane_folds_its_places_in_order() {
        let case = case("misalign/op=read/type=u32/cause=slice/run=32B/offset_bytes=4");
        let plan = plan(&case, &limits(1 << 20)).unwrap();
        let fill = Fill::new(7);
        // lane 9 of the first workgroup: run 1 + 32 * step, second element, one element off the boundary
        let mut sum = 0u32;
        for step in 0..16u64 {
            sum = sum.wrapping_mul(5).wrapping_add(fill.word(0, (1 + 32 * step) * 64 + 1 + 1));
        }
        assert_eq!((plan.output().1)(&fill, 9), [sum, 0, 0, 0]);
    }

    #[test]
    fn gaps_between_written_runs_stay_zero() {
        let case = case("misalign/op=write/type=u32/cause=slice/run=32B/offset_bytes=4");
        let plan = plan(&case, &limits(1 << 20)).unwrap();
        let (_, expected) = plan.output();
        let first: Vec<u32> = (0..12).map(|i| expected(&Fill::new(0), i)[0]).collect();
        assert_eq!(first, [0, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0]);
    }

    #[test]
    fn a_buffer_without_room_is_skipped() {
        let case = case("misalign/op=read/type=u32/cause=slice/run=endless/offset_bytes=4");
        assert!(plan(&case, &limits(16 << 10)).unwrap_err().0.contains("no room"));
    }
}
