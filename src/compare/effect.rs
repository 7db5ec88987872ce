//! The ratio of one case between two runs, and what is certain about it.
//!
//! With r the logarithm of the reference kernel's time around a sample, the logarithm of a sample is
//! modelled as
//!
//! ```text
//! log t = level of the run + sensitivity · r + noise
//! ```
//!
//! A case that waits for memory follows the reference kernel (sensitivity 1), one that computes may not
//! follow at all (0). The sensitivity is learnt from changes of speed *within* the runs, and it stays an
//! interval: where the reference kernel was steady within each run but differs between them, nothing tells
//! a slower machine from a slower driver, the interval is [0, 1], and only a difference that holds for
//! every sensitivity in it is called one.

use crate::stats::{self, Interval, MAD_TO_SIGMA, Resampler};

use super::samples::{Journal, Point, Reference};
use super::verdict::Options;

/// A ratio of times, the new run over the base.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// The estimate.
    pub ratio: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end of its 95 % interval.
    pub high: f64,
    /// Probability of so large a difference between equal runs.
    pub p: f64,
    /// Why no verdict can rest on it.
    pub doubt: Option<String>,
    /// What was done to it.
    pub note: Option<String>,
}

/// Samples that a run must have of a case.
const LEAST_SAMPLES: usize = 6;
/// Samples taken while the machine changed its speed are set aside while this share remains.
const LEAST_SHARE: f64 = 0.6;
/// Deviation of the sensitivity around its expectation before any sample is seen.
const PRIOR_DEVIATION: f64 = 0.5;
/// Uncertainty of the correction that is not worth a second bootstrap: 0.2 %.
const NEGLIGIBLE: f64 = 0.002;
/// A correction beyond 1 % is mentioned.
const WORTH_SAYING: f64 = 0.01;

/// The samples of a case in both runs, and what is expected of it.
pub(super) struct Pair<'a> {
    pub(super) case: &'a str,
    pub(super) base: &'a Journal,
    pub(super) new: &'a Journal,
    /// Whether the case waits for instructions and not for memory, as far as known.
    pub(super) issue_bound: bool,
}

/// Samples of a run as columns; `r` is absent where the reference kernel does not tell.
struct Column {
    x: Vec<f64>,
    r: Option<Vec<f64>>,
    aside: usize,
}

impl Column {
    fn new(points: &[Point]) -> Column {
        let steady: Vec<(f64, f64)> = points
            .iter()
            .filter_map(|point| match point.reference {
                Reference::Steady(r) => Some((point.log_ns, r)),
                Reference::Changing | Reference::Unknown => None,
            })
            .collect();
        let enough =
            steady.len() >= LEAST_SAMPLES && steady.len() as f64 >= LEAST_SHARE * points.len() as f64;
        if enough {
            let aside = points.len() - steady.len();
            let (x, r) = steady.into_iter().unzip();
            Column { x, r: Some(r), aside }
        } else {
            Column { x: points.iter().map(|point| point.log_ns).collect(), r: None, aside: 0 }
        }
    }

    /// The samples as if the reference kernel had run at one speed, for a sensitivity.
    fn adjusted(&self, sensitivity: f64) -> Vec<f64> {
        match &self.r {
            Some(r) => self.x.iter().zip(r).map(|(x, r)| x - sensitivity * r).collect(),
            None => self.x.clone(),
        }
    }
}

