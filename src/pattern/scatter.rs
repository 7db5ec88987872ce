//! `scatter`: stores to the elements that an index stream names.

use std::sync::Arc;

use super::gather::Stream;
use super::indices::ORDERS;
use super::plan::splat;
use super::*;

pub(super) const PATTERN: Pattern = Pattern {
    name: "scatter",
    summary: "stores through an index stream, from sequential to random",
    why: "The mirror image of gather. A store that covers only part of a sector may have to wait for the \
          rest of it: the cache merges it with its neighbours if they arrive soon, else it is written with \
          a mask or after a read. Random stores therefore often cost more than random loads, and blocks \
          that fill whole sectors remove the difference. Stores from many lanes to one element queue for \
          one line. The value depends on the destination alone, so that two lanes that name one element \
          are no race. Only bytes of the elements count as useful, never those of the indices.",
    wgsl: include_str!("../../shaders/scatter.wgsl"),
    axes: &[Axis::TYPE, Axis::names("indices", "the elements that neighbouring lanes name", ORDERS)],
    depth,
    plan,
    host: Some(crate::device::host::loops::scatter),
    purpose: |_| Purpose::Plain,
    chart: Chart::Bars { group: "indices", bar: "type" },
    examples: &[
        Example::counted("type=u32/indices=sequential"),
        Example::counted("type=u32/indices=blocks_128b"),
        Example::counted("type=u32/indices=blocks_32b"),
        Example::drawn("type=u32/indices=permutation"),
        Example::counted("type=u32/indices=uniform"),
        Example::counted("type=u32/indices=same"),
    ],
};

fn depth(case: &Case) -> Option<Depth> {
    Some(match (case.element(), case.name("indices")) {
        (Element::U32, "sequential" | "blocks_128b" | "permutation") => Depth::Quick,
        (Element::U32, "reversed" | "blocks_512b" | "blocks_32b" | "uniform" | "same") => Depth::Default,
        (Element::U32x4, "sequential" | "permutation" | "uniform") => Depth::Default,
        _ => Depth::Full,
    })
}

fn plan(case: &Case, limits: &Limits) -> Result<Plan, Skip> {
    let element = case.element();
    let stream = Stream::new(case, limits);
    let visited = stream.indices.visited();
    let bytes = stream.elements * element.bytes();
    let distinct_bytes = visited.len() * element.bytes();
    let expected: Expected =
        Arc::new(move |_, i| splat(element, if visited.contains(i) { i as u32 + 1 } else { 0 }));
    Ok(Plan {
        entry: "scatter",
        element,
        constants: vec![("LANES", WORKGROUP as f64), ("ACCESSES", ACCESSES as f64)],
        buffers: vec![stream.buffer(), BufferPlan::output("dst", Role::Subject, bytes, expected)],
        groups: stream.elements / (WORKGROUP * ACCESSES),
        twin_mask: Some(window_mask(STORE_WINDOW, element)),
        accesses_per_lane: ACCESSES,
        useful_bytes: bytes,
        distinct_bytes,
        workgroup_subject: false,
        clamped: stream.clamped,
        notes: stream.notes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::testing;

    #[test]
    fn every_case_is_sound() {
        testing::specialises_everywhere("scatter");
    }

    #[test]
    fn depths_hold_the_cases_chosen() {
        assert_eq!(testing::counts("scatter"), [3, 11, 39]);
    }

    #[test]
    fn named_elements_hold_their_own_number_and_the_others_nothing() {
        let fill = Fill::new(1);
        let same = testing::plan("scatter/type=u32/indices=same");
        let middle = same.output().0.bytes / 4 / 2;
        assert_eq!(testing::word(&same, &fill, middle), middle as u32 + 1);
        assert_eq!(testing::word(&same, &fill, middle - 1), 0);
        let permutation = testing::plan("scatter/type=u32/indices=permutation");
        assert_eq!([0, 1, 2].map(|i| testing::word(&permutation, &fill, i)), [1, 2, 3]);
        for order in ["same", "uniform", "permutation", "blocks_32b"] {
            testing::writes_what_it_counts(&format!("scatter/type=u32x2/indices={order}"));
        }
    }
}
