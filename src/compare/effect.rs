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
//! interval; only a difference that holds for every sensitivity in it is called one.
//!
//! The reference kernel is also its own control: it is held against its other samples as if it were a
//! case. Where it does not follow itself, its neighbours say nothing of a moment (one speed, or a speed
//! that changes faster than it is sampled), and nothing tells a slower machine from a slower driver. The
//! interval of the sensitivity is then [0, 2].

use crate::record::REFERENCE_CASE;
use crate::stats::{self, Interval, MAD_TO_SIGMA, Resampler};

use super::samples::{Journal, Reference};
use super::verdict::Options;

/// A ratio of times, the new run over the base.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// The estimate.
    pub ratio: f64,
    /// Its 95 % interval; absent where a run has too few samples for one.
    pub interval: Option<Interval>,
    /// Probability of so large a difference between equal runs.
    pub p: f64,
    /// Why no verdict can rest on it.
    pub doubt: Option<String>,
    /// What was done to it.
    pub note: Option<String>,
}

/// Samples that a run must have of a case.
const LEAST_SAMPLES: usize = stats::LEAST_FOR_INTERVAL;
/// Samples taken while the machine changed its speed are set aside while this share remains.
const LEAST_SHARE: f64 = 0.3;
/// A second speed with up to this share of the samples of a run leaves the median at the first.
const LARGEST_MINORITY: f64 = 0.3;
/// Deviation of the sensitivity around its expectation before any sample is seen.
const PRIOR_DEVIATION: f64 = 0.5;
/// The reference kernel must surely follow its neighbours by half to be believed.
const LEAST_RELIABILITY: f64 = 0.5;
/// The largest sensitivity that a case may have where nothing is known of it: contention by other programs
/// can slow a case by more than the reference kernel.
const LARGEST_SENSITIVITY: f64 = 2.0;
/// Uncertainty of the correction that is not worth a second bootstrap: 0.2 %.
const NEGLIGIBLE: f64 = 0.002;
/// The spread of r counts beyond three times what its noise explains: samples of one visit share their
/// neighbours, so that a dozen independent values make up a spread whose own error is a half of it.
const NOISE_ALLOWANCE: f64 = 3.0;
/// A correction beyond 1 % is mentioned.
const WORTH_SAYING: f64 = 0.01;

