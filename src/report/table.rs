//! The table of a pattern in a run, and the notes that go with it. A cell has its text and the number that it
//! is sorted by, so that no rendering formats or computes.

use serde::Serialize;

use crate::pattern;
use crate::record::{Bound, CaseRow, Flag, Status};
use crate::units;

use super::charts::{self, Figure};
use super::text::printable;
use super::{CaseKey, Run};

/// What a run has of one pattern.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PatternSummary {
    /// Its name.
    pub name: String,
    /// One line on it.
    pub about: &'static str,
    /// The columns of its table; the first is the case.
    pub columns: Vec<Column>,
    /// Its measured cases.
    pub lines: Vec<Line>,
    /// Its cases that were skipped or failed.
    pub missing: Vec<Missing>,
    /// What to know before reading the table, in sentences.
    pub notes: Vec<String>,
    /// Its charts.
    #[serde(skip)]
    pub figures: Vec<Figure>,
}

/// A column of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Column {
    /// Its heading.
    pub heading: &'static str,
    /// What stands in it.
    pub help: &'static str,
    /// Whether it holds numbers.
    pub numeric: bool,
    /// Whether it is left out where room is short.
    pub detail: bool,
}

/// One measured case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// The case id.
    pub id: String,
    /// Whether what memory costs is invisible in it.
    pub issue_bound: bool,
    /// The cells, one for each column.
    pub cells: Vec<Cell>,
}

/// A cell.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Cell {
    /// What is shown; empty where nothing is known.
    pub text: String,
    /// What it is sorted by, in the base unit of the column, where it is a number.
    pub value: Option<f64>,
}

/// A case without a figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// The case id.
    pub id: String,
    /// The axis values.
    pub case: String,
    /// `skipped` or `failed`, or `ok` where no sample was usable.
    pub status: Status,
    /// Why.
    pub reason: String,
}

impl Cell {
    /// The number as a script compares it, with more digits than the text shows.
    pub fn sort_key(&self) -> Option<String> {
        self.value.map(|value| format!("{value:.5e}"))
    }

    fn word(text: &str) -> Cell {
        Cell { text: text.to_owned(), value: None }
    }

    fn number(value: Option<f64>, text: impl Fn(f64) -> String) -> Cell {
        let value = value.filter(|value| value.is_finite());
        Cell { text: value.map(text).unwrap_or_default(), value }
    }
}

/// What the cells of a row are made of.
struct Source<'a> {
    run: &'a Run,
    row: &'a CaseRow,
    /// Bandwidth of the pattern's first case.
    first: f64,
}

