//! Whether samples come at two separate speeds, as on virtual machines and laptops that change clocks.

use super::{MAD_TO_SIGMA, mad, median, sorted};

/// Two speeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Modes {
    /// Median of the faster samples (the shorter times).
    pub low: f64,
    /// Median of the slower samples.
    pub high: f64,
    /// The middle of the empty stretch between them.
    pub boundary: f64,
    /// Share of the samples that are slower, 0 to 1.
    pub high_share: f64,
}

/// Either mode has at least so many samples, so that two outliers are no mode …
const LEAST_SAMPLES: usize = 3;
/// … and at least this share of them.
const LEAST_SHARE: f64 = 0.15;
/// A split counts when Ashman's D reaches this times (1 + 8/n). Splitting a normal distribution in its
/// middle gives 2.7 and a uniform one 3.5, so the 2 that Ashman et al. ask of fitted mixtures is not enough
/// for a split, and a few samples have the less certain spread. So, fewer than one in a hundred normal or
/// log-normal series of 10 to 100 samples is called bimodal (test).
const LEAST_SEPARATION: f64 = 8.0;
/// Speeds closer than 5 % are no matter, however separate.
const LEAST_RATIO: f64 = 1.05;

/// The two speeds of positive samples, or `None` where there is one.
///
/// The samples are split where the variance within both parts is least (two-means, exact in one
/// dimension: Fisher, "On grouping for maximum homogeneity", JASA 53 (1958)), among the splits that leave
/// enough samples on either side. The split is believed when Ashman's
/// D = √2·|μ₁ − μ₂| / √(σ₁² + σ₂²) (Ashman, Bird & Zepf, AJ 108 (1994)) is large, here with medians and
/// MADs in place of means and deviations so that outliers don't decide. All on logarithms.
pub fn modes(samples: &[f64]) -> Option<Modes> {
    if samples.iter().any(|sample| *sample <= 0.0) {
        return None;
    }
    let logs: Vec<f64> = sorted(samples).into_iter().map(f64::ln).collect();
    let n = logs.len();
    let least = LEAST_SAMPLES.max((LEAST_SHARE * n as f64).ceil() as usize);
    if n < 2 * least {
        return None;
    }
    let split = two_means(&logs, least)?;
    let (fast, slow) = logs.split_at(split);
    let (low, high) = (median(fast)?, median(slow)?);
    // Equal samples on both sides have no spread; a thousandth keeps D finite and is below any interest.
    let sigma = |part: &[f64]| mad(part).map(|mad| (MAD_TO_SIGMA * mad).max(1e-3));
    let spread = sigma(fast)?.hypot(sigma(slow)?);
    let separation = std::f64::consts::SQRT_2 * (high - low) / spread;
    let gap = slow[0] - fast[split - 1];
    // The stretch between the modes must be emptier than the modes are wide.
    let is_gap = gap > spread;
    let needed = LEAST_SEPARATION * (1.0 + 8.0 / n as f64);
    (separation >= needed && high - low >= LEAST_RATIO.ln() && is_gap).then(|| Modes {
        low: low.exp(),
        high: high.exp(),
        boundary: f64::midpoint(fast[split - 1], slow[0]).exp(),
        high_share: slow.len() as f64 / n as f64,
    })
}

/// Where to split sorted values so that the sum of squares within both parts is least.
fn two_means(sorted: &[f64], least: usize) -> Option<usize> {
    let n = sorted.len();
    let total: f64 = sorted.iter().sum();
    let mut below: f64 = sorted[..least].iter().sum();
    let mut best = None;
    for split in least..=n - least {
        // The largest variance between is the least within.
        let (fast, slow) = (below / split as f64, (total - below) / (n - split) as f64);
        let between = (split * (n - split)) as f64 * (slow - fast).powi(2);
        if best.is_none_or(|(_, most)| between > most) {
            best = Some((split, between));
        }
        below += sorted.get(split).copied().unwrap_or_default();
    }
    best.map(|(split, _)| split)
}

#[cfg(test)]
mod tests {
    use super::super::testing::test_normals;
    use super::*;

    #[test]
    fn empty_single_and_equal_samples() {
        assert_eq!(modes(&[]), None);
        assert_eq!(modes(&[1.0]), None);
        assert_eq!(modes(&[1.0; 30]), None);
        assert_eq!(modes(&[0.0; 30]), None);
    }

    #[test]
    fn two_speeds_are_found() {
        for n in [10, 20, 50] {
            let mut normals = test_normals(n as u64);
            let samples: Vec<f64> =
                (0..n).map(|i| (if i % 3 == 0 { 55.0 } else { 33.0 }) * (0.02 * normals()).exp()).collect();
            let modes = modes(&samples).unwrap_or_else(|| panic!("{n}"));
            assert!((modes.low / 33.0 - 1.0).abs() < 0.03 && (modes.high / 55.0 - 1.0).abs() < 0.03);
            assert!((33.0..55.0).contains(&modes.boundary));
            assert!((modes.high_share - 1.0 / 3.0).abs() < 0.1);
        }
    }

    #[test]
    fn two_outliers_are_no_mode() {
        let mut samples: Vec<f64> = (0..18).map(|i| 100.0 + f64::from(i) * 0.1).collect();
        samples.extend([200.0, 210.0]);
        assert_eq!(modes(&samples), None);
    }

    #[test]
    fn one_speed_is_rarely_called_two() {
        for n in [10, 15, 20, 50, 100] {
            let mut normals = test_normals(100 + n as u64);
            let called = (0..1000)
                .filter(|_| {
                    let samples: Vec<f64> = (0..n).map(|_| (0.05 * normals()).exp()).collect();
                    modes(&samples).is_some()
                })
                .count();
            assert!(called < 10, "{called} of 1000 at n = {n}");
        }
    }
}
