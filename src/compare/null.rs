//! How far unchanged cases really lie apart between two runs of an unsteady machine.
//!
//! Samples of one run tell how much a case scatters within that run. Where other programs share the machine,
//! a case may meet them in one run and not in the other, and its samples know nothing of it. But most cases
//! of a pair of runs are usually unchanged, so that together they show how far such luck carries: the middle
//! of the distribution of z = ln ratio / standard error is that of cases without a change, and where it is
//! wider than a standard normal one, every interval and p-value is too sure by that factor (the empirical
//! null: Efron, "Large-scale simultaneous hypothesis testing: the choice of a null hypothesis", J. Am. Stat.
//! Assoc. 99 (2004); here its width alone, from the median absolute deviation, so that a change that all cases
//! share stays one).
//!
//! On a steady machine nothing is widened: there a pair of drivers may differ in most cases, and does.

use crate::stats::{self, Interval, MAD_TO_SIGMA};

use super::Effect;

/// Relative standard deviation of the reference kernel from one sample to the next that makes a run unsteady.
const UNSTEADY: f64 = 0.05;
/// Cases that tell the width.
const LEAST_CASES: usize = 20;

/// How many times wider than their samples say the effects of two runs scatter: 1 on a steady machine, and
/// where too few cases tell. `noise` is the larger of the runs' [`super::Journal::sample_noise`].
pub(super) fn width(noise: f64, effects: &[&Effect]) -> f64 {
    if noise <= UNSTEADY {
        return 1.0;
    }
    let z: Vec<f64> = effects.iter().filter_map(|effect| z(effect)).collect();
    if z.len() < LEAST_CASES {
        return 1.0;
    }
    stats::mad(&z).map_or(1.0, |mad| (MAD_TO_SIGMA * mad).max(1.0))
}

/// The logarithm of a ratio over its standard error.
fn z(effect: &Effect) -> Option<f64> {
    let interval = effect.interval?;
    let error = (interval.high / interval.low).ln() / (2.0 * stats::Z_95);
    (error > 0.0).then(|| effect.ratio.ln() / error)
}

impl Effect {
    /// The same difference, less sure.
    pub(super) fn widen(&mut self, width: f64) {
        if width <= 1.0 {
            return;
        }
        let scaled = |end: f64| self.ratio * (end / self.ratio).powf(width);
        self.interval =
            self.interval.map(|interval| Interval { low: scaled(interval.low), high: scaled(interval.high) });
        self.p = stats::normal_two_sided(stats::normal_two_sided_quantile(self.p) / width);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn effect(log: f64, error: f64) -> Effect {
        let end = |side: f64| (log + side * stats::Z_95 * error).exp();
        let p = stats::normal_two_sided(log / error);
        Effect {
            ratio: log.exp(),
            interval: Some(Interval { low: end(-1.0), high: end(1.0) }),
            p,
            doubt: None,
            note: None,
        }
    }

    /// A hundred unchanged cases that differ by `scatter` standard errors, and one that is twice as slow.
    fn effects(scatter: f64) -> Vec<Effect> {
        let mut normal = stats::testing::test_normals(7);
        let mut effects: Vec<Effect> = (0..100).map(|_| effect(0.02 * scatter * normal(), 0.02)).collect();
        effects.push(effect(2.0_f64.ln(), 0.02));
        effects
    }

    #[test]
    fn an_unsteady_pair_is_as_wide_as_its_cases_scatter() {
        let effects = effects(4.0);
        let list: Vec<&Effect> = effects.iter().collect();
        let width = width(0.2, &list);
        assert!((3.0..5.0).contains(&width), "{width}");
        // One case far out does not hide itself.
        let mut slow = effects[100].clone();
        slow.widen(width);
        assert!(slow.interval.unwrap().low > 1.5 && slow.p < 1e-6, "{slow:?}");
    }

    #[test]
    fn steady_runs_and_few_cases_stay_as_they_are() {
        let effects = effects(4.0);
        let list: Vec<&Effect> = effects.iter().collect();
        assert_eq!(width(0.02, &list), 1.0);
        assert_eq!(width(0.2, &list[..19]), 1.0);
    }

    #[test]
    fn cases_that_scatter_less_than_their_samples_gain_nothing_by_it() {
        let effects = effects(0.3);
        let list: Vec<&Effect> = effects.iter().collect();
        assert_eq!(width(0.2, &list), 1.0);
    }

    #[test]
    fn widening_scales_the_logarithms_and_the_score() {
        let mut wide = effect(0.1, 0.02);
        wide.widen(2.0);
        let expected = effect(0.1, 0.04);
        let (is, should) = (wide.interval.unwrap(), expected.interval.unwrap());
        for (one, other) in [(is.low, should.low), (is.high, should.high), (wide.p, expected.p)] {
            assert!((one / other - 1.0).abs() < 1e-6, "{one} and {other}");
        }
        assert_eq!(wide.ratio, expected.ratio);
    }
}
