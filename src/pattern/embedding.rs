//! `embedding`: rows of a large table looked up by number, as a language model does with its tokens.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::plan::fold;
use super::*;

/// Rows of the table where it fits: the vocabulary of a large language model, rounded.
const ROWS: u64 = 100_000;

/// 4,096 values of 2 bytes.
const ROW_BYTES: u64 = 4096 * 2;

/// Rows that a dispatch looks up: the tokens of a prompt.
const LOOKUPS: u64 = 512;

/// Lanes of a workgroup where each lane has its own row: few, so that the lookups make as many workgroups
/// as they can.
const ROW_LANES: u64 = 64;

/// The seed of the rows looked up: fixed, so that a case reads the same rows in every run.
const SEED: u64 = 0xe3bed;

pub(super) const PATTERN: Pattern = Pattern {
    name: "embedding",
    summary: "512 rows of 8 KiB looked up in a large table",
    why: "An embedding layer copies the row of each token out of a table of 100,000 rows of 4,096 f16 \
          values. The rows lie at random places, but a row is contiguous, so all depends on who reads it. A \
          workgroup per row reads it as a stream. A lane per row, the direct port of a CPU loop, leaves \
          neighbouring lanes 8 KiB or more apart: every load of a subgroup touches as many sectors as it \
          has lanes, and 512 lanes are far too few to fill a device; both are part of what this port \
          costs. The f16 values are read packed, as u32 words of two, u32x2 of four or u32x4 of eight: \
          the bytes and addresses are the same, and no device needs f16 arithmetic for it. The 512 rows \
          are 4 MiB, which most last-level caches hold; the table is cut down to what the device binds and \
          to twice the footprint, and the row records its scale.",
    wgsl: include_str!("../../shaders/embedding.wgsl"),
    axes: &[Axis::TYPE, Axis::names("reader", "who reads a row", &["workgroup_per_row", "lane_per_row"])],
    depth,
    plan,
    host: Some(crate::device::host::loops::embedding),
    purpose: |_| Purpose::Plain,
    chart: Chart::Bars { group: "type", bar: "reader" },
    examples: &[
        Example::drawn("type=u32/reader=workgroup_per_row"),
        Example::drawn("type=u32/reader=lane_per_row"),
        Example::counted("type=u32x4/reader=workgroup_per_row"),
        Example::counted("type=u32x4/reader=lane_per_row"),
    ],
};

fn depth(case: &Case) -> Option<Depth> {
    Some(match case.element() {
        Element::U32 => Depth::Quick,
        Element::U32x4 => Depth::Default,
        Element::U32x2 => Depth::Full,
    })
}

fn plan(case: &Case, limits: &Limits) -> Result<Plan, Skip> {
    let element = case.element();
    let row_elements = ROW_BYTES / element.bytes();
    let table = Table::new(limits)?;
    let reader = case.name("reader");
    // A lane is the `part`-th of those that share a row; it reads every `parts`-th element of it.
    let (lanes, parts) = if reader == "workgroup_per_row" { (WORKGROUP, WORKGROUP) } else { (ROW_LANES, 1) };
    let row = move |lookup: u64| table.row(lookup);
    let expected: Expected = Arc::new(move |fill, index| {
        let (lookup, part) = (index / parts, index % parts);
        let start = row(lookup) * row_elements;
        let elements = (start + part..start + row_elements).step_by(parts as usize);
        fold(element, elements.map(|i| fill.element(element, 0, i)))
    });
    let distinct = (0..LOOKUPS).map(row).collect::<BTreeSet<u64>>().len() as u64;
    Ok(Plan {
        entry: reader,
        element,
        constants: vec![("LANES", lanes as f64), ("ROW", row_elements as f64)],
        buffers: vec![
            BufferPlan::words("rows", Role::Index, LOOKUPS * 4, Arc::new(move |n| row(n) as u32)),
            BufferPlan::random("table", Role::Subject, table.rows * ROW_BYTES, 0),
            BufferPlan::output("dst", Role::Sink, LOOKUPS * parts * element.bytes(), expected),
        ],
        groups: LOOKUPS * parts / lanes,
        twin_mask: Some(window_mask(LOAD_WINDOW, element)),
        accesses_per_lane: row_elements / parts,
        useful_bytes: LOOKUPS * ROW_BYTES,
        distinct_bytes: distinct * ROW_BYTES,
        workgroup_subject: false,
        clamped: table.clamped(),
        notes: table.notes(),
    })
}

