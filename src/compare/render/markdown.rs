//! A comparison as a comment of a pull request.

use std::fmt::Write;

use crate::compare::{CaseComparison, Comparison, Verdict};
use crate::units;

use super::{HEADINGS, cells, legend, tally};

/// The comparisons as Markdown; what did not change is folded away. `unread` says of each run that can't be
/// read why.
pub fn render(comparisons: &[Comparison], unread: &[String]) -> String {
    let mut text = String::new();
    if comparisons.is_empty() {
        text.push_str("### stridemark compare: nothing to compare\n\n");
    }
    text.extend(unread.iter().map(|error| format!("- **not read**: {}\n", escaped(error))));
    if !unread.is_empty() {
        text.push('\n');
    }
    for comparison in comparisons {
        // Writing to a string can't fail.
        let _ = pair(comparison, &mut text);
    }
    text.trim_end().to_owned()
}

fn pair(comparison: &Comparison, text: &mut String) -> std::fmt::Result {
    writeln!(text, "### stridemark compare: {}\n", tally(comparison))?;
    writeln!(text, "- base: {}\n- new: {}", code(&comparison.base), code(&comparison.new))?;
    for note in &comparison.notes {
        writeln!(text, "- **note**: {}", escaped(note))?;
    }
    writeln!(text, "- {}\n", legend(comparison.basis))?;

    writeln!(text, "| pattern | geometric mean |\n|---|--:|")?;
    for pattern in &comparison.patterns {
        let mean = units::or_absent(pattern.geometric_mean.map(units::ratio));
        writeln!(text, "| {} | {mean} |", escaped(&pattern.pattern))?;
    }
    writeln!(text)?;

    let changed = |case: &&CaseComparison| matches!(case.verdict, Verdict::Slower | Verdict::Faster);
    let (changed, others): (Vec<_>, Vec<_>) = comparison.cases.iter().partition(changed);
    if !changed.is_empty() {
        table(comparison, &changed, text)?;
    }
    if !others.is_empty() {
        writeln!(text, "<details><summary>{} other cases</summary>\n", others.len())?;
        table(comparison, &others, text)?;
        writeln!(text, "</details>\n")?;
    }
    Ok(())
}

fn table(comparison: &Comparison, cases: &[&CaseComparison], text: &mut String) -> std::fmt::Result {
    writeln!(text, "| {} |\n|---|--:|--:|--:|--:|---|", HEADINGS.join(" | "))?;
    for case in cases {
        let [id, figures @ ..] = cells(comparison, case);
        let figures: Vec<String> = figures.iter().map(|cell| escaped(cell)).collect();
        writeln!(text, "| {} | {} |", code(&id), figures.join(" | "))?;
    }
    writeln!(text)
}

/// A text as code; a backtick or a bar in it would end the code or the cell.
fn code(text: &str) -> String {
    format!("`{}`", text.replace(['`', '\n', '\r'], "'").replace('|', "\\|"))
}

/// A text that Markdown shows as it is.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '|' | '*' | '_' | '<' | '`' | '[' => escaped.extend(['\\', c]),
            '\n' | '\r' => escaped.push(' '),
            _ => escaped.push(c),
        }
    }
    escaped
}
