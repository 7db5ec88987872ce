//! The summary as a terminal shows it.

use std::fmt::Write;

use comfy_table::{CellAlignment, Table, presets};

use super::Summary;
use super::table::{Column, PatternSummary};

/// Reasons shown in full before the rest is counted.
const MISSING_SHOWN: usize = 12;

/// The summary as text of about 100 columns, without colour.
pub fn render(summary: &Summary) -> String {
    let mut text = String::new();
    // Writing to a string can't fail.
    let _ = write(summary, &mut text);
    text.trim_end().to_owned()
}

fn write(summary: &Summary, text: &mut String) -> std::fmt::Result {
    for fact in &summary.facts {
        writeln!(text, "{:>16}  {}", fact.name, fact.value)?;
    }
    for caution in &summary.cautions {
        writeln!(text, "{:>16}  {caution}", "note")?;
    }
    for headline in &summary.headlines {
        writeln!(text, "{:>16}  {}", "in short", headline.text)?;
    }
    for pattern in summary.patterns.iter().filter(|pattern| !pattern.lines.is_empty()) {
        writeln!(text, "\n{}: {}", pattern.name, pattern.about)?;
        for line in table(pattern).to_string().lines() {
            writeln!(text, "  {}", line.trim_end())?;
        }
    }
    remarks(summary, text)?;
    let missing: Vec<_> = summary.missing().collect();
    if !missing.is_empty() {
        writeln!(text, "\nnot measured:")?;
        for case in missing.iter().take(MISSING_SHOWN) {
            writeln!(text, "  {}: {}: {}", case.status, case.id, case.reason)?;
        }
        if let Some(more) = missing.len().checked_sub(MISSING_SHOWN).filter(|more| *more > 0) {
            writeln!(text, "  and {more} more, each with its reason in cases.csv")?;
        }
    }
    Ok(())
}

/// Advice and findings.
fn remarks(summary: &Summary, text: &mut String) -> std::fmt::Result {
    if !summary.advice.is_empty() {
        writeln!(text, "\nchanges, from the cheapest to the dearest:")?;
    }
    for line in &summary.advice {
        writeln!(text, "  {} ({}): {}", line.fix.title(), line.verdict.name(), line.text)?;
    }
    if !summary.findings.is_empty() {
        writeln!(text, "\nwhat the curves say of the hardware:")?;
    }
    for finding in &summary.findings {
        let confidence = finding.confidence.map(|word| format!(" ({} confidence)", word.name()));
        let confidence = confidence.unwrap_or_default();
        writeln!(text, "  {}: {}{confidence}: {}", finding.what, finding.value, finding.evidence)?;
    }
    Ok(())
}

/// The columns for which a terminal has room.
fn table(pattern: &PatternSummary) -> Table {
    let shown = |column: &Column| !column.detail;
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(pattern.columns.iter().filter(|column| shown(column)).map(|column| column.heading));
    for line in &pattern.lines {
        let cells = line.cells.iter().zip(&pattern.columns).filter(|(_, column)| shown(column));
        table.add_row(cells.map(|(cell, _)| cell.text.as_str()));
    }
    for (index, column) in pattern.columns.iter().filter(|column| shown(column)).enumerate() {
        if let (true, Some(column)) = (column.numeric, table.column_mut(index)) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}
