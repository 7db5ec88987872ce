//! An explanation for people: prose, pictures, table.

use std::fmt::Write;

use comfy_table::{CellAlignment, Table, presets};

use crate::model::{Counts, Space};

use super::picture::{self, BANKS_KEY, MEMORY_KEY};
use super::{Drawing, Explanation, Row, verb};

/// Columns of prose.
const WIDTH: usize = 100;

/// The explanation as text of about 100 columns, without colour.
pub fn render(explanation: &Explanation) -> String {
    let mut text = String::new();
    // Writing to a string can't fail.
    let _ = write(explanation, &mut text);
    text.trim_end().to_owned()
}

fn write(explanation: &Explanation, text: &mut String) -> std::fmt::Result {
    let Explanation { pattern, machine, rows, drawings } = explanation;
    writeln!(text, "{}: {}\n", pattern.name, pattern.summary)?;
    writeln!(text, "{}\n", wrap(pattern.why, WIDTH))?;
    writeln!(
        text,
        "Counted on `{}`: subgroups of {} lanes, sectors of {} bytes, lines of {} bytes, {} banks of {} bytes.",
        machine.name,
        machine.subgroup_size.value,
        machine.sector_bytes.value,
        machine.line_bytes.value,
        machine.banks.value,
        machine.bank_bytes.value
    )?;
    let mut case = None;
    for drawing in drawings {
        if case != Some(&drawing.case) {
            writeln!(text, "\n{}", drawing.case)?;
            case = Some(&drawing.case);
        }
        writeln!(text, "  {}", caption(drawing, machine.sector_bytes.value))?;
        for line in picture::draw(&drawing.request, machine).lines() {
            writeln!(text, "    {}", line.trim_end())?;
        }
    }
    for (key, of) in [(MEMORY_KEY, false), (BANKS_KEY, true)] {
        if drawings.iter().any(|drawing| drawing.request.banks.is_some() == of) {
            writeln!(text, "{}  ({key})", if of { "" } else { "\n" })?;
        }
    }
    write_table(explanation, text)?;
    if let Some((done, of)) = rows.iter().map(|row| row.workgroups).max() {
        writeln!(
            text,
            "\nMeans over the requests of up to {done} workgroups (the largest grid has {of}), spread over the \
             grid."
        )?;
    }
    writeln!(text, "Measure it: stridemark --filter '{}/*'", pattern.name)
}

/// What a picture shows, in a line.
fn caption(drawing: &Drawing, sector_bytes: u32) -> String {
    let Drawing { access, request, .. } = drawing;
    let mut text = format!(
        "{} {}: {} lanes of {} bytes",
        verb(access.op),
        access.variable,
        request.lanes.len(),
        request.bytes
    );
    if let Some(count) = request.memory {
        let at_best = match count.ideal_sectors {
            ideal if ideal < count.sectors => format!("where {ideal} would do"),
            _ => "and could do with no fewer".to_owned(),
        };
        let _ = write!(
            text,
            " touch {} of {sector_bytes} bytes {at_best}, in {}",
            plural(count.sectors, "sector", "sectors"),
            plural(count.lines, "line", "lines")
        );
    }
    if let Some(count) = request.banks {
        let _ = match count.degree {
            0 | 1 => write!(text, " touch no bank twice: {}", plural(count.passes, "pass", "passes")),
            degree => write!(
                text,
                ", a {degree}-way conflict: {} where {} would do",
                plural(count.passes, "pass", "passes"),
                count.ideal_passes
            ),
        };
    }
    text
}

fn plural(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// The columns after those of the axes.
const HEADINGS: [&str; 7] = [
    "access",
    "sectors per request",
    "at best",
    "excess",
    "lines per request",
    "bank conflict",
    "passes per request",
];

fn write_table(explanation: &Explanation, text: &mut String) -> std::fmt::Result {
    let axes = explanation.varying_axes();
    let names = axes.iter().map(|axis| explanation.pattern.axes[*axis].name);
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let in_memory = explanation.rows.iter().any(|row| row.access.space != Space::Workgroup);
    let in_banks = explanation.rows.iter().any(|row| row.access.space == Space::Workgroup);
    let wanted = |column: &usize| match column {
        0 => true,
        1..=4 => in_memory,
        _ => in_banks,
    };
    let columns: Vec<usize> = (0..HEADINGS.len()).filter(wanted).collect();
    table.set_header(names.chain(columns.iter().map(|column| HEADINGS[*column])));
    for row in &explanation.rows {
        let values = axes.iter().map(|axis| row.case.values[*axis].to_string());
        let cells = cells(row);
        table.add_row(values.chain(columns.iter().map(|column| cells[*column].clone())));
    }
    for index in axes.len() + 1..axes.len() + columns.len() {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    writeln!(text)?;
    for line in table.to_string().lines() {
        writeln!(text, "{}", line.trim_end())?;
    }
    Ok(())
}

fn cells(row: &Row) -> [String; HEADINGS.len()] {
    let Row { access, counts, .. } = row;
    let per_request = |count: u64| number(count as f64 / counts.requests.max(1) as f64);
    let blank = String::new;
    let access_cell = format!("{} {}", verb(access.op), access.variable);
    if access.space == Space::Workgroup {
        let degree = match counts.conflict_degree {
            0 | 1 => "none".to_owned(),
            degree => format!("{degree}-way"),
        };
        return [access_cell, blank(), blank(), blank(), blank(), degree, per_request(counts.passes)];
    }
    [
        access_cell,
        per_request(counts.sectors),
        per_request(counts.ideal_sectors),
        excess(counts),
        per_request(counts.lines),
        blank(),
        blank(),
    ]
}

/// The excess as a factor, and as a share where it is below 2: `1.25x (+25 %)`.
fn excess(counts: &Counts) -> String {
    match counts.excess() {
        None => String::new(),
        Some(factor) if factor > 1.005 && factor < 1.995 => {
            format!("{}x (+{} %)", number(factor), number((factor - 1.0) * 100.0))
        }
        Some(factor) => format!("{}x", number(factor)),
    }
}

/// At most two decimals, none where they are zero.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Breaks a paragraph between words.
fn wrap(paragraph: &str, width: usize) -> String {
    let mut text = String::new();
    let mut column = 0;
    for word in paragraph.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > width {
            text.push('\n');
            column = 0;
        } else if column > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text
}