/// The samples of a case in both runs, and what is expected of it.
pub(super) struct Pair<'a> {
    pub(super) case: &'a str,
    pub(super) base: &'a Journal,
    pub(super) new: &'a Journal,
    /// How well the reference kernel follows itself ([`reliability`]).
    pub(super) reliability: Option<f64>,
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
    /// The samples of a case beside the reference kernel around each; `None` where it tells of too few.
    fn by_moment(journal: &Journal, case: &str) -> Option<Column> {
        let points = journal.points(case);
        let steady: Vec<(f64, f64)> = points
            .iter()
            .filter_map(|point| match point.reference {
                Reference::Steady(r) => Some((point.log_ns, r)),
                Reference::Changing | Reference::Unknown => None,
            })
            .collect();
        let enough =
            steady.len() >= LEAST_SAMPLES && steady.len() as f64 >= LEAST_SHARE * points.len() as f64;
        let aside = points.len() - steady.len();
        let (x, r) = steady.into_iter().unzip();
        enough.then_some(Column { x, r: Some(r), aside })
    }

    /// The samples of a case beside the reference kernel over the whole run.
    fn by_run(journal: &Journal, case: &str) -> Column {
        let x: Vec<f64> = journal.points(case).iter().map(|point| point.log_ns).collect();
        let r = journal.reference_ns().map(|ns| vec![ns.ln(); x.len()]);
        Column { x, r, aside: 0 }
    }

    /// Both runs alike.
    fn pair(pair: &Pair<'_>) -> (Column, Column) {
        let by_moment = Column::by_moment(pair.base, pair.case).zip(Column::by_moment(pair.new, pair.case));
        let (mut base, mut new) = by_moment
            .unwrap_or_else(|| (Column::by_run(pair.base, pair.case), Column::by_run(pair.new, pair.case)));
        if base.r.is_none() || new.r.is_none() {
            (base.r, new.r) = (None, None);
        }
        (base, new)
    }

    /// Sets the samples of a second speed aside that the reference kernel does not explain: a flip between
    /// two of its samples. `own` are the adjusted samples, `other` those of the other run.
    ///
    /// # Errors
    /// How far the speeds are apart, relative, where it can't be told which one the other run is to be held
    /// against: the second speed has too many of the samples, or is the one nearer to the other run.
    fn leave_second_speed(&mut self, own: &[f64], other: &[f64]) -> Result<(), f64> {
        let (Some(center), Some(other)) = (stats::median(own), stats::median(other)) else { return Ok(()) };
        let relative: Vec<f64> = own.iter().map(|log| (log - center).exp()).collect();
        let Some(modes) = stats::modes(&relative) else { return Ok(()) };
        let (major, minor) =
            if modes.high_share < 0.5 { (modes.low, modes.high) } else { (modes.high, modes.low) };
        let distance = |mode: f64| (other - center - mode.ln()).abs();
        if modes.high_share.min(1.0 - modes.high_share) > LARGEST_MINORITY
            || distance(minor) < distance(major)
        {
            return Err(modes.high / modes.low - 1.0);
        }
        let stays = |index: usize| (relative[index] < modes.boundary) == (major < modes.boundary);
        let kept = |column: &[f64]| -> Vec<f64> {
            column.iter().enumerate().filter(|(index, _)| stays(*index)).map(|(_, value)| *value).collect()
        };
        let before = self.x.len();
        self.x = kept(&self.x);
        self.r = self.r.as_deref().map(kept);
        self.aside += before - self.x.len();
        Ok(())
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
    let (mut base, mut new) = Column::pair(pair);
    center(&mut base, &mut new);
    let noise = pair.base.reference_noise().max(pair.new.reference_noise());
    let expected = if pair.issue_bound { 0.0 } else { 1.0 };

    // Once more without the samples of a second speed, if there are some that can be told.
    let mut doubt = None;
    let (first, _) = sensitivity(&base, &new, noise, pair.reliability, expected);
    let (base_adjusted, new_adjusted) = (base.adjusted(first), new.adjusted(first));
    for (which, column, own, other) in [
        ("the base", &mut base, &base_adjusted, &new_adjusted),
        ("the new run", &mut new, &new_adjusted, &base_adjusted),
    ] {
        if let Err(apart) = column.leave_second_speed(own, other) {
            doubt = Some(format!(
                "the samples of {which} come at two speeds, {:.0} % apart, \
                 that the reference kernel does not explain",
                100.0 * apart
            ));
        }
    }

    let (likely, range) = sensitivity(&base, &new, noise, pair.reliability, expected);
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
    if count < LEAST_SAMPLES {
        doubt = Some(format!("{count} samples are too few; {LEAST_SAMPLES} are needed"));
    }
    let plain = stats::median(&new.x)? - stats::median(&base.x)?;
    Some(Effect {
        ratio: estimate.exp(),
        interval: Some(Interval { low: interval.low.exp(), high: interval.high.exp() }),
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

/// How much of a change of its neighbours a sample of the reference kernel shows itself, up to 1; `None`
/// where that can't be told from none.
///
/// It is the reliability ratio of regression with errors in the regressor (Fuller, *Measurement Error
/// Models* (1987), § 1.1): slopes over the neighbours come out smaller by it.
pub(super) fn reliability(base: &Journal, new: &Journal) -> Option<f64> {
    let (base_column, new_column) =
        Column::by_moment(base, REFERENCE_CASE).zip(Column::by_moment(new, REFERENCE_CASE))?;
    let (base_r, new_r) = (base_column.r.as_deref()?, new_column.r.as_deref()?);
    let noise = base.reference_noise().max(new.reference_noise());
    let (slope, error) = slope(&[(&base_column.x, base_r), (&new_column.x, new_r)], noise)?;
    let surely_less = slope + 2.0 * error < 1.0;
    (slope - 2.0 * error > LEAST_RELIABILITY).then_some(if surely_less { slope } else { 1.0 })
}

/// The likeliest sensitivity, and the values over which a difference must hold.
///
/// What the samples say ([`slope`] over [`reliability`]) is weighed with what is expected of the case, as
/// two normal distributions are, and kept in [0, 1].
fn sensitivity(
    base: &Column,
    new: &Column,
    noise: f64,
    reliability: Option<f64>,
    expected: f64,
) -> (f64, Vec<f64>) {
    let (Some(base_r), Some(new_r)) = (&base.r, &new.r) else {
        return (0.0, vec![0.0]);
    };
    let seen = reliability.zip(slope(&[(&base.x, base_r), (&new.x, new_r)], noise));
    let (low, likely, high) = match seen {
        None => (0.0, expected, LARGEST_SENSITIVITY),
        Some((reliability, (slope, error))) => {
            let (seen, before) = ((error / reliability).powi(-2), PRIOR_DEVIATION.powi(-2));
            let likely = (slope / reliability * seen + expected * before) / (seen + before);
            let margin = 2.0 / (seen + before).sqrt();
            let keep = |value: f64| value.clamp(0.0, 1.0);
            // Neighbours explain a single moment by less than they explain a whole run.
            (keep(reliability * (likely - margin)), keep(likely), keep(likely + margin))
        }
    };
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
    let informative = spread - NOISE_ALLOWANCE * count * noise.powi(2);
    if informative <= 0.0 {
        return None;
    }
    // Three parameters were fitted: the slope and two levels.
    let freedom = (count / (count - 3.0).max(1.0)).sqrt();
    let sigma = MAD_TO_SIGMA * stats::median_in_place(&mut residuals)? * freedom;
    Some((slope, (1.25 * sigma / informative.sqrt()).max(1e-3)))
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
/// interval implies; variances add. `drift` is the logarithm of what a change of the machine's speed during the
/// runs may explain by itself.
pub(super) fn from_intervals(base: Stored, new: Stored, drift: f64, doubt: Option<String>) -> Effect {
    let deviation = |stored: Stored| {
        stored.interval.map(|interval| (interval.high / interval.low).ln() / (2.0 * stats::Z_95))
    };
    let estimate = (new.value / base.value).ln();
    let Some(error) = deviation(base).zip(deviation(new)).map(|(base, new)| base.hypot(new)) else {
        let lacking = "a run has too few samples for an interval".to_owned();
        return Effect {
            ratio: estimate.exp(),
            interval: None,
            p: 1.0,
            doubt: doubt.or(Some(lacking)),
            note: None,
        };
    };
    let unexplained = (estimate.abs() - drift).max(0.0);
    let p = match (error > 0.0, unexplained == 0.0) {
        (true, _) => stats::normal_two_sided(unexplained / error),
        (false, true) => 1.0,
        (false, false) => 0.0,
    };
    let half = stats::Z_95 * error + drift;
    Effect {
        ratio: estimate.exp(),
        interval: Some(Interval { low: (estimate - half).exp(), high: (estimate + half).exp() }),
        p,
        doubt,
        note: (drift > 0.0)
            .then(|| format!("{:.0} % allowed for the machine's changes of speed", 100.0 * drift.exp_m1())),
    }
}
