//! A comparison for programs.

use serde_json::{Value, json};

use crate::compare::{Basis, CaseComparison, Comparison};

/// The comparisons as one JSON document: an object for one, an array of objects for several.
pub fn render(comparisons: &[Comparison]) -> String {
    let document = match comparisons {
        [comparison] => object(comparison),
        _ => comparisons.iter().map(object).collect(),
    };
    format!("{document:#}")
}

fn object(comparison: &Comparison) -> Value {
    json!({
        "base": comparison.base,
        "new": comparison.new,
        "basis": match comparison.basis {
            Basis::Time => "time",
            Basis::RoofFraction => "roof fraction",
        },
        "notes": comparison.notes,
        "cases": comparison.cases.iter().map(case_object).collect::<Vec<_>>(),
        "patterns": comparison
            .patterns
            .iter()
            .map(|pattern| json!({
                "pattern": pattern.pattern,
                "geometric_mean": pattern.geometric_mean,
            }))
            .collect::<Vec<_>>(),
    })
}

fn case_object(case: &CaseComparison) -> Value {
    let effect = case.effect.as_ref();
    json!({
        "case": case.case,
        "base_ns": case.base_ns,
        "new_ns": case.new_ns,
        "base_roof_fraction": case.base_roof_fraction,
        "new_roof_fraction": case.new_roof_fraction,
        "ratio": effect.map(|effect| effect.ratio),
        "ratio_low": effect.and_then(|effect| effect.interval).map(|interval| interval.low),
        "ratio_high": effect.and_then(|effect| effect.interval).map(|interval| interval.high),
        "verdict": case.verdict,
        "reason": case.reason,
    })
}
