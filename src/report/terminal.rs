//! The summary as a terminal shows it.

mod table;

use std::fmt::Write;

use super::{Report, Summary};
use table::{Names, table};

/// Reasons shown in full before the rest is counted.
const MISSING_SHOWN: usize = 12;

/// What stands before each line of a table.
const INDENT: &str = "  ";

/// The room that a text has, in columns of characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Where sentences are wrapped.
    pub sentences: usize,
    /// The widest line of a table; absent where every line may be as wide as its cells.
    pub table: Option<usize>,
}

impl Room {
    /// A file or a pipe: tables lose nothing, so that they can be searched.
    pub const FILE: Room = Room { sentences: 100, table: None };

    /// A terminal of that width; sentences stay within what is pleasant to read.
    pub fn terminal(width: usize) -> Room {
        Room { sentences: width.clamp(40, 120), table: Some(width.max(40)) }
    }
}

/// The summary as text without colour.
pub fn render(summary: &Summary, room: Room) -> String {
    let mut text = String::new();
    // Writing to a string can't fail.
    let _ = write(summary, room, &mut text);
    text.trim_end().to_owned()
}

/// The runs that are left out and why; empty where all could be read.
pub fn unreadable(report: &Report, room: Room) -> String {
    let Some(heading) = report.left_out() else { return String::new() };
    let errors: String = report.unreadable.iter().map(|error| item(error, room.sentences) + "\n").collect();
    format!("{heading}:\n{errors}")
}

/// A text under a name at the left; its further lines stand below its first one.
fn entry(name: &str, value: &str, columns: usize) -> String {
    wrapped(&format!("{name:>16}  "), value, &" ".repeat(18), columns)
}

/// A text in a list; its further lines are set in.
fn item(value: &str, columns: usize) -> String {
    wrapped("  ", value, "      ", columns)
}

/// A text whose first line starts with one text and whose further lines with another. Words longer than a
/// line, such as case ids, stay whole, so that they can be copied.
fn wrapped(first: &str, value: &str, further: &str, columns: usize) -> String {
    let options = textwrap::Options::new(columns)
        .initial_indent(first)
        .subsequent_indent(further)
        .break_words(false)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::fill(value, options)
}

fn write(summary: &Summary, room: Room, text: &mut String) -> std::fmt::Result {
    let columns = room.sentences;
    for fact in &summary.facts {
        writeln!(text, "{}", entry(fact.name, &fact.value, columns))?;
    }
    for caution in &summary.cautions {
        writeln!(text, "{}", entry("note", caution, columns))?;
    }
    for headline in &summary.headlines {
        writeln!(text, "{}", entry("in short", &headline.text, columns))?;
    }
    for pattern in summary.patterns.iter().filter(|pattern| !pattern.lines.is_empty()) {
        let title = format!("{}: {}", pattern.name, pattern.about);
        writeln!(text, "\n{}", wrapped("", &title, "  ", columns))?;
        let names = Names::of(pattern, room.table);
        if !names.shared.is_empty() {
            writeln!(
                text,
                "{}",
                wrapped(INDENT, &format!("every case: {}", names.shared), "      ", columns)
            )?;
        }
        for line in table(pattern, &names.own, room.table).lines() {
            writeln!(text, "{INDENT}{}", line.trim_end())?;
        }
    }
    remarks(summary, columns, text)?;
    let missing: Vec<_> = summary.missing().collect();
    if !missing.is_empty() {
        writeln!(text, "\nnot measured:")?;
        for case in missing.iter().take(MISSING_SHOWN) {
            let case = format!("{}: {}: {}", case.status, case.id, case.reason);
            writeln!(text, "{}", item(&case, columns))?;
        }
        if let Some(more) = missing.len().checked_sub(MISSING_SHOWN).filter(|more| *more > 0) {
            writeln!(text, "  and {more} more, each with its reason in cases.csv")?;
        }
    }
    Ok(())
}

/// Advice and findings.
fn remarks(summary: &Summary, columns: usize, text: &mut String) -> std::fmt::Result {
    if !summary.advice.is_empty() {
        writeln!(text, "\nchanges, from the cheapest to the dearest:")?;
    }
    for line in &summary.advice {
        let line = format!("{} ({}): {}", line.fix.title(), line.verdict.name(), line.text);
        writeln!(text, "{}", item(&line, columns))?;
    }
    if !summary.findings.is_empty() {
        writeln!(text, "\nwhat the curves say of the hardware:")?;
    }
    for finding in &summary.findings {
        let confidence = finding.confidence.map(|word| format!(" ({} confidence)", word.name()));
        let confidence = confidence.unwrap_or_default();
        let line = format!("{}: {}{confidence}: {}", finding.what, finding.value, finding.evidence);
        writeln!(text, "{}", item(&line, columns))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Depth;
    use crate::report::{Run, synthetic};

    #[test]
    fn sentences_are_wrapped_below_their_start() {
        let mut run = synthetic::run("device", "discrete", Depth::Quick);
        run.info.command = "stridemark run --filter '*stride*' ".repeat(6);
        let summary = Summary::new(&run);
        for columns in [70, 100] {
            let text = render(&summary, Room::terminal(columns));
            let (sentences, _) = text.split_once("\n\n").unwrap();
            assert!(sentences.lines().all(|line| line.chars().count() <= columns), "{sentences}");
            let command = sentences.lines().skip_while(|line| !line.contains("command  ")).nth(1).unwrap();
            assert_eq!(command.find(|c| c != ' '), Some(18), "{sentences}");
        }
    }

    #[test]
    fn on_a_terminal_what_all_cases_share_is_said_once() {
        let mut run = synthetic::run("device", "discrete", Depth::Quick);
        run.rows.retain(|row| row.pattern == "stride");
        let text = |run: &Run, room| render(&Summary::new(run), room);
        let narrow = text(&run, Room::terminal(80));
        assert!(narrow.contains("\n  every case: read u32\n") && narrow.contains("\n   4 KiB  "), "{narrow}");
        let whole = |text: &str| !text.contains("every case") && text.contains("\n   read u32 4 B  ");
        assert!(whole(&text(&run, Room::FILE)), "a file can be searched for the whole name");
        run.rows.truncate(1);
        assert!(whole(&text(&run, Room::terminal(80))), "a case alone shares nothing");
    }

    #[test]
    fn a_word_longer_than_a_line_stays_whole() {
        let id = "stride/op=read/type=u32/stride_bytes=64";
        assert_eq!(item(&format!("failed: {id}: lost"), 20), format!("  failed:\n      {id}:\n      lost"));
    }
}
