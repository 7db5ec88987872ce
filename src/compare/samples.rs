//! The samples of a run, each beside the speed that the reference kernel had around it.
//!
//! A machine that changes clocks in the middle of a run makes every case of that minute look slower. The
//! journal is in order of time and has a sample of the reference kernel every few rows, so that each
//! sample of a case can be held against its neighbours.

use std::collections::BTreeMap;

use crate::record::{REFERENCE_CASE, SampleRow};
use crate::stats;

/// A sample of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Logarithm of its nanoseconds.
    pub log_ns: f64,
    /// The reference kernel around it.
    pub reference: Reference,
}

/// What the reference kernel says of a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reference {
    /// Logarithm of its nanoseconds around then.
    Steady(f64),
    /// The samples before and after disagree: the machine changed its speed in between, and on which side
    /// the moment was is not known.
    Changing,
    /// There is no sample of it.
    Unknown,
}

/// The accepted samples of a run by case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Journal {
    cases: BTreeMap<String, Vec<Point>>,
    reference_ns: Option<f64>,
    reference_noise: f64,
    reference_spread: f64,
}

/// Reference samples on either side of a moment that tell its speed.
const NEIGHBOURS: usize = 3;
/// Reference samples farther apart than four deviations of their noise are at two speeds; within these
/// bounds, as frequent changes inflate the estimate of the noise.
const SPEED_STEP: (f64, f64) = (0.05, 0.15);

impl Journal {
    /// Sorts the rows of a journal, which are in order of time.
    pub fn new(rows: &[SampleRow]) -> Journal {
        let accepted: Vec<(&str, f64)> = rows
            .iter()
            .filter(|row| row.accepted)
            .filter_map(|row| Some((row.case.as_str(), row.ns.filter(|ns| *ns > 0.0)?.ln())))
            .collect();
        let references: Vec<f64> =
            accepted.iter().filter(|(case, _)| *case == REFERENCE_CASE).map(|(_, log)| *log).collect();
        let noise = stats::successive_noise(&references).unwrap_or(0.0);
        let step = (4.0 * noise).clamp(SPEED_STEP.0, SPEED_STEP.1);

        let mut cases: BTreeMap<String, Vec<Point>> = BTreeMap::new();
        let mut passed = 0;
        for (case, log_ns) in accepted {
            let later = if case == REFERENCE_CASE { passed + 1 } else { passed };
            let reference = around(&references[..passed], &references[later..], step);
            passed = later;
            let point = Point { log_ns, reference };
            match cases.get_mut(case) {
                Some(points) => points.push(point),
                None => {
                    cases.insert(case.to_owned(), vec![point]);
                }
            }
        }
        let sorted = stats::sorted(&references);
        let spread = stats::quantile(&sorted, 0.95).zip(stats::quantile(&sorted, 0.05));
        Journal {
            cases,
            reference_ns: stats::median(&references).map(f64::exp),
            reference_noise: noise,
            reference_spread: spread.map_or(0.0, |(high, low)| high - low),
        }
    }

    /// The accepted samples of a case, in order of time; of the reference kernel, each beside its other
    /// samples.
    pub fn points(&self, case: &str) -> &[Point] {
        self.cases.get(case).map_or(&[], Vec::as_slice)
    }

    /// Median nanoseconds of the reference kernel over the run.
    pub fn reference_ns(&self) -> Option<f64> {
        self.reference_ns
    }

    /// Logarithm of the ratio between the slow and the fast end of the reference kernel: its 95th percentile over its
    /// 5th.
    pub fn reference_spread(&self) -> f64 {
        self.reference_spread
    }

    /// Relative standard deviation of the reference kernel from one sample to the next.
    pub fn sample_noise(&self) -> f64 {
        self.reference_noise
    }

    /// Relative standard deviation of what [`Reference::Steady`] tells: the median of six samples has
    /// about 1.25/√6 of the deviation of one.
    pub fn reference_noise(&self) -> f64 {
        self.reference_noise * 1.25 / ((2 * NEIGHBOURS) as f64).sqrt()
    }
}

/// The speed between the reference samples before and after a moment.
fn around(before: &[f64], after: &[f64], step: f64) -> Reference {
    // At an end of the run, the two on the other side: one alone may be an outlier.
    let (one, two) = match (before, after) {
        ([.., last], [next, ..]) => (*last, *next),
        ([.., last, end], []) => (*last, *end),
        ([], [start, next, ..]) => (*start, *next),
        ([] | [_], []) | ([], [_]) => return Reference::Unknown,
    };
    if (one - two).abs() > step {
        return Reference::Changing;
    }
    let near = f64::midpoint(one, two);
    // As far as the speed lasts in either direction.
    let alike = |log: &&f64| (**log - near).abs() <= step;
    let mut level: Vec<f64> = before.iter().rev().take(NEIGHBOURS).take_while(alike).copied().collect();
    level.extend(after.iter().take(NEIGHBOURS).take_while(alike));
    stats::median_in_place(&mut level).map_or(Reference::Unknown, Reference::Steady)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(case: &str, ns: f64) -> SampleRow {
        SampleRow {
            case: case.to_owned(),
            round: 0,
            sample: 0,
            dispatches: 1,
            ticks: None,
            ns: Some(ns),
            accepted: true,
            reason: None,
            seconds: None,
        }
    }

    #[test]
    fn a_sample_is_held_against_its_neighbours() {
        let mut rows = vec![row("reference", 100.0), row("a", 7.0), row("reference", 100.0)];
        rows.extend([row("a", 8.0), row("reference", 160.0), row("a", 11.0), row("reference", 160.0)]);
        let journal = Journal::new(&rows);
        let references: Vec<Reference> = journal.points("a").iter().map(|point| point.reference).collect();
        assert_eq!(
            references,
            [Reference::Steady(100_f64.ln()), Reference::Changing, Reference::Steady(160_f64.ln())]
        );
        assert_eq!(journal.points("b"), []);
    }

    #[test]
    fn rejected_samples_do_not_count_and_no_reference_is_unknown() {
        let rejected = SampleRow { accepted: false, ..row("a", 9.0) };
        let journal = Journal::new(&[rejected, row("a", 7.0), row("twin:a", 1.0)]);
        assert_eq!(journal.points("a"), [Point { log_ns: 7_f64.ln(), reference: Reference::Unknown }]);
        assert_eq!(journal.reference_ns(), None);
        assert_eq!(Journal::new(&[]), Journal::default());
    }

    #[test]
    fn one_slow_reference_sample_makes_its_neighbours_doubtful_and_no_others() {
        let mut rows = Vec::new();
        for index in 0..12 {
            rows.push(row("reference", if index == 6 { 300.0 } else { 100.0 }));
            rows.push(row("a", 7.0));
        }
        let journal = Journal::new(&rows);
        let doubtful = journal.points("a").iter().filter(|p| p.reference == Reference::Changing).count();
        assert_eq!(doubtful, 2);
    }
}
