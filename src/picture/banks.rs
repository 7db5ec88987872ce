//! A request against workgroup memory: the banks side by side, and on each the words that are asked of it, one
//! on the other. A stack of more than one is a conflict: the bank serves one word a pass.

use std::collections::BTreeMap;

use crate::model::count::{self, PhaseRule, Scratch};
use crate::model::{Machine, Phases};

use super::svg::{Anchor, Canvas, Colour, Fill};
use super::{LINE, MARGIN, Panel, WIDTH};

/// Height of a word.
const WORD: f64 = 17.0;
/// Least width of a bank that leaves room for a lane's number.
const ROOM_FOR_NUMBER: f64 = 20.0;

/// What the colours mean.
pub(super) fn legend(canvas: &mut Canvas, y: f64) -> f64 {
    let items = [
        (
            Fill::Plain(Colour::Paper),
            Some(Colour::Used),
            "a word, with the lane that asks for it, or how many do".to_owned(),
        ),
        (
            Fill::Hatched,
            Some(Colour::Wasted),
            "a further word of the same bank: it waits for a pass".to_owned(),
        ),
    ];
    super::legend(canvas, y, &items)
}

/// Draws a request; returns where it ends and what it says.
pub(super) fn draw(canvas: &mut Canvas, top: f64, panel: &Panel, machine: &Machine) -> (f64, String) {
    let (banks, bytes) = (machine.banks.value, machine.bank_bytes.value);
    let rule = PhaseRule::of(machine.phases.value, panel.bytes, panel.reads, banks, bytes);
    let phases = phases(panel, rule);
    let left = MARGIN + 44.0;
    let width = (WIDTH - MARGIN - left) / f64::from(banks);
    let mut y = top;
    for (index, phase) in phases.iter().enumerate() {
        let stacks = stacks(panel, phase, banks, bytes);
        let tallest = stacks.values().map(BTreeMap::len).max().unwrap_or(0).max(1);
        if phases.len() > 1 {
            let text = format!("phase {} of {}", index + 1, phases.len());
            canvas.text(left, y + LINE * 0.7, &text, Colour::Muted, Anchor::Start);
            y += LINE;
        }
        let floor = y + tallest as f64 * WORD;
        for (bank, words) in &stacks {
            for (height, lanes) in words.values().enumerate() {
                let x = left + f64::from(*bank) * width;
                let bottom = floor - height as f64 * WORD;
                let area = [x + 1.0, bottom - WORD + 1.0, width - 2.0, WORD - 2.0];
                let conflicts = height > 0;
                let (fill, stroke) = if conflicts {
                    (Fill::Hatched, Colour::Wasted)
                } else {
                    (Fill::Plain(Colour::Paper), Colour::Used)
                };
                canvas.rect(area, fill, Some(stroke));
                if width >= ROOM_FOR_NUMBER {
                    canvas.text(x + width / 2.0, bottom - 3.5, &label(lanes), Colour::Ink, Anchor::Middle);
                }
            }
        }
        canvas.link([left, floor], [WIDTH - MARGIN, floor]);
        canvas.text(MARGIN, floor + LINE * 0.8, "bank", Colour::Muted, Anchor::Start);
        for bank in (0..banks).filter(|bank| width >= ROOM_FOR_NUMBER || bank.is_multiple_of(4)) {
            let x = left + (f64::from(bank) + 0.5) * width;
            canvas.text(x, floor + LINE * 0.8, &bank.to_string(), Colour::Muted, Anchor::Middle);
        }
        y = floor + LINE;
    }
    (y, sentence(panel, machine, rule))
}

/// The lane that asks for a word, or how many do.
fn label(lanes: &[u32]) -> String {
    match lanes {
        [lane] => lane.to_string(),
        several => format!("×{}", several.len()),
    }
}

/// Positions of the active lanes in [`Panel::lanes`], by phase.
fn phases(panel: &Panel, rule: PhaseRule) -> Vec<Vec<usize>> {
    let mut phases: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (position, lane) in panel.lanes.iter().enumerate() {
        let phase = match rule {
            PhaseRule::Consecutive { lanes } => lane / lanes,
            PhaseRule::Table(table) => table.get(*lane as usize / 4).map_or(0, |phase| u32::from(*phase)),
        };
        phases.entry(phase).or_default().push(position);
    }
    phases.into_values().collect()
}

/// For each bank, its words and the lanes that ask for each.
fn stacks(panel: &Panel, phase: &[usize], banks: u32, bytes: u32) -> BTreeMap<u32, BTreeMap<u64, Vec<u32>>> {
    let mut stacks: BTreeMap<u32, BTreeMap<u64, Vec<u32>>> = BTreeMap::new();
    for (lane, address) in
        phase.iter().filter_map(|at| Some((panel.lanes.get(*at)?, panel.addresses.get(*at)?)))
    {
        let last = address + u64::from(panel.bytes.max(1)) - 1;
        for word in address / u64::from(bytes)..=last / u64::from(bytes) {
            let bank = (word % u64::from(banks)) as u32;
            stacks.entry(bank).or_default().entry(word).or_default().push(*lane);
        }
    }
    stacks
}

fn sentence(panel: &Panel, machine: &Machine, rule: PhaseRule) -> String {
    let (banks, bytes) = (machine.banks.value, machine.bank_bytes.value);
    let count = count::banks(
        &mut Scratch::default(),
        &panel.lanes,
        &panel.addresses,
        panel.bytes,
        banks,
        bytes,
        rule,
    );
    let ways = match count.degree {
        0 | 1 => "no conflict".to_owned(),
        degree => format!("{degree}-way conflicts"),
    };
    let table =
        if machine.phases.value == Phases::Consecutive { "" } else { ", in the phases of the machine" };
    format!(
        "{} {banks} banks of {bytes} B: {ways}, {} where {} would do{table}",
        super::asking(panel.lanes.len()),
        if count.passes == 1 { "1 pass".to_owned() } else { format!("{} passes", count.passes) },
        count.ideal_passes
    )
}
