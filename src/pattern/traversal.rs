//! `traversal`: a row-major matrix walked along its rows or along its columns.

use std::sync::Arc;

use super::plan::{fold, splat};
use super::*;

/// One element per lane and step.
const ALONG_ROW: &str = "lanes_along_row";
const ALONG_COLUMN: &str = "lanes_along_column";
/// Whole sums of a matrix.
const LANE_PER_ROW: &str = "lane_per_row";
const LANE_PER_COLUMN: &str = "lane_per_column";
const WORKGROUP_PER_ROW: &str = "workgroup_per_row";

/// Rows and columns of the matrix that is summed.
const SUMMED: u64 = 4096;

pub(super) const PATTERN: Pattern = Pattern {
    name: "traversal",
    summary: "a row-major matrix walked along rows or along columns",
    why: "Which index runs along the lanes decides the cost of a matrix walk, not which index runs in the \
          loop: on a CPU one thread should follow a row, on a GPU neighbouring lanes should. Lanes along a \
          column are a row's length apart, so each of them needs a sector of its own; the next column uses \
          the rest of those sectors if they are still in the cache when the walk returns, which takes one \
          sector per row. A lane per row sums a matrix as a CPU thread would, a lane per column or a \
          workgroup per row keeps lanes next to each other.",
    wgsl: include_str!("../../shaders/traversal.wgsl"),
    axes: &[
        Axis::names("op", "load or store", &["read", "write"]),
        Axis::TYPE,
        Axis::names(
            "walk",
            "which lanes take neighbouring elements, or who sums what",
            &[ALONG_ROW, ALONG_COLUMN, LANE_PER_ROW, LANE_PER_COLUMN, WORKGROUP_PER_ROW],
        ),
        Axis::ints("row_elements", "elements of a row: the columns of the matrix", &[64, 1024, SUMMED]),
    ],
    depth,
    plan,
    host: Some(crate::device::host::loops::traversal),
    purpose: |_| Purpose::Plain,
    chart: Chart::Bars { group: "row_elements", bar: "walk" },
    examples: &[
        Example::drawn("op=read/type=u32/walk=lanes_along_row/row_elements=64"),
        Example::drawn("op=read/type=u32/walk=lanes_along_column/row_elements=64"),
        Example::counted("op=read/type=u32/walk=lanes_along_row/row_elements=4096"),
        Example::counted("op=read/type=u32/walk=lanes_along_column/row_elements=4096"),
        Example::counted("op=read/type=u32/walk=lane_per_row/row_elements=4096"),
        Example::counted("op=read/type=u32/walk=lane_per_column/row_elements=4096"),
        Example::counted("op=read/type=u32/walk=workgroup_per_row/row_elements=4096"),
    ],
};

fn depth(case: &Case) -> Option<Depth> {
    let (op, columns) = (case.op(), case.int("row_elements"));
    let walks = matches!(case.name("walk"), ALONG_ROW | ALONG_COLUMN);
    if !walks && (op != "read" || columns != SUMMED) {
        return None;
    }
    Some(match (op, case.element(), case.name("walk"), columns) {
        ("read", Element::U32, WORKGROUP_PER_ROW, _) => Depth::Default,
        ("read", Element::U32, _, SUMMED) => Depth::Quick,
        ("read", Element::U32, _, _) => Depth::Default,
        ("write", Element::U32, _, 64 | SUMMED) => Depth::Default,
        ("read", Element::U32x4, _, SUMMED) if walks => Depth::Default,
        _ => Depth::Full,
    })
}

/// What a lane visits: `length` places from its first one on, a fixed distance apart.
struct Walk {
    entry: &'static str,
    groups: u64,
    accesses: u64,
    expected: Expected,
}

