//! `contiguous`: neighbouring lanes touch neighbouring elements. Its best bandwidth is the roof.

use std::sync::Arc;

use super::plan::{fold, splat};
use super::*;

const OPS: &[&str] = &["read", "write", "copy", "mul", "add", "triad", "dot"];

pub(super) const PATTERN: Pattern = Pattern {
    name: "contiguous",
    summary: "neighbouring lanes touch neighbouring elements: the roof",
    why: "A subgroup that touches consecutive elements asks for every byte of every sector it fetches, so \
          nothing is wasted and the memory system runs as fast as it can. The best of these figures is the \
          roof that every other pattern is held against. The operations are BabelStream's, in wrapping u32.",
    wgsl: include_str!("../../shaders/contiguous.wgsl"),
    axes: &[Axis::names("op", "what is done to each element (BabelStream's set)", OPS), Axis::TYPE],
    depth,
    plan,
    host: Some(crate::device::host::loops::contiguous),
    purpose: |_| Purpose::Roof,
    chart: Chart::Bars { group: "op", bar: "type" },
    examples: &[
        Example::drawn("op=read/type=u32"),
        Example::drawn("op=read/type=u32x4"),
        Example::counted("op=write/type=u32"),
        Example::counted("op=copy/type=u32"),
        Example::counted("op=triad/type=u32"),
    ],
};

fn depth(case: &Case) -> Option<Depth> {
    Some(match (case.op(), case.element()) {
        ("read" | "write" | "copy", Element::U32 | Element::U32x4) => Depth::Quick,
        ("mul" | "add", Element::U32x2) => Depth::Full,
        _ => Depth::Default,
    })
}

/// The entry point of an operation; `read`, `write` and `dot` are taken by WGSL.
fn entry(op: &'static str) -> &'static str {
    match op {
        "read" => "load",
        "write" => "store",
        "dot" => "dot_product",
        _ => op,
    }
}

/// How many arrays of the subject an operation reads, and whether it writes one.
fn arrays(op: &str) -> (u64, bool) {
    match op {
        "read" => (1, false),
        "write" => (0, true),
        "copy" | "mul" => (1, true),
        "add" | "triad" => (2, true),
        _ => (2, false),
    }
}

fn plan(case: &Case, limits: &Limits) -> Result<Plan, Skip> {
    let (element, op) = (case.element(), case.op());
    let (reads, writes) = arrays(op);
    let streams = reads + u64::from(writes);
    let size =
        Sizing::new(limits.footprint / streams, limits.max_binding, WORKGROUP * ACCESSES * element.bytes());
    let elements = size.bytes / element.bytes();
    let mut buffers = Vec::new();
    for (name, stream) in [("a", 0), ("b", 1)].into_iter().take(reads as usize) {
        buffers.push(BufferPlan::random(name, Role::Subject, size.bytes, stream));
    }
    let expected: Expected = match op {
        "read" => sum_of_steps(element, move |fill, i| fill.element(element, 0, i)),
        "dot" => sum_of_steps(element, move |fill, i| {
            map2(fill.element(element, 0, i), fill.element(element, 1, i), u32::wrapping_mul)
        }),
        "write" => Arc::new(move |_, i| splat(element, (i as u32).wrapping_mul(3).wrapping_add(1))),
        "copy" => Arc::new(move |fill, i| fill.element(element, 0, i)),
        "mul" => Arc::new(move |fill, i| fill.element(element, 0, i).map(|x| x.wrapping_mul(3))),
        "add" => Arc::new(move |fill, i| {
            map2(fill.element(element, 0, i), fill.element(element, 1, i), u32::wrapping_add)
        }),
        _ => Arc::new(move |fill, i| {
            map2(fill.element(element, 0, i), fill.element(element, 1, i), |x, y| {
                x.wrapping_add(y.wrapping_mul(3))
            })
        }),
    };
    buffers.push(if writes {
        BufferPlan::output("dst", Role::Subject, size.bytes, expected)
    } else {
        BufferPlan::output("dst", Role::Sink, size.bytes / ACCESSES, expected)
    });
    let window = if writes { STORE_WINDOW } else { LOAD_WINDOW };
    Ok(Plan {
        entry: entry(op),
        element,
        constants: vec![("LANES", WORKGROUP as f64), ("ACCESSES", ACCESSES as f64)],
        buffers,
        groups: elements / (WORKGROUP * ACCESSES),
        twin_mask: Some(window_mask(window, element)),
        accesses_per_lane: ACCESSES * streams,
        useful_bytes: size.bytes * streams,
        distinct_bytes: size.bytes * streams,
        workgroup_subject: false,
        clamped: size.clamped,
        notes: Vec::new(),
    })
}

/// What lane `index` (over all workgroups) has folded from the elements of its steps: its workgroup owns a
/// chunk of consecutive elements and walks it row by row, one element per lane.
fn sum_of_steps(
    element: Element,
    value: impl Fn(&Fill, u64) -> [u32; 4] + Send + Sync + 'static,
) -> Expected {
    Arc::new(move |fill, index| {
        let (group, lane) = (index / WORKGROUP, index % WORKGROUP);
        let chunk = group * WORKGROUP * ACCESSES;
        fold(element, (0..ACCESSES).map(|row| value(fill, chunk + row * WORKGROUP + lane)))
    })
}

fn map2(x: [u32; 4], y: [u32; 4], f: impl Fn(u32, u32) -> u32) -> [u32; 4] {
    std::array::from_fn(|w| f(x[w], y[w]))
}
