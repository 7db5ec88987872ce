//! `repack`: what changing a layout costs once.

use std::sync::Arc;

use super::layout::soa_pitch;
use super::*;

/// Elements of a tight row: no multiple of a sector for any element type but the widest.
const ROW: u64 = 1001;
/// Padded rows start on multiples of this many bytes.
const ROW_ALIGNMENT: u64 = 128;
/// Side of the tile of a transposed copy, as the kernel declares it.
const TILE: u64 = 16;

pub(super) const PATTERN: Pattern = Pattern {
    name: "repack",
    summary: "what changing a layout costs once",
    why: "A better layout has to be made before it pays: once per load, per frame or per level. This is the \
          price. Divided by what a single read of the new layout saves, it says after how many reads the \
          change has paid for itself. Bytes read and bytes written both count as useful.",
    wgsl: include_str!("../../shaders/repack.wgsl"),
    axes: &[
        Axis::names(
            "change",
            "records of 16 or 64 bytes to one array per field, tight rows to padded ones, rows to columns",
            &["aos16_to_soa", "aos64_to_soa", "pad_rows", "transpose"],
        ),
        Axis::TYPE,
    ],
    depth,
    plan,
    host: Some(crate::device::host::loops::repack),
    purpose: |_| Purpose::Plain,
    chart: Chart::Bars { group: "change", bar: "type" },
    examples: &[
        Example::drawn("change=aos16_to_soa/type=u32"),
        Example::counted("change=aos64_to_soa/type=u32"),
        Example::counted("change=pad_rows/type=u32"),
        Example::counted("change=transpose/type=u32"),
    ],
};

/// Bytes of a record where records are repacked.
fn record_bytes(case: &Case) -> Option<u64> {
    match case.name("change") {
        "aos16_to_soa" => Some(16),
        "aos64_to_soa" => Some(64),
        _ => None,
    }
}

/// A record of a single field has but one layout.
fn depth(case: &Case) -> Option<Depth> {
    if record_bytes(case) == Some(case.element().bytes()) {
        return None;
    }
    Some(match (case.element(), case.name("change")) {
        (Element::U32, "aos16_to_soa") => Depth::Default,
        (Element::U32, _) => Depth::Quick,
        (Element::U32x4, _) => Depth::Default,
        _ => Depth::Full,
    })
}

