//! One comparison, three renderings: for a terminal, for a pull request, for a program.

mod json;
mod markdown;
mod text;

use super::{Basis, CaseComparison, Comparison, Verdict};
use crate::units;

pub use json::render as json;
pub use markdown::render as markdown;
pub use text::render as text;

/// The column headings of a pair's table.
const HEADINGS: [&str; 6] = ["case", "base", "new", "ratio", "95 % interval", "verdict"];

/// Runs side by side in one table; more are summarised, a line each.
const SIDE_BY_SIDE: usize = 6;

/// The cells of a case, as [`HEADINGS`] names them.
fn cells(comparison: &Comparison, case: &CaseComparison) -> [String; 6] {
    let figure = |ns: Option<f64>, fraction: Option<f64>| match comparison.basis {
        Basis::Time => units::or_absent(ns.map(units::nanoseconds)),
        Basis::RoofFraction => units::or_absent(fraction.map(units::percent)),
    };
    let verdict = match &case.reason {
        Some(reason) => format!("{}: {reason}", case.verdict),
        None => case.verdict.to_string(),
    };
    let interval = case.effect.as_ref().and_then(|effect| effect.interval);
    let digits = |end: f64| if end < 10.0 { format!("{end:.3}") } else { units::significant(end, 3) };
    [
        case.case.clone(),
        figure(case.base_ns, case.base_roof_fraction),
        figure(case.new_ns, case.new_roof_fraction),
        units::or_absent(case.effect.as_ref().map(|effect| units::ratio(effect.ratio))),
        units::or_absent(
            interval.map(|interval| format!("{}–{}", digits(interval.low), digits(interval.high))),
        ),
        verdict,
    ]
}

/// `3 slower, 1 unclear, 246 same`: the verdicts that occur, what matters first.
fn tally(comparison: &Comparison) -> String {
    let parts: Vec<String> = Verdict::ALL
        .into_iter()
        .map(|verdict| (comparison.count(verdict), verdict))
        .filter(|(count, _)| *count > 0)
        .map(|(count, verdict)| match (verdict, comparison.lost()) {
            (Verdict::Missing, lost) if lost > 0 => {
                format!("{count} {verdict} ({lost} measured in the base)")
            }
            _ => format!("{count} {verdict}"),
        })
        .collect();
    if parts.is_empty() { "no cases".to_owned() } else { parts.join(", ") }
}

/// What a ratio means here.
fn legend(basis: Basis) -> &'static str {
    match basis {
        Basis::Time => "ratio of times, new over base: above 1 is slower",
        Basis::RoofFraction => {
            "ratio of roof fractions, base over new: above 1, the new device loses more of its roof"
        }
    }
}

/// The case in every comparison, in the order of the first.
fn rows(comparisons: &[Comparison]) -> Vec<(&CaseComparison, Vec<Option<&CaseComparison>>)> {
    let Some(first) = comparisons.first() else { return Vec::new() };
    first
        .cases
        .iter()
        .map(|case| {
            let others = comparisons
                .iter()
                .map(|comparison| comparison.cases.iter().find(|other| other.case == case.case))
                .collect();
            (case, others)
        })
        .collect()
}

/// A case of one run in a table of several.
fn short(case: Option<&CaseComparison>) -> String {
    case.map_or_else(
        || units::ABSENT.to_owned(),
        |case| match &case.effect {
            Some(effect) => format!("{} {}", units::ratio(effect.ratio), case.verdict),
            None => case.verdict.to_string(),
        },
    )
}
