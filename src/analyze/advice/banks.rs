//! Causes of conflicts over the banks of workgroup memory, with the padding that ends them.

use crate::analyze::collect::SampleRequest;
use crate::model::count::{self, BankCount, PhaseRule, Scratch};
use crate::model::{Access, AccessOp, AtomicFun};

use super::{Advice, Cause, Situation, op, plural};

/// From so many elements on, lanes that far apart are taken for lanes in different rows of a flat tile.
const ROW_ELEMENTS: u64 = 8;
/// Paddings tried, in elements of the tile.
const PADDINGS: std::ops::RangeInclusive<u64> = 1..=4;

/// Another place for the elements of an array.
#[derive(Clone, Copy, Debug)]
enum Layout {
    /// Rows of `row` bytes get `pad` bytes more, in elements of `unit`.
    Rows { row: u64, unit: u64, pad: u64 },
    /// A word more behind each `every` bytes: element i at i + i / 32.
    Index { every: u64, word: u64 },
}

/// A layout with what the requests take in it.
#[derive(Clone, Copy, Debug)]
struct Recount {
    layout: Layout,
    /// Passes of the request that the advice is about.
    passes: u64,
    /// Passes of all requests to the array.
    total: u64,
}

impl Layout {
    fn of(self, address: u64) -> u64 {
        match self {
            Layout::Rows { row, pad, .. } => address / row * (row + pad) + address % row,
            Layout::Index { every, word } => address + address / every * word,
        }
    }

    fn pad(self) -> u64 {
        match self {
            Layout::Rows { pad, .. } => pad,
            Layout::Index { word, .. } => word,
        }
    }
}

/// What is wrong with a request that needs more passes than it has phases.
pub(super) fn advise(situation: &Situation<'_>, request: &SampleRequest) -> Option<Advice> {
    let found = request.banks?;
    let sentence = format!("{}: {}", degree(situation, found), remedy(situation, request, found));
    Some(Advice { cause: Cause::BankConflict, sentence })
}

/// The degree of the request and, where another one has a higher, that too.
fn degree(situation: &Situation<'_>, found: BankCount) -> String {
    let most = situation.counts.conflict_degree;
    if most > found.degree {
        format!(
            "{most}-way bank conflict at most, {}-way in the kind of request that loses most",
            found.degree
        )
    } else {
        format!("{}-way bank conflict", found.degree)
    }
}

