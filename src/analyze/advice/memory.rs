//! Causes of excess sectors.

use std::ops::Range;

use crate::analyze::collect::SampleRequest;
use crate::analyze::shape::{Affine, Fit};
use crate::model::{AccessOp, AtomicFun};

use super::elements::{Kind, kind, member};
use super::{Advice, Cause, Situation, plural};

/// Bytes between neighbouring lanes above which nobody looks at who uses them.
const LONGEST: u64 = 4096;
/// Lanes of a row that is wide enough for neighbours to cost little.
const WIDE: u64 = 32;

/// What is wrong with a request that touches more sectors than it needs.
pub(super) fn advise(situation: &Situation<'_>, request: &SampleRequest) -> Option<Advice> {
    let count = request.memory?;
    let sector = u64::from(situation.machine.sector_bytes.value);
    if let [run] = runs(request).as_slice()
        && run.start % sector != 0
    {
        return Some(misaligned(situation, request)); // in whatever order the lanes take it
    }
    if let Some(stride) = steps_through_elements(situation, request) {
        return Some(member(situation, request, stride));
    }
    let in_order =
        || Some(Fit { affine: Affine::in_order(request)?, follows: vec![true; request.lanes.len()] });
    let Some(Fit { affine, follows }) = situation.fit(request).or_else(in_order) else {
        return Some(scattered(situation, request, count.sectors));
    };
    let most = request.only(&follows, situation.machine);
    if most.lanes.len() < request.lanes.len() && most.wasted_bytes(situation.machine) == 0 {
        return Some(edge_lanes(request, &most));
    }
    let axes = affine.axes();
    let bytes = i64::from(request.bytes);
    if axes.len() <= 1 && has_gaps(&most) {
        return Some(idle_lanes(situation, &most)); // no alignment closes the gaps
    }
    match *axes.as_slice() {
        [] => Some(misaligned(situation, &most)),
        [axis] if affine.stride[axis].abs() <= bytes => Some(misaligned(situation, &most)),
        [axis] => Some(strided(situation, &most, affine.stride[axis])),
        [inner, outer, ..] => Some(two_axes(situation, &most, &affine, inner, outer)),
    }
}

/// The bytes touched, as runs without a gap, ascending.
fn runs(request: &SampleRequest) -> Vec<Range<u64>> {
    let mut addresses = request.addresses.clone();
    addresses.sort_unstable();
    let mut runs: Vec<Range<u64>> = Vec::new();
    for address in addresses {
        let end = address + u64::from(request.bytes);
        match runs.last_mut() {
            Some(run) if address <= run.end => run.end = run.end.max(end),
            _ => runs.push(address..end),
        }
    }
    runs
}

/// The bytes from one element to the next, where neighbouring lanes take a part of neighbouring elements:
/// not the same part, perhaps, so that their addresses may follow another rule or none.
fn steps_through_elements(situation: &Situation<'_>, request: &SampleRequest) -> Option<u32> {
    let element = situation.element.filter(|_| situation.used.is_member(situation.access))?;
    let (offset, stride) = (u64::from(element.offset), u64::from(element.stride).max(1));
    let start = |&address: &u64| address.saturating_sub(offset) / stride * stride;
    let starts = request.addresses.iter().map(start).collect();
    let fit = situation.fit(&SampleRequest { addresses: starts, ..request.clone() })?;
    let apart = fit.affine.axes().first().map(|&axis| fit.affine.stride[axis].abs());
    (apart == Some(i64::from(element.stride))).then_some(element.stride)
}

/// Whether lanes between the first and the last one are idle, while those that work are no more than an
/// access apart.
fn has_gaps(request: &SampleRequest) -> bool {
    let (Some(&first), Some(&last)) = (request.lanes.first(), request.lanes.last()) else { return false };
    let (Some(&low), Some(&high)) = (request.addresses.iter().min(), request.addresses.iter().max()) else {
        return false;
    };
    let lanes = u64::from(last - first);
    lanes + 1 > request.lanes.len() as u64 && high - low <= lanes * u64::from(request.bytes)
}

/// Lanes that sit an access out, so that the sectors of their elements are fetched for the others alone.
fn idle_lanes(situation: &Situation<'_>, request: &SampleRequest) -> Advice {
    let count = request.memory.unwrap_or_default();
    let sentence = format!(
        "{} of {} lanes take part and leave the elements between theirs, but sectors are fetched whole: {} for \
         {}; if no other access needs the rest soon, keep the elements wanted in an array of their own, or \
         make the condition the same for runs of {} lanes",
        request.lanes.len(),
        situation.machine.subgroup_size.value,
        plural(count.sectors, "sector"),
        plural(count.unique_bytes, "byte"),
        (situation.machine.sector_bytes.value / request.bytes.max(1)).max(1),
    );
    Advice { cause: Cause::IdleLanes, sentence }
}

