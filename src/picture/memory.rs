//! A request against a buffer: lanes on the left, the lines that they touch on the right, each cut into its
//! sectors. Bytes that a lane asked for are filled, the rest of a touched sector is hatched, sectors that
//! nobody touches are empty.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::Machine;
use crate::model::count::{self, Scratch};
use crate::units;

use super::svg::{Anchor, Canvas, Colour, Fill};
use super::{MARGIN, Panel, WIDTH, labelled};

/// Left edge of the lanes.
const LANES: f64 = 76.0;
/// Width of a lane.
const LANE_WIDTH: f64 = 22.0;
/// Left edge of the lines.
const MEMORY: f64 = 300.0;
/// Height from one line to the next.
const ROW: f64 = 18.0;
/// Least height from one lane to the next.
const LEAST_PITCH: f64 = 10.0;
/// Lines that are drawn; of more the first and the last ones are.
const MOST_ROWS: usize = 33;

/// What the colours mean.
pub(super) fn legend(canvas: &mut Canvas, y: f64, machine: &Machine) -> f64 {
    let (sector, line) = (machine.sector_bytes.value, machine.line_bytes.value);
    let items = [
        (Fill::Plain(Colour::Used), None, "bytes that a lane asks for".to_owned()),
        (Fill::Hatched, Some(Colour::Wasted), format!("fetched beside them, as sectors have {sector} bytes")),
        (
            Fill::Plain(Colour::Paper),
            Some(Colour::Grid),
            format!("not fetched; a row is a line of {line} bytes"),
        ),
    ];
    super::legend(canvas, y, &items)
}

/// A touched line: the sectors and byte ranges of it.
#[derive(Debug, Default)]
struct Row {
    sectors: BTreeSet<u64>,
    bytes: BTreeSet<(u64, u64)>,
}

/// Draws a request; returns where it ends and what it says.
pub(super) fn draw(canvas: &mut Canvas, top: f64, panel: &Panel, machine: &Machine) -> (f64, String) {
    let (sector, line) = (u64::from(machine.sector_bytes.value), u64::from(machine.line_bytes.value));
    let rows = rows(panel, sector, line);
    let shown = shown(rows.len());
    let lanes = f64::from(panel.lanes.last().map_or(0, |last| last + 1).max(1));
    let height = (shown.len() as f64 * ROW).max(lanes * LEAST_PITCH);
    let pitch = height / lanes;
    let row_pitch = height / shown.len().max(1) as f64;
    let scale = (WIDTH - MARGIN - MEMORY) / line as f64;
    let middle = |row: usize| top + (row as f64 + 0.5) * row_pitch;

    let indices: Vec<u64> = rows.keys().copied().collect();
    let place_of = |address: u64| {
        let index = indices.binary_search(&(address / line)).ok()?;
        let row = shown.iter().position(|shown| *shown == Some(index))?;
        Some([MEMORY + (address % line) as f64 * scale, middle(row)])
    };
    for (lane, address) in panel.lanes.iter().zip(&panel.addresses) {
        let y = top + (f64::from(*lane) + 0.5) * pitch;
        let thickness = (pitch - 2.0).clamp(4.0, 14.0);
        canvas.rect([LANES, y - thickness / 2.0, LANE_WIDTH, thickness], Fill::Plain(Colour::Used), None);
        if labelled(*lane, pitch) {
            let label = format!("lane {lane}");
            canvas.text(LANES - 8.0, y + 5.0, &label, Colour::Muted, Anchor::End);
        }
        if let Some(place) = place_of(*address) {
            canvas.link([LANES + LANE_WIDTH, y], place);
        }
    }
    for (position, row) in shown.iter().enumerate() {
        let y = middle(position);
        let Some(index) = row else {
            let hidden = rows.len() + 1 - shown.len();
            let text = format!("… {hidden} more lines like these …");
            canvas.text((MEMORY + WIDTH - MARGIN) / 2.0, y + 5.0, &text, Colour::Muted, Anchor::Middle);
            continue;
        };
        draw_row(canvas, y, &rows[&indices[*index]], [sector, line], scale);
        let label = format!("byte {}", indices[*index] * line);
        canvas.text(MEMORY - 10.0, y + 5.0, &label, Colour::Muted, Anchor::End);
    }
    (top + height, sentence(panel, machine))
}

fn draw_row(canvas: &mut Canvas, y: f64, row: &Row, [sector, line]: [u64; 2], scale: f64) {
    let box_at =
        |first: u64, bytes: u64| [MEMORY + first as f64 * scale, y - 6.0, bytes as f64 * scale, 12.0];
    for first in (0..line).step_by(sector as usize) {
        let touched = row.sectors.contains(&(first / sector));
        let (fill, stroke) = if touched {
            (Fill::Hatched, Colour::Wasted)
        } else {
            (Fill::Plain(Colour::Paper), Colour::Grid)
        };
        canvas.rect(box_at(first, sector), fill, Some(stroke));
    }
    for (first, end) in &row.bytes {
        let [x, y, width, height] = box_at(*first, end - first);
        canvas.rect([x + 0.2, y, width - 0.4, height], Fill::Plain(Colour::Used), None);
    }
}

/// The touched lines by their index, with what is touched of each.
fn rows(panel: &Panel, sector: u64, line: u64) -> BTreeMap<u64, Row> {
    let mut rows: BTreeMap<u64, Row> = BTreeMap::new();
    for address in &panel.addresses {
        let (mut at, end) = (*address, address.saturating_add(u64::from(panel.bytes)));
        while at < end {
            let next = (at / line + 1).saturating_mul(line).min(end);
            let row = rows.entry(at / line).or_default();
            row.bytes.insert((at % line, at % line + (next - at)));
            row.sectors.extend(at % line / sector..=(at % line + (next - at) - 1) / sector);
            at = next;
        }
    }
    rows
}

/// The rows of the picture: indices of lines, with one gap where there are too many.
fn shown(count: usize) -> Vec<Option<usize>> {
    if count <= MOST_ROWS {
        return (0..count).map(Some).collect();
    }
    let half = MOST_ROWS / 2;
    (0..half).map(Some).chain([None]).chain((count - half..count).map(Some)).collect()
}

fn sentence(panel: &Panel, machine: &Machine) -> String {
    let (sector, line) = (machine.sector_bytes.value, machine.line_bytes.value);
    let count = count::memory(&mut Scratch::default(), &panel.addresses, panel.bytes, sector, line, |_| {});
    let excess = count.sectors as f64 / count.ideal_sectors.max(1) as f64;
    format!(
        "{} for {}: {} ({}) in {}, where {} would hold it (excess {})",
        super::asking(panel.lanes.len()),
        units::bytes(count.unique_bytes),
        plural(count.sectors, "sector"),
        units::bytes(count.sectors * u64::from(sector)),
        plural(count.lines, "line"),
        count.ideal_sectors,
        units::significant(excess, 3)
    )
}

fn plural(count: u64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
