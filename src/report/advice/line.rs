//! A line of advice, put together from one or more comparisons of the same kind.

use serde::Serialize;

use crate::report::Run;
use crate::stats::Estimate;
use crate::units;

use super::pair::{About, Pair, ratio};
use super::{Fix, NEGLIGIBLE, Verdict};

/// One answer, with the figures and cases that it rests on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// Stable name of the question.
    pub key: &'static str,
    /// What would be changed.
    pub fix: Fix,
    /// What the best of its figures supports.
    pub verdict: Verdict,
    /// The answer in words, figures and intervals included.
    pub text: String,
    /// The figures.
    pub figures: Vec<Figure>,
    /// Every case that it rests on.
    pub cases: Vec<String>,
}

/// A figure of a line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Figure {
    /// What it is of.
    pub what: String,
    /// Its words as they stand in the text of the line; empty where the text only counts it.
    pub shown: String,
    /// What it supports.
    pub verdict: Verdict,
    /// The figure; absent where there is none (a repack that never pays).
    pub value: Option<f64>,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end of its 95 % interval; absent where it is open.
    pub high: Option<f64>,
    /// `×` (a ratio of times) or `reads`.
    pub unit: &'static str,
    /// The cases that it comes from.
    pub cases: Vec<String>,
}

impl Figure {
    /// A ratio of times.
    pub(super) fn gain(what: &str, pair: &Pair<'_>) -> Figure {
        Figure {
            what: what.to_owned(),
            shown: match (pair.doubt, pair.gain) {
                (None, Some(gain)) => units::ratio(gain.value),
                _ => String::new(),
            },
            verdict: pair.verdict,
            value: pair.gain.map(|gain| gain.value),
            low: pair.gain.map(|gain| gain.low),
            high: pair.gain.map(|gain| gain.high),
            unit: "×",
            cases: pair.cases(),
        }
    }
}

/// Comparisons that answer one question.
pub(super) struct Question<'r> {
    run: &'r Run,
    about: About,
    key: &'static str,
    fix: Fix,
    pairs: Vec<(String, Pair<'r>)>,
}

impl<'r> Question<'r> {
    /// A question without comparisons yet.
    pub(super) fn new(run: &'r Run, key: &'static str, fix: Fix, about: About) -> Question<'r> {
        Question { run, about, key, fix, pairs: Vec::new() }
    }

    /// Adds a comparison of two cases, if both were measured.
    pub(super) fn compare(&mut self, what: impl Into<String>, before: &str, after: &str) {
        if let Some(pair) = Pair::of(self.run, before, after, self.about) {
            self.pairs.push((what.into(), pair));
        }
    }

    /// The comparisons so far.
    pub(super) fn pairs(&self) -> &[(String, Pair<'r>)] {
        &self.pairs
    }

    /// The line: `what it is about: figure; figure; …`, then what can't be told and why. `conclusion` says
    /// what follows from the comparisons that gain.
    pub(super) fn line(self, about: &str, conclusion: Option<String>) -> Option<Advice> {
        if self.pairs.is_empty() {
            return None;
        }
        let mut phrases: Vec<String> = self
            .pairs
            .iter()
            .filter(|(_, pair)| pair.doubt.is_none())
            .filter_map(|(what, pair)| Some(phrase(what, pair.verdict, pair.gain?)))
            .collect();
        let doubtful: Vec<(&str, &'static str)> =
            self.pairs.iter().filter_map(|(what, pair)| Some((what.as_str(), pair.doubt?))).collect();
        phrases.extend(doubts(&doubtful, self.pairs.len()));
        let mut text = format!("{about}: {}", phrases.join("; "));
        if let Some(conclusion) = conclusion {
            text.push_str(". ");
            text.push_str(&conclusion);
        }
        let figures: Vec<Figure> = self.pairs.iter().map(|(what, pair)| Figure::gain(what, pair)).collect();
        Some(Advice::new(self.key, self.fix, text, figures))
    }
}

impl Advice {
    /// A line with its figures; its verdict is the best of theirs, its cases all of theirs.
    pub(super) fn new(key: &'static str, fix: Fix, text: String, figures: Vec<Figure>) -> Advice {
        let mut cases: Vec<String> = Vec::new();
        for case in figures.iter().flat_map(|figure| &figure.cases) {
            if !cases.contains(case) {
                cases.push(case.clone());
            }
        }
        let verdict = figures.iter().map(|figure| figure.verdict).min().unwrap_or(Verdict::CantTell);
        Advice { key, fix, verdict, text, figures, cases }
    }
}

/// A comparison in words.
fn phrase(what: &str, verdict: Verdict, gain: Estimate) -> String {
    let outcome = match verdict {
        Verdict::Do => format!("{} faster", ratio(gain)),
        Verdict::NoDifference => {
            format!("no difference beyond {}, {}", units::percent(NEGLIGIBLE), ratio(gain))
        }
        Verdict::Dont => format!("slower, {} the speed", ratio(gain)),
        Verdict::CantTell => format!("not sure enough to tell, {}", ratio(gain)),
    };
    format!("{what}: {outcome}")
}

/// So many comparisons are named in a phrase of doubt; more are counted.
const NAMED: usize = 3;

/// What can't be told of so many comparisons, one phrase a reason. Each has its name and its reason.
pub(super) fn doubts(doubtful: &[(&str, &'static str)], of: usize) -> Vec<String> {
    let mut reasons: Vec<(&'static str, Vec<&str>)> = Vec::new();
    for (what, reason) in doubtful {
        match reasons.iter_mut().find(|(known, _)| known == reason) {
            Some((_, whats)) => whats.push(what),
            None => reasons.push((reason, vec![what])),
        }
    }
    reasons
        .into_iter()
        .map(|(reason, whats)| match whats.len() {
            count if count == of => format!("can't tell ({reason})"),
            count if count > NAMED => format!("can't tell for {count} of {of} comparisons ({reason})"),
            _ => format!("can't tell for {} ({reason})", whats.join(", ")),
        })
        .collect()
}