/// Several rows of the workgroup in one subgroup.
fn two_axes(
    situation: &Situation<'_>,
    request: &SampleRequest,
    affine: &Affine,
    inner: usize,
    outer: usize,
) -> Advice {
    let bytes = i64::from(request.bytes);
    let (along, across) = (affine.stride[inner], affine.stride[outer]);
    let (x, y) = (affine.axis(inner), affine.axis(outer));
    if along == 0 && across != 0 {
        let sector = situation.machine.sector_bytes.value;
        let sentence = format!(
            "lanes along {x} share an address and the {} along {y} are {} apart, so each request takes {} of \
             {} sectors of {sector} bytes; that is cheap where a cache serves the rest to later requests, else \
             stage the rows in workgroup memory and load each once",
            plural(affine.extent[outer], "row"),
            plural(across.unsigned_abs(), "byte"),
            plural(request.bytes, "byte"),
            request.memory.map_or(0, |count| count.sectors),
        );
        return Advice { cause: Cause::PartialBroadcast, sentence };
    }
    if along.abs() > bytes && across != 0 && across.abs() < along.abs() {
        let sentence = format!(
            "lanes along {x} are {} bytes apart and lanes along {y} only {}: swap {x} and {y} in this index, so \
             that neighbouring lanes take neighbouring elements, or stage a tile in workgroup memory",
            along.abs(),
            across.abs(),
        );
        return Advice { cause: Cause::SwappedAxes, sentence };
    }
    if along.abs() == bytes {
        let row = i64::from(affine.extent[inner]) * bytes;
        let sector = i64::from(situation.machine.sector_bytes.value);
        if row < sector && across.abs() != row {
            let sentence = format!(
                "rows of {} along {x} take {row} of the {sector} bytes of a sector; make them at least {} wide",
                plural(affine.extent[inner], "lane"),
                plural((sector / bytes.max(1)) as u64, "lane"),
            );
            return Advice { cause: Cause::NarrowRows, sentence };
        }
        return misaligned(situation, request);
    }
    strided(situation, request, along)
}

/// Lanes that are more than an access apart.
fn strided(situation: &Situation<'_>, request: &SampleRequest, stride: i64) -> Advice {
    let (apart, bytes) = (stride.unsigned_abs(), u64::from(request.bytes));
    if let Some(element) = situation.element
        && u64::from(element.stride) == apart
        && situation.access.bytes > request.bytes
    {
        let (elements, part) = match kind(element) {
            Kind::Structures => ("structures", "member"),
            Kind::Vectors => ("vectors", "component"),
            Kind::Rows => ("elements", "part"),
        };
        let sentence = format!(
            "whole {elements} of {apart} bytes are taken piece by piece, and each piece of a request lies in \
             another sector: only a cache puts them together again; keep each {part} in an array of its own, or \
             stage the {elements} in workgroup memory",
        );
        return Advice { cause: Cause::ArrayOfStructures, sentence };
    }
    let unit = situation.element.map_or(bytes, |element| u64::from(element.stride)).max(1);
    let elements =
        if apart % unit == 0 { format!(" ({})", plural(apart / unit, "element")) } else { String::new() };
    let step = situation.kept.step.map(i64::unsigned_abs);
    if let Some(step) = step.filter(|&step| step != 0 && step <= unit.max(bytes) && step < apart) {
        let sentence = format!(
            "lanes walk rows: neighbouring lanes are {apart} bytes apart{elements} while the loop moves each \
             by {step}; let neighbouring lanes take neighbouring elements (swap the roles of lane and loop, or \
             store the matrix transposed), or stage a tile in workgroup memory",
        );
        return Advice { cause: Cause::RowWalk, sentence };
    }
    let used = used_together(situation, request, apart);
    let is_whole = used.is_some_and(|used| used.bytes == apart);
    let is_vector =
        is_whole && (apart == 8 || apart == 16) && used.is_some_and(|used| used.start % apart == 0);
    let verb = match situation.access.op {
        AccessOp::Load => Some("load"),
        AccessOp::Store => Some("store"),
        AccessOp::Atomic => None, // there are no vectors of atomics
    };
    let remedy = match (used, verb.filter(|_| is_vector)) {
        (Some(_), Some(verb)) => format!("{verb} them at once, as vectors of {apart} bytes"),
        (Some(_), None) => "keep each of these parts in an array of its own, or stage what a workgroup needs in \
                            workgroup memory, where neighbouring lanes bring neighbouring elements"
            .to_owned(),
        (None, _) if apart >= 16 * bytes => "let the lane select the fastest-moving index (swap the two indices, \
                                             or store the data transposed), or stage a tile in workgroup memory"
            .to_owned(),
        (None, _) => "let neighbouring lanes take neighbouring elements, or, where the rest is not needed, keep \
                      what is used in an array of its own"
            .to_owned(),
    };
    let together = used
        .map_or_else(String::new, |used| format!(" ({} of {apart} by all accesses together)", used.bytes));
    let sentence = format!(
        "neighbouring lanes are {apart} bytes apart{elements} and use {} of them{together}; {remedy}",
        plural(request.bytes, "byte")
    );
    Advice { cause: Cause::Stride, sentence }
}