/// The table, cut to what a device holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    /// Its rows.
    pub(crate) rows: u64,
}

impl Table {
    /// The largest table within the limits.
    ///
    /// # Errors
    /// When no row fits.
    pub(crate) fn new(limits: &Limits) -> Result<Table, Skip> {
        let room = limits.max_binding.min(2 * limits.footprint);
        match ROWS.min(room / ROW_BYTES) {
            0 => Err(Skip::because(format!(
                "a table of {room} bytes has no room for one row of {ROW_BYTES} bytes"
            ))),
            rows => Ok(Table { rows }),
        }
    }

    /// The row that a lookup reads: uniform over the table, so that a row may be looked up twice.
    pub(crate) fn row(self, lookup: u64) -> u64 {
        // Scaled by a product instead of a remainder (Lemire: Fast random integer generation in an interval,
        // ACM TOMACS 2019, without its rejection of a bias below one in 40,000).
        (u64::from(Fill::new(SEED).word(0, lookup)) * self.rows) >> 32
    }

    /// What was cut, if anything.
    pub(crate) fn clamped(self) -> Option<String> {
        let rows = self.rows;
        (rows < ROWS).then(|| format!("table of {ROWS} rows of {ROW_BYTES} bytes cut to {rows} rows"))
    }

    /// Its facts for the row's `parameters`.
    pub(crate) fn notes(self) -> Vec<(&'static str, String)> {
        vec![
            ("table_rows", self.rows.to_string()),
            ("table_scale", format!("{:.4}", self.rows as f64 / ROWS as f64)),
            ("lookups", LOOKUPS.to_string()),
            ("index_seed", SEED.to_string()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::testing;

    #[test]
    fn every_case_is_sound() {
        testing::specialises_everywhere("embedding");
    }

    #[test]
    fn depths_hold_the_cases_chosen() {
        assert_eq!(testing::counts("embedding"), [2, 4, 6]);
    }

    #[test]
    fn readers_fold_the_row_that_was_looked_up() {
        let fill = Fill::new(3);
        let folded = |elements: &mut dyn Iterator<Item = u64>| {
            elements.fold(0u32, |sum, i| sum.wrapping_mul(5).wrapping_add(fill.word(0, i)))
        };
        let alone = testing::plan("embedding/type=u32/reader=lane_per_row");
        let Content::Words(rows) = &alone.buffers[0].content else { panic!("an index stream") };
        let start = u64::from(rows(7)) * 2048;
        assert_eq!(testing::word(&alone, &fill, 7), folded(&mut (start..start + 2048)));
        let together = testing::plan("embedding/type=u32/reader=workgroup_per_row");
        let lane_3 = [3, 259, 515, 771, 1027, 1283, 1539, 1795];
        assert_eq!(
            testing::word(&together, &fill, 7 * 256 + 3),
            folded(&mut lane_3.into_iter().map(|column| start + column))
        );
    }

    #[test]
    fn the_table_is_whole_where_it_fits_and_its_scale_is_recorded_elsewhere() {
        let case = testing::case("embedding/type=u32x4/reader=workgroup_per_row");
        let large = Limits { footprint: 512 << 20, max_binding: 2 << 30, ..testing::tiny() };
        let whole = plan(&case, &large).expect("a plan");
        assert_eq!(whole.buffers[1].bytes, 819_200_000);
        assert_eq!(whole.clamped, None);
        assert!(whole.notes.contains(&("table_scale", "1.0000".to_owned())));
        let cut = plan(&case, &Limits { max_binding: 128 << 20, ..large }).expect("a plan");
        assert!(cut.notes.contains(&("table_scale", "0.1638".to_owned())));
        assert!(cut.clamped.expect("a reason").contains("16384 rows"));
        let none = plan(&case, &Limits { max_binding: 4096, ..testing::tiny() });
        assert!(none.expect_err("no room").0.contains("4096 bytes"));
    }

    #[test]
    fn rows_are_spread_over_the_whole_table() {
        let rows: Vec<u64> = (0..LOOKUPS).map(|n| Table { rows: ROWS }.row(n)).collect();
        assert!(rows.iter().all(|row| *row < ROWS));
        for tenth in 0..10 {
            assert!(rows.iter().any(|row| row / (ROWS / 10) == tenth), "tenth {tenth}");
        }
    }
}
