//! The summary as Markdown: `summary.md` of a run directory.

use std::fmt::Write;

use super::summary::{HEADINGS, Summary};
use super::text::escaped;

/// The summary as Markdown. `command` made it; `charts` are files relative to it.
pub fn render(summary: &Summary, command: &str, charts: &[String]) -> String {
    let mut text = String::new();
    // Writing to a string can't fail.
    let _ = write(summary, command, charts, &mut text);
    text
}

fn write(summary: &Summary, command: &str, charts: &[String], text: &mut String) -> std::fmt::Result {
    writeln!(text, "# {}\n", escaped(summary.facts.first().map_or("stridemark run", |(_, device)| device)))?;
    writeln!(text, "Made by `{}`.\n", command.replace('`', "'"))?;
    for (name, value) in &summary.facts {
        writeln!(text, "- {name}: {}", escaped(value))?;
    }
    for caution in &summary.cautions {
        writeln!(text, "- **note**: {}", escaped(caution))?;
    }
    for pattern in &summary.patterns {
        writeln!(text, "\n## {}\n\n{}\n", escaped(&pattern.name), escaped(pattern.about))?;
        for chart in charts.iter().filter(|chart| belongs(chart, &pattern.name)) {
            writeln!(text, "![{}]({chart})\n", escaped(&pattern.name))?;
        }
        writeln!(text, "| {} |", HEADINGS.join(" | "))?;
        writeln!(text, "|---|--:|--:|--:|--:|---|---|")?;
        for line in &pattern.lines {
            let cells: Vec<String> = line.cells().iter().map(|cell| escaped(cell)).collect();
            writeln!(text, "| {} |", cells.join(" | "))?;
        }
    }
    if !summary.missing.is_empty() {
        writeln!(text, "\n## Not measured\n")?;
        for (case, status, reason) in &summary.missing {
            writeln!(text, "- {status}: `{case}`: {}", escaped(reason))?;
        }
    }
    Ok(())
}

/// Whether a chart file is one of a pattern: its stem is the pattern's name, alone or followed by values.
fn belongs(chart: &str, pattern: &str) -> bool {
    let stem = chart.rsplit('/').next().unwrap_or(chart);
    stem.strip_prefix(pattern).is_some_and(|rest| rest.starts_with('.') || rest.starts_with('-'))
}