/// What accesses of one kind use between one lane and the next.
#[derive(Clone, Copy)]
struct UsedTogether {
    bytes: u64,
    /// The lowest address.
    start: u64,
}

/// The bytes between neighbouring lanes that all accesses of the kind use together; none where the access is
/// alone, or of lanes too far apart.
fn used_together(situation: &Situation<'_>, request: &SampleRequest, apart: u64) -> Option<UsedTogether> {
    let first = |request: &SampleRequest| request.addresses.iter().min().copied();
    let base = first(request)?;
    if apart > LONGEST {
        return None;
    }
    let mut used = vec![false; apart as usize];
    let mut start = base;
    let same_kind = situation.siblings.iter().filter(|(access, _)| access.op == situation.access.op);
    for other in same_kind.flat_map(|(_, kept)| &kept.samples).chain([request]) {
        let is_here = (other.workgroup, other.subgroup) == (request.workgroup, request.subgroup);
        let Some(low) = first(other).filter(|low| is_here && low.abs_diff(base) < apart) else { continue };
        let fit = situation.fit(other).map(|fit| fit.affine);
        let stride =
            fit.and_then(|affine| affine.axes().first().map(|&axis| affine.stride[axis].unsigned_abs()));
        if stride != Some(apart) {
            continue;
        }
        start = start.min(low);
        for byte in 0..u64::from(other.bytes) {
            used[((low + byte) % apart) as usize] = true;
        }
    }
    let bytes = used.iter().filter(|used| **used).count() as u64;
    (bytes > u64::from(request.bytes)).then_some(UsedTogether { bytes, start })
}

/// Lanes of an edge, in a request whose other lanes waste nothing.
fn edge_lanes(request: &SampleRequest, most: &SampleRequest) -> Advice {
    let apart = (request.lanes.len() - most.lanes.len()) as u64;
    let sectors = |of: &SampleRequest| of.memory.map_or(0, |count| count.sectors);
    let sentence = format!(
        "{apart} of {} {} an address apart from the others', as where an index is clamped or wrapped around at \
         an edge: {} instead of {}; that is little to win, unless every request has such lanes: then pad the \
         rows so that no index leaves them",
        plural(request.lanes.len() as u64, "lane"),
        if apart == 1 { "has" } else { "have" },
        plural(sectors(request), "sector"),
        sectors(most),
    );
    Advice { cause: Cause::EdgeLanes, sentence }
}

