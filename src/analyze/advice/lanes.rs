//! Lanes that have nothing to do, and lanes that wait for one another.

use crate::model::{Access, Counts, Machine, Space};

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

/// Lanes of a subgroup that change one address, one after the other.
pub(in crate::analyze) fn same_address(access: &Access, counts: &Counts) -> Option<Advice> {
    let lanes = counts.same_address;
    if lanes < MANY {
        return None;
    }
    let remedy = match access.space {
        Space::Storage | Space::Uniform => {
            "add within the subgroup first (subgroupAdd) or collect in workgroup memory, then change the \
             buffer once per workgroup"
        }
        Space::Workgroup => {
            "add within the subgroup first (subgroupAdd), or give each subgroup a copy and merge the copies"
        }
    };
    let sentence =
        format!("up to {lanes} lanes of a subgroup are at one address, one after the other; {remedy}");
    Some(Advice { cause: Cause::SameAddress, sentence })
}
