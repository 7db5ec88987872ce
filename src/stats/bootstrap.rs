//! Resampling with replacement, seeded, for intervals of figures that have no formula.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;

use super::{Interval, median_in_place, quantile};

/// Draws samples with replacement; equal seeds draw equally.
#[derive(Clone, Debug)]
pub struct Resampler {
    random: Pcg64Mcg,
    scratch: Vec<f64>,
}

impl Resampler {
    /// A resampler of that seed.
    pub fn new(seed: u64) -> Resampler {
        // The multiplicative generator needs an odd state.
        Resampler { random: Pcg64Mcg::new((u128::from(seed) << 64) | 1), scratch: Vec::new() }
    }

    /// The median of as many samples as there are, drawn with replacement; `None` of none.
    pub fn median(&mut self, samples: &[f64]) -> Option<f64> {
        self.scratch.clear();
        for _ in 0..samples.len() {
            // Lemire's multiply-shift; its bias at these sizes is under 2⁻²⁰.
            let index = (u64::from(self.random.next_u32()) * samples.len() as u64) >> 32;
            self.scratch.push(samples[index as usize]);
        }
        median_in_place(&mut self.scratch)
    }

    /// The percentile interval (95 %) of median(new) − median(base), `None` where a side is empty.
    ///
    /// Of logarithms it is the interval of the logarithm of the ratio of medians. Efron & Tibshirani,
    /// *An Introduction to the Bootstrap* (1993), chapters 8 (two samples) and 13 (percentile interval).
    pub fn median_difference(&mut self, base: &[f64], new: &[f64], resamples: usize) -> Option<Interval> {
        let mut differences = Vec::with_capacity(resamples);
        for _ in 0..resamples {
            differences.push(self.median(new)? - self.median(base)?);
        }
        percentile_interval(&mut differences)
    }
}

/// The interval between the 2.5th and the 97.5th percentile of resampled figures.
pub fn percentile_interval(figures: &mut [f64]) -> Option<Interval> {
    figures.sort_unstable_by(f64::total_cmp);
    Some(Interval { low: quantile(figures, 0.025)?, high: quantile(figures, 0.975)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_single_and_equal_samples() {
        let mut resampler = Resampler::new(1);
        assert_eq!(resampler.median(&[]), None);
        assert_eq!(resampler.median_difference(&[], &[1.0], 10), None);
        assert_eq!(resampler.median_difference(&[1.0], &[3.0], 10), Some(Interval { low: 2.0, high: 2.0 }));
        assert_eq!(
            resampler.median_difference(&[1.0; 9], &[1.0; 4], 10),
            Some(Interval { low: 0.0, high: 0.0 })
        );
        assert_eq!(percentile_interval(&mut []), None);
    }

    #[test]
    fn seeds_decide_alone() {
        let base: Vec<f64> = (0..20).map(f64::from).collect();
        let new: Vec<f64> = base.iter().map(|x| x + 3.0).collect();
        let interval = |seed| Resampler::new(seed).median_difference(&base, &new, 500);
        assert_eq!(interval(7), interval(7));
        assert_ne!(interval(7), interval(8));
        assert!(interval(7).unwrap().contains(3.0));
    }

    #[test]
    fn every_sample_is_drawn() {
        let mut resampler = Resampler::new(3);
        let samples = [1.0, 2.0, 3.0];
        let mut seen = [0; 3];
        for _ in 0..3000 {
            resampler.median(&samples);
            for value in &resampler.scratch {
                seen[*value as usize - 1] += 1;
            }
        }
        assert!(seen.iter().all(|count| (2700..3300).contains(count)), "{seen:?}");
    }
}
