//! The six things a comparison can say of a case, and the numbers behind the choice.

use std::fmt;

use serde::Serialize;

use super::Effect;

/// What a comparison says of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Verdict {
    /// Slower beyond the threshold, and neither chance nor the machine explains it.
    #[serde(rename = "slower")]
    Slower,
    /// Faster beyond the threshold, likewise.
    #[serde(rename = "faster")]
    Faster,
    /// The interval reaches beyond the threshold, or the machine may explain the difference.
    #[serde(rename = "unclear")]
    Unclear,
    /// Measured under conditions that can't be held side by side.
    #[serde(rename = "not comparable")]
    NotComparable,
    /// One of the runs has no figure.
    #[serde(rename = "missing")]
    Missing,
    /// The whole interval lies within the threshold.
    #[serde(rename = "same")]
    Same,
}

impl Verdict {
    /// Every verdict, what matters most first.
    pub const ALL: [Verdict; 6] = [
        Verdict::Slower,
        Verdict::Faster,
        Verdict::Unclear,
        Verdict::NotComparable,
        Verdict::Missing,
        Verdict::Same,
    ];

    /// The words in every rendering.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Slower => "slower",
            Verdict::Faster => "faster",
            Verdict::Unclear => "unclear",
            Verdict::NotComparable => "not comparable",
            Verdict::Missing => "missing",
            Verdict::Same => "same",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How a comparison decides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// The relative difference below which nobody should act.
    pub threshold: f64,
    /// The expected share of wrong findings among the findings.
    pub false_discovery_rate: f64,
    /// Bootstrap resamples of a case.
    pub resamples: usize,
    /// Seed of the bootstrap.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Options {
        Options { threshold: 0.03, false_discovery_rate: 0.05, resamples: 2000, seed: 1 }
    }
}

impl Options {
    /// The verdict on an effect that survived the control of false discoveries, or not, with its reason.
    pub(super) fn judge(&self, effect: &Effect, discovered: bool) -> (Verdict, Option<String>) {
        if let Some(doubt) = &effect.doubt {
            return (Verdict::Unclear, Some(doubt.clone()));
        }
        let limit = self.threshold.ln_1p();
        let Some(interval) = effect.interval else { return (Verdict::Unclear, effect.note.clone()) };
        let (low, high) = (interval.low.ln(), interval.high.ln());
        let estimate = effect.ratio.ln();
        let note = effect.note.clone();
        if discovered && low > 0.0 && estimate > limit {
            (Verdict::Slower, note)
        } else if discovered && high < 0.0 && estimate < -limit {
            (Verdict::Faster, note)
        } else if low >= -limit && high <= limit {
            (Verdict::Same, note)
        } else {
            let why = match (low > 0.0 || high < 0.0, estimate.abs() > limit) {
                (false, _) => "the interval holds 1",
                (true, false) => "the estimate is within the threshold, its interval is not",
                (true, true) => "one of so many cases may differ that much by chance",
            };
            let why = note.map_or_else(|| why.to_owned(), |note| format!("{why}; {note}"));
            (Verdict::Unclear, Some(why))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::stats::Interval;

    use super::*;

    fn effect(ratio: f64, low: f64, high: f64) -> Effect {
        Effect { ratio, interval: Some(Interval { low, high }), p: 0.0, doubt: None, note: None }
    }

    #[test]
    fn a_difference_needs_all_three() {
        let judge = |effect: &Effect, discovered| Options::default().judge(effect, discovered).0;
        assert_eq!(judge(&effect(1.05, 1.02, 1.08), true), Verdict::Slower);
        assert_eq!(judge(&effect(0.95, 0.92, 0.98), true), Verdict::Faster);
        assert_eq!(judge(&effect(1.05, 1.02, 1.08), false), Verdict::Unclear);
        assert_eq!(judge(&effect(1.05, 0.99, 1.08), true), Verdict::Unclear);
        assert_eq!(judge(&effect(1.02, 1.01, 1.04), true), Verdict::Unclear);
        assert_eq!(judge(&effect(1.02, 1.01, 1.029), true), Verdict::Same);
        assert_eq!(judge(&effect(1.0, 0.99, 1.01), false), Verdict::Same);
    }

    #[test]
    fn a_doubt_outweighs_everything() {
        let doubtful = Effect { doubt: Some("two speeds".to_owned()), ..effect(1.5, 1.4, 1.6) };
        let (verdict, reason) = Options::default().judge(&doubtful, true);
        assert_eq!((verdict, reason.as_deref()), (Verdict::Unclear, Some("two speeds")));
    }
}