/// The shape of a repacking: sizes in elements, and where each element of the new layout comes from.
struct Shape {
    entry: &'static str,
    constants: Vec<(&'static str, f64)>,
    src: u64,
    dst: u64,
    moved: u64,
    groups: u64,
    accesses_per_lane: u64,
    clamped: Option<String>,
    /// The element of the old layout that lands on one of the new, if any does.
    origin: Box<dyn Fn(u64) -> Option<u64> + Send + Sync>,
}

fn plan(case: &Case, limits: &Limits) -> Result<Plan, Skip> {
    let element = case.element();
    let shape = match record_bytes(case) {
        Some(bytes) => records(bytes, element, limits),
        None if case.name("change") == "pad_rows" => rows(element, limits),
        None => matrix(element, limits),
    };
    let origin = shape.origin;
    let expected: Expected =
        Arc::new(move |fill, i| origin(i).map_or([0; 4], |from| fill.element(element, 0, from)));
    let moved = shape.moved * element.bytes();
    Ok(Plan {
        entry: shape.entry,
        element,
        constants: shape.constants,
        buffers: vec![
            BufferPlan::random("src", Role::Subject, shape.src * element.bytes(), 0),
            BufferPlan::output("dst", Role::Subject, shape.dst * element.bytes(), expected),
        ],
        groups: shape.groups,
        twin_mask: Some(window_mask(STORE_WINDOW, element)),
        accesses_per_lane: shape.accesses_per_lane,
        useful_bytes: 2 * moved,
        distinct_bytes: 2 * moved,
        workgroup_subject: false,
        clamped: shape.clamped,
        notes: Vec::new(),
    })
}

fn records(record_bytes: u64, element: Element, limits: &Limits) -> Shape {
    let fields = record_bytes / element.bytes();
    // One workgroup's records are left out: their room takes the skew between the arrays, as in `layout`.
    let size = Sizing::new(limits.footprint / 2, limits.max_binding, 2 * WORKGROUP * record_bytes);
    let records = size.bytes / record_bytes - WORKGROUP;
    let pitch = soa_pitch(records, element);
    Shape {
        entry: "aos_to_soa",
        constants: vec![("LANES", WORKGROUP as f64), ("FIELDS", fields as f64), ("PITCH", pitch as f64)],
        src: records * fields,
        dst: fields * pitch,
        moved: records * fields,
        groups: records / WORKGROUP,
        accesses_per_lane: 2 * fields,
        clamped: size.clamped,
        origin: Box::new(move |i| {
            let (field, record) = (i / pitch, i % pitch);
            (record < records).then_some(record * fields + field)
        }),
    }
}

fn rows(element: Element, limits: &Limits) -> Shape {
    let alignment = ROW_ALIGNMENT / element.bytes();
    let pitch = ROW.next_multiple_of(alignment);
    let row_bytes = pitch * element.bytes();
    // A multiple of four rows keeps the tight buffer a multiple of 16 bytes.
    let size = Sizing::new(limits.footprint / 2, limits.max_binding, 4 * row_bytes);
    let rows = size.bytes / row_bytes;
    Shape {
        entry: "pad_rows",
        constants: vec![("LANES", WORKGROUP as f64), ("PITCH", pitch as f64), ("ROW", ROW as f64)],
        src: rows * ROW,
        dst: rows * pitch,
        moved: rows * ROW,
        groups: rows,
        accesses_per_lane: 2 * ROW.div_ceil(WORKGROUP),
        clamped: size.clamped,
        origin: Box::new(move |i| {
            let (row, column) = (i / pitch, i % pitch);
            (column < ROW).then_some(row * ROW + column)
        }),
    }
}

fn matrix(element: Element, limits: &Limits) -> Shape {
    let size = Sizing::new(limits.footprint / 2, limits.max_binding, TILE * TILE * element.bytes());
    let side = power_of_two_below((size.bytes / element.bytes()).isqrt());
    Shape {
        entry: "transposed",
        constants: vec![("LANES", WORKGROUP as f64), ("ROW", side as f64)],
        src: side * side,
        dst: side * side,
        moved: side * side,
        groups: (side / TILE) * (side / TILE),
        accesses_per_lane: 2,
        clamped: size.clamped,
        origin: Box::new(move |i| {
            let (row, column) = (i / side, i % side);
            Some(column * side + row)
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{case, limits, specialises_everywhere};
    use super::*;

    fn origins(rest: &str) -> Vec<Option<u64>> {
        let case = case(&format!("repack/{rest}"));
        let limits = limits(1 << 20);
        let shape = match record_bytes(&case) {
            Some(bytes) => records(bytes, case.element(), &limits),
            None if case.name("change") == "pad_rows" => rows(case.element(), &limits),
            None => matrix(case.element(), &limits),
        };
        (0..shape.dst).map(&shape.origin).collect()
    }

    #[test]
    fn kernels_are_valid() {
        specialises_everywhere("repack");
    }

    #[test]
    fn every_element_moves_once() {
        for rest in
            ["change=aos16_to_soa/type=u32", "change=pad_rows/type=u32x2", "change=transpose/type=u32x4"]
        {
            let mut from: Vec<u64> = origins(rest).into_iter().flatten().collect();
            from.sort_unstable();
            assert!(from.iter().copied().eq(0..from.len() as u64), "{rest}");
        }
    }

    #[test]
    fn fields_rows_and_columns_go_where_their_names_say() {
        // The second record's first field follows the first's.
        assert_eq!(origins("change=aos16_to_soa/type=u32")[1], Some(4));
        // A padded row of 1001 words ends 23 words before the next one.
        assert_eq!(origins("change=pad_rows/type=u32")[1000..1025].to_vec(), {
            let mut row = vec![Some(1000)];
            row.extend([None; 23]);
            row.push(Some(1001));
            row
        });
        // The first row of the new matrix is the first column of the old one.
        let transposed = origins("change=transpose/type=u32");
        assert_eq!(transposed[1], Some((transposed.len() as u64).isqrt()));
    }

    #[test]
    fn sizes_cut_to_the_binding_limit_say_so_and_fit_it() {
        let limits = Limits { max_binding: 1 << 20, ..limits(64 << 20) };
        for case in find("repack").expect("a registered pattern").cases(Depth::Full) {
            let plan = plan(&case, &limits).expect("a plan");
            assert!(plan.clamped.as_ref().is_some_and(|text| text.contains("1048576")), "{case}");
            assert!(plan.buffers.iter().all(|buffer| buffer.bytes <= limits.max_binding), "{case}");
        }
    }
}