/// The effect between two runs from their samples, `None` where a run has none.
pub(super) fn from_samples(pair: &Pair<'_>, options: &Options, seed: u64) -> Option<Effect> {
    let (base, new) = (pair.base.points(pair.case), pair.new.points(pair.case));
    let (mut base, mut new) = (Column::new(base), Column::new(new));
    if base.r.is_none() || new.r.is_none() {
        (base.r, new.r) = (None, None);
    }
    center(&mut base, &mut new);
    let noise = pair.base.reference_noise().max(pair.new.reference_noise());
    let expected = if pair.issue_bound { 0.0 } else { 1.0 };
    let (likely, range) = sensitivity(&base, &new, noise, expected);

    let (base_adjusted, new_adjusted) = (base.adjusted(likely), new.adjusted(likely));
    let estimate = stats::median(&new_adjusted)? - stats::median(&base_adjusted)?;
    // The bootstrap of a few samples may miss the estimate itself by a hair.
    let mut interval = Interval { low: estimate, high: estimate };
    let mut p: f64 = 0.0;
    let mut resampler = Resampler::new(options.seed ^ seed);
    for sensitivity in range {
        let (base, new) = (base.adjusted(sensitivity), new.adjusted(sensitivity));
        let resampled = resampler.median_difference(&base, &new, options.resamples)?;
        interval.low = interval.low.min(resampled.low);
        interval.high = interval.high.max(resampled.high);
        p = p.max(stats::rank_sum(&base, &new)?);
    }

    let count = base.x.len().min(new.x.len());
    let doubt = if count < LEAST_SAMPLES {
        Some(format!("{count} samples are too few; {LEAST_SAMPLES} are needed"))
    } else {
        unexplained_speeds(&base_adjusted, &new_adjusted)
    };
    let plain = stats::median(&new.x)? - stats::median(&base.x)?;
    Some(Effect {
        ratio: estimate.exp(),
        low: interval.low.exp(),
        high: interval.high.exp(),
        p,
        doubt,
        note: note(&base, &new, estimate - plain),
    })
}

/// Puts the middle of all reference samples at zero: a shift that both runs share changes nothing.
fn center(base: &mut Column, new: &mut Column) {
    let (Some(base), Some(new)) = (&mut base.r, &mut new.r) else { return };
    let all: Vec<f64> = base.iter().chain(new.iter()).copied().collect();
    let middle = stats::median(&all).unwrap_or(0.0);
    base.iter_mut().chain(new.iter_mut()).for_each(|r| *r -= middle);
}

/// The likeliest sensitivity, and the values over which a difference must hold.
///
/// What the samples say ([`slope`]) is weighed with what is expected of the case, as two normal
/// distributions are, and kept in [0, 1].
fn sensitivity(base: &Column, new: &Column, noise: f64, expected: f64) -> (f64, Vec<f64>) {
    let (Some(base_r), Some(new_r)) = (&base.r, &new.r) else {
        return (0.0, vec![0.0]);
    };
    let (mut likely, mut weight) = (expected, PRIOR_DEVIATION.powi(-2));
    if let Some((slope, error)) = slope(&[(&base.x, base_r), (&new.x, new_r)], noise) {
        let seen = error.powi(-2);
        likely = (slope * seen + likely * weight) / (seen + weight);
        weight += seen;
    }
    let margin = 2.0 / weight.sqrt();
    let [low, likely, high] = [likely - margin, likely, likely + margin].map(|value| value.clamp(0.0, 1.0));
    let farthest = base_r.iter().chain(new_r).fold(0.0_f64, |most, r| most.max(r.abs()));
    let range = if farthest * (high - low) < NEGLIGIBLE { vec![likely] } else { vec![low, likely, high] };
    (likely, range)
}

