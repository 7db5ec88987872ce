//! The summary as a terminal shows it.

use std::fmt::Write;

use comfy_table::{CellAlignment, Table, presets};

use super::summary::{HEADINGS, Summary};

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
    for (name, value) in &summary.facts {
        writeln!(text, "{name:>16}  {value}")?;
    }
    for caution in &summary.cautions {
        writeln!(text, "{:>16}  {caution}", "note")?;
    }
    for pattern in &summary.patterns {
        writeln!(text, "\n{}: {}", pattern.name, pattern.about)?;
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_header(HEADINGS);
        for line in &pattern.lines {
            table.add_row(line.cells());
        }
        for index in 1..=4 {
            if let Some(column) = table.column_mut(index) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        for line in table.to_string().lines() {
            writeln!(text, "  {}", line.trim_end())?;
        }
    }
    if !summary.missing.is_empty() {
        writeln!(text, "\nnot measured:")?;
        for (case, status, reason) in summary.missing.iter().take(MISSING_SHOWN) {
            writeln!(text, "  {status}: {case}: {reason}")?;
        }
        if let Some(more) = summary.missing.len().checked_sub(MISSING_SHOWN).filter(|more| *more > 0) {
            writeln!(text, "  and {more} more, each with its reason in cases.csv")?;
        }
    }
    Ok(())
}
