//! Causes of conflicts over the banks of workgroup memory, with the padding that ends them.

use crate::analyze::collect::SampleRequest;
use crate::model::count::{self, PhaseRule, Scratch};
use crate::model::{AccessOp, Machine};

use super::{Advice, Cause, Situation, plural};

/// From so many elements on, lanes that far apart are taken for lanes in different rows of a tile.
const ROW_ELEMENTS: u64 = 8;
/// Paddings tried, in elements.
const PADDINGS: std::ops::RangeInclusive<u64> = 1..=4;

/// What is wrong with a request that needs more passes than it has phases.
pub(super) fn advise(situation: &Situation<'_>, request: &SampleRequest) -> Option<Advice> {
    let found = request.banks?;
    let machine = situation.machine;
    let (banks, word) = (machine.banks.value, u64::from(machine.bank_bytes.value));
    let degree = format!("{}-way bank conflict", found.degree);
    let stride = situation.affine(request).and_then(|affine| {
        let apart = |axis: &usize| affine.stride[*axis].unsigned_abs();
        affine.axes().iter().map(apart).max().filter(|&apart| apart > 0)
    });
    let Some(apart) = stride else {
        let sentence = format!(
            "{degree}: the lanes' words follow no common stride and up to {} of one bank are wanted in a pass; \
             lay the array out so that the lanes of a subgroup take neighbouring words",
            found.degree
        );
        return Some(Advice { cause: Cause::BankConflict, sentence });
    };
    let element = u64::from(request.bytes).max(word);
    let words = |bytes: u64| bytes.div_ceil(word);
    let padded = PADDINGS
        .map(|pad| pad * element)
        .map(|pad| (pad, passes(machine, request, situation.access.op, |address| repad(address, apart, pad))))
        .min_by_key(|&(pad, passes)| (passes, pad))
        .filter(|&(_, passes)| passes < found.passes);
    let now = plural(found.passes, "pass").replace("passs", "passes");
    let sentence = match padded {
        Some((pad, passes)) if apart >= ROW_ELEMENTS * element => format!(
            "{degree}: lanes walk a column, {} words apart over {banks} banks; pad the tile row from {} to {} \
             words and the request takes {passes} instead of {now}",
            words(apart),
            words(apart),
            words(apart + pad),
        ),
        Some((pad, passes)) => format!(
            "{degree}: neighbouring lanes are {} words apart over {banks} banks; let them take neighbouring \
             words, or space them {} words apart and the request takes {passes} instead of {now}",
            words(apart),
            words(apart + pad),
        ),
        None => format!(
            "{degree}: neighbouring lanes are {} words apart over {banks} banks; let them take neighbouring words",
            words(apart),
        ),
    };
    Some(Advice { cause: Cause::BankConflict, sentence })
}

/// An address in an array whose rows of `row` bytes are followed by `pad` bytes.
fn repad(address: u64, row: u64, pad: u64) -> u64 {
    address / row * (row + pad) + address % row
}

/// Passes of a request whose addresses are changed.
fn passes(machine: &Machine, request: &SampleRequest, op: AccessOp, change: impl Fn(u64) -> u64) -> u64 {
    let addresses: Vec<u64> = request.addresses.iter().map(|&address| change(address)).collect();
    let (banks, bank_bytes) = (machine.banks.value, machine.bank_bytes.value);
    let read = op != AccessOp::Store;
    let rule = PhaseRule::of(machine.phases.value, request.bytes, read, banks, bank_bytes);
    let scratch = &mut Scratch::default();
    count::banks(scratch, &request.lanes, &addresses, request.bytes, banks, bank_bytes, rule).passes
}