fn plan(case: &Case, limits: &Limits) -> Result<Plan, Skip> {
    let (element, columns, walk) = (case.element(), case.int("row_elements"), case.name("walk"));
    let sums = !matches!(walk, ALONG_ROW | ALONG_COLUMN);
    // Whole workgroups: of lanes that have a row each, or of the elements that they touch in a walk.
    let least_rows = if sums { WORKGROUP } else { WORKGROUP * ACCESSES / 64 };
    let most = if sums { SUMMED * SUMMED * element.bytes() } else { u64::MAX };
    let least = least_rows * columns * element.bytes();
    let mut size = Sizing::new(limits.footprint.min(most), limits.max_binding, least);
    if size.bytes > limits.max_binding {
        return Err(Skip::because(format!(
            "the smallest matrix has {} bytes; the device binds {} bytes",
            size.bytes, limits.max_binding
        )));
    }
    let rows = size.bytes / element.bytes() / columns;
    if sums && rows < SUMMED {
        size.clamped =
            Some(format!("matrix of {SUMMED} rows cut to {rows}: the footprint or binding is smaller"));
    }
    let reads = case.op() == "read";
    let Walk { entry, groups, accesses, expected } = match walk {
        LANE_PER_ROW => Walk {
            entry: "lane_per_row",
            groups: rows / WORKGROUP,
            accesses: columns,
            expected: sum_of(element, columns, |index, column| (index, column), columns),
        },
        LANE_PER_COLUMN => Walk {
            entry: "lane_per_column",
            groups: columns / WORKGROUP,
            accesses: rows,
            expected: sum_of(element, columns, |index, row| (row, index), rows),
        },
        WORKGROUP_PER_ROW => Walk {
            entry: "workgroup_per_row",
            groups: rows,
            accesses: columns / WORKGROUP,
            expected: sum_of(
                element,
                columns,
                |index, step| (index / WORKGROUP, index % WORKGROUP + step * WORKGROUP),
                columns / WORKGROUP,
            ),
        },
        _ => {
            let along_row = walk == ALONG_ROW;
            Walk {
                entry: if reads { "load" } else { "store" },
                groups: rows * columns / (WORKGROUP * ACCESSES),
                accesses: ACCESSES,
                expected: if reads {
                    sum_of(
                        element,
                        columns,
                        move |index, step| {
                            let first = index / WORKGROUP * WORKGROUP * ACCESSES + index % WORKGROUP;
                            let n = first + step * WORKGROUP;
                            if along_row { (n / columns, n % columns) } else { (n % rows, n / rows) }
                        },
                        ACCESSES,
                    )
                } else {
                    Arc::new(move |_, i| splat(element, i as u32 + 1))
                },
            }
        }
    };
    let mut constants = vec![("LANES", WORKGROUP as f64), ("COLUMNS_LOG2", f64::from(columns.ilog2()))];
    if !sums {
        constants.push(("ACCESSES", ACCESSES as f64));
        constants.push(("ALONG_COLUMN", f64::from(u8::from(walk == ALONG_COLUMN))));
    }
    constants.push(("ROWS_LOG2", f64::from(rows.ilog2())));
    Ok(Plan {
        entry,
        element,
        constants,
        buffers: if reads {
            vec![
                BufferPlan::random("src", Role::Subject, size.bytes, 0),
                BufferPlan::output("dst", Role::Sink, groups * WORKGROUP * element.bytes(), expected),
            ]
        } else {
            vec![BufferPlan::output("dst", Role::Subject, size.bytes, expected)]
        },
        groups,
        twin_mask: Some(window_mask(if reads { LOAD_WINDOW } else { STORE_WINDOW }, element)),
        accesses_per_lane: accesses,
        useful_bytes: size.bytes,
        distinct_bytes: size.bytes,
        workgroup_subject: false,
        clamped: size.clamped,
        notes: vec![("rows", rows.to_string())],
    })
}

