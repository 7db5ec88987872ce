//! Charts of ratios: which cases moved, how far, and how sure that is, at one look.

use std::path::{Path, PathBuf};

use crate::report::charts::{Axis, Bar, Figure, Frame, Measured, Ratios, Unit, write_all};
use crate::report::{CaseKey, ReportError};
use crate::units;

use super::{Basis, CaseComparison, Comparison, Options, Verdict};

/// Rows of a chart; cases that changed are never left out for ones that did not.
const MOST_ROWS: usize = 40;
/// Comparisons that get charts of their own.
pub const MOST_COMPARISONS: usize = 6;

/// Writes a chart for each pattern of each comparison, SVG and PNG, and returns the files. Beyond
/// [`MOST_COMPARISONS`] runs there are no more charts: nobody looks through them.
///
/// # Errors
/// When the folder or a file can't be written.
pub fn write_charts(
    comparisons: &[Comparison],
    options: &Options,
    dir: &Path,
) -> Result<Vec<PathBuf>, ReportError> {
    let shown = &comparisons[..comparisons.len().min(MOST_COMPARISONS)];
    let figures: Vec<Figure> = shown
        .iter()
        .enumerate()
        .flat_map(|(index, comparison)| {
            let suffix = if shown.len() > 1 { format!("-{}", index + 1) } else { String::new() };
            figures(comparison, options, &suffix)
        })
        .collect();
    write_all(&figures, dir)
}

/// The charts of a comparison, one per pattern that has a ratio.
pub(super) fn figures(comparison: &Comparison, options: &Options, suffix: &str) -> Vec<Figure> {
    comparison
        .patterns
        .iter()
        .filter_map(|pattern| figure(comparison, &pattern.pattern, options, suffix))
        .collect()
}

fn figure(comparison: &Comparison, pattern: &str, options: &Options, suffix: &str) -> Option<Figure> {
    // In the order of the comparison: what matters first.
    let cases = || comparison.cases.iter().filter(|case| case.pattern == pattern);
    let all: Vec<Bar> = cases().filter_map(|case| row(comparison, case)).collect();
    if all.is_empty() {
        return None;
    }
    let (left_out, without) = (all.len().saturating_sub(MOST_ROWS), cases().count() - all.len());
    let mut omitted: Vec<String> = Vec::new();
    if left_out > 0 {
        omitted.push(format!("Not shown: {left_out} cases with smaller differences."));
    }
    if without > 0 {
        omitted.push(format!("Without a ratio: {without} cases (missing or not comparable)."));
    }
    let count = |verdict| cases().filter(|case| case.verdict == verdict).count();
    let tally: Vec<String> = Verdict::ALL
        .into_iter()
        .filter(|verdict| count(*verdict) > 0)
        .map(|verdict| format!("{} {verdict}", count(verdict)))
        .collect();
    let label = match comparison.basis {
        Basis::Time => "time, new over base: to the right is slower",
        Basis::RoofFraction => "fraction of the roof, base over new: to the right the new device loses more",
    };
    Some(Figure::Ratios(Ratios {
        frame: Frame {
            stem: format!("ratio-{pattern}{suffix}"),
            title: format!("{pattern}: {}", tally.join(", ")),
            caption: String::new(),
            subtitle: format!("base {}, new {}", comparison.base, comparison.new),
            caution: None,
            description: format!(
                "Ratios of the cases of {pattern} with their 95 % intervals: {}.",
                tally.join(", ")
            ),
            omitted: (!omitted.is_empty()).then(|| omitted.join(" ")),
        },
        value: Axis { label: label.to_owned(), unit: Unit::Ratio, log: true },
        threshold: options.threshold,
        rows: all.into_iter().take(MOST_ROWS).collect(),
    }))
}

fn row(comparison: &Comparison, case: &CaseComparison) -> Option<Bar> {
    let effect = case.effect.as_ref()?;
    let figure = |ns: Option<f64>, fraction: Option<f64>| match comparison.basis {
        Basis::Time => units::or_absent(ns.map(units::nanoseconds)),
        Basis::RoofFraction => units::or_absent(fraction.map(units::percent)),
    };
    let interval = effect
        .interval
        .map_or_else(String::new, |interval| format!(" (95 %: {:.3} to {:.3})", interval.low, interval.high));
    let reason = case.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    Some(Bar {
        name: CaseKey::parse(&case.case).short(),
        style: match case.verdict {
            Verdict::Slower => 1,
            Verdict::Faster => 2,
            Verdict::Unclear => 4,
            Verdict::Same | Verdict::NotComparable | Verdict::Missing => 0,
        },
        layer: Some(case.verdict.to_string()),
        measured: Measured {
            value: effect.ratio,
            interval: effect.interval.map(|interval| (interval.low, interval.high)),
            issue_bound: false,
            predicted: None,
            perfect_cache: None,
            tip: format!(
                "{}: {} against {}, {}{interval}, {}{reason}",
                case.case,
                figure(case.new_ns, case.new_roof_fraction),
                figure(case.base_ns, case.base_roof_fraction),
                units::ratio(effect.ratio),
                case.verdict
            ),
            case: case.case.clone(),
        },
    })
}
