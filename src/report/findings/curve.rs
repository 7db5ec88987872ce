//! The measured points of a curve, ready to be held against hypotheses.

use crate::record::{Bound, CaseRow, Flag};
use crate::report::{CaseKey, Run};
use crate::stats::Z_95;

/// Relative noise below which no interval is believed: what whole runs differ by, though the samples within
/// each agree better.
const NOISE_FLOOR: f64 = 0.02;

/// Relative noise of a median without an interval (under six samples).
const NOISE_UNKNOWN: f64 = 0.06;

/// A measured case.
#[derive(Clone, Debug)]
pub(super) struct Point {
    /// Its id.
    pub(super) case: String,
    /// Its axes.
    pub(super) key: CaseKey,
    /// Nanoseconds for each useful byte.
    pub(super) y: f64,
    /// Relative standard deviation of `y`.
    pub(super) noise: f64,
    /// What limits it.
    pub(super) bound: Option<Bound>,
}

/// A set of points, and how many were left out because memory's cost is hidden in them.
#[derive(Clone, Debug, Default)]
pub(super) struct Curve {
    /// The points.
    pub(super) points: Vec<Point>,
    /// Points that were issue-bound, or whose ceiling is unknown.
    pub(super) hidden: usize,
    /// Points that a cache served.
    pub(super) cached: usize,
}

/// Which rows may be points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admit {
    /// Those that waited for memory, outside of caches.
    Memory,
    /// All of them.
    All,
}

impl Curve {
    /// The rows of a pattern that are wanted.
    pub(super) fn of(run: &Run, pattern: &str, admit: Admit, wanted: impl Fn(&CaseKey) -> bool) -> Curve {
        let mut curve = Curve::default();
        for (key, row) in run.measured(pattern) {
            // Of sets that were measured hot and cold, the hot ones make the curve.
            if key.value("cache") == Some("cold") || !wanted(&key) {
                continue;
            }
            let hidden = row.bound == Some(Bound::Issue)
                || row.flags.contains(Flag::TwinMissing)
                || row.flags.contains(Flag::TwinSlower);
            if admit == Admit::Memory && hidden {
                curve.hidden += 1;
            } else if admit == Admit::Memory && row.flags.contains(Flag::CacheResident) {
                curve.cached += 1;
            } else if let Some((y, noise)) = figures(row) {
                curve.points.push(Point { case: row.case.clone(), key, y, noise, bound: row.bound });
            }
        }
        curve
    }

    /// The ids of the points.
    pub(super) fn cases(&self) -> Vec<String> {
        self.points.iter().map(|point| point.case.clone()).collect()
    }

    /// What was left out, in words; empty if nothing was.
    pub(super) fn left_out(&self) -> String {
        let parts: Vec<String> =
            [(self.hidden, "issue-bound or without a usable ceiling"), (self.cached, "served from a cache")]
                .into_iter()
                .filter(|(count, _)| *count > 0)
                .map(|(count, why)| format!("{count} left out: {why}"))
                .collect();
        if parts.is_empty() { String::new() } else { format!(" ({})", parts.join("; ")) }
    }
}

/// Time for each useful byte and its relative standard deviation.
fn figures(row: &CaseRow) -> Option<(f64, f64)> {
    let (median, useful) = (row.median_ns?, row.useful_bytes.filter(|bytes| *bytes > 0)?);
    let noise = row
        .ci95_low_ns
        .zip(row.ci95_high_ns)
        .map_or(NOISE_UNKNOWN, |(low, high)| ((high - low) / (2.0 * Z_95 * median)).max(NOISE_FLOOR));
    (median > 0.0).then(|| (median / useful as f64, noise))
}