type Filler = fn(&Source<'_>) -> Cell;

const fn column(heading: &'static str, numeric: bool, detail: bool, help: &'static str) -> Column {
    Column { heading, help, numeric, detail }
}

/// Every column there can be. Those without a cell in a pattern are left out of its table.
const COLUMNS: [(Column, Filler); 11] = [
    (column("case", false, false, "the values on the pattern's axes"), |source| {
        Cell::word(&printable(&CaseKey::parse(&source.row.case).short()))
    }),
    (column("GB/s", true, false, "useful bytes over the median time"), |source| {
        Cell::number(source.row.bandwidth_gb_per_s, |figure| units::significant(figure, 3))
    }),
    (column("± 95 %", true, false, "half-width of the 95 % interval of the median"), |source| {
        let row = source.row;
        let interval = row.ci95_low_ns.zip(row.ci95_high_ns).zip(row.median_ns);
        Cell::number(interval.map(|((low, high), median)| (high - low) / 2.0 / median), units::percent)
    }),
    (column("of roof", true, false, "fraction of the best contiguous bandwidth of this run"), |source| {
        Cell::number(source.row.roof_fraction, units::percent)
    }),
    (column("ratio", true, false, "against the first case of the pattern"), |source| {
        Cell::number(source.row.bandwidth_gb_per_s.map(|figure| figure / source.first), units::ratio)
    }),
    (column("predicted", true, false, "GB/s that the access model predicts without caches"), |source| {
        Cell::number(source.run.predicted(source.row), |figure| units::significant(figure, 3))
    }),
    (column("of predicted", true, true, "measured over predicted"), |source| {
        let measured = source.row.bandwidth_gb_per_s.zip(source.run.predicted(source.row));
        Cell::number(measured.map(|(measured, predicted)| measured / predicted), units::ratio)
    }),
    (
        column("over-fetch", true, true, "bytes of the fetched sectors over the distinct bytes asked for"),
        |source| Cell::number(source.row.over_fetch, units::ratio),
    ),
    (
        column("conflicts", true, true, "predicted degree of bank conflicts: passes that one access takes"),
        |source| Cell::number(source.row.conflict_degree.map(f64::from), |degree| format!("{degree:.0}")),
    ),
    (
        column(
            "bound",
            false,
            false,
            "issue: the instructions are the limit, what memory costs is invisible",
        ),
        |source| {
            Cell::word(match source.row.bound {
                Some(Bound::Issue) => "issue",
                Some(Bound::Memory) => "memory",
                None => "",
            })
        },
    ),
    (column("flags", false, false, "what to know before believing the row"), |source| {
        let flags = source.row.flags.iter().filter(|flag| *flag != Flag::Software);
        Cell::word(&flags.map(|flag| flag.name()).collect::<Vec<_>>().join(" "))
    }),
];

impl PatternSummary {
    /// Summarises a pattern of a run.
    pub fn new(run: &Run, name: &str) -> PatternSummary {
        let (measured, missing): (Vec<&CaseRow>, Vec<&CaseRow>) = run
            .of_pattern(name)
            .partition(|row| row.status == Status::Ok && row.bandwidth_gb_per_s.is_some());
        let (columns, lines) = table(run, &measured);
        let missing: Vec<Missing> = missing.into_iter().map(missing_case).collect();
        PatternSummary {
            name: printable(name),
            about: pattern::find(name).map_or("", |row| row.summary),
            columns,
            lines,
            notes: notes(run, &measured, &missing),
            missing,
            figures: charts::figures(run, name),
        }
    }
}

fn table(run: &Run, rows: &[&CaseRow]) -> (Vec<Column>, Vec<Line>) {
    let first = rows.first().and_then(|row| row.bandwidth_gb_per_s).unwrap_or(f64::NAN);
    let cells: Vec<Vec<Cell>> = rows
        .iter()
        .map(|row| COLUMNS.iter().map(|(_, fill)| fill(&Source { run, row, first })).collect())
        .collect();
    let used: Vec<bool> =
        (0..COLUMNS.len()).map(|index| cells.iter().any(|row| !row[index].text.is_empty())).collect();
    let columns = COLUMNS.iter().zip(&used).filter(|(_, used)| **used).map(|((column, _), _)| *column);
    let lines = rows.iter().zip(cells).map(|(row, cells)| Line {
        id: printable(&row.case),
        issue_bound: row.bound == Some(Bound::Issue),
        cells: cells.into_iter().zip(&used).filter(|(_, used)| **used).map(|(cell, _)| cell).collect(),
    });
    (columns.collect(), lines.collect())
}

fn missing_case(row: &CaseRow) -> Missing {
    Missing {
        id: printable(&row.case),
        case: printable(&CaseKey::parse(&row.case).short()),
        status: row.status,
        reason: printable(row.reason.as_deref().unwrap_or("no reason was recorded")),
    }
}

/// What the rows have in common that a reader must know.
fn notes(run: &Run, rows: &[&CaseRow], missing: &[Missing]) -> Vec<String> {
    let mut notes = Vec::new();
    let of = |count: usize| {
        if count == rows.len() { format!("all {count}") } else { format!("{count} of {}", rows.len()) }
    };
    let issue = rows.iter().filter(|row| row.bound == Some(Bound::Issue)).count();
    if issue > 0 {
        notes.push(format!(
            "{} issue-bound: the instructions are the limit, so what memory costs is invisible in them",
            of(issue)
        ));
    }
    for flag in Flag::ALL.into_iter().filter(|flag| *flag != Flag::Software) {
        let count = rows.iter().filter(|row| row.flags.contains(flag)).count();
        if count > 0 {
            notes.push(format!("{} {flag}: {}", of(count), flag.meaning()));
        }
    }
    notes.extend(prediction(run, rows));
    let mut reasons: Vec<(Status, &str, usize)> = Vec::new();
    for case in missing {
        match reasons.iter_mut().find(|(status, reason, _)| (*status, *reason) == (case.status, &case.reason))
        {
            Some((_, _, count)) => *count += 1,
            None => reasons.push((case.status, &case.reason, 1)),
        }
    }
    notes.extend(reasons.into_iter().map(|(status, reason, count)| {
        let status = if status == Status::Ok { "without a usable sample" } else { status.name() };
        format!("{count} {status}: {reason}")
    }));
    notes
}

/// How far the measured figures are from the predicted ones.
fn prediction(run: &Run, rows: &[&CaseRow]) -> Option<String> {
    let mut ratios: Vec<f64> = rows
        .iter()
        .filter_map(|row| Some(row.bandwidth_gb_per_s? / run.predicted(row)?))
        .filter(|ratio| ratio.is_finite())
        .collect();
    ratios.sort_by(f64::total_cmp);
    let (lowest, highest) = (*ratios.first()?, *ratios.last()?);
    Some(format!(
        "measured over predicted (no caches): {} in the middle, from {} to {}, over {} cases",
        units::ratio(crate::stats::median(&ratios)?),
        units::ratio(lowest),
        units::ratio(highest),
        ratios.len()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Depth;
    use crate::report::synthetic;

    #[test]
    fn columns_without_a_cell_are_left_out() {
        let mut run = synthetic::run("device", "discrete", Depth::Quick);
        let headings = |run: &Run| -> Vec<&str> {
            PatternSummary::new(run, "stride").columns.iter().map(|column| column.heading).collect()
        };
        assert!(headings(&run).contains(&"predicted") && !headings(&run).contains(&"conflicts"));
        run.info.machine = None;
        assert!(!headings(&run).contains(&"predicted"));
        let summary = PatternSummary::new(&run, "stride");
        assert!(summary.lines.iter().all(|line| line.cells.len() == summary.columns.len()));
    }

    #[test]
    fn notes_count_what_they_name() {
        let mut run = synthetic::run("device", "discrete", Depth::Quick);
        run.rows.retain(|row| row.pattern == "stride");
        for row in &mut run.rows {
            row.bound = Some(Bound::Issue);
            row.flags.insert(Flag::Clamped);
        }
        run.rows[0].status = Status::Skipped;
        run.rows[0].reason = Some("too small".to_owned());
        let notes = PatternSummary::new(&run, "stride").notes.join("\n");
        let count = run.rows.len() - 1;
        for expected in [
            format!("all {count} issue-bound"),
            format!("all {count} clamped"),
            "1 skipped: too small".to_owned(),
        ] {
            assert!(notes.contains(&expected), "{notes}");
        }
    }

    #[test]
    fn a_pattern_without_figures_still_says_why() {
        let mut run = synthetic::run("device", "discrete", Depth::Quick);
        run.rows.iter_mut().for_each(|row| row.status = Status::Failed);
        let summary = PatternSummary::new(&run, "stride");
        assert!(summary.lines.is_empty() && summary.columns.is_empty() && summary.figures.is_empty());
        assert!(!summary.missing.is_empty() && summary.notes.join(" ").contains("failed"));
    }
}
