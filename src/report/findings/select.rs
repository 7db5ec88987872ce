//! Choosing between hypotheses that were fitted to the same points.
//!
//! By the Bayesian information criterion, BIC = χ² + k·ln n for k parameters and n points with known noise
//! (Schwarz, "Estimating the dimension of a model", Annals of Statistics 6, 1978). Twice the logarithm of the
//! Bayes factor between two hypotheses is about the difference of their criteria; from 6 on it is "strong"
//! and from 10 on "very strong" evidence (Kass & Raftery, "Bayes factors", JASA 90, 1995).
//!
//! The noise is known only in part: a device does more than any hypothesis says. So χ² is divided by that of
//! the best fit per degree of freedom where this is above 1 (the ratio of Birge, "The calculation of errors by
//! the method of least squares", Physical Review 40, 1932). A curve that no hypothesis describes well thus needs
//! a larger margin, and a best fit that still leaves [`LARGEST_SCATTER`] is not believed at all.

use super::Confidence;
use super::fit::Fit;

/// Relative scatter around the best fit beyond which it is no description of the curve.
pub(super) const LARGEST_SCATTER: f64 = 0.15;

/// A hypothesis with its fit.
#[derive(Clone, Debug)]
pub(super) struct Hypothesis<T> {
    /// What it says; none where it says that nothing depends on anything.
    pub(super) what: Option<T>,
    /// How well it describes the points.
    pub(super) fit: Fit,
}

/// What the fits say together.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome<T> {
    /// One is better than all others.
    Clear {
        /// It.
        what: T,
        /// By how much.
        confidence: Confidence,
        /// Difference of the criterion to the next.
        margin: f64,
        /// Relative scatter around it.
        rms: f64,
    },
    /// The constant is as good as any.
    Flat,
    /// The best doesn't describe the points.
    Poor {
        /// Relative scatter around it.
        rms: f64,
    },
    /// Two are about as good.
    Ambiguous {
        /// The better one.
        best: T,
        /// The other; none if it is the constant.
        next: Option<T>,
        /// Difference of the criterion.
        margin: f64,
    },
    /// There are not enough points to tell.
    TooFew,
}

/// Holds the hypotheses against each other.
pub(super) fn select<T: Copy + PartialEq>(hypotheses: &[Hypothesis<T>]) -> Outcome<T> {
    let closest = hypotheses.iter().min_by(|a, b| a.fit.chi2.total_cmp(&b.fit.chi2));
    let Some(closest) = closest.filter(|h| h.fit.points > h.fit.parameters) else {
        return Outcome::TooFew;
    };
    let freedom = (closest.fit.points - closest.fit.parameters) as f64;
    let birge = (closest.fit.chi2 / freedom).max(1.0);
    let criterion =
        |h: &Hypothesis<T>| h.fit.chi2 / birge + h.fit.parameters as f64 * (h.fit.points as f64).ln();
    let mut ranked: Vec<(f64, &Hypothesis<T>)> = hypotheses.iter().map(|h| (criterion(h), h)).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (best_criterion, best) = ranked[0];
    let Some(what) = best.what else { return Outcome::Flat };
    let (margin, next) = ranked
        .get(1)
        .map_or((f64::INFINITY, None), |(criterion, next)| (criterion - best_criterion, next.what));
    let confidence = if margin >= 10.0 {
        Confidence::High
    } else if margin >= 6.0 {
        Confidence::Medium
    } else {
        return Outcome::Ambiguous { best: what, next, margin };
    };
    if best.fit.rms > LARGEST_SCATTER {
        return Outcome::Poor { rms: best.fit.rms };
    }
    Outcome::Clear { what, confidence, margin, rms: best.fit.rms }
}

impl Fit {
    /// The fits of several curves under one hypothesis, taken together.
    pub(super) fn together(fits: impl IntoIterator<Item = Fit>) -> Fit {
        let (mut sum, mut squares) = (Fit { chi2: 0.0, rms: 0.0, parameters: 0, points: 0 }, 0.0);
        for fit in fits {
            sum.chi2 += fit.chi2;
            sum.parameters += fit.parameters;
            sum.points += fit.points;
            squares += fit.rms * fit.rms * fit.points as f64;
        }
        sum.rms = (squares / sum.points.max(1) as f64).sqrt();
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hypothesis(what: Option<u32>, chi2: f64, parameters: usize, rms: f64) -> Hypothesis<u32> {
        Hypothesis { what, fit: Fit { chi2, rms, parameters, points: 20 } }
    }

    #[test]
    fn the_margin_decides() {
        let flat = hypothesis(None, 900.0, 1, 0.3);
        let best = hypothesis(Some(32), 18.0, 2, 0.02);
        let verdict = |next: f64| select(&[flat.clone(), best.clone(), hypothesis(Some(64), next, 2, 0.03)]);
        assert!(matches!(verdict(20.0), Outcome::Ambiguous { best: 32, next: Some(64), .. }));
        assert!(matches!(verdict(25.0), Outcome::Clear { what: 32, confidence: Confidence::Medium, .. }));
        assert!(matches!(verdict(90.0), Outcome::Clear { what: 32, confidence: Confidence::High, .. }));
    }

    #[test]
    fn what_nothing_describes_needs_more() {
        // The same difference of 7, with four times the noise that was thought.
        let of = |a: f64, b: f64| select(&[hypothesis(Some(1), a, 2, 0.1), hypothesis(Some(2), b, 2, 0.1)]);
        assert!(matches!(of(18.0, 25.0), Outcome::Clear { .. }));
        assert!(matches!(of(72.0, 79.0), Outcome::Ambiguous { .. }));
        let poor = select(&[hypothesis(Some(1), 18.0, 2, 0.2), hypothesis(Some(2), 900.0, 2, 0.9)]);
        assert_eq!(poor, Outcome::Poor { rms: 0.2 });
    }

    #[test]
    fn a_parameter_has_to_be_worth_it() {
        let outcome = select(&[hypothesis(None, 20.0, 1, 0.02), hypothesis(Some(32), 19.5, 2, 0.02)]);
        assert_eq!(outcome, Outcome::Flat);
        assert_eq!(select::<u32>(&[]), Outcome::TooFew);
        let few = Hypothesis { what: Some(1), fit: Fit { chi2: 0.0, rms: 0.0, parameters: 2, points: 2 } };
        assert_eq!(select(&[few]), Outcome::TooFew);
    }
}
