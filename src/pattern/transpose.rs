//! `transpose`: a matrix transposed directly or through workgroup memory, beside plain copies.

use std::sync::Arc;

use super::*;

const COPY: &str = "copy";
const COPY_TILE: &str = "copy_tile";
const READS: &str = "naive_coalesced_reads";
const WRITES: &str = "naive_coalesced_writes";
const TILE: &str = "tile";
const PADDED: &str = "tile_padded";
const SWIZZLED: &str = "tile_swizzled";

/// Both sides a multiple of 8 elements, so that rows start on a sector, and of no tile.
const RECTANGLE: &str = "1000x3016";

/// Matrices of more than this many footprints are left out.
const FOOTPRINTS: u64 = 4;

/// A smaller footprint counts as this one: sides are part of what a case is, and nothing would be left.
const LEAST_FOOTPRINT: u64 = 8 << 20;

pub(super) const PATTERN: Pattern = Pattern {
    name: "transpose",
    summary: "a matrix transposed naively or through a tile in workgroup memory",
    why: "One side of a direct transpose is uncoalesced: lanes that read along a row write along a column, a \
          sector each, or the other way round. A tile in workgroup memory lets both sides run along rows, \
          at the price of a barrier and of reading the tile by columns, where all lanes of an unpadded tile \
          whose side is a multiple of the banks fall on one bank. One element of padding per row, or an \
          XOR-swizzle that needs no room, spreads them. copy is the ceiling, copy_tile shows what staging \
          alone costs, and ballast_bytes of untouched workgroup memory show what a tile costs by keeping \
          other workgroups out. Workgroups have 256 lanes: 16x16, 32x8 or 64x4.",
    wgsl: include_str!("../../shaders/transpose.wgsl"),
    axes: &[
        Axis::names(
            "op",
            "copies, direct transposes and transposes through a tile",
            &[COPY, COPY_TILE, READS, WRITES, TILE, PADDED, SWIZZLED],
        ),
        Axis::TYPE,
        Axis::names(
            "matrix",
            "rows x columns of the source",
            &["1024x1024", "2048x2048", "4096x4096", RECTANGLE],
        ),
        Axis::ints("tile_elements", "side of the square that a workgroup takes", &[16, 32, 64]),
        Axis::ints(
            "ballast_bytes",
            "unused workgroup memory that lowers occupancy",
            &[0, 4096, 8192, 16384, 24576, 40960],
        ),
    ],
    depth,
    plan,
    host: Some(crate::device::host::loops::transpose),
    purpose: |case| if case.op() == COPY { Purpose::Ceiling } else { Purpose::Plain },
    chart: Chart::Bars { group: "matrix", bar: "op" },
    examples: &[
        Example::counted("op=copy/type=u32/matrix=1024x1024/tile_elements=32/ballast_bytes=0"),
        Example::drawn("op=naive_coalesced_reads/type=u32/matrix=1024x1024/tile_elements=32/ballast_bytes=0"),
        Example::counted(
            "op=naive_coalesced_writes/type=u32/matrix=1024x1024/tile_elements=32/ballast_bytes=0",
        ),
        Example::drawn("op=tile/type=u32/matrix=1024x1024/tile_elements=32/ballast_bytes=0"),
        Example::drawn("op=tile_padded/type=u32/matrix=1024x1024/tile_elements=32/ballast_bytes=0"),
        Example::counted("op=tile_swizzled/type=u32/matrix=1024x1024/tile_elements=32/ballast_bytes=0"),
    ],
};

fn depth(case: &Case) -> Option<Depth> {
    let (op, element, matrix) = (case.op(), case.element(), case.name("matrix"));
    let (tile, ballast) = (case.int("tile_elements"), case.int("ballast_bytes"));
    let staged = !matches!(op, COPY | READS | WRITES);
    // Ballast is a question of occupancy, not of types and shapes.
    if ballast > 0 && !(staged && element == Element::U32 && matrix == "2048x2048") {
        return None;
    }
    Some(match (element, matrix, tile, ballast) {
        (Element::U32, "2048x2048", 32, 0) => match op {
            COPY | WRITES | TILE | PADDED => Depth::Quick,
            _ => Depth::Default,
        },
        (Element::U32, "2048x2048", 32, 8192 | 24576) if op == PADDED => Depth::Default,
        (Element::U32, "2048x2048", 16 | 64, 0) if matches!(op, TILE | PADDED) => Depth::Default,
        (Element::U32, "4096x4096", 32, 0) if op != COPY_TILE => Depth::Default,
        (Element::U32, RECTANGLE, 32, 0) if matches!(op, COPY | WRITES | PADDED) => Depth::Default,
        (Element::U32, "1024x1024", 32, 0) if matches!(op, COPY | PADDED) => Depth::Default,
        (Element::U32x4, "2048x2048", 16, 0) if matches!(op, COPY | PADDED) => Depth::Default,
        _ => Depth::Full,
    })
}

/// Rows and columns of the source.
fn sides(case: &Case) -> (u64, u64) {
    match case.name("matrix") {
        "1024x1024" => (1024, 1024),
        "2048x2048" => (2048, 2048),
        "4096x4096" => (4096, 4096),
        _ => (1000, 3016),
    }
}

