//! Causes of conflicts over the banks of workgroup memory, with the padding that ends them.

use crate::analyze::collect::SampleRequest;
use crate::model::count::{self, PhaseRule, Scratch};
use crate::model::{AccessOp, Machine};

use super::{Advice, Cause, Situation, plural};

/// From so many elements on, lanes that far apart are taken for lanes in different rows of a flat tile.
const ROW_ELEMENTS: u64 = 8;
/// Paddings tried, in elements of the tile.
const PADDINGS: std::ops::RangeInclusive<u64> = 1..=4;

/// A way to lay a tile out: rows of `row` bytes get `pad` bytes more, in elements of `unit`.
#[derive(Clone, Copy, Debug)]
struct Layout {
    row: u64,
    unit: u64,
    pad: u64,
    /// Passes of the request in this layout.
    passes: u64,
}

/// What is wrong with a request that needs more passes than it has phases.
pub(super) fn advise(situation: &Situation<'_>, request: &SampleRequest) -> Option<Advice> {
    let found = request.banks?;
    let machine = situation.machine;
    let (banks, word) = (machine.banks.value, u64::from(machine.bank_bytes.value));
    let degree = format!("{}-way bank conflict", found.degree);
    let advice = |sentence| Some(Advice { cause: Cause::BankConflict, sentence });
    let strides: Vec<u64> = situation.fit(request).map_or_else(Vec::new, |fit| {
        let apart = |&axis: &usize| fit.affine.stride[axis].unsigned_abs();
        fit.affine.axes().iter().map(apart).filter(|&apart| apart > 0).collect()
    });
    let (Some(&near), Some(&apart)) = (strides.first(), strides.iter().max()) else {
        return advice(format!(
            "{degree}: the lanes' words follow no common stride and up to {} of one bank are wanted in a pass; \
             lay the array out so that the lanes of a subgroup take neighbouring words",
            found.degree
        ));
    };
    let element = situation.tile.last().map_or(u64::from(request.bytes).max(word), |&stride| stride.into());
    let is_row = apart >= ROW_ELEMENTS * element || situation.tile.len() > 1 && apart > element;
    let best = layouts(situation.tile, apart, element)
        .map(|layout| Layout { passes: passes(machine, request, situation.access.op, layout), ..layout })
        .min_by_key(|layout| (layout.passes, layout.pad))
        .filter(|layout| layout.passes < found.passes);
    let now = if found.passes == 1 { "1 pass".to_owned() } else { format!("{} passes", found.passes) };
    let place = |apart: u64| format!("{} words apart over {banks} banks", apart.div_ceil(word));
    advice(match best {
        Some(Layout { row, unit, pad, passes }) if is_row => {
            let of = if unit == word { "words".to_owned() } else { format!("elements of {unit} bytes") };
            format!(
                "{degree}: lanes walk a column, {}; pad the tile row from {} to {} {of} and the request \
                 takes {passes} instead of {now}",
                place(apart),
                row / unit,
                (row + pad) / unit,
            )
        }
        Some(Layout { row, pad, passes, .. }) => format!(
            "{degree}: neighbouring lanes are {}; let them take neighbouring words, or space them {} words \
             apart and the request takes {passes} instead of {now}",
            place(apart),
            (row + pad).div_ceil(word),
        ),
        None if near == element && u64::from(request.bytes) < element => format!(
            "{degree}: neighbouring lanes take {} of each element of {element} bytes, {}; keep each part of \
             the elements in an array of its own",
            plural(request.bytes, "byte"),
            place(near),
        ),
        None => format!("{degree}: neighbouring lanes are {}; let them take neighbouring words", place(near)),
    })
}

/// The layouts that a declaration can have: rows of nested arrays get whole elements, and a flat array is
/// taken for rows as wide as the lanes are apart.
fn layouts(tile: &[u32], apart: u64, element: u64) -> impl Iterator<Item = Layout> {
    let nested = tile.windows(2).map(|pair| (u64::from(pair[0]), u64::from(pair[1])));
    let flat = (tile.len() < 2).then_some((apart, element));
    let fits = move |&(row, unit): &(u64, u64)| apart.is_multiple_of(row) && row.is_multiple_of(unit);
    let rows: Vec<(u64, u64)> = nested.chain(flat).filter(fits).collect();
    rows.into_iter().flat_map(|(row, unit)| {
        PADDINGS.map(move |pad| Layout { row, unit, pad: pad * unit, passes: u64::MAX })
    })
}

/// Passes of a request in another layout.
fn passes(machine: &Machine, request: &SampleRequest, op: AccessOp, layout: Layout) -> u64 {
    let Layout { row, pad, .. } = layout;
    let padded = |&address: &u64| address / row * (row + pad) + address % row;
    let addresses: Vec<u64> = request.addresses.iter().map(padded).collect();
    let (banks, bank_bytes) = (machine.banks.value, machine.bank_bytes.value);
    let read = op != AccessOp::Store;
    let rule = PhaseRule::of(machine.phases.value, request.bytes, read, banks, bank_bytes);
    let scratch = &mut Scratch::default();
    count::banks(scratch, &request.lanes, &addresses, request.bytes, banks, bank_bytes, rule).passes
}
