//! The interval of a median from order statistics: no assumption on the shape of the distribution.

use super::sorted;

/// An interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Interval {
    /// Half of its width relative to a centre.
    pub fn relative_half_width(self, center: f64) -> f64 {
        (self.high - self.low) / (2.0 * center.abs())
    }

    /// Whether a value lies in it, ends included.
    pub fn contains(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

/// Fewest samples of which a median has a 95 % interval: the whole range of fewer covers it less often.
pub const LEAST_FOR_INTERVAL: usize = 6;

/// The 95 % interval of the median, or `None` under [`LEAST_FOR_INTERVAL`] samples.
///
/// The number of samples below the true median is binomial with p = ½, so the interval between the k-th
/// smallest and the k-th largest sample covers it with probability 1 − 2·P(B(n, ½) ≤ k − 1), exactly.
/// The largest k that keeps 95 % is taken. David & Nagaraja, *Order Statistics*, 3rd ed. (2003), § 7.1.
pub fn median_interval(samples: &[f64]) -> Option<Interval> {
    let rank = interval_rank(samples.len())?;
    let sorted = sorted(samples);
    Some(Interval { low: sorted[rank - 1], high: sorted[sorted.len() - rank] })
}

/// The largest k with P(B(n, ½) ≤ k − 1) ≤ 2.5 %.
fn interval_rank(n: usize) -> Option<usize> {
    // In logarithms: ½ⁿ leaves the range of f64 above a thousand samples.
    let mut log_term = -(n as f64) * std::f64::consts::LN_2;
    let mut cumulative = 0.0;
    let mut rank = 0;
    while rank <= n / 2 {
        cumulative += log_term.exp();
        if cumulative > 0.025 {
            break;
        }
        log_term += ((n - rank) as f64).ln() - ((rank + 1) as f64).ln();
        rank += 1;
    }
    (rank > 0).then_some(rank)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::median;
    use super::*;

    #[test]
    fn too_few_samples_have_no_interval() {
        for n in 0..6 {
            assert_eq!(median_interval(&vec![1.0; n]), None, "{n}");
        }
        assert_eq!(median_interval(&[1.0; 6]), Some(Interval { low: 1.0, high: 1.0 }));
    }

    #[test]
    fn ranks_are_those_of_published_tables() {
        // Two-sided 95 % of the sign test, as printed in textbooks.
        for (n, rank) in [(6, 1), (8, 1), (9, 2), (10, 2), (12, 3), (15, 4), (20, 6), (25, 8), (30, 10)] {
            assert_eq!(interval_rank(n), Some(rank), "{n}");
        }
        // Far out it follows the normal approximation n/2 − 0.98·√n.
        let rank = interval_rank(10_000).unwrap() as f64;
        assert!((rank - (5000.0 - 98.0)).abs() < 2.0, "{rank}");
    }

    #[test]
    fn half_width_is_relative() {
        let interval = Interval { low: 99.0, high: 101.0 };
        assert!((interval.relative_half_width(100.0) - 0.01).abs() < 1e-12);
        assert!(interval.contains(99.0) && !interval.contains(98.9));
    }

    proptest! {
        #[test]
        fn it_holds_the_median(samples in prop::collection::vec(0.0_f64..1e6, 6..200)) {
            let interval = median_interval(&samples).unwrap();
            prop_assert!(interval.contains(median(&samples).unwrap()));
        }
    }
}
