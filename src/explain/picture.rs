//! A request drawn with letters: which bytes of which lines, or which banks, the lanes touch.
//!
//! A row of the picture is a cache line, or one row of all banks; a cell between bars is a sector; a letter
//! is a word of 4 bytes, or of a bank's width.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::model::Machine;
use crate::predict::TracedRequest;

/// Rows before the picture is cut.
const MOST_ROWS: usize = 8;
/// Rows shown of a picture that is cut, beside the last.
const FIRST_ROWS: usize = 5;
/// Bytes of a letter in memory.
const WORD: u64 = 4;
/// Banks between two bars.
const BANKS_PER_CELL: u64 = 8;

/// The key to the letters of a picture of memory.
pub const MEMORY_KEY: &str =
    "a row is a cache line, a cell a sector, a letter 4 bytes: # asked for, . fetched beside it";
/// The key to the letters of a picture of workgroup memory.
pub const BANKS_KEY: &str = "a row is one word of every bank, a column is a bank: # asked for";

/// Which lanes touch a row, and which letters of it.
#[derive(Debug, Default)]
struct Touched {
    lanes: Vec<u32>,
    letters: Vec<u64>,
}

/// The picture of a request, a line for each row of memory, without a line break at the end.
pub fn draw(request: &TracedRequest, machine: &Machine) -> String {
    let in_banks = request.banks.is_some();
    let (letter, row, cell) = if in_banks {
        let bank = u64::from(machine.bank_bytes.value);
        (bank, bank * u64::from(machine.banks.value), bank * BANKS_PER_CELL)
    } else {
        (WORD, u64::from(machine.line_bytes.value), u64::from(machine.sector_bytes.value))
    };
    let rows: Vec<(u64, Touched)> = touched(request, letter, row).into_iter().collect();
    let mut picture = String::new();
    let shown = if rows.len() > MOST_ROWS { FIRST_ROWS } else { rows.len() };
    let labels: Vec<String> = rows.iter().map(|(_, touched)| lanes(&touched.lanes)).collect();
    let drawn = |i: usize| i < shown || i + 1 == rows.len();
    let width = labels.iter().enumerate().filter(|(i, _)| drawn(*i)).map(|(_, l)| l.len()).max().unwrap_or(0);
    for (i, ((index, touched), label)) in rows.iter().zip(&labels).enumerate().filter(|(i, _)| drawn(*i)) {
        if i > shown {
            let _ = writeln!(picture, "{:width$}  ... {} more rows", "", rows.len() - shown - 1);
        }
        let cells = cells(&touched.letters, letter, row, cell, !in_banks);
        let _ = writeln!(picture, "{label:width$}  byte {:>8}  {cells}", index * row);
    }
    picture.truncate(picture.trim_end().len());
    picture
}

/// What the lanes of a request touch, by row.
fn touched(request: &TracedRequest, letter: u64, row: u64) -> BTreeMap<u64, Touched> {
    let mut rows: BTreeMap<u64, Touched> = BTreeMap::new();
    for (&lane, &address) in request.lanes.iter().zip(&request.addresses) {
        let mut at = address / letter * letter;
        while at < address + u64::from(request.bytes) {
            let touched = rows.entry(at / row).or_default();
            if touched.lanes.last() != Some(&lane) {
                touched.lanes.push(lane);
            }
            touched.letters.push(at % row / letter);
            at += letter;
        }
    }
    rows
}

/// A row of letters; what a touched cell holds beside the touched letters is `.` where `fetches_cells`.
fn cells(touched: &[u64], letter: u64, row: u64, cell: u64, fetches_cells: bool) -> String {
    let per_cell = (cell / letter).max(1);
    let mut text = String::from("|");
    for i in 0..row / letter {
        let fetched = touched.iter().any(|t| t / per_cell == i / per_cell);
        text.push(match (touched.contains(&i), fetched && fetches_cells) {
            (true, _) => '#',
            (false, true) => '.',
            (false, false) => ' ',
        });
        if (i + 1) % per_cell == 0 || i + 1 == row / letter {
            text.push('|');
        }
    }
    text
}

/// Ascending lanes in short: `lanes 0-7`, `lanes 0-28 by 4`, `lanes 1 5 6`, or how many.
fn lanes(list: &[u32]) -> String {
    let steps: Vec<u32> = list.windows(2).map(|pair| pair[1].wrapping_sub(pair[0])).collect();
    match (list, steps.first()) {
        ([one], _) => format!("lane  {one}"),
        ([first, .., last], Some(1)) if steps.iter().all(|step| *step == 1) => {
            format!("lanes {first}-{last}")
        }
        ([first, .., last], Some(by)) if list.len() > 3 && steps.iter().all(|step| step == by) => {
            format!("lanes {first}-{last} by {by}")
        }
        _ if list.len() <= 4 => {
            format!("lanes {}", list.iter().map(u32::to_string).collect::<Vec<_>>().join(" "))
        }
        _ => format!("{} lanes", list.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::count::{BankCount, MemoryCount};

    fn request(addresses: Vec<u64>, bytes: u32, banks: bool) -> TracedRequest {
        TracedRequest {
            access: 0,
            subgroup: 0,
            lanes: (0..addresses.len() as u32).collect(),
            addresses,
            bytes,
            memory: (!banks).then(MemoryCount::default),
            banks: banks.then(BankCount::default),
        }
    }

    fn drawn(addresses: impl Iterator<Item = u64>, bytes: u32, banks: bool) -> String {
        draw(&request(addresses.collect(), bytes, banks), &Machine::preset("nvidia").unwrap())
    }

    #[test]
    fn a_slice_that_starts_one_word_off_needs_a_fifth_sector() {
        assert_eq!(
            drawn((0..32).map(|lane| 4 + 4 * lane), 4, false),
            "lanes 0-30  byte        0  |.#######|########|########|########|\n\
             lane  31    byte      128  |#.......|        |        |        |"
        );
    }

    #[test]
    fn a_column_falls_on_one_bank_and_is_cut() {
        let text = drawn((0..32).map(|lane| 128 * lane), 4, true);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), FIRST_ROWS + 2);
        assert_eq!(lines[0], "lane  0   byte        0  |#       |        |        |        |");
        assert_eq!(lines[5].trim(), "... 26 more rows");
        assert_eq!(lines[6], "lane  31  byte     3968  |#       |        |        |        |");
    }

    #[test]
    fn wide_accesses_fill_several_letters_and_lines() {
        assert_eq!(
            drawn([120].into_iter(), 16, false),
            "lane  0  byte        0  |        |        |        |......##|\n\
             lane  0  byte      128  |##......|        |        |        |"
        );
    }

    #[test]
    fn lanes_are_told_in_short() {
        assert_eq!(lanes(&[3]), "lane  3");
        assert_eq!(lanes(&[0, 1]), "lanes 0-1");
        assert_eq!(lanes(&[0, 8, 16, 24]), "lanes 0-24 by 8");
        assert_eq!(lanes(&[0, 3, 4]), "lanes 0 3 4");
        assert_eq!(lanes(&[0, 3, 4, 9, 11]), "5 lanes");
    }

    #[test]
    fn no_lanes_draw_nothing() {
        assert_eq!(drawn(std::iter::empty(), 4, false), "");
    }
}
