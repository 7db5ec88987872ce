//! The content of a report over one or more runs. Every rendering takes all its words and figures from here.

use rayon::prelude::*;
use serde::Serialize;

use crate::pattern;
use crate::units;

use super::charts::{self, Figure};
use super::run::names;
use super::table::Cell;
use super::text::printable;
use super::{Run, Summary};

/// A report.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// What it is about.
    pub title: String,
    /// The runs, in the order given.
    pub runs: Vec<Summary>,
    /// The patterns of all runs, in registry order; those of other versions last.
    pub patterns: Vec<Topic>,
    /// All runs side by side, where there are several.
    pub overview: Option<Overview>,
    /// Runs that were given and could not be read: the error of each.
    pub unreadable: Vec<String>,
}

/// A pattern, apart from any run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Topic {
    /// Its name.
    pub name: String,
    /// One line on it.
    pub about: &'static str,
    /// Why it costs what it costs; empty for a pattern of another version.
    pub why: &'static str,
    /// Charts over the runs: fractions of each ceiling, and absolute figures.
    #[serde(skip)]
    pub comparison: Option<[Figure; 2]>,
}

/// What each run reaches of its own roof, pattern by pattern.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Overview {
    /// The patterns; one without a roof with the case that it is held against instead.
    pub columns: Vec<String>,
    /// A row for each run, in their order: the roof, then a cell for each column.
    pub rows: Vec<Vec<Cell>>,
}

impl Report {
    /// Puts a report together. `unreadable` are the errors of runs that are left out.
    pub fn new(runs: &[Run], unreadable: Vec<String>) -> Report {
        let mut summaries: Vec<Summary> = runs.iter().map(Summary::new).collect();
        if runs.len() > 1 {
            summaries.iter_mut().zip(names(runs)).for_each(|(summary, name)| summary.name = name);
        }
        let patterns = topics(runs);
        let overview = (runs.len() > 1).then(|| overview(runs, &patterns));
        Report {
            title: match &summaries[..] {
                [only] => format!("What memory layouts cost on {}", only.name),
                all => format!("What memory layouts cost on {} devices", all.len()),
            },
            runs: summaries,
            patterns,
            overview,
            unreadable: unreadable.iter().map(|error| printable(error)).collect(),
        }
    }
}

impl Report {
    /// How many runs are left out, as a heading of their errors.
    pub fn left_out(&self) -> Option<String> {
        let count = self.unreadable.len();
        (count > 0).then(|| match count {
            1 => "1 of the given runs can't be read and is left out".to_owned(),
            _ => format!("{count} of the given runs can't be read and are left out"),
        })
    }
}

fn topics(runs: &[Run]) -> Vec<Topic> {
    let known = pattern::registry().iter().map(|row| row.name);
    let mut names: Vec<&str> =
        known.filter(|name| runs.iter().any(|run| run.of_pattern(name).next().is_some())).collect();
    for name in runs.iter().flat_map(Run::patterns) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let topic = |name: &str| {
        let row = pattern::find(name);
        Topic {
            name: printable(name),
            about: row.map_or("", |row| row.summary),
            why: row.map_or("", |row| row.why),
            comparison: charts::comparison_figures(runs, name),
        }
    };
    names.into_par_iter().map(topic).collect()
}

fn overview(runs: &[Run], patterns: &[Topic]) -> Overview {
    let cells: Vec<Vec<Cell>> =
        runs.iter().map(|run| patterns.iter().map(|pattern| span(run, &pattern.name)).collect()).collect();
    let used: Vec<bool> =
        (0..patterns.len()).map(|index| cells.iter().any(|row| row[index].value.is_some())).collect();
    let kept = |row: Vec<Cell>| row.into_iter().zip(&used).filter(|(_, used)| **used).map(|(cell, _)| cell);
    Overview {
        columns: patterns
            .iter()
            .zip(&used)
            .filter(|(_, used)| **used)
            .map(|(topic, _)| match runs.iter().find_map(|run| run.ceiling_in_words(&topic.name)) {
                Some(ceiling) => format!("{}, of {ceiling}", topic.name),
                None => topic.name.clone(),
            })
            .collect(),
        rows: runs
            .iter()
            .zip(cells)
            .map(|(run, row)| {
                let roof = run.roof();
                let text = roof.map(units::gb_per_s).unwrap_or_default();
                std::iter::once(Cell { text, value: roof }).chain(kept(row)).collect()
            })
            .collect(),
    }
}

/// The smallest and the largest fraction of the ceiling among a pattern's cases; sorted by the smallest.
fn span(run: &Run, pattern: &str) -> Cell {
    let fractions = || run.measured(pattern).into_iter().filter_map(|(_, row)| run.ceiling_fraction(row));
    let (low, high) = (fractions().fold(f64::INFINITY, f64::min), fractions().fold(0.0, f64::max));
    if !low.is_finite() {
        return Cell::default();
    }
    let percent = |fraction: f64| units::percent(fraction).trim_end_matches(" %").to_owned();
    let (from, to) = (percent(low), percent(high));
    Cell { text: if from == to { from } else { format!("{from}–{to}") }, value: Some(low) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Depth;
    use crate::report::synthetic;

    #[test]
    fn several_runs_are_told_apart_and_compared() {
        let runs = [
            synthetic::run("one", "cpu", Depth::Quick),
            synthetic::run("two", "discrete", Depth::Default),
            synthetic::run("two", "discrete", Depth::Default),
        ];
        let report = Report::new(&runs, vec!["gone".to_owned()]);
        let names: Vec<&str> = report.runs.iter().map(|run| run.name.as_str()).collect();
        assert_eq!(names, ["one", "run 2, fake: two", "run 3, fake: two"]);
        let overview = report.overview.unwrap();
        assert_eq!(overview.rows.len(), 3);
        assert!(overview.rows.iter().all(|row| row.len() == overview.columns.len() + 1));
        assert_eq!(overview.columns.len(), pattern::registry().len());
        assert!(
            overview.columns.iter().any(|column| column == "bank, of stride 1"),
            "{:?}",
            overview.columns
        );
        let whole = |topic: &Topic| topic.comparison.is_some() && !topic.why.is_empty();
        assert!(report.patterns.iter().all(whole));
        assert_eq!(report.unreadable, ["gone"]);
    }

    #[test]
    fn a_single_run_has_nothing_to_compare() {
        let report = Report::new(&[synthetic::run("one", "cpu", Depth::Quick)], Vec::new());
        assert!(report.overview.is_none());
        assert!(report.patterns.iter().all(|topic| topic.comparison.is_none()));
        assert_eq!(report.title, "What memory layouts cost on one (fake)");
    }

    #[test]
    fn patterns_of_other_versions_come_last() {
        let mut run = synthetic::run("one", "cpu", Depth::Quick);
        run.rows.truncate(2);
        run.rows[0].pattern = "zigzag".to_owned();
        run.rows[0].case = "zigzag/op=read".to_owned();
        let report = Report::new(&[run], Vec::new());
        let names: Vec<&str> = report.patterns.iter().map(|topic| topic.name.as_str()).collect();
        assert_eq!(names, ["contiguous", "zigzag"]);
    }
}
