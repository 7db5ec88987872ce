//! The table of a pattern, in as many columns as a terminal has.

use comfy_table::{CellAlignment, ColumnConstraint, Table, Width, presets};
use textwrap::core::display_width;

use super::INDENT;
use crate::report::CaseKey;
use crate::report::table::PatternSummary;

/// What stands between two columns of a table: one character at either side of each cell.
const PADDING: usize = 2;

/// Headings of the columns that are left out where room is short, the least needed first.
const LEAST_NEEDED: [&str; 6] = ["ratio", "predicted", "bound", "of roof", "± 95 %", "flags"];

/// The names of a pattern's cases. Where room is short, each line has what tells its case apart, and what they
/// share is said once.
pub(super) struct Names {
    pub(super) own: Vec<String>,
    pub(super) shared: String,
}

impl Names {
    pub(super) fn of(pattern: &PatternSummary, room: Option<usize>) -> Names {
        let keys: Vec<CaseKey> = pattern.lines.iter().map(|line| CaseKey::parse(&line.id)).collect();
        let (Some(_), [first, _, ..]) = (room, &keys[..]) else {
            return Names { own: keys.iter().map(CaseKey::short).collect(), shared: String::new() };
        };
        let shared = |axis: &str| keys.iter().all(|key| key.value(axis) == first.value(axis));
        Names {
            own: keys.iter().map(|key| key.words(|axis| !shared(axis))).collect(),
            shared: first.words(shared),
        }
    }
}

/// The table of a pattern, with the columns for which there is room. Names and flags go on in further lines
/// where they must.
pub(super) fn table(pattern: &PatternSummary, names: &[String], room: Option<usize>) -> Table {
    let columns = fitting(pattern, names, room);
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(columns.iter().map(|column| column.heading));
    for line in 0..pattern.lines.len() {
        table.add_row(columns.iter().map(|column| column.texts[line]));
    }
    for (column, shown) in table.column_iter_mut().zip(&columns) {
        if shown.numeric {
            column.set_cell_alignment(CellAlignment::Right);
        }
        let width = (shown.width + PADDING).try_into().unwrap_or(u16::MAX);
        column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
    }
    table
}

/// The columns that a table shows: no details, and of the others as many as the room holds.
fn fitting<'a>(pattern: &'a PatternSummary, names: &'a [String], room: Option<usize>) -> Vec<Shown<'a>> {
    let texts = |index: usize| -> Vec<&'a str> {
        match index {
            0 => names.iter().map(String::as_str).collect(),
            _ => pattern.lines.iter().map(|line| line.cells[index].text.as_str()).collect(),
        }
    };
    let columns = pattern.columns.iter().enumerate().filter(|(_, column)| !column.detail);
    let mut shown: Vec<Shown<'_>> =
        columns.map(|(index, column)| Shown::new(column.heading, column.numeric, texts(index))).collect();
    let Some(room) = room else { return shown };
    shown.iter_mut().for_each(|column| column.wrap(room));
    let spare = |shown: &[Shown<'_>]| {
        let taken = shown.iter().map(|column| column.width + PADDING).sum::<usize>();
        room.checked_sub(INDENT.len() + taken)
    };
    let mut least_needed = LEAST_NEEDED.iter();
    while spare(&shown).is_none() {
        let Some(heading) = least_needed.next() else { break };
        shown.retain(|column| column.heading != *heading);
    }
    let mut spare = spare(&shown).unwrap_or(0);
    for column in shown.iter_mut().rev() {
        let more = spare.min(column.widest - column.width);
        (column.width, spare) = (column.width + more, spare - more);
    }
    shown
}

/// A column as it is shown.
struct Shown<'a> {
    heading: &'static str,
    numeric: bool,
    texts: Vec<&'a str>,
    /// Characters of its widest text.
    widest: usize,
    /// Characters that it takes.
    width: usize,
}

impl<'a> Shown<'a> {
    fn new(heading: &'static str, numeric: bool, texts: Vec<&'a str>) -> Shown<'a> {
        let widest = texts.iter().copied().chain([heading]).map(display_width).max().unwrap_or(0);
        Shown { heading, numeric, texts, widest, width: widest }
    }

    /// Takes the least that it needs: a number stays on one line, no word is cut, and a name gets so much of
    /// the room that it seldom takes more than two lines.
    fn wrap(&mut self, room: usize) {
        if !self.numeric {
            let name = if self.heading == "flags" { 0 } else { self.widest.min(room * 3 / 8) };
            let words = self.texts.iter().copied().chain([self.heading]).flat_map(str::split_whitespace);
            self.width = words.map(display_width).fold(name, usize::max);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Depth;
    use crate::record::Flag;
    use crate::report::{Summary, synthetic};

    #[test]
    fn tables_fit_the_terminal_and_lose_their_least_needed_columns_first() {
        let mut run = synthetic::run("device", "discrete", Depth::Full);
        for row in &mut run.rows {
            row.flags = row.flags.iter().chain([Flag::CacheResident, Flag::Imprecise]).collect();
        }
        for pattern in &Summary::new(&run).patterns {
            let Names { own, shared } = Names::of(pattern, Some(80));
            let headings = |room: Option<usize>| -> Vec<&str> {
                fitting(pattern, &own, room).iter().map(|column| column.heading).collect()
            };
            for room in [60, 80, 120] {
                let text = table(pattern, &own, Some(room)).to_string();
                let widest = text.lines().map(|line| display_width(line.trim_end())).max();
                assert!(widest <= Some(room - INDENT.len()), "{} at {room}:\n{text}", pattern.name);
                for word in own.iter().flat_map(|name| name.split_whitespace()) {
                    assert!(text.contains(word), "{} at {room} cuts {word}:\n{text}", pattern.name);
                }
            }
            let [narrow, usual, wide] = [60, 80, 120].map(|room| headings(Some(room)));
            assert!(["case", "GB/s", "± 95 %", "flags"].iter().all(|heading| narrow.contains(heading)));
            assert!(narrow.len() < usual.len() && usual.len() <= wide.len(), "{narrow:?} {usual:?}");
            assert_eq!(wide, headings(None), "{}", pattern.name);
            assert!(!own.iter().any(String::is_empty), "{}: {shared}", pattern.name);
        }
    }

    #[test]
    fn the_columns_left_out_first_are_columns_of_the_table() {
        let pattern = &Summary::new(&synthetic::run("device", "discrete", Depth::Quick)).patterns[0];
        for heading in LEAST_NEEDED {
            let known = || pattern.columns.iter().any(|column| column.heading == heading && !column.detail);
            assert!(heading == "flags" || known(), "{heading}");
        }
    }
}
