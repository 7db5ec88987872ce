//! Two cases that do the same work in two ways, and what the times of both support.

use crate::record::{Bound, CaseRow, Flag, Status};
use crate::report::Run;
use crate::stats::Estimate;
use crate::units;

use super::{NEGLIGIBLE, THRESHOLD, Verdict};

/// Why a pair without an interval can't be judged.
pub(super) const TOO_FEW: &str = "fewer than six samples, no interval; a larger --budget takes more";

/// The time that a case takes for each useful byte.
#[derive(Clone, Debug)]
pub(super) struct Cost<'r> {
    /// The row.
    pub(super) row: &'r CaseRow,
    /// Nanoseconds for each useful byte; no interval below six samples.
    pub(super) per_byte: Option<Estimate>,
    /// The same without an interval.
    pub(super) median_per_byte: f64,
}

/// The cost of a case, if it was measured.
pub(super) fn cost<'r>(run: &'r Run, case: &str) -> Option<Cost<'r>> {
    let row = run.rows.iter().find(|row| row.case == case && row.status == Status::Ok)?;
    let (median, useful) = (row.median_ns?, row.useful_bytes.filter(|bytes| *bytes > 0)? as f64);
    let interval = row.ci95_low_ns.zip(row.ci95_high_ns);
    Some(Cost {
        row,
        per_byte: interval.map(|(low, high)| Estimate::new(median, low, high).scaled(1.0 / useful)),
        median_per_byte: median / useful,
    })
}

impl Cost<'_> {
    /// Why its time says nothing of memory.
    fn reservation(&self) -> Option<&'static str> {
        match self.row.bound {
            Some(Bound::Issue) => Some("issue-bound: the time is that of the instructions"),
            None if self.row.flags.contains(Flag::TwinMissing)
                || self.row.flags.contains(Flag::TwinSlower) =>
            {
                Some("no usable instruction ceiling")
            }
            None | Some(Bound::Memory) => None,
        }
    }

    /// Whether it was served from a cache.
    fn is_cached(&self) -> bool {
        self.row.flags.contains(Flag::CacheResident)
    }
}

/// What is believed of a comparison of instruction counts, where being issue-bound is the point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// The cost of memory: the slower side must wait for it.
    Memory,
    /// The time alone.
    Time,
}

/// How much faster the second case is than the first.
#[derive(Clone, Debug)]
pub(super) struct Pair<'r> {
    /// As it is.
    pub(super) before: Cost<'r>,
    /// As it could be.
    pub(super) after: Cost<'r>,
    /// Time before over time after; absent without intervals.
    pub(super) gain: Option<Estimate>,
    /// What that supports.
    pub(super) verdict: Verdict,
    /// Why nothing can be told.
    pub(super) doubt: Option<&'static str>,
}

impl<'r> Pair<'r> {
    /// Holds two cases against each other; `None` where one of them was not measured.
    pub(super) fn of(run: &'r Run, before: &str, after: &str, about: About) -> Option<Pair<'r>> {
        let (before, after) = (cost(run, before)?, cost(run, after)?);
        let gain = before.per_byte.zip(after.per_byte).and_then(|(before, after)| before.over(after));
        let slower = if before.median_per_byte >= after.median_per_byte { &before } else { &after };
        let doubt = if gain.is_none() {
            Some(TOO_FEW)
        } else if about == About::Memory && (before.is_cached() || after.is_cached()) {
            Some("served from a cache")
        } else if about == About::Memory {
            slower.reservation()
        } else {
            None
        };
        let verdict = match (doubt, gain) {
            (None, Some(gain)) => judge(gain),
            _ => Verdict::CantTell,
        };
        Some(Pair { before, after, gain, verdict, doubt })
    }

    /// Whether the time of the faster case is that of its instructions, so that memory would allow a shorter one.
    pub(super) fn is_faster_side_issue_bound(&self) -> bool {
        let before_is_faster = self.before.median_per_byte < self.after.median_per_byte;
        let faster = if before_is_faster { &self.before } else { &self.after };
        faster.row.bound == Some(Bound::Issue)
    }

    /// The ids of both cases.
    pub(super) fn cases(&self) -> Vec<String> {
        vec![self.before.row.case.clone(), self.after.row.case.clone()]
    }
}

/// What a ratio of times supports.
pub(super) fn judge(gain: Estimate) -> Verdict {
    if gain.low > 1.0 + THRESHOLD {
        Verdict::Do
    } else if gain.high < 1.0 / (1.0 + THRESHOLD) {
        Verdict::Dont
    } else if gain.high <= 1.0 + NEGLIGIBLE && gain.low >= 1.0 / (1.0 + NEGLIGIBLE) {
        Verdict::NoDifference
    } else {
        Verdict::CantTell
    }
}

/// A share with its interval: `71 % (70 %–72 %)`.
pub(super) fn percent(share: Estimate) -> String {
    let percent = units::percent;
    format!("{} ({}–{})", percent(share.value), percent(share.low), percent(share.high))
}

/// A ratio with its interval: `3.9× (3.8–4.1)`.
pub(super) fn ratio(gain: Estimate) -> String {
    let digits =
        |figure: f64| if figure < 10.0 { format!("{figure:.2}") } else { units::significant(figure, 3) };
    format!("{} ({}–{})", units::ratio(gain.value), digits(gain.low), digits(gain.high))
}
