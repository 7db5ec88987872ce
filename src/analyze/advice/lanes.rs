//! Lanes that have nothing to do, and lanes that wait for one another.

use crate::model::{AtomicFun, Machine, Space};

use super::{Advice, Cause, Situation, plural};

/// Lanes on one address from which on an atomic is worth a word.
const MANY: u64 = 4;

/// A workgroup that does not fill its subgroups.
pub(in crate::analyze) fn few_lanes(machine: &Machine, workgroup_size: [u32; 3]) -> Option<Advice> {
    let subgroup = u64::from(machine.subgroup_size.value);
    let lanes: u64 = workgroup_size.iter().map(|&n| u64::from(n)).product();
    let idle = (subgroup - lanes % subgroup) % subgroup;
    if idle == 0 {
        return None;
    }
    let [x, y, z] = workgroup_size;
    let size = match (y, z) {
        (1, 1) => format!("{x}"),
        (_, 1) => format!("{x}, {y}"),
        _ => format!("{x}, {y}, {z}"),
    };
    let of = if lanes < subgroup { "its subgroup of" } else { "the last subgroup of" };
    let sentence = format!(
        "workgroup_size({size}) leaves {} idle in {of} {subgroup}; make its product a multiple of {subgroup}",
        plural(idle, "lane"),
    );
    Some(Advice { cause: Cause::IdleLanes, sentence })
}

/// What becomes of several lanes at one address.
enum Remedy {
    /// Their operands become one: a verb and the built-in function for it.
    Merge(&'static str, &'static str),
    /// The outcome depends on each lane's turn, so that operands can't be merged: what else.
    Other(&'static str),
}

/// Lanes of a subgroup that are at one address, one after the other.
pub(in crate::analyze) fn same_address(situation: &Situation<'_>) -> Option<Advice> {
    let (access, lanes) = (situation.access, situation.counts.same_address);
    let fun = access.atomic?;
    if lanes < MANY {
        return None;
    }
    let at = format!("up to {lanes} lanes of a subgroup are at one address, one after the other");
    let sentence = match (remedy(fun), access.space) {
        (Remedy::Merge(..), Space::Storage | Space::Uniform) if is_at_many(situation) => format!(
            "{at}, and which elements they want follows from data, so that no single operation merges them; \
             collect in an array in workgroup memory where the elements fit, then change each once per workgroup"
        ),
        (Remedy::Merge(..), Space::Workgroup) if is_at_many(situation) => format!(
            "{at}, and which elements they want follows from data, so that no single operation merges them; keep \
             R copies of the array, let each lane use copy lane % R and merge the copies in the end, or let each \
             lane collect a run of equal elements in a variable first"
        ),
        (Remedy::Merge(verb, built_in), Space::Storage | Space::Uniform) => format!(
            "{at}; {verb} within the subgroup first ({built_in}) or collect in workgroup memory, then change the \
             buffer once per workgroup"
        ),
        (Remedy::Merge(verb, built_in), Space::Workgroup) => {
            format!(
                "{at}; {verb} within the subgroup first ({built_in}), then let one of its lanes do the atomic"
            )
        }
        (Remedy::Other(what), _) => format!("{at}; {what}"),
    };
    Some(Advice { cause: Cause::SameAddress, sentence })
}

/// Whether the lanes of a request may be at several elements of an array: they are, those of another such
/// atomic on it are, or they follow contents that were assumed.
fn is_at_many(situation: &Situation<'_>) -> bool {
    let samples = &situation.kept.samples;
    let differ = |addresses: &[u64]| addresses.iter().any(|address| Some(address) != addresses.first());
    let first = samples.first().and_then(|sample| sample.addresses.first()).copied().unwrap_or(0);
    let in_array = match situation.access.space {
        Space::Workgroup => !situation.tile.is_empty(),
        Space::Storage | Space::Uniform => {
            situation.element.is_some_and(|element| first >= u64::from(element.offset))
                || situation
                    .fixed
                    .iter()
                    .any(|leaf| u64::from(leaf.offset) == first && leaf.path.contains('['))
        }
    };
    let merges = situation
        .siblings
        .iter()
        .filter(|(of, _)| of.atomic.is_some_and(|fun| matches!(remedy(fun), Remedy::Merge(..))));
    in_array
        && (situation.assumes_contents
            || merges.flat_map(|(_, kept)| &kept.samples).any(|sample| differ(&sample.addresses)))
}

fn remedy(fun: AtomicFun) -> Remedy {
    match fun {
        AtomicFun::Add => Remedy::Merge("add", "subgroupAdd"),
        AtomicFun::Subtract => Remedy::Merge("add up what is subtracted", "subgroupAdd"),
        AtomicFun::And => Remedy::Merge("combine", "subgroupAnd"),
        AtomicFun::Or => Remedy::Merge("combine", "subgroupOr"),
        AtomicFun::Xor => Remedy::Merge("combine", "subgroupXor"),
        AtomicFun::Min => Remedy::Merge("take the least", "subgroupMin"),
        AtomicFun::Max => Remedy::Merge("take the greatest", "subgroupMax"),
        AtomicFun::Load => Remedy::Other(
            "let one lane load it and hand it to the others (subgroupBroadcastFirst, or a variable in \
             workgroup memory)",
        ),
        AtomicFun::Store => Remedy::Other("one of them wins; let a single lane store"),
        AtomicFun::Exchange => Remedy::Other(
            "each waits for the one before it and all but the last value are overwritten; let a single lane \
             exchange",
        ),
        AtomicFun::CompareExchange => Remedy::Other(
            "one of them succeeds at a time and the others have to try again; let a single lane try for its \
             subgroup, or use an atomic function that can't fail",
        ),
    }
}
