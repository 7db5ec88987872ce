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

/// Fewest samples of a case whose budget is spent: with fewer, nothing can be compared.
pub const FLOOR: usize = stats::LEAST_FOR_INTERVAL;

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
        let (interval, median) = (stats::median_interval(samples), stats::median(samples));
        interval
            .zip(median)
            .is_some_and(|(interval, median)| interval.relative_half_width(median) <= self.precision)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: StoppingRule =
        StoppingRule { precision: 0.01, min_samples: 10, budget: Duration::from_millis(100) };

    #[test]
    fn equal_samples_are_precise_once_there_are_enough() {
        assert_eq!(RULE.verdict(&[5.0; 9], Duration::ZERO), Verdict::More);
        assert_eq!(RULE.verdict(&[5.0; 10], Duration::ZERO), Verdict::Precise);
    }

    #[test]
    fn a_spent_budget_ends_a_noisy_case_but_not_before_the_floor() {
        let noisy = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0];
        assert_eq!(RULE.verdict(&noisy, Duration::from_millis(99)), Verdict::More);
        assert_eq!(RULE.verdict(&noisy, Duration::from_millis(100)), Verdict::BudgetSpent);
        assert_eq!(RULE.verdict(&noisy[..FLOOR - 1], Duration::from_secs(9)), Verdict::More);
        assert_eq!(RULE.verdict(&[], Duration::from_secs(9)), Verdict::More);
    }
}
