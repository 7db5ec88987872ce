//! `layout`: the same records as AoS, SoA and AoSoA.

use std::sync::Arc;

use super::plan::{fold, splat};
use super::*;

/// Records of an AoSoA tile: a whole number of sectors for every element type.
const TILE: u64 = 32;

/// The arrays of an SoA lie this much further apart than they are long. At exact powers of two the same
/// record of every field would fall into the same sets of a cache, which separate arrays of a program
/// rarely do.
const SKEW: u64 = 256;

pub(super) const PATTERN: Pattern = Pattern {
    name: "layout",
    summary: "records as array of structures, structure of arrays, or tiles of both",
    why: "A lane per record. In an array of structures (AoS) neighbouring lanes are a record apart, so one \
          field costs a sector per lane as soon as a record fills a sector, and the other fields ride along \
          unused. In a structure of arrays (SoA) every field is contiguous and only the fields that are \
          asked for move. AoSoA keeps 32 records together: each field is contiguous for a subgroup, and a \
          record's fields stay near each other. Where all fields are read, the caches give AoS its unused \
          bytes back if they hold the lines until the last field is read, so the gap shows how well they \
          do. Fields are u32, u32x2 or u32x4: a wide field of an AoS is what packing fields into one vector \
          load buys.",
    wgsl: include_str!("../../shaders/layout.wgsl"),
    axes: &[
        Axis::names("op", "load or store", &["read", "write"]),
        Axis::TYPE,
        Axis::names("layout", "where the fields of a record lie", &["aos", "soa", "aosoa32"]),
        Axis::ints("record_bytes", "size of a record", &[16, 32, 64, 256]),
        Axis::names("fields", "fields touched: the first, the first two, or all", &["1", "2", "all"]),
    ],
    depth,
    plan,
    host: Some(crate::device::host::loops::layout),
    purpose: |_| Purpose::Plain,
    chart: Chart::Bars { group: "record_bytes", bar: "layout" },
    examples: &[
        Example::drawn("op=read/type=u32/layout=aos/record_bytes=64/fields=1"),
        Example::drawn("op=read/type=u32/layout=soa/record_bytes=64/fields=1"),
        Example::counted("op=read/type=u32/layout=aosoa32/record_bytes=64/fields=1"),
        Example::counted("op=read/type=u32/layout=aos/record_bytes=64/fields=all"),
        Example::counted("op=read/type=u32/layout=soa/record_bytes=64/fields=all"),
        Example::counted("op=read/type=u32/layout=aos/record_bytes=16/fields=1"),
        Example::counted("op=read/type=u32/layout=aos/record_bytes=256/fields=1"),
        Example::counted("op=read/type=u32x4/layout=aos/record_bytes=64/fields=all"),
    ],
};

/// Fields of a record, and how many of them are touched.
fn fields(case: &Case) -> (u64, u64) {
    let count = case.int("record_bytes") / case.element().bytes();
    let touched = match case.name("fields") {
        "1" => 1,
        "2" => 2,
        _ => count,
    };
    (count, touched)
}

/// `all` names the case where a record has no more fields than that; a record of one field has one layout.
fn depth(case: &Case) -> Option<Depth> {
    let (count, touched) = fields(case);
    let all = case.name("fields") == "all";
    if count < 2 || (!all && touched >= count) {
        return None;
    }
    let (record, fields) = (case.int("record_bytes"), case.name("fields"));
    Some(match (case.op(), case.element(), fields) {
        ("read", Element::U32, "1") if record == 64 => Depth::Quick,
        ("read", Element::U32, "all") if record == 64 && case.name("layout") != "aosoa32" => Depth::Quick,
        ("read", Element::U32, "1" | "all") if record != 32 => Depth::Default,
        ("read", Element::U32, "2") | ("read", Element::U32x4, "all") if record == 64 => Depth::Default,
        ("write", Element::U32, "1" | "all") if record == 64 => Depth::Default,
        _ => Depth::Full,
    })
}

