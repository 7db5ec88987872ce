//! What the curves of a run say of the hardware behind them: sector, line, last-level cache, banks.
//!
//! Each property is a choice between hypotheses. A hypothesis predicts the *shape* of a curve (how many
//! sectors of 64 bytes does each case touch?) and leaves its scale free; it is fitted by least squares, and
//! believed only if it fits well, and better than every other one by a margin that grows with the noise
//! (`select`). Otherwise the answer is "not resolved", with the reason. `docs/findings.md` has the method
//! with its sources and limits.

mod banks;
mod cache;
mod curve;
mod fit;
mod granularity;
mod select;
#[cfg(test)]
mod tests;

use serde::Serialize;

use super::Run;

/// The value of a finding that could not be made.
pub const NOT_RESOLVED: &str = "not resolved";

/// How much better than the next one the hypothesis behind a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Confidence {
    /// By a difference of the Bayesian information criterion from 6 to 10.
    Medium,
    /// By 10 or more.
    High,
}

impl Confidence {
    /// In a word.
    pub const fn name(self) -> &'static str {
        match self {
            Confidence::Medium => "medium",
            Confidence::High => "high",
        }
    }
}

/// A property of the device, as far as its curves show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The property: `sector size`, `line size`, `last-level cache` or `banks of workgroup memory`.
    pub what: &'static str,
    /// Its value in words, or [`NOT_RESOLVED`].
    pub value: String,
    /// How sure it is; absent where it is not resolved.
    pub confidence: Option<Confidence>,
    /// What it rests on, or why there is none.
    pub evidence: String,
    /// The cases behind it.
    pub cases: Vec<String>,
}

impl Finding {
    fn resolved(what: &'static str, value: String, confidence: Confidence, evidence: String) -> Finding {
        Finding { what, value, confidence: Some(confidence), evidence, cases: Vec::new() }
    }

    fn not_resolved(what: &'static str, reason: String) -> Finding {
        Finding {
            what,
            value: NOT_RESOLVED.to_owned(),
            confidence: None,
            evidence: reason,
            cases: Vec::new(),
        }
    }

    /// The same, with the cases that it rests on.
    fn from(self, cases: Vec<String>) -> Finding {
        Finding { cases, ..self }
    }
}

/// The findings of a run: always the same properties, in the same order.
pub fn of(run: &Run) -> Vec<Finding> {
    let sector = granularity::sector(run);
    let line = granularity::line(run, &sector);
    vec![sector.finding, line, cache::last_level(run), banks::banks(run)]
}
