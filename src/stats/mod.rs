//! The statistics behind every figure and verdict, apart from everything else so that each can be read
//! and tested against its source. Imports nothing of the crate.
//!
//! Times of a dispatch are skewed, with outliers to the slow side: location is the median, spread the
//! median absolute deviation, intervals come from order statistics or resampling, tests from ranks.
//! Functions take samples in any order and give `None` where there are too few to say anything; values
//! that are not finite must be kept out by the caller (as [`crate::record`] does).

mod bimodal;
mod bootstrap;
mod drift;
mod estimate;
mod interval;
mod outlier;
pub(crate) mod testing;

pub use bimodal::{Modes, modes};
pub use bootstrap::{Resampler, percentile_interval};
pub use drift::{Episode, Line, episode, successive_noise, theil_sen};
pub use estimate::Estimate;
pub use interval::{Interval, LEAST_FOR_INTERVAL, median_interval};
pub use outlier::{OUTLIER_SCORE, modified_z_scores};
pub use testing::{benjamini_hochberg, normal_two_sided, normal_two_sided_quantile, rank_sum};

/// Standard deviations of a normal distribution in one median absolute deviation: 1 / Φ⁻¹(3/4).
pub const MAD_TO_SIGMA: f64 = 1.482_602_218_505_602;

/// The standard normal quantile of a two-sided 95 % interval.
pub const Z_95: f64 = 1.959_963_984_540_054;

/// The samples in ascending order.
pub fn sorted(samples: &[f64]) -> Vec<f64> {
    let mut sorted = samples.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted
}

/// The median: the middle sample, or the mean of the two in the middle.
pub fn median(samples: &[f64]) -> Option<f64> {
    let mut scratch = samples.to_vec();
    median_in_place(&mut scratch)
}

/// [`median`] without a copy; the order of the samples is lost.
pub fn median_in_place(samples: &mut [f64]) -> Option<f64> {
    let middle = samples.len() / 2;
    if samples.is_empty() {
        return None;
    }
    let even = samples.len().is_multiple_of(2);
    let (below, upper, _) = samples.select_nth_unstable_by(middle, f64::total_cmp);
    if !even {
        return Some(*upper);
    }
    let lower = below.iter().copied().max_by(f64::total_cmp)?;
    Some(f64::midpoint(lower, *upper))
}

/// The quantile at `fraction` (0 to 1) of sorted samples, linear between order statistics: definition 7
/// of Hyndman & Fan, "Sample quantiles in statistical packages", The American Statistician 50 (1996).
pub fn quantile(sorted: &[f64], fraction: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    let position = fraction.clamp(0.0, 1.0) * last as f64;
    let (low, high) = (sorted[position.floor() as usize], sorted[position.ceil() as usize]);
    Some(low + (high - low) * position.fract())
}

/// Median absolute deviation from the median, not scaled.
pub fn mad(samples: &[f64]) -> Option<f64> {
    let center = median(samples)?;
    let mut deviations: Vec<f64> = samples.iter().map(|sample| (sample - center).abs()).collect();
    median_in_place(&mut deviations)
}

/// The geometric mean of positive numbers.
pub fn geometric_mean(numbers: &[f64]) -> Option<f64> {
    if numbers.is_empty() || numbers.iter().any(|number| *number <= 0.0) {
        return None;
    }
    Some((numbers.iter().map(|number| number.ln()).sum::<f64>() / numbers.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn empty_single_and_equal_samples() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[3.0]), Some(3.0));
        assert_eq!(median(&[3.0; 4]), Some(3.0));
        assert_eq!(quantile(&[], 0.5), None);
        assert_eq!(quantile(&[3.0], 0.95), Some(3.0));
        assert_eq!(mad(&[]), None);
        assert_eq!(mad(&[3.0]), Some(0.0));
        assert_eq!(mad(&[3.0; 5]), Some(0.0));
        assert_eq!(geometric_mean(&[]), None);
        assert_eq!(geometric_mean(&[1.0, 0.0]), None);
    }

    #[test]
    fn known_values() {
        assert_eq!(median(&[4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0], 0.25), Some(1.75));
        assert_eq!(mad(&[1.0, 1.0, 2.0, 2.0, 4.0, 6.0, 9.0]), Some(1.0));
        assert!((geometric_mean(&[1.0, 4.0]).unwrap() - 2.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn the_median_is_the_middle_quantile(samples in prop::collection::vec(-1e9_f64..1e9, 1..60)) {
            let by_quantile = quantile(&sorted(&samples), 0.5).unwrap();
            let direct = median(&samples).unwrap();
            prop_assert!((direct - by_quantile).abs() <= 1e-6 * direct.abs().max(1.0));
        }
    }
}