fn plan(case: &Case, limits: &Limits) -> Result<Plan, Skip> {
    let (element, record_bytes) = (case.element(), case.int("record_bytes"));
    let (fields, touched) = fields(case);
    let records_per_lane = (ACCESSES / touched).max(1);
    let records_per_group = WORKGROUP * records_per_lane;
    // One workgroup's records are left out: their room takes the skew between the arrays of an SoA.
    let size = Sizing::new(limits.footprint, limits.max_binding, 2 * records_per_group * record_bytes);
    let records = size.bytes / record_bytes - records_per_group;
    let layout = Layout { kind: case.name("layout"), fields, records, element };
    let (tile_log2, pitch) = match layout.kind {
        "aos" => (0, 1),
        "soa" => (31, layout.array_elements()),
        _ => (TILE.ilog2(), TILE),
    };
    let reads = case.op() == "read";
    let buffers = if reads {
        let expected: Expected = Arc::new(move |fill, index| {
            let (group, lane) = (index / WORKGROUP, index % WORKGROUP);
            let visits = (0..records_per_lane).flat_map(|step| {
                let record = group * records_per_group + step * WORKGROUP + lane;
                (0..touched).map(move |field| (record, field))
            });
            fold(element, visits.map(|(record, field)| fill.element(element, 0, layout.at(record, field))))
        });
        let lanes = records / records_per_lane;
        vec![
            BufferPlan::random("src", Role::Subject, size.bytes, 0),
            BufferPlan::output("dst", Role::Sink, lanes * element.bytes(), expected),
        ]
    } else {
        let expected: Expected = Arc::new(move |_, i| match layout.owner(i) {
            Some((record, field)) if field < touched => splat(element, (record * fields + field + 1) as u32),
            _ => [0; 4],
        });
        vec![BufferPlan::output("dst", Role::Subject, size.bytes, expected)]
    };
    let bytes_touched = records * touched * element.bytes();
    Ok(Plan {
        entry: if reads { "load" } else { "store" },
        element,
        constants: vec![
            ("LANES", WORKGROUP as f64),
            ("RECORDS", records_per_lane as f64),
            ("TOUCHED", touched as f64),
            ("FIELDS", fields as f64),
            ("TILE_LOG2", f64::from(tile_log2)),
            ("PITCH", pitch as f64),
        ],
        buffers,
        groups: records / records_per_group,
        twin_mask: Some(window_mask(if reads { LOAD_WINDOW } else { STORE_WINDOW }, element)),
        accesses_per_lane: records_per_lane * touched,
        useful_bytes: bytes_touched,
        distinct_bytes: bytes_touched,
        workgroup_subject: false,
        clamped: size.clamped,
        notes: Vec::new(),
    })
}

/// Elements from the start of one array of an SoA to the next.
pub(super) const fn soa_pitch(records: u64, element: Element) -> u64 {
    records + SKEW / element.bytes()
}

/// Where fields lie, from the names of the layouts alone.
#[derive(Clone, Copy)]
struct Layout {
    kind: &'static str,
    fields: u64,
    records: u64,
    element: Element,
}

impl Layout {
    /// Elements from the start of one SoA array to the next.
    fn array_elements(self) -> u64 {
        soa_pitch(self.records, self.element)
    }

    /// The element that holds a field of a record.
    fn at(self, record: u64, field: u64) -> u64 {
        match self.kind {
            "aos" => record * self.fields + field,
            "soa" => field * self.array_elements() + record,
            _ => (record / TILE * self.fields + field) * TILE + record % TILE,
        }
    }

    /// The record and field that an element holds, if any.
    fn owner(self, element: u64) -> Option<(u64, u64)> {
        let (record, field) = match self.kind {
            "aos" => (element / self.fields, element % self.fields),
            "soa" => (element % self.array_elements(), element / self.array_elements()),
            _ => {
                let run = element / TILE; // 32 values of one field
                (run / self.fields * TILE + element % TILE, run % self.fields)
            }
        };
        (record < self.records && field < self.fields).then_some((record, field))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::testing;

    #[test]
    fn every_case_is_sound() {
        testing::specialises_everywhere("layout");
    }

    #[test]
    fn depths_hold_the_cases_chosen() {
        assert_eq!(testing::counts("layout"), [5, 30, 186]);
    }

    #[test]
    fn fields_lie_where_the_names_say() {
        let layout = |kind| Layout { kind, fields: 4, records: 64, element: Element::U32 };
        // (record, field) → element, by hand: 4 fields, 64 records, arrays 64 + 64 elements apart.
        for (kind, places) in [
            ("aos", [((0, 0), 0), ((0, 3), 3), ((1, 0), 4), ((33, 2), 134)]),
            ("soa", [((0, 0), 0), ((0, 3), 384), ((1, 0), 1), ((33, 2), 289)]),
            ("aosoa32", [((0, 0), 0), ((0, 3), 96), ((1, 0), 1), ((33, 2), 193)]),
        ] {
            for ((record, field), element) in places {
                assert_eq!(layout(kind).at(record, field), element, "{kind}");
                assert_eq!(layout(kind).owner(element), Some((record, field)), "{kind}");
            }
        }
        assert_eq!(layout("soa").owner(64), None, "the gap between two arrays holds no field");
    }

    #[test]
    fn no_field_lies_outside_the_buffer() {
        for case in find("layout").expect("a row").cases(Depth::Full) {
            let plan = plan(&case, &testing::tiny()).expect("a plan");
            let (fields, touched) = fields(&case);
            let elements = plan.buffers[0].bytes / plan.element.bytes();
            let records = plan.groups * WORKGROUP * (plan.accesses_per_lane / touched);
            let layout = Layout { kind: case.name("layout"), fields, records, element: plan.element };
            assert!(layout.at(records - 1, fields - 1) < elements, "{case}");
        }
    }

    #[test]
    fn a_write_fills_the_touched_fields_and_no_other() {
        let plan = testing::plan("layout/op=write/type=u32/layout=aos/record_bytes=16/fields=2");
        let words: Vec<u32> = (0..9).map(|i| testing::word(&plan, &Fill::new(1), i)).collect();
        assert_eq!(words, [1, 2, 0, 0, 5, 6, 0, 0, 9]);
        for id in [
            "layout/op=write/type=u32/layout=soa/record_bytes=64/fields=all",
            "layout/op=write/type=u32x4/layout=aosoa32/record_bytes=256/fields=1",
        ] {
            testing::writes_what_it_counts(id);
        }
    }
}
