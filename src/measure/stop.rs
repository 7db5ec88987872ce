//! The stopping rule of a case.

use std::time::Duration;

use crate::stats;

/// When a case has enough samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StoppingRule {
    /// Half-width of the median's 95 % interval over the median at which a case is done.
    pub precision: f64,
    /// Fewest samples before the interval counts.
    pub min_samples: usize,
    /// Time that a case may take on the device.
    pub budget: Duration,
}

/// Fewest samples of a case whose budget is spent.
pub const FLOOR: usize = 3;

/// What the rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Go on.
    More,
    /// The interval is within the precision.
    Precise,
    /// The budget is spent.
    BudgetSpent,
}

impl StoppingRule {
    /// The verdict on accepted samples in nanoseconds and the device time a case has taken.
    pub fn verdict(&self, samples: &[f64], spent: Duration) -> Verdict {
        if samples.len() >= self.min_samples && self.is_precise(samples) {
            Verdict::Precise
        } else if spent >= self.budget && samples.len() >= FLOOR {
            Verdict::BudgetSpent
        } else {
            Verdict::More
        }
    }

    /// Whether the interval of the median is within the precision.
    pub fn is_precise(&self, samples: &[f64]) -> bool {
        stats::median_interval(samples)
            .is_some_and(|interval| (interval.high - interval.low) / 2.0 <= self.precision * interval.median)
    }
}
