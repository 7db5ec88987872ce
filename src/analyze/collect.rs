//! Keeps, out of the millions of requests of a run, one of each kind that an access makes.
//!
//! Counts say how much an access wastes, not why. The why is in the addresses of one typical request, so
//! one request of each outcome is kept, with how many had the same.

use crate::model::count::{self, BankCount, MemoryCount, Scratch};
use crate::model::{Machine, Request};

/// Outcomes kept for each access. A further one takes the place, and the number, of the rarest: what has
/// more than one in so many of the requests is never missed (the space-saving algorithm of Metwally, Agrawal
/// and El Abbadi, "Efficient computation of frequent and top-k elements in data streams", 2005).
const KINDS: usize = 16;

/// A request as it was, and how many were like it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleRequest {
    /// The workgroup.
    pub workgroup: [u32; 3],
    /// The subgroup in its workgroup.
    pub subgroup: u32,
    /// Requests of that workgroup before it.
    pub sequence: u64,
    /// Active lanes by their position in the subgroup, ascending.
    pub lanes: Vec<u32>,
    /// Byte address in the buffer or variable of each of these lanes.
    pub addresses: Vec<u64>,
    /// Bytes per lane.
    pub bytes: u32,
    /// Sectors and lines; none in workgroup memory.
    pub memory: Option<MemoryCount>,
    /// Degree and passes; none outside workgroup memory.
    pub banks: Option<BankCount>,
    /// Requests with the same counts and, in workgroup memory, the same addresses relative to the first lane's,
    /// this one included; at most so many where an access has more kinds than are kept.
    pub alike: u64,
}

/// What was kept of one access.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    pub(super) samples: Vec<SampleRequest>,
    /// How far the first lane moved, in bytes, from one execution to the next in the same loop.
    pub(super) step: Option<i64>,
    last: Option<([u32; 3], u32, u64)>,
}

/// The requests kept, by access.
#[derive(Clone, Debug)]
pub(super) struct Collector {
    kept: Vec<Kept>,
}

impl SampleRequest {
    fn new(request: &Request<'_>, alike: u64) -> SampleRequest {
        SampleRequest {
            workgroup: request.workgroup,
            subgroup: request.subgroup,
            sequence: request.sequence,
            lanes: request.lanes.to_vec(),
            addresses: request.addresses.to_vec(),
            bytes: request.bytes,
            memory: request.memory,
            banks: request.banks,
            alike,
        }
    }

    /// The request as if some of its lanes, which `chosen` says of each, were all; for sectors only.
    pub(super) fn only(&self, chosen: &[bool], machine: &Machine) -> SampleRequest {
        let mut only = self.clone();
        let mut of_lane = chosen.iter();
        only.lanes.retain(|_| of_lane.next() == Some(&true));
        let mut of_address = chosen.iter();
        only.addresses.retain(|_| of_address.next() == Some(&true));
        let (sector, line) = (machine.sector_bytes.value, machine.line_bytes.value);
        let scratch = &mut Scratch::default();
        only.memory = Some(count::memory(scratch, &only.addresses, only.bytes, sector, line, |_| {}));
        only
    }

    /// Bytes fetched in vain, or that the banks could have moved in the passes lost.
    pub(super) fn wasted_bytes(&self, machine: &Machine) -> u64 {
        let sectors = self.memory.map_or(0, |count| count.sectors.saturating_sub(count.ideal_sectors));
        let passes = self.banks.map_or(0, |count| count.passes.saturating_sub(count.ideal_passes));
        sectors * u64::from(machine.sector_bytes.value)
            + passes * u64::from(machine.banks.value) * u64::from(machine.bank_bytes.value)
    }

    fn is_like(&self, request: &Request<'_>) -> bool {
        self.lanes.len() == request.lanes.len()
            && self.bytes == request.bytes
            && self.memory == request.memory
            && self.banks == request.banks
            && match self.banks {
                // what a padding does to a request depends on the addresses, not on their count
                Some(_) => offsets(&self.addresses).eq(offsets(request.addresses)),
                // one lane that wraps around may not speak for all those that don't
                None => is_even(&self.addresses) == is_even(request.addresses),
            }
    }
}

/// Addresses relative to the first.
fn offsets(addresses: &[u64]) -> impl Iterator<Item = u64> {
    let first = addresses.first().copied().unwrap_or(0);
    addresses.iter().map(move |address| address.wrapping_sub(first))
}

/// Whether each active lane is as far from the next as any other.
fn is_even(addresses: &[u64]) -> bool {
    let [first, second, ..] = addresses else { return true };
    let apart = second.wrapping_sub(*first);
    addresses.windows(2).all(|pair| matches!(pair, [a, b] if b.wrapping_sub(*a) == apart))
}

impl Collector {
    pub(super) fn new(accesses: usize) -> Collector {
        Collector { kept: vec![Kept::default(); accesses] }
    }

    /// Looks at a request; `whole` says that the access is one request of each subgroup, not several.
    pub(super) fn add(&mut self, request: &Request<'_>, whole: bool) {
        let Some(kept) = self.kept.get_mut(request.access) else { return };
        if whole && request.subgroup == 0 && kept.step.is_none() {
            kept.follow(request);
        }
        if let Some(sample) = kept.samples.iter_mut().find(|sample| sample.is_like(request)) {
            sample.alike += 1;
        } else if kept.samples.len() < KINDS {
            kept.samples.push(SampleRequest::new(request, 1));
        } else if let Some(rarest) = kept.samples.iter_mut().min_by_key(|sample| sample.alike) {
            *rarest = SampleRequest::new(request, rarest.alike + 1);
        }
    }

    pub(super) fn into_kept(self) -> Vec<Kept> {
        self.kept
    }
}

impl Kept {
    fn follow(&mut self, request: &Request<'_>) {
        let (Some(&lane), Some(&address)) = (request.lanes.first(), request.addresses.first()) else {
            return;
        };
        if let Some((workgroup, last_lane, last)) = self.last
            && (workgroup, last_lane) == (request.workgroup, lane)
        {
            self.step = Some(address.wrapping_sub(last) as i64);
        }
        self.last = Some((request.workgroup, lane, address));
    }

    /// The kind of request that wastes most over all its requests; the most frequent one without waste.
    pub(super) fn representative(&self, machine: &Machine) -> Option<&SampleRequest> {
        let key = |sample: &SampleRequest| (sample.wasted_bytes(machine) * sample.alike, sample.alike);
        // the first of equals
        self.samples.iter().rev().max_by_key(|sample| key(sample))
    }
}
