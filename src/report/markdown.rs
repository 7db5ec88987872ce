//! The summary as Markdown: `summary.md` of a run directory.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use super::text::{escaped, printable};
use super::{Report, Summary};

/// The summary as Markdown. `command` made it; `charts` are files relative to it.
pub fn render(summary: &Summary, command: &str, charts: &[String]) -> String {
    let mut text = String::new();
    // Writing to a string can't fail.
    let _ = write(summary, command, charts, &mut text);
    text
}

fn write(summary: &Summary, command: &str, charts: &[String], text: &mut String) -> std::fmt::Result {
    writeln!(text, "# {}\n", escaped(&summary.name))?;
    writeln!(text, "Made by `{}`.\n", command.replace('`', "'"))?;
    for fact in &summary.facts {
        writeln!(text, "- {}: {}", fact.name, escaped(&fact.value))?;
    }
    for caution in &summary.cautions {
        writeln!(text, "- **note**: {}", escaped(caution))?;
    }
    for headline in &summary.headlines {
        writeln!(text, "- **in short**: {}", escaped(&headline.text))?;
    }
    remarks(summary, text)?;
    for pattern in &summary.patterns {
        writeln!(text, "\n## {}\n\n{}\n", escaped(&pattern.name), escaped(pattern.about))?;
        for chart in charts.iter().filter(|chart| belongs(chart, &pattern.name)) {
            writeln!(text, "![{}]({chart})\n", escaped(&pattern.name))?;
        }
        for note in &pattern.notes {
            writeln!(text, "- {}", escaped(note))?;
        }
        if pattern.lines.is_empty() {
            continue;
        }
        let headings: Vec<&str> = pattern.columns.iter().map(|column| column.heading).collect();
        let rules: Vec<&str> =
            pattern.columns.iter().map(|column| if column.numeric { "--:" } else { "---" }).collect();
        writeln!(text, "\n| {} |\n|{}|", headings.join(" | "), rules.join("|"))?;
        for line in &pattern.lines {
            let cells: Vec<String> = line.cells.iter().map(|cell| escaped(&cell.text)).collect();
            writeln!(text, "| {} |", cells.join(" | "))?;
        }
    }
    if summary.missing().next().is_some() {
        writeln!(text, "\n## Not measured\n")?;
        for case in summary.missing() {
            writeln!(text, "- {}: `{}`: {}", case.status, case.id, escaped(&case.reason))?;
        }
    }
    Ok(())
}

/// The most cases that stand in the line of what rests on them; more are folded away below it.
const INLINE_CASES: usize = 2;

/// The cases that a line of a list rests on.
fn cases(cases: &[String]) -> String {
    if cases.is_empty() {
        return String::new();
    }
    if cases.len() <= INLINE_CASES {
        let quoted: Vec<String> = cases.iter().map(|case| format!("`{}`", printable(case))).collect();
        return format!(" ({})", quoted.join(", "));
    }
    let rows: Vec<String> = cases.iter().map(|case| format!("<code>{}</code>", escaped(case))).collect();
    format!("\n   <details><summary>{} cases</summary>{}</details>", cases.len(), rows.join("<br>"))
}

/// Advice and findings, each with its cases.
fn remarks(summary: &Summary, text: &mut String) -> std::fmt::Result {
    if !summary.advice.is_empty() {
        writeln!(text, "\n## Changes, from the cheapest to the dearest\n")?;
    }
    for line in &summary.advice {
        let (fix, verdict) = (line.fix.title(), line.verdict.name());
        writeln!(text, "1. **{fix}** ({verdict}): {}{}", escaped(&line.text), cases(&line.cases))?;
    }
    if !summary.findings.is_empty() {
        writeln!(text, "\n## What the curves say of the hardware\n")?;
    }
    for finding in &summary.findings {
        let confidence = finding.confidence.map(|word| format!(" ({} confidence)", word.name()));
        writeln!(
            text,
            "- **{}: {}**{}: {}{}",
            finding.what,
            escaped(&finding.value),
            confidence.unwrap_or_default(),
            escaped(&finding.evidence),
            cases(&finding.cases)
        )?;
    }
    Ok(())
}

/// The runs that are left out and why; empty where all could be read.
pub fn unreadable(report: &Report) -> String {
    let Some(heading) = report.left_out() else { return String::new() };
    let errors: String = report.unreadable.iter().map(|error| format!("> - {}\n", escaped(error))).collect();
    format!("> **{heading}:**\n>\n{errors}")
}

/// The SVG files among charts, as links from a folder that they lie below.
pub fn pictures(charts: &[PathBuf], folder: &Path) -> Vec<String> {
    charts
        .iter()
        .filter(|file| file.extension().is_some_and(|extension| extension == "svg"))
        .filter_map(|file| Some(file.strip_prefix(folder).ok()?.to_string_lossy().replace('\\', "/")))
        .collect()
}

/// Whether a chart file is one of a pattern: its stem is the pattern's name, alone or followed by values.
fn belongs(chart: &str, pattern: &str) -> bool {
    let stem = chart.rsplit('/').next().unwrap_or(chart);
    stem.strip_prefix(pattern).is_some_and(|rest| rest.starts_with('.') || rest.starts_with('-'))
}
