//! `stride`: neighbouring lanes a fixed distance apart.

use std::sync::Arc;

use super::plan::{fold, splat};
use super::*;

/// Each power of two and its neighbour one element further, for every element size, and 4000 bytes.
const STRIDES: &[u64] = &[
    4, 8, 12, 16, 20, 24, 32, 36, 40, 48, 64, 68, 72, 80, 128, 132, 136, 144, 256, 260, 264, 272, 512, 516,
    520, 528, 1024, 1028, 1032, 1040, 2048, 2052, 2056, 2064, 4000, 4096, 4100, 4104, 4112, 8192, 8196, 8200,
    8208, 16384, 16388, 16392, 16400, 32768, 32772, 32776, 32784, 65536, 65540, 65544, 65552,
];

/// From here on a dispatch visits one element in every block of this many bytes.
const BLOCK: u64 = 256;

pub(super) const PATTERN: Pattern = Pattern {
    name: "stride",
    summary: "neighbouring lanes a fixed distance apart",
    why: "Memory is fetched in sectors (32 bytes on NVIDIA). Lanes that are two elements apart use half of \
          every sector, and from one sector on each lane pays for a sector of its own: doubling the stride \
          beyond that costs no more traffic, only more DRAM rows and an uneven use of partitions, which \
          the odd neighbours of the powers of two avoid.",
    wgsl: include_str!("../../shaders/stride.wgsl"),
    axes: &[
        Axis::names("op", "load or store", &["read", "write"]),
        Axis::TYPE,
        Axis::ints("stride_bytes", "distance between neighbouring lanes", STRIDES),
    ],
    depth,
    plan,
    host: Some(crate::device::host::loops::stride),
    purpose: |_| Purpose::Plain,
    chart: Chart::Curve { axis: "stride_bytes", log: true },
    examples: &[
        Example::drawn("op=read/type=u32/stride_bytes=4"),
        Example::drawn("op=read/type=u32/stride_bytes=8"),
        Example::counted("op=read/type=u32/stride_bytes=16"),
        Example::drawn("op=read/type=u32/stride_bytes=32"),
        Example::counted("op=read/type=u32/stride_bytes=64"),
        Example::counted("op=read/type=u32/stride_bytes=128"),
        Example::counted("op=read/type=u32/stride_bytes=4096"),
        Example::counted("op=read/type=u32x4/stride_bytes=16"),
        Example::counted("op=read/type=u32x4/stride_bytes=32"),
        Example::counted("op=write/type=u32/stride_bytes=32"),
    ],
};

/// The points of a type: powers of two from its size on, each with the neighbour one element further, and
/// 4000 bytes.
fn depth(case: &Case) -> Option<Depth> {
    let (stride, size) = (case.int("stride_bytes"), case.element().bytes());
    let power = power_of_two_below(stride);
    let is_power = stride == power && stride >= size;
    let is_neighbour = stride == power + size && power > size;
    if !is_power && !is_neighbour && stride != 4000 {
        return None;
    }
    Some(match (case.op(), case.element()) {
        ("read", Element::U32) if matches!(stride, 4 | 8 | 16 | 32 | 128 | 4096) => Depth::Quick,
        ("read", Element::U32) if is_power || stride == 4000 => Depth::Default,
        // Every other odd neighbour: what banks and partitions add shows without the rest.
        ("read", Element::U32) if power.ilog2().is_multiple_of(2) || stride < 128 => Depth::Default,
        ("read", _) if is_power && stride <= 256 => Depth::Default,
        ("write", Element::U32) if is_power && (stride <= 256 || matches!(stride, 1024 | 4096)) => {
            Depth::Default
        }
        _ => Depth::Full,
    })
}

fn plan(case: &Case, limits: &Limits) -> Result<Plan, Skip> {
    let (element, stride) = (case.element(), case.int("stride_bytes"));
    let size = Sizing::new(limits.footprint, limits.max_binding, BLOCK * WORKGROUP * ACCESSES);
    let residues = (stride / BLOCK).max(1);
    // The longest power of two of accesses per residue that stays in the buffer and fills workgroups.
    let room = size.bytes - (residues - 1) * BLOCK - element.bytes();
    let count = power_of_two_below(room / stride + 1);
    let accesses = count * residues / (WORKGROUP * ACCESSES) * (WORKGROUP * ACCESSES);
    if accesses == 0 {
        return Err(Skip::because(format!(
            "a buffer of {} bytes has no room for one workgroup at a stride of {stride} bytes",
            size.bytes
        )));
    }
    let place = Places { stride, count, accesses };
    let bytes_touched = accesses * element.bytes();
    let reads = case.op() == "read";
    let buffers = if reads {
        let expected: Expected = Arc::new(move |fill, index| {
            let (group, lane) = (index / WORKGROUP, index % WORKGROUP);
            let first = group * WORKGROUP * ACCESSES + lane;
            fold(
                element,
                (0..ACCESSES).map(|row| {
                    fill.element(element, 0, place.byte(first + row * WORKGROUP) / element.bytes())
                }),
            )
        });
        vec![
            BufferPlan::random("src", Role::Subject, size.bytes, 0),
            BufferPlan::output("dst", Role::Sink, accesses / ACCESSES * element.bytes(), expected),
        ]
    } else {
        let expected: Expected = Arc::new(move |_, i| {
            splat(element, if place.visits(i * element.bytes()) { i as u32 + 1 } else { 0 })
        });
        vec![BufferPlan::output("dst", Role::Subject, size.bytes, expected)]
    };
    Ok(Plan {
        entry: if reads { "load" } else { "store" },
        element,
        constants: vec![
            ("LANES", WORKGROUP as f64),
            ("ACCESSES", ACCESSES as f64),
            ("STRIDE", (stride / element.bytes()) as f64),
            ("BLOCK", (BLOCK / element.bytes()) as f64),
            ("COUNT_LOG2", f64::from(count.ilog2())),
        ],
        buffers,
        groups: accesses / (WORKGROUP * ACCESSES),
        twin_mask: Some(window_mask(if reads { LOAD_WINDOW } else { STORE_WINDOW }, element)),
        accesses_per_lane: ACCESSES,
        useful_bytes: bytes_touched,
        distinct_bytes: bytes_touched,
        workgroup_subject: false,
        clamped: size.clamped,
        notes: Vec::new(),
    })
}

/// The places that a strided walk visits, in its order: `count` steps of `stride` bytes, then again from
/// the next 256-byte block.
#[derive(Clone, Copy)]
struct Places {
    stride: u64,
    count: u64,
    accesses: u64,
}

impl Places {
    /// The byte at which the n-th access starts.
    fn byte(self, n: u64) -> u64 {
        (n % self.count) * self.stride + (n / self.count) * BLOCK
    }

    /// Whether some access starts at that byte.
    fn visits(self, byte: u64) -> bool {
        let residues = (self.stride / BLOCK).max(1);
        (0..residues.min(byte / BLOCK + 1)).any(|residue| {
            let walked = byte - residue * BLOCK;
            walked.is_multiple_of(self.stride)
                && walked / self.stride < self.count
                && residue * self.count + walked / self.stride < self.accesses
        })
    }
}
