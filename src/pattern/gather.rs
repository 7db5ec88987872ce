//! `gather`: loads from the elements that an index stream names.

use std::sync::Arc;

use super::indices::{Indices, ORDERS, SEED};
use super::plan::fold;
use super::*;

pub(super) const PATTERN: Pattern = Pattern {
    name: "gather",
    summary: "loads through an index stream, from sequential to random",
    why: "Each lane reads an index (those are contiguous) and then the element it names. What that costs \
          depends on where the indices of one subgroup point, not on the indirection: in sequential order, \
          reversed too, the lanes share sectors and lines as if there were no indices; in random order each \
          lane pays for a sector of its own, of which it uses one element. Blocks of contiguous elements at \
          random places show how much locality is enough: from one sector (32 bytes on NVIDIA) on nothing \
          fetched is wasted, longer blocks save row changes in DRAM and address translation. A permutation \
          names every element once; uniform random indices leave more than a third of the elements out and \
          name others twice. All lanes naming one element is a broadcast. Only bytes of the elements count \
          as useful, never those of the indices; the twin pays for the indices too.",
    wgsl: include_str!("../../shaders/gather.wgsl"),
    axes: &[Axis::TYPE, Axis::names("indices", "the elements that neighbouring lanes name", ORDERS)],
    depth,
    plan,
    host: Some(crate::device::host::loops::gather),
    purpose: |_| Purpose::Plain,
    chart: Chart::Bars { group: "indices", bar: "type" },
    examples: &[
        Example::counted("type=u32/indices=sequential"),
        Example::counted("type=u32/indices=reversed"),
        Example::counted("type=u32/indices=blocks_128b"),
        Example::drawn("type=u32/indices=blocks_32b"),
        Example::drawn("type=u32/indices=permutation"),
        Example::counted("type=u32/indices=uniform"),
        Example::drawn("type=u32/indices=same"),
    ],
};

fn depth(case: &Case) -> Option<Depth> {
    Some(match (case.element(), case.name("indices")) {
        (Element::U32, "sequential" | "blocks_128b" | "permutation" | "uniform") => Depth::Quick,
        (Element::U32, "blocks_2048b" | "blocks_512b") => Depth::Full,
        (Element::U32, _) => Depth::Default,
        (
            Element::U32x4,
            "sequential" | "blocks_4096b" | "blocks_128b" | "blocks_32b" | "permutation" | "uniform",
        ) => Depth::Default,
        _ => Depth::Full,
    })
}

fn plan(case: &Case, limits: &Limits) -> Result<Plan, Skip> {
    let element = case.element();
    let stream = Stream::new(case, limits);
    let indices = stream.indices;
    let expected: Expected = Arc::new(move |fill, index| {
        let (group, lane) = (index / WORKGROUP, index % WORKGROUP);
        let first = group * WORKGROUP * ACCESSES + lane;
        let named = (0..ACCESSES).map(|row| indices.at(first + row * WORKGROUP));
        fold(element, named.map(|i| fill.element(element, 0, i)))
    });
    let bytes = stream.elements * element.bytes();
    Ok(Plan {
        entry: "gather",
        element,
        constants: vec![("LANES", WORKGROUP as f64), ("ACCESSES", ACCESSES as f64)],
        buffers: vec![
            stream.buffer(),
            BufferPlan::random("src", Role::Subject, bytes, 0),
            BufferPlan::output("dst", Role::Sink, bytes / ACCESSES, expected),
        ],
        groups: stream.elements / (WORKGROUP * ACCESSES),
        twin_mask: Some(window_mask(LOAD_WINDOW, element)),
        accesses_per_lane: ACCESSES,
        useful_bytes: bytes,
        distinct_bytes: indices.visited().len() * element.bytes(),
        workgroup_subject: false,
        clamped: stream.clamped,
        notes: stream.notes,
    })
}

/// An index stream sized for a device: as many indices as elements, a power of two of both, the same for
/// every order of a type.
pub(crate) struct Stream {
    pub(crate) indices: Indices,
    pub(crate) elements: u64,
    pub(crate) clamped: Option<String>,
    pub(crate) notes: Vec<(&'static str, String)>,
}

impl Stream {
    pub(crate) fn new(case: &Case, limits: &Limits) -> Stream {
        let (element, name) = (case.element(), case.name("indices"));
        // The footprint is shared between the elements and their 4-byte indices.
        let share = limits.random_footprint / (element.bytes() + 4) * element.bytes();
        let size = Sizing::new(share, limits.max_binding, WORKGROUP * ACCESSES * element.bytes());
        let elements = size.bytes / element.bytes();
        let seeded = name == "uniform";
        Stream {
            indices: Indices::new(name, element, elements.ilog2()),
            elements,
            clamped: size.clamped,
            notes: seeded.then(|| ("index_seed", SEED.to_string())).into_iter().collect(),
        }
    }

    /// The buffer of the indices.
    pub(crate) fn buffer(&self) -> BufferPlan {
        let indices = self.indices;
        BufferPlan::words("indices", Role::Index, self.elements * 4, Arc::new(move |n| indices.at(n) as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::testing;

    #[test]
    fn every_case_is_sound() {
        testing::specialises_everywhere("gather");
    }

    #[test]
    fn depths_hold_the_cases_chosen() {
        assert_eq!(testing::counts("gather"), [4, 17, 39]);
    }

    #[test]
    fn a_lane_folds_what_its_indices_name() {
        let fill = Fill::new(7);
        let same = testing::plan("gather/type=u32/indices=same");
        let elements = same.buffers[1].bytes / 4;
        let named = fill.word(0, elements / 2);
        let folded = (0..16).fold(0u32, |sum, _| sum.wrapping_mul(5).wrapping_add(named));
        assert_eq!(testing::word(&same, &fill, 0), folded);
        assert_eq!(same.distinct_bytes, 4);

        let reversed = testing::plan("gather/type=u32/indices=reversed");
        // lane 0 reads the last element, then the one 256 before it, and so on
        let folded = (0..16u64)
            .fold(0u32, |sum, row| sum.wrapping_mul(5).wrapping_add(fill.word(0, elements - 1 - 256 * row)));
        assert_eq!(testing::word(&reversed, &fill, 0), folded);
        assert_eq!(reversed.distinct_bytes, elements * 4);
    }

    #[test]
    fn all_orders_of_a_type_have_the_same_size() {
        for element in Element::ALL {
            let mut sizes: Vec<u64> = ORDERS
                .iter()
                .map(|order| testing::plan(&format!("gather/type={element}/indices={order}")).useful_bytes)
                .collect();
            sizes.dedup();
            assert_eq!(sizes.len(), 1, "{element}: {sizes:?}");
        }
    }
}
