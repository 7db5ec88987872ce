//! What to do about an access, in one sentence, computed from the addresses of its requests.
//!
//! "Not coalesced" is true of every bad access and helps with none. Each rule here recognises one cause in
//! the numbers (the stride between lanes, the bytes used of it, the step of a loop, the first address) and
//! names the change with its values. A rule that promises an improvement has computed it.

mod banks;
mod elements;
mod lanes;
mod memory;
mod used;

pub(super) use lanes::{few_lanes, same_address};
pub(super) use used::Used;

use serde::Serialize;

use crate::model::{Access, AccessOp, Counts, Element, Leaf, Machine, Space};

use super::collect::{Kept, SampleRequest};
use super::shape::{Affine, Fit};

/// What is wrong, as a word for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cause {
    /// A member of an array of structures.
    ArrayOfStructures,
    /// Three-component vectors, padded to four.
    PaddedVector,
    /// Lanes are a constant number of elements apart.
    Stride,
    /// Each lane walks its own row.
    RowWalk,
    /// Lanes along x are far apart, lanes along y are neighbours.
    SwappedAxes,
    /// Rows of the workgroup are shorter than a sector.
    NarrowRows,
    /// A contiguous piece starts within a sector.
    Misaligned,
    /// Few addresses, each shared by many lanes.
    PartialBroadcast,
    /// A few lanes of an edge are elsewhere; the others waste nothing.
    EdgeLanes,
    /// Addresses without a rule.
    Scattered,
    /// Lanes take different words of one bank.
    BankConflict,
    /// Lanes change one address atomically.
    SameAddress,
    /// The workgroup does not fill its subgroups, or lanes between others sit an access out.
    IdleLanes,
}

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// What is wrong.
    pub cause: Cause,
    /// What is wrong and what to do, with the numbers; no full stop at the end.
    pub sentence: String,
}

/// What the rules know of an access besides its request.
pub(super) struct Situation<'a> {
    pub(super) access: &'a Access,
    pub(super) kept: &'a Kept,
    pub(super) machine: &'a Machine,
    pub(super) workgroup_size: [u32; 3],
    /// The runtime-sized array of its buffer.
    pub(super) element: Option<&'a Element>,
    /// The scalars before it.
    pub(super) fixed: &'a [Leaf],
    /// Strides in bytes of the nested arrays of its workgroup variable, outermost first.
    pub(super) tile: &'a [u32],
    pub(super) used: &'a Used,
    pub(super) counts: &'a Counts,
    /// The accesses to its variable, itself included; the first ones where they are many.
    pub(super) siblings: &'a [(&'a Access, &'a Kept)],
    /// Whether contents of buffers were assumed that its address or execution depends on.
    pub(super) assumes_contents: bool,
}

impl Situation<'_> {
    fn fit(&self, request: &SampleRequest) -> Option<Fit> {
        Affine::of(request, self.machine.subgroup_size.value, self.workgroup_size)
    }
}

/// What to do about the waste of an access.
pub(super) fn advise(situation: &Situation<'_>) -> Advice {
    let wasteful = |request: &&SampleRequest| request.wasted_bytes(situation.machine) > 0;
    let request = situation.kept.representative(situation.machine).filter(wasteful);
    request.and_then(|request| of_request(situation, request)).unwrap_or_else(|| unseen(situation))
}

fn of_request(situation: &Situation<'_>, request: &SampleRequest) -> Option<Advice> {
    match situation.access.space {
        Space::Storage | Space::Uniform => memory::advise(situation, request),
        Space::Workgroup => banks::advise(situation, request),
    }
}

/// For waste that only workgroups have whose requests were not looked at one by one.
fn unseen(situation: &Situation<'_>) -> Advice {
    let cause = match situation.access.space {
        Space::Storage | Space::Uniform => Cause::Scattered,
        Space::Workgroup => Cause::BankConflict,
    };
    let sentence = "only workgroups waste here that are not among those whose requests were looked at one by \
                    one, so that the reason is not known; execute fewer workgroups to see it (--workgroups 64)";
    Advice { cause, sentence: sentence.to_owned() }
}

/// What an access does, as a noun.
fn op(op: AccessOp) -> &'static str {
    match op {
        AccessOp::Load => "load",
        AccessOp::Store => "store",
        AccessOp::Atomic => "atomic",
    }
}

/// A word with its number: `1 lane`, `32 lanes`.
fn plural(count: impl Into<u64>, word: &str) -> String {
    let count = count.into();
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}