fn remedy(situation: &Situation<'_>, request: &SampleRequest, found: BankCount) -> String {
    let machine = situation.machine;
    let (banks, word) = (machine.banks.value, u64::from(machine.bank_bytes.value));
    let fit = situation.fit(request);
    let strides: Vec<u64> = fit.as_ref().map_or_else(Vec::new, |fit| {
        let apart = |&axis: &usize| fit.affine.stride[axis].unsigned_abs();
        fit.affine.axes().iter().map(apart).filter(|&apart| apart > 0).collect()
    });
    let is_flat = situation.tile.len() < 2;
    let index = index_padding(situation, request, found);
    let varies = is_flat && strides.len() < 2 && steps(situation) > 1;
    let (Some(&near), Some(&apart)) = (strides.first(), strides.iter().max()) else {
        return irregular(situation, found, index.filter(|_| varies));
    };
    let place = |apart: u64| format!("{} apart over {banks} banks", plural(apart.div_ceil(word), "word"));
    if varies {
        let padded = index.map_or_else(String::new, |padded| {
            format!("; where each element has its place, as in a scan or a sorting network, {padded}")
        });
        return format!(
            "neighbouring lanes are {}, and another distance in other steps; in a reduction let lane i add \
             element i + n / 2 of the n that are left to element i, so that lanes take neighbouring words{padded}",
            place(apart)
        );
    }
    let element = situation.tile.last().map_or(u64::from(request.bytes).max(word), |&stride| stride.into());
    let is_row = apart >= ROW_ELEMENTS * element || situation.tile.len() > 1 && apart > element;
    if is_flat && !is_row && is_taken_between(situation, request) {
        let lanes: u32 = situation.workgroup_size.iter().product();
        let padded = index.map_or_else(String::new, |padded| format!(", or {padded}"));
        return format!(
            "neighbouring lanes are {}, and other accesses take what is between; where the order is free let a \
             lane's elements be a workgroup apart (i and i + {lanes}), so that neighbouring lanes take \
             neighbouring words{padded}",
            place(apart)
        );
    }
    let padded = layouts(situation.tile, apart, element)
        .map(|layout| recount(situation, request, layout))
        .filter(|recount| recount.passes < found.passes);
    let best = padded.min_by_key(|recount| (recount.total, recount.passes, recount.layout.pad()));
    let helps = best.filter(|recount| recount.total < total(situation));
    let is_wrapped = near <= u64::from(request.bytes).max(word) && apart > near;
    let how = if is_wrapped {
        let rows = fit.map_or(0, |fit| fit.affine.extent.iter().skip(1).product());
        format!(
            "lanes of a row take neighbouring words, but the {rows} rows of a request, {}, come round to the \
             same banks",
            place(apart)
        )
    } else if is_row {
        format!("lanes walk a column, {}", place(apart))
    } else {
        format!("neighbouring lanes are {}", place(near))
    };
    match helps {
        Some(Recount { layout: Layout::Rows { row, unit, pad }, .. }) if is_row => {
            let of = if unit == word { "words".to_owned() } else { format!("elements of {unit} bytes") };
            let then = then(situation, found, helps);
            format!("{how}; pad the tile row from {} to {} {of} and {then}", row / unit, (row + pad) / unit)
        }
        Some(Recount { layout: Layout::Rows { row, pad, .. }, .. }) => format!(
            "{how}; let them take neighbouring words, or space them {} apart and {}",
            plural((row + pad).div_ceil(word), "word"),
            then(situation, found, helps),
        ),
        None if best.is_some() => {
            let worse = best.and_then(|recount| worse(situation, recount.layout));
            let line = worse.map_or_else(
                || "other accesses".to_owned(),
                |access| format!("the {} in line {}", op(access.op), access.at.line),
            );
            format!("{how}; padding the row by up to 4 elements only moves the conflict to {line}")
        }
        _ if near == element && u64::from(request.bytes) < element => format!(
            "neighbouring lanes take {} of each element of {element} bytes, {}; keep each part of the elements in \
             an array of its own",
            plural(request.bytes, "byte"),
            place(near),
        ),
        _ if is_wrapped => format!(
            "{how}; no padding of the row by up to 4 elements does better over all accesses to `{}`",
            situation.access.variable
        ),
        _ => format!("{how}; let them take neighbouring words"),
    }
}

/// Addresses that follow no rule of the lanes.
fn irregular(situation: &Situation<'_>, found: BankCount, padded: Option<String>) -> String {
    let what = format!(
        "the lanes' words follow no common stride and up to {} of one bank are wanted in a pass",
        found.degree
    );
    match situation.access.atomic {
        Some(AtomicFun::Load | AtomicFun::Store) | None => match padded {
            Some(padded) => format!("{what}; {padded}"),
            None => format!(
                "{what}; where the index is the program's choice and not the data's, let the lanes of a \
                 subgroup take neighbouring words"
            ),
        },
        Some(_) => format!(
            "{what}; keep R copies of the array, R a power of two, interleaved, and let each lane use copy lane % R \
             (element i of it at i * R + lane % R), so that lanes of different copies never meet in a bank, and \
             merge the copies in the end"
        ),
    }
}

/// How many distances between neighbouring lanes the kinds of requests of an access have.
fn steps(situation: &Situation<'_>) -> usize {
    let stride = |sample: &SampleRequest| {
        let affine = situation.fit(sample).filter(|_| sample.lanes.len() > 2)?.affine;
        affine.axes().first().map(|&axis| affine.stride[axis]).filter(|&stride| stride != 0)
    };
    let mut strides: Vec<i64> = situation.kept.samples.iter().filter_map(stride).collect();
    strides.sort_unstable();
    strides.dedup();
    strides.len()
}

/// Whether other requests take words between those of a request.
fn is_taken_between(situation: &Situation<'_>, request: &SampleRequest) -> bool {
    let (Some(low), Some(high)) = (request.addresses.iter().min(), request.addresses.iter().max()) else {
        return false;
    };
    let others = situation.siblings.iter().flat_map(|(_, kept)| &kept.samples);
    others
        .filter(|other| other.workgroup == request.workgroup)
        .flat_map(|other| &other.addresses)
        .any(|address| (low..high).contains(&address) && !request.addresses.contains(address))
}

