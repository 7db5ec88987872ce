//! Where a case stands in the page. Anchors are made from case ids, so that a link to a row stays the same
//! when the page is made again; no two are equal, whatever a table of another origin holds.

use std::collections::{BTreeMap, BTreeSet};

use crate::report::Report;

/// The anchors of all rows.
pub(super) struct Anchors {
    /// For each run: the case and its anchor.
    of_case: Vec<BTreeMap<String, String>>,
    /// For each run and pattern: the anchors of its rows.
    of_row: Vec<BTreeMap<String, Rows>>,
}

/// The anchors of a table, in the order of its rows.
struct Rows {
    lines: Vec<String>,
    missing: Vec<String>,
}

impl Anchors {
    pub(super) fn new(report: &Report) -> Anchors {
        let mut taken = BTreeSet::new();
        let mut anchors = Anchors { of_case: Vec::new(), of_row: Vec::new() };
        for (index, run) in report.runs.iter().enumerate() {
            let (mut of_case, mut of_row) = (BTreeMap::new(), BTreeMap::new());
            for pattern in &run.patterns {
                let mut anchor = |case: &str| {
                    let anchor = unique(&mut taken, format!("{}/{}", device(index), safe(case)));
                    of_case.entry(case.to_owned()).or_insert_with(|| anchor.clone());
                    anchor
                };
                let lines = pattern.lines.iter().map(|line| anchor(&line.id)).collect();
                let missing = pattern.missing.iter().map(|case| anchor(&case.id)).collect();
                of_row.insert(pattern.name.clone(), Rows { lines, missing });
            }
            anchors.of_case.push(of_case);
            anchors.of_row.push(of_row);
        }
        anchors
    }

    /// The anchor of a case in the run of that number.
    pub(super) fn of(&self, run: usize, case: &str) -> Option<&str> {
        self.of_case.get(run)?.get(case).map(String::as_str)
    }

    /// The anchors of a pattern's lines, in their order.
    pub(super) fn lines(&self, run: usize, pattern: &str) -> impl Iterator<Item = &str> {
        self.rows(run, pattern).into_iter().flat_map(|rows| &rows.lines).map(String::as_str)
    }

    /// The anchors of a pattern's cases without a figure, in their order.
    pub(super) fn missing(&self, run: usize, pattern: &str) -> impl Iterator<Item = &str> {
        self.rows(run, pattern).into_iter().flat_map(|rows| &rows.missing).map(String::as_str)
    }

    fn rows(&self, run: usize, pattern: &str) -> Option<&Rows> {
        self.of_row.get(run)?.get(pattern)
    }
}

/// The anchor of a run, and the layer of its marks.
pub(super) fn device(run: usize) -> String {
    crate::report::charts::layer(run)
}

/// The anchor of a pattern; the number keeps a strange name from meeting another.
pub(super) fn topic(index: usize, name: &str) -> String {
    if crate::pattern::find(name).is_some() { format!("pattern-{name}") } else { format!("other-{index}") }
}

/// What an id and a link may hold without escapes.
fn safe(case: &str) -> String {
    case.chars().map(|c| if c.is_ascii_alphanumeric() || "/=_.-".contains(c) { c } else { '_' }).collect()
}

fn unique(taken: &mut BTreeSet<String>, wanted: String) -> String {
    let mut anchor = wanted.clone();
    let mut next = 2_u32;
    while !taken.insert(anchor.clone()) {
        anchor = format!("{wanted}.{next}");
        next += 1;
    }
    anchor
}