/// Contiguous pieces that do not start where a sector does.
fn misaligned(situation: &Situation<'_>, request: &SampleRequest) -> Advice {
    let sector = u64::from(situation.machine.sector_bytes.value);
    let bytes = u64::from(request.bytes).max(1);
    let count = request.memory.unwrap_or_default();
    let Some(off) = runs(request).iter().map(|run| run.start % sector).find(|&off| off != 0) else {
        // aligned, and yet more than the bytes need: gaps inside
        return scattered(situation, request, count.sectors);
    };
    let what = format!("{} where {} would do", plural(count.sectors, "sector"), count.ideal_sectors);
    let rows = runs(request);
    if let Some(element) = situation.element
        && kind(element) == Kind::Structures
        && rows.len() > 1
        && u64::from(element.stride) % sector != 0
        && situation.used.is_member(situation.access)
    {
        let sentence = format!(
            "{what} because structures of {} bytes do not start where sectors do; keep the member in an array of \
             its own",
            element.stride
        );
        return Advice { cause: Cause::ArrayOfStructures, sentence };
    }
    if let Some(next) = neighbour(situation, request) {
        let next = plural(next, "byte");
        if let [row, _, ..] = rows.as_slice() {
            let sentence = format!(
                "{what} because each of the {} rows of a request starts {} off a boundary of {sector}; the buffer \
                 is read {next} from there as well, so that no alignment serves both: make rows of {} in the \
                 workgroup wider (of {WIDE} each takes {} where {} would do), or stage the tile with its rim in \
                 workgroup memory",
                rows.len(),
                plural(off, "byte"),
                plural((row.end - row.start) / bytes, "lane"),
                plural((WIDE * bytes).div_ceil(sector) + 1, "sector"),
                (WIDE * bytes).div_ceil(sector),
            );
            return Advice { cause: Cause::NarrowRows, sentence };
        }
        let sentence = format!(
            "{what} because the slice starts {} off a boundary of {sector}; the buffer is read {next} from there as \
             well, so that no alignment serves both: a cache serves most of it, else load each element once into \
             workgroup memory and take the neighbours from there",
            plural(off, "byte"),
        );
        return Advice { cause: Cause::Misaligned, sentence };
    }
    if has_gaps(request) && rows.len() == 1 {
        let sentence = format!(
            "{what} because what {} append starts where the last list ended, {} off a boundary of {sector}; \
             collect in workgroup memory and append the results of a whole workgroup at once",
            plural(request.lanes.len() as u64, "lane"),
            plural(off, "byte"),
        );
        return Advice { cause: Cause::Misaligned, sentence };
    }
    let multiple = if sector % bytes == 0 {
        format!("{} of this type ({sector} bytes)", plural(sector / bytes, "element"))
    } else {
        format!("{sector} bytes")
    };
    let sentence = format!(
        "{what} because the slice starts {} off a boundary of {sector}: start slices and rows at multiples of \
         {multiple}",
        plural(off, "byte"),
    );
    Advice { cause: Cause::Misaligned, sentence }
}

/// How far from a load its buffer is read too, by less than a sector: of the two at most one can be aligned.
fn neighbour(situation: &Situation<'_>, request: &SampleRequest) -> Option<u64> {
    if situation.access.op != AccessOp::Load {
        return None;
    }
    let sector = u64::from(situation.machine.sector_bytes.value);
    let is_near = |apart: &u64| *apart > 0 && *apart < sector;
    let step = situation.kept.step.map(i64::unsigned_abs).filter(is_near);
    let apart = |other: &SampleRequest| -> Option<u64> {
        let at = |of: &SampleRequest, lane: u32| {
            let position = of.lanes.binary_search(&lane).ok()?;
            of.addresses.get(position).copied()
        };
        let middle = *request.lanes.get(request.lanes.len() / 2)?;
        Some(at(request, middle)?.abs_diff(at(other, middle)?))
    };
    let loads = situation.siblings.iter().filter(|(access, _)| access.op == AccessOp::Load);
    let others = loads
        .flat_map(|(_, kept)| &kept.samples)
        .filter(|other| (other.workgroup, other.subgroup) == (request.workgroup, request.subgroup));
    step.or_else(|| others.filter_map(apart).filter(is_near).min())
}

/// Addresses that follow no rule of the lanes.
fn scattered(situation: &Situation<'_>, request: &SampleRequest, sectors: u64) -> Advice {
    let low = request.addresses.iter().min().copied().unwrap_or(0);
    let high = request.addresses.iter().max().copied().unwrap_or(0) + u64::from(request.bytes);
    let op = match situation.access.atomic {
        Some(AtomicFun::Load) => AccessOp::Load,
        Some(AtomicFun::Store) => AccessOp::Store,
        _ => situation.access.op,
    };
    let remedy = match op {
        AccessOp::Load => {
            "sort or group the indices so that neighbouring lanes read near elements, or copy what is read \
             often into workgroup memory"
        }
        AccessOp::Store => {
            "collect the results in workgroup memory and write them out in order, or turn the scatter into a \
             gather"
        }
        AccessOp::Atomic => {
            "collect in workgroup memory first, and bring the results to the buffer once per workgroup"
        }
    };
    let sentence = format!(
        "the addresses of the {} follow no common stride: {} over a range of {}; {remedy}",
        plural(request.lanes.len() as u64, "lane"),
        plural(sectors, "sector"),
        crate::units::bytes(high.saturating_sub(low)),
    );
    Advice { cause: Cause::Scattered, sentence }
}