/// A word of padding behind each row of banks, where the array is flat and that is better.
fn index_padding(situation: &Situation<'_>, request: &SampleRequest, found: BankCount) -> Option<String> {
    let (banks, word) = (situation.machine.banks.value, u64::from(situation.machine.bank_bytes.value));
    let [element] = situation.tile else { return None };
    let layout = Layout::Index { every: u64::from(banks) * word, word };
    let recount = Some(layout)
        .filter(|_| u64::from(*element) == word)
        .map(|layout| recount(situation, request, layout))
        .filter(|recount| recount.passes < found.passes && recount.total < total(situation))?;
    let then = then(situation, found, Some(recount));
    Some(format!("pad the index (element i at i + i / {banks}) and {then}"))
}

/// What a layout does: to the request and, where that is not all, to the others.
fn then(situation: &Situation<'_>, found: BankCount, recount: Option<Recount>) -> String {
    let Some(Recount { layout, passes, total: all }) = recount else { return String::new() };
    let now = if found.passes == 1 { "1 pass".to_owned() } else { format!("{} passes", found.passes) };
    let others = worse(situation, layout).map_or_else(String::new, |access| {
        format!(
            ", though the {} in line {} takes more: all accesses to `{}` together {all} instead of {}",
            op(access.op),
            access.at.line,
            access.variable,
            total(situation),
        )
    });
    format!("the request takes {passes} instead of {now}{others}")
}

/// The access that loses most by a layout.
fn worse<'a>(situation: &Situation<'a>, layout: Layout) -> Option<&'a Access> {
    let loss = |(access, kept): &(&Access, &super::Kept)| -> u64 {
        let passes = |sample: &SampleRequest| sample.alike * passes(situation, access.op, sample, layout);
        let then: u64 = kept.samples.iter().map(passes).sum();
        then.saturating_sub(kept.samples.iter().map(now).sum())
    };
    let losses = situation.siblings.iter().map(|of| (loss(of), of.0)).filter(|(loss, _)| *loss > 0);
    losses.max_by_key(|(loss, access)| (*loss, std::cmp::Reverse(access.at.line))).map(|(_, access)| access)
}

fn recount(situation: &Situation<'_>, request: &SampleRequest, layout: Layout) -> Recount {
    let of_sample =
        |op: AccessOp, sample: &SampleRequest| sample.alike * passes(situation, op, sample, layout);
    let of_access = |(access, kept): &(&Access, &super::Kept)| {
        kept.samples.iter().map(|s| of_sample(access.op, s)).sum::<u64>()
    };
    Recount {
        layout,
        passes: passes(situation, situation.access.op, request, layout),
        total: situation.siblings.iter().map(of_access).sum(),
    }
}

/// Passes of the requests like a sample.
fn now(sample: &SampleRequest) -> u64 {
    sample.alike * sample.banks.map_or(0, |count| count.passes)
}

/// Passes of all requests to the array as it is.
fn total(situation: &Situation<'_>) -> u64 {
    situation.siblings.iter().flat_map(|(_, kept)| &kept.samples).map(now).sum()
}

/// The layouts that a declaration can have: rows of nested arrays get whole elements, and a flat array is
/// taken for rows as wide as the lanes are apart.
fn layouts(tile: &[u32], apart: u64, element: u64) -> impl Iterator<Item = Layout> {
    let nested = tile.windows(2).map(|pair| (u64::from(pair[0]), u64::from(pair[1])));
    let flat = (tile.len() < 2).then_some((apart, element));
    let fits = move |&(row, unit): &(u64, u64)| apart.is_multiple_of(row) && row.is_multiple_of(unit);
    let rows: Vec<(u64, u64)> = nested.chain(flat).filter(fits).collect();
    rows.into_iter()
        .flat_map(|(row, unit)| PADDINGS.map(move |pad| Layout::Rows { row, unit, pad: pad * unit }))
}

/// Passes of a request in another layout.
fn passes(situation: &Situation<'_>, op: AccessOp, request: &SampleRequest, layout: Layout) -> u64 {
    let machine = situation.machine;
    let addresses: Vec<u64> = request.addresses.iter().map(|&address| layout.of(address)).collect();
    let (banks, bank_bytes) = (machine.banks.value, machine.bank_bytes.value);
    let read = op != AccessOp::Store;
    let rule = PhaseRule::of(machine.phases.value, request.bytes, read, banks, bank_bytes);
    let scratch = &mut Scratch::default();
    count::banks(scratch, &request.lanes, &addresses, request.bytes, banks, bank_bytes, rule).passes
}
