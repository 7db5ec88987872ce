//! Holds the requests of an access against the machine.

use super::super::count::{self, PhaseRule};
use super::super::ir::{Address, Memory, Piece};
use super::super::report::Request;
use super::Executor;

/// The sectors of a buffer that a workgroup touched.
#[derive(Debug)]
pub(super) struct Traffic {
    sectors: Vec<u32>,
    /// When to drop duplicates.
    full: usize,
}

impl Default for Traffic {
    fn default() -> Self {
        Self { sectors: Vec::new(), full: 1 << 16 }
    }
}

impl Traffic {
    fn push(&mut self, sector: u64) {
        let sector = sector as u32; // addresses have 32 bits
        if self.sectors.last() == Some(&sector) {
            return;
        }
        if self.sectors.len() == self.full {
            self.dedup();
            self.full = self.full.max(2 * self.sectors.len());
        }
        self.sectors.push(sector);
    }

    fn dedup(&mut self) {
        self.sectors.sort_unstable();
        self.sectors.dedup();
    }

    /// The number of distinct sectors; starts anew.
    pub(super) fn take(&mut self) -> u64 {
        self.dedup();
        let count = self.sectors.len() as u64;
        self.sectors.clear();
        count
    }
}

/// What kind of access it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Load,
    Store,
    Atomic,
}

impl Executor<'_> {
    /// The byte address of a lane.
    pub(super) fn address(&self, address: &Address, lane: usize) -> u32 {
        let dynamic = address.dynamic.map_or(0, |reg| self.word(reg, lane));
        address.offset.wrapping_add(dynamic)
    }

    pub(super) fn address_taint(&self, address: &Address) -> u64 {
        address.dynamic.map_or(0, |reg| self.taint(reg))
    }

    /// Counts the requests of an access, subgroup by subgroup and piece by piece.
    pub(super) fn count(&mut self, access: usize, address: &Address, pieces: &[Piece], kind: Kind) {
        self.totals.depends[access] |= self.address_taint(address) | self.mask_taint;
        let size = self.context.numbers.subgroup;
        for subgroup in 0..self.lanes.div_ceil(size) {
            let lanes = subgroup * size..((subgroup + 1) * size).min(self.lanes);
            self.request_lanes.clear();
            for lane in lanes.clone() {
                if self.mask[lane] != 0 {
                    self.request_lanes.push((lane - lanes.start) as u32);
                }
            }
            if self.request_lanes.is_empty() {
                continue;
            }
            for piece in pieces {
                self.request(access, address, *piece, kind, subgroup, lanes.start);
            }
        }
    }

    fn request(
        &mut self,
        access: usize,
        address: &Address,
        piece: Piece,
        kind: Kind,
        subgroup: usize,
        first: usize,
    ) {
        let offset = address.offset.wrapping_add(piece.offset);
        self.request_addresses.clear();
        match address.dynamic {
            Some(reg) if !reg.is_uniform() => {
                let words = &self.registers[reg.index() * self.lanes + first..];
                self.request_addresses.extend(
                    self.request_lanes
                        .iter()
                        .map(|&lane| u64::from(words[lane as usize].wrapping_add(offset))),
                );
            }
            Some(_) | None => {
                let at = u64::from(self.address(address, 0).wrapping_add(piece.offset));
                self.request_addresses.resize(self.request_lanes.len(), at);
            }
        }
        let numbers = self.context.numbers;
        let lanes = self.request_lanes.len() as u64;
        let (scratch, addresses) = (&mut self.scratch, &self.request_addresses);
        let (sector, line) = (numbers.sector_bytes, numbers.line_bytes);
        let counts = &mut self.totals.counts[access];
        let (memory, banks) = match address.memory {
            Memory::Buffer(binding) => {
                let traffic = &mut self.traffic[binding];
                let count = count::memory(scratch, addresses, piece.bytes, sector, line, |s| traffic.push(s));
                counts.add_memory(lanes, &count, sector);
                (Some(count), None)
            }
            Memory::Workgroup(_) => {
                let bytes = count::memory(scratch, addresses, piece.bytes, sector, line, |_| {});
                let read = kind != Kind::Store;
                let rule =
                    PhaseRule::of(numbers.phases, piece.bytes, read, numbers.banks, numbers.bank_bytes);
                let of = (numbers.banks, numbers.bank_bytes);
                let count =
                    count::banks(scratch, &self.request_lanes, addresses, piece.bytes, of.0, of.1, rule);
                counts.add_banks(lanes, &bytes, &count);
                (None, Some(count))
            }
        };
        if kind == Kind::Atomic {
            counts.same_address = counts.same_address.max(count::same_address(scratch, addresses));
        }
        if let Some(observer) = &mut self.observer {
            observer(&Request {
                access,
                workgroup: self.workgroup,
                subgroup: subgroup as u32,
                sequence: self.sequence,
                lanes: &self.request_lanes,
                addresses: &self.request_addresses,
                bytes: piece.bytes,
                memory,
                banks,
            });
        }
        self.sequence += 1;
    }
}
