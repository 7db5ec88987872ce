//! Lanes that have nothing to do, and lanes that wait for one another.

use crate::model::{Access, AtomicFun, Counts, Machine, Space};

use super::{Advice, Cause, plural};

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
pub(in crate::analyze) fn same_address(access: &Access, counts: &Counts) -> Option<Advice> {
    let (lanes, fun) = (counts.same_address, access.atomic?);
    if lanes < MANY {
        return None;
    }
    let at = format!("up to {lanes} lanes of a subgroup are at one address");
    let sentence = match remedy(fun) {
        Remedy::Merge(verb, built_in) => {
            let then = match access.space {
                Space::Storage | Space::Uniform => {
                    " or collect in workgroup memory, then change the buffer once per workgroup"
                }
                Space::Workgroup => ", or give each subgroup a copy and merge the copies",
            };
            format!("{at}, one after the other; {verb} within the subgroup first ({built_in}){then}")
        }
        Remedy::Other(what) => format!("{at}; {what}"),
    };
    Some(Advice { cause: Cause::SameAddress, sentence })
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