/// The slope of x over r within runs, and its standard error.
///
/// It is the median of the slopes between samples of one run that lie at least half of the range of r
/// apart (after Theil and Sen; pairs closer than that have slopes of noise over noise). The error is that
/// of a regression, 1.25·σ/√Σ(r − r̄)², with the part of Σ that is noise of r taken off; 1.25 is what a
/// median loses to a mean.
fn slope(runs: &[(&[f64], &[f64]); 2], noise: f64) -> Option<(f64, f64)> {
    let range = |r: &[f64]| {
        let (low, high) =
            r.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), r| (l.min(*r), h.max(*r)));
        high - low
    };
    let apart = 0.5 * range(runs[0].1).max(range(runs[1].1));
    let mut slopes = Vec::new();
    for (x, r) in runs {
        for first in 0..x.len() {
            for second in first + 1..x.len() {
                let step = r[second] - r[first];
                if step != 0.0 && step.abs() >= apart {
                    slopes.push((x[second] - x[first]) / step);
                }
            }
        }
    }
    let slope = stats::median_in_place(&mut slopes)?;

    let (mut residuals, mut spread, mut count) = (Vec::new(), 0.0, 0.0);
    for (x, r) in runs {
        let rest: Vec<f64> = x.iter().zip(*r).map(|(x, r)| x - slope * r).collect();
        let level = stats::median(&rest)?;
        residuals.extend(rest.iter().map(|x| (x - level).abs()));
        let mean = r.iter().sum::<f64>() / r.len() as f64;
        spread += r.iter().map(|r| (r - mean).powi(2)).sum::<f64>();
        count += r.len() as f64;
    }
    let informative = spread - count * noise.powi(2);
    if informative <= 0.0 {
        return None;
    }
    // Three parameters were fitted: the slope and two levels.
    let freedom = (count / (count - 3.0).max(1.0)).sqrt();
    let sigma = MAD_TO_SIGMA * stats::median_in_place(&mut residuals)? * freedom;
    Some((slope, (1.25 * sigma / informative.sqrt()).max(1e-3)))
}

/// Two speeds that are left when the reference kernel has explained what it can.
fn unexplained_speeds(base: &[f64], new: &[f64]) -> Option<String> {
    let modes = |logs: &[f64]| {
        let center = stats::median(logs)?;
        stats::modes(&logs.iter().map(|log| (log - center).exp()).collect::<Vec<_>>())
    };
    let (which, modes) = match (modes(base), modes(new)) {
        (Some(modes), None) => ("the base", modes),
        (None, Some(modes)) => ("the new run", modes),
        (Some(modes), Some(_)) => ("both runs", modes),
        (None, None) => return None,
    };
    Some(format!(
        "the samples of {which} come at two speeds, {:.0} % apart, that the reference kernel does not explain",
        100.0 * (modes.high / modes.low - 1.0)
    ))
}

fn note(base: &Column, new: &Column, correction: f64) -> Option<String> {
    let mut parts = Vec::new();
    if correction.abs() > WORTH_SAYING {
        parts.push(format!("corrected by {:+.1} % for the reference kernel", 100.0 * correction.exp_m1()));
    }
    let aside = base.aside + new.aside;
    if aside > 0 {
        parts.push(format!(
            "{aside} of {} samples set aside, taken while the machine changed its speed",
            aside + base.x.len() + new.x.len()
        ));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// A figure with its stored 95 % interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored {
    pub(super) value: f64,
    pub(super) interval: Option<Interval>,
}

/// The effect between stored medians: each logarithm is taken as normal, with the deviation that its 95 %
/// interval implies; variances add.
pub(super) fn from_intervals(base: Stored, new: Stored, doubt: Option<String>) -> Effect {
    let deviation = |stored: Stored| {
        stored.interval.map(|interval| (interval.high / interval.low).ln() / (2.0 * stats::Z_95))
    };
    let estimate = (new.value / base.value).ln();
    let (error, lacking) = match deviation(base).zip(deviation(new)) {
        Some((base, new)) => (base.hypot(new), None),
        None => (0.0, Some("a run has too few samples for an interval".to_owned())),
    };
    let p = match (error > 0.0, estimate == 0.0) {
        (true, _) => stats::normal_two_sided(estimate / error),
        (false, true) => 1.0,
        (false, false) => 0.0,
    };
    let half = stats::Z_95 * error;
    Effect {
        ratio: estimate.exp(),
        low: (estimate - half).exp(),
        high: (estimate + half).exp(),
        p,
        doubt: doubt.or(lacking),
        note: None,
    }
}
