//! A comparison on the terminal.

use std::fmt::Write;

use comfy_table::{CellAlignment, Table, presets};

use crate::compare::{Comparison, Verdict};
use crate::units;

use super::{HEADINGS, SIDE_BY_SIDE, cells, legend, rows, short, tally};

/// The comparisons as text without colour. Cases that are the same are counted, not listed. `unread` says of
/// each run that can't be read why.
pub fn render(comparisons: &[Comparison], unread: &[String]) -> String {
    let mut text: String = unread.iter().map(|error| format!("not read: {error}\n")).collect();
    // Writing to a string can't fail.
    let _ = match comparisons {
        [comparison] => pair(comparison, &mut text),
        _ if comparisons.len() <= SIDE_BY_SIDE => side_by_side(comparisons, &mut text),
        _ => summaries(comparisons, &mut text),
    };
    text.trim_end().to_owned()
}

fn pair(comparison: &Comparison, text: &mut String) -> std::fmt::Result {
    writeln!(text, "base  {}\nnew   {}", comparison.base, comparison.new)?;
    for note in &comparison.notes {
        writeln!(text, "note  {note}")?;
    }
    writeln!(text, "{}", legend(comparison.basis))?;
    for pattern in &comparison.patterns {
        let cases = || comparison.cases.iter().filter(|case| case.pattern == pattern.pattern);
        let mean = units::or_absent(pattern.geometric_mean.map(units::ratio));
        writeln!(text, "\n{}: geometric mean {mean}", pattern.pattern)?;
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_header(HEADINGS);
        let listed = cases().filter(|case| case.verdict != Verdict::Same);
        for case in listed.clone() {
            table.add_row(cells(comparison, case));
        }
        if listed.count() > 0 {
            write_table(&mut table, 1..=4, text)?;
        }
        let same = cases().filter(|case| case.verdict == Verdict::Same).count();
        if same > 0 {
            writeln!(text, "   {same} same")?;
        }
    }
    writeln!(text, "\n{}", tally(comparison))
}

fn side_by_side(comparisons: &[Comparison], text: &mut String) -> std::fmt::Result {
    let Some(first) = comparisons.first() else { return writeln!(text, "nothing to compare") };
    heading(comparisons, text)?;
    let mut header = vec!["case".to_owned(), "base".to_owned()];
    header.extend((1..=comparisons.len()).map(|number| format!("new {number}")));
    for pattern in &first.patterns {
        writeln!(text, "\n{}", pattern.pattern)?;
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_header(header.clone());
        for (case, others) in rows(comparisons).iter().filter(|(case, _)| case.pattern == pattern.pattern) {
            let mut row = vec![case.case.clone(), cells(first, case)[1].clone()];
            row.extend(others.iter().map(|other| short(*other)));
            table.add_row(row);
        }
        write_table(&mut table, 1..=comparisons.len() + 1, text)?;
    }
    writeln!(text)?;
    tallies(comparisons, text)
}

fn summaries(comparisons: &[Comparison], text: &mut String) -> std::fmt::Result {
    heading(comparisons, text)?;
    writeln!(text)?;
    tallies(comparisons, text)
}

fn heading(comparisons: &[Comparison], text: &mut String) -> std::fmt::Result {
    let Some(first) = comparisons.first() else { return Ok(()) };
    writeln!(text, "base   {}", first.base)?;
    for (index, comparison) in comparisons.iter().enumerate() {
        writeln!(text, "new {}  {}", index + 1, comparison.new)?;
        for note in &comparison.notes {
            writeln!(text, "       note: {note}")?;
        }
    }
    writeln!(text, "{}", legend(first.basis))
}

fn tallies(comparisons: &[Comparison], text: &mut String) -> std::fmt::Result {
    for (index, comparison) in comparisons.iter().enumerate() {
        let mean = units::or_absent(comparison.geometric_mean().map(units::ratio));
        writeln!(text, "new {}: geometric mean {mean}; {}", index + 1, tally(comparison))?;
    }
    Ok(())
}

fn write_table(
    table: &mut Table,
    figures: std::ops::RangeInclusive<usize>,
    text: &mut String,
) -> std::fmt::Result {
    for index in figures {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for line in table.to_string().lines() {
        writeln!(text, "  {}", line.trim_end())?;
    }
    Ok(())
}