/// What a lane has folded from `steps` elements, whose row and column are a function of the lane (over all
/// workgroups) and the step.
fn sum_of(
    element: Element,
    columns: u64,
    place: impl Fn(u64, u64) -> (u64, u64) + Send + Sync + 'static,
    steps: u64,
) -> Expected {
    Arc::new(move |fill, index| {
        let values = (0..steps).map(|step| {
            let (row, column) = place(index, step);
            fill.element(element, 0, row * columns + column)
        });
        fold(element, values)
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{case, counts, limits, specialises_everywhere};
    use super::*;

    #[test]
    fn every_case_specialises() {
        specialises_everywhere("traversal");
    }

    #[test]
    fn depths_hold_what_they_should() {
        // 2 ops, 3 types, 2 walks, 3 widths; 3 types, 3 sums
        assert_eq!(counts("traversal"), [4, 15, 36 + 9]);
    }

    fn folded(fill: &Fill, places: impl Iterator<Item = u64>) -> u32 {
        places.fold(0u32, |sum, place| sum.wrapping_mul(5).wrapping_add(fill.word(0, place)))
    }

    #[test]
    fn lanes_fold_the_places_of_their_walk() {
        let fill = Fill::new(11);
        let result = |walk: &str, columns: u64, index: u64| {
            let id = format!("op=read/type=u32/walk={walk}/row_elements={columns}");
            let plan = plan(&case(&format!("traversal/{id}")), &limits(1 << 20)).unwrap();
            (plan.output().1)(&fill, index)[0]
        };
        // 1 MiB of rows of 1024 elements: 256 rows
        assert_eq!(result(ALONG_ROW, 1024, 3), folded(&fill, (0..16).map(|s| s * 256 + 3)));
        // lane 3 stays in row 3 and takes one column after the other
        assert_eq!(result(ALONG_COLUMN, 1024, 3), folded(&fill, (0..16).map(|s| 3 * 1024 + s)));
        // rows of 64 elements: 4096 rows, the first workgroup walks column 0 down
        assert_eq!(result(ALONG_COLUMN, 64, 3), folded(&fill, (0..16).map(|s| (s * 256 + 3) * 64)));
        assert_eq!(result(ALONG_COLUMN, 64, 256), folded(&fill, (0..16).map(|s| s * 256 * 64 + 1)));
        assert_eq!(result(LANE_PER_ROW, 4096, 5), folded(&fill, (0..4096).map(|c| 5 * 4096 + c)));
        assert_eq!(result(LANE_PER_COLUMN, 4096, 5), folded(&fill, (0..256).map(|r| r * 4096 + 5)));
        let fifth_row = (0..16).map(|s| 5 * 4096 + s * 256 + 7);
        assert_eq!(result(WORKGROUP_PER_ROW, 4096, 5 * 256 + 7), folded(&fill, fifth_row));
    }

    #[test]
    fn lanes_cover_the_matrix_once() {
        let limits = limits(1 << 20);
        for case in find("traversal").unwrap().cases(Depth::Full) {
            let plan = plan(&case, &limits).unwrap();
            let accesses = plan.groups * WORKGROUP * plan.accesses_per_lane;
            assert_eq!(accesses * plan.element.bytes(), plan.useful_bytes, "{case}");
            assert_eq!(plan.useful_bytes, plan.distinct_bytes, "{case}");
        }
    }

    #[test]
    fn sums_take_4096_rows_where_they_fit() {
        let id = "op=read/type=u32/walk=lane_per_row/row_elements=4096";
        let roomy = plan(&case(&format!("traversal/{id}")), &limits(512 << 20)).unwrap();
        assert_eq!((roomy.groups, roomy.useful_bytes, roomy.clamped), (16, 64 << 20, None));
        let tight = plan(&case(&format!("traversal/{id}")), &limits(8 << 20)).unwrap();
        assert_eq!((tight.groups, tight.useful_bytes), (2, 8 << 20));
        assert!(tight.clamped.unwrap().contains("cut to 512"));
        let mut tiny = limits(8 << 20);
        tiny.max_binding = 1 << 20;
        assert!(plan(&case(&format!("traversal/{id}")), &tiny).unwrap_err().0.contains("binds 1048576"));
    }
}