fn plan(case: &Case, limits: &Limits) -> Result<Plan, Skip> {
    let (op, element, (rows, columns)) = (case.op(), case.element(), sides(case));
    let (tile, ballast) = (case.int("tile_elements"), case.int("ballast_bytes"));
    let bytes = rows * columns * element.bytes();
    if bytes > limits.max_binding {
        return Err(Skip::because(format!(
            "the matrix has {bytes} bytes; the device binds {} bytes",
            limits.max_binding
        )));
    }
    let footprint = limits.footprint.max(LEAST_FOOTPRINT);
    if 2 * bytes > FOOTPRINTS * footprint {
        return Err(Skip::because(format!(
            "the two matrices have {} bytes, more than {FOOTPRINTS} times the footprint of {footprint} bytes",
            2 * bytes
        )));
    }
    let pad = u64::from(op == PADDED);
    let staged = tile * (tile + pad) * element.bytes() + ballast;
    let needs_tile = !matches!(op, COPY | READS | WRITES);
    if needs_tile && staged > limits.max_workgroup_memory {
        return Err(Skip::because(format!(
            "tile and ballast take {staged} bytes of workgroup memory; the device allows {}",
            limits.max_workgroup_memory
        )));
    }
    let expected: Expected = if matches!(op, COPY | COPY_TILE) {
        Arc::new(move |fill, i| fill.element(element, 0, i))
    } else {
        Arc::new(move |fill, i| {
            let (row_of_result, column_of_result) = (i / rows, i % rows);
            fill.element(element, 0, column_of_result * columns + row_of_result)
        })
    };
    let mut constants = vec![
        ("TILE", tile as f64),
        ("LANE_ROWS", (WORKGROUP / tile) as f64),
        ("ROWS", rows as f64),
        ("COLUMNS", columns as f64),
        ("TILES_ACROSS", columns.div_ceil(tile) as f64),
    ];
    if needs_tile {
        constants.push(("PAD", pad as f64));
        constants.push(("SWIZZLE", if op == SWIZZLED { (tile - 1) as f64 } else { 0.0 }));
        constants.push(("BALLAST", (ballast / element.bytes()) as f64));
    }
    Ok(Plan {
        entry: match op {
            COPY => "copy",
            COPY_TILE => "copy_tile",
            READS => "coalesced_reads",
            WRITES => "coalesced_writes",
            _ => "tiled",
        },
        element,
        constants,
        buffers: vec![
            BufferPlan::random("src", Role::Subject, bytes, 0),
            BufferPlan::output("dst", Role::Subject, bytes, expected),
        ],
        groups: rows.div_ceil(tile) * columns.div_ceil(tile),
        twin_mask: Some(window_mask(STORE_WINDOW, element)),
        accesses_per_lane: 2 * tile * tile / WORKGROUP,
        useful_bytes: 2 * bytes,
        distinct_bytes: 2 * bytes,
        workgroup_subject: false,
        clamped: None,
        notes: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{case, counts, limits, specialises_everywhere};
    use super::*;

    #[test]
    fn every_case_specialises() {
        specialises_everywhere("transpose");
    }

    #[test]
    fn depths_hold_what_they_should() {
        // 7 ops, 3 types, 4 matrices, 3 tiles; ballast: 4 ops, 3 tiles, 5 sizes
        assert_eq!(counts("transpose"), [4, 26, 7 * 3 * 4 * 3 + 4 * 3 * 5]);
    }

    #[test]
    fn the_result_is_the_transpose() {
        let id = format!("op=tile/type=u32x2/matrix={RECTANGLE}/tile_elements=16/ballast_bytes=0");
        let plan = plan(&case(&format!("transpose/{id}")), &limits(64 << 20)).unwrap();
        let (output, expected) = plan.output();
        let fill = Fill::new(1);
        assert_eq!(output.bytes, 1000 * 3016 * 8);
        // (row of the result, column of it): the result has 3016 rows of 1000 elements
        for (row, column) in [(0, 0), (0, 1), (1, 0), (17, 999), (3015, 0), (3015, 999)] {
            let at = row * 1000 + column;
            assert_eq!(expected(&fill, at), fill.element(Element::U32x2, 0, column * 3016 + row));
        }
        // 62.5 by 188.5 tiles
        assert_eq!(plan.groups, 63 * 189);
    }

    #[test]
    fn a_copy_is_the_matrix_itself() {
        for op in [COPY, COPY_TILE] {
            let id = format!("op={op}/type=u32/matrix=1024x1024/tile_elements=32/ballast_bytes=0");
            let plan = plan(&case(&format!("transpose/{id}")), &limits(64 << 20)).unwrap();
            let fill = Fill::new(2);
            assert_eq!((plan.output().1)(&fill, 1025), [fill.word(0, 1025), 0, 0, 0], "{op}");
        }
    }

    #[test]
    fn limits_are_named_where_a_case_does_not_fit() {
        let reason = |rest: &str, change: fn(&mut Limits)| {
            let mut limits = limits(256 << 20);
            change(&mut limits);
            plan(&case(&format!("transpose/{rest}")), &limits).unwrap_err().0
        };
        let padded = "op=tile_padded/type=u32/matrix=2048x2048/tile_elements=64/ballast_bytes=0";
        let text = reason(padded, |limits| limits.max_workgroup_memory = 16 << 10);
        assert!(text.contains("16640 bytes of workgroup memory; the device allows 16384"), "{text}");
        let large = "op=copy/type=u32x4/matrix=4096x4096/tile_elements=32/ballast_bytes=0";
        let text = reason(large, |limits| limits.max_binding = 128 << 20);
        assert!(text.contains("binds 134217728"), "{text}");
        let text = reason(large, |limits| limits.footprint = 64 << 20);
        assert!(text.contains("footprint of 67108864"), "{text}");
    }
}
