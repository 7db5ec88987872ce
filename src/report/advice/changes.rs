//! What a comparison of two runs says of the advice: which answers are no longer the same.

use serde::Serialize;

use super::Verdict;
use super::line::{Advice, Figure};

/// A figure whose meaning differs between two runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// The question, [`Advice::key`].
    pub key: &'static str,
    /// The fix in words.
    pub fix: &'static str,
    /// What the figure is of.
    pub what: String,
    /// The figure of the base.
    pub base: Figure,
    /// The figure of the other run.
    pub new: Figure,
}

impl Change {
    /// In words.
    pub fn text(&self) -> String {
        format!("{}: {}: {}, was {}", self.fix, self.what, state(&self.new), state(&self.base))
    }
}

/// The figures that both runs have and whose verdict differs, or whose intervals have nothing in common.
/// Where one side can't tell, nothing is known to have changed.
pub fn changes(base: &[Advice], new: &[Advice]) -> Vec<Change> {
    let mut changes = Vec::new();
    for line in new {
        let Some(before) = base.iter().find(|before| before.key == line.key) else { continue };
        for figure in &line.figures {
            let Some(was) = before.figures.iter().find(|was| was.what == figure.what) else { continue };
            if differs(was, figure) {
                changes.push(Change {
                    key: line.key,
                    fix: line.fix.title(),
                    what: figure.what.clone(),
                    base: was.clone(),
                    new: figure.clone(),
                });
            }
        }
    }
    changes
}

fn differs(was: &Figure, is: &Figure) -> bool {
    if was.verdict == Verdict::CantTell || is.verdict == Verdict::CantTell {
        return false;
    }
    let above = |high: Option<f64>, low: Option<f64>| high.zip(low).is_some_and(|(high, low)| high < low);
    was.verdict != is.verdict || above(was.high, is.low) || above(is.high, was.low)
}

fn state(figure: &Figure) -> String {
    let number = |value: f64| crate::units::significant(value, 3);
    let Some(value) = figure.value else { return figure.verdict.name().to_owned() };
    let range = match (figure.low, figure.high) {
        (Some(low), Some(high)) => format!(" ({}–{})", number(low), number(high)),
        (Some(low), None) => format!(" ({} or more)", number(low)),
        _ => String::new(),
    };
    let unit = if figure.unit == "×" { "×".to_owned() } else { format!(" {}", figure.unit) };
    format!("{}{unit}{range}", number(value))
}
