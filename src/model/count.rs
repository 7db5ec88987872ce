//! Sectors, lines and bank conflicts of one request: the arithmetic the whole tool rests on.
//!
//! A request is one memory instruction of one subgroup. It is given as the byte addresses of its active
//! lanes and the size that each of them accesses. The definitions are those of `docs/model.md`; known
//! answers are in `tests/data/cases/`. Nothing here knows of shaders or devices.

use super::machine::Phases;

/// What a request costs in the memory hierarchy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryCount {
    /// Active lanes × size.
    pub requested_bytes: u64,
    /// Distinct bytes touched.
    pub unique_bytes: u64,
    /// Distinct sectors touched.
    pub sectors: u64,
    /// The fewest sectors that could hold the unique bytes: `unique_bytes / sector size`, rounded up.
    pub ideal_sectors: u64,
    /// Distinct cache lines touched.
    pub lines: u64,
}

/// What a request costs in workgroup memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BankCount {
    /// Most distinct words that one bank serves in one phase.
    pub degree: u64,
    /// Sum of the degrees over the phases.
    pub passes: u64,
    /// Phases with an active lane: the passes of a request without conflicts.
    pub ideal_passes: u64,
}

/// Space to sort in, kept between requests so that counting allocates nothing.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    sorted: Vec<u64>,
    per_bank: Vec<u32>,
}

/// Counts a request against global memory. `visit` is called with each distinct sector, ascending.
///
/// `sector_bytes` and `line_bytes` are not zero.
pub fn memory(
    scratch: &mut Scratch,
    addresses: &[u64],
    size: u32,
    sector_bytes: u32,
    line_bytes: u32,
    mut visit: impl FnMut(u64),
) -> MemoryCount {
    let size = u64::from(size);
    let (sector_bytes, line_bytes) = (u64::from(sector_bytes), u64::from(line_bytes));
    let sorted = if addresses.is_sorted() {
        addresses
    } else {
        scratch.sorted.clear();
        scratch.sorted.extend_from_slice(addresses);
        scratch.sorted.sort_unstable();
        &scratch.sorted
    };
    let mut unique_bytes = 0;
    let mut reached = 0; // the end of the bytes counted so far
    let mut next_sector = 0; // the lowest sector not counted yet
    let mut sectors = 0;
    let mut next_line = 0;
    let mut lines = 0;
    for &address in sorted {
        let end = address + size;
        if end <= reached || size == 0 {
            continue;
        }
        unique_bytes += end - address.max(reached);
        reached = end;
        let last = (end - 1) / sector_bytes;
        for sector in next_sector.max(address / sector_bytes)..=last {
            sectors += 1;
            visit(sector);
        }
        next_sector = last + 1;
        let last = (end - 1) / line_bytes;
        lines += (last + 1).saturating_sub(next_line.max(address / line_bytes));
        next_line = last + 1;
    }
    MemoryCount {
        requested_bytes: addresses.len() as u64 * size,
        unique_bytes,
        sectors,
        ideal_sectors: unique_bytes.div_ceil(sector_bytes),
        lines,
    }
}

/// Counts a request against workgroup memory.
///
/// `lanes` are the positions of the active lanes in their subgroup, ascending, one for each address:
/// phases are made of lanes, whether they are active or not. A bank serves one word of `bank_bytes` per
/// pass, to any number of lanes.
pub fn banks(
    scratch: &mut Scratch,
    lanes: &[u32],
    addresses: &[u64],
    size: u32,
    bank_count: u32,
    bank_bytes: u32,
    phases: PhaseRule,
) -> BankCount {
    let mut count = BankCount::default();
    let mut first = 0;
    match phases {
        PhaseRule::Consecutive { lanes: per_phase } => {
            // lanes ascend, so that a phase is a run of them
            while first < lanes.len() {
                let phase = lanes[first] / per_phase;
                let length = lanes[first..].iter().take_while(|&&lane| lane / per_phase == phase).count();
                add_phase(
                    &mut count,
                    scratch,
                    addresses[first..first + length].iter(),
                    size,
                    bank_count,
                    bank_bytes,
                );
                first += length;
            }
        }
        PhaseRule::Table(table) => {
            for phase in 0..table.len() as u32 {
                let members = lanes.iter().zip(addresses).filter(|&(&lane, _)| {
                    table.get(lane as usize / 4).is_some_and(|&of| u32::from(of) == phase)
                });
                add_phase(&mut count, scratch, members.map(|(_, a)| a), size, bank_count, bank_bytes);
            }
        }
    }
    count
}

fn add_phase<'a>(
    count: &mut BankCount,
    scratch: &mut Scratch,
    addresses: impl Iterator<Item = &'a u64>,
    size: u32,
    bank_count: u32,
    bank_bytes: u32,
) {
    let bank_bytes = u64::from(bank_bytes);
    let words = &mut scratch.sorted;
    words.clear();
    for &address in addresses {
        let last = (address + u64::from(size.max(1)) - 1) / bank_bytes;
        words.extend(address / bank_bytes..=last);
    }
    if words.is_empty() {
        return;
    }
    if !words.is_sorted() {
        words.sort_unstable();
    }
    words.dedup();
    scratch.per_bank.clear();
    scratch.per_bank.resize(bank_count as usize, 0);
    let mut degree = 0;
    for word in words {
        let served = &mut scratch.per_bank[(*word % u64::from(bank_count)) as usize];
        *served += 1;
        degree = degree.max(*served);
    }
    count.degree = count.degree.max(u64::from(degree));
    count.passes += u64::from(degree);
    count.ideal_passes += 1;
}

/// How the lanes of one request are split into phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhaseRule {
    /// So many consecutive lanes at a time.
    Consecutive {
        /// Lanes of a phase.
        lanes: u32,
    },
    /// The phase of each group of four lanes, for 64 lanes.
    Table(&'static [u8; 16]),
}

/// CDNA 3, 16-byte reads: {0–3, 20–23} {4–7, 16–19} {8–11, 28–31} {12–15, 24–27} and the same + 32.
/// Source: ROCm composable_kernel documentation, "LDS bank conflicts".
static CDNA3_READ: [u8; 16] = [0, 1, 2, 3, 1, 0, 3, 2, 4, 5, 6, 7, 5, 4, 7, 6];

/// CDNA 4, 16-byte reads: {0–3, 12–15, 20–23, 24–27} {4–7, 8–11, 16–19, 28–31} and the same + 32.
/// Source: as above.
static CDNA4_READ: [u8; 16] = [0, 2, 2, 0, 2, 0, 0, 2, 1, 3, 3, 1, 3, 1, 1, 3];

impl PhaseRule {
    /// The rule for an access of `size` bytes by each lane.
    ///
    /// Without a special rule a phase moves as many bytes as the banks are wide: 32 banks of 4 bytes serve
    /// 32, 16 or 8 lanes of 4, 8 or 16 bytes. Accesses below a bank's width count as that width, 12 bytes
    /// as 16.
    pub fn of(phases: Phases, size: u32, read: bool, bank_count: u32, bank_bytes: u32) -> Self {
        match (phases, size, read) {
            (Phases::Cdna3Read, 9..=16, true) => Self::Table(&CDNA3_READ),
            (Phases::Cdna4Read, 9..=16, true) => Self::Table(&CDNA4_READ),
            (Phases::Cdna3Read | Phases::Cdna4Read | Phases::Consecutive, _, _) => {
                let each = size.max(bank_bytes).next_power_of_two();
                Self::Consecutive { lanes: (bank_count * bank_bytes / each).max(1) }
            }
        }
    }
}

/// The most active lanes of a request that share one address: what an atomic must serialise.
pub fn same_address(scratch: &mut Scratch, addresses: &[u64]) -> u64 {
    scratch.sorted.clear();
    scratch.sorted.extend_from_slice(addresses);
    scratch.sorted.sort_unstable();
    scratch.sorted.chunk_by(|a, b| a == b).map(<[u64]>::len).max().unwrap_or(0) as u64
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Addresses of a subgroup: anything, a stride, or a few words that many lanes share.
    fn addresses() -> impl Strategy<Value = Vec<u64>> {
        let scattered = prop::collection::vec(0u64..4096, 0..=64);
        let strided = (0u64..512, 0u64..300, 1usize..=64)
            .prop_map(|(first, stride, n)| (0..n as u64).map(|i| first + i * stride).collect());
        let shared = prop::collection::vec((0u64..8).prop_map(|word| word * 128), 1..=64);
        prop_oneof![scattered, strided, shared]
    }

    /// The distinct units that bytes lie in, by the definition.
    fn distinct(addresses: &[u64], size: u64, unit: u64) -> u64 {
        let bytes = addresses.iter().flat_map(|&address| address..address + size);
        bytes.map(|byte| byte / unit).collect::<BTreeSet<_>>().len() as u64
    }

    proptest! {
        #[test]
        fn memory_is_the_definition(addresses in addresses(), size in 1u32..=16, sector in 3u32..8, more in 0u32..3) {
            let (sector, line) = (1 << sector, 1 << (sector + more));
            let mut visited = Vec::new();
            let count =
                memory(&mut Scratch::default(), &addresses, size, sector, line, |s| visited.push(s));
            let of = |unit: u32| distinct(&addresses, u64::from(size), u64::from(unit));
            prop_assert_eq!(count.unique_bytes, of(1));
            prop_assert_eq!(count.sectors, of(sector));
            prop_assert_eq!(count.lines, of(line));
            prop_assert_eq!(count.requested_bytes, addresses.len() as u64 * u64::from(size));
            prop_assert_eq!(count.ideal_sectors, of(1).div_ceil(u64::from(sector)));
            prop_assert_eq!(visited.len() as u64, count.sectors);
            prop_assert!(visited.is_sorted_by(|a, b| a < b));
        }

        #[test]
        fn order_does_not_matter(addresses in addresses(), size in 1u32..=16) {
            let reversed: Vec<_> = addresses.iter().rev().copied().collect();
            let count = |list: &[u64]| memory(&mut Scratch::default(), list, size, 32, 128, |_| {});
            prop_assert_eq!(count(&addresses), count(&reversed));
        }

        #[test]
        fn banks_are_the_definition(addresses in addresses(), width in 0usize..3, kind in 0usize..3, skip in 1u32..4) {
            let size = [4u32, 8, 16][width];
            let phases = [Phases::Consecutive, Phases::Cdna3Read, Phases::Cdna4Read][kind];
            let addresses: Vec<_> = addresses.iter().map(|a| a / 4 * 4).take(64 / skip as usize).collect();
            let lanes: Vec<_> = (0..addresses.len() as u32).map(|lane| lane * skip).collect();
            let rule = PhaseRule::of(phases, size, true, 32, 4);
            let count = banks(&mut Scratch::default(), &lanes, &addresses, size, 32, 4, rule);
            let phase_of = |lane: u32| match rule {
                PhaseRule::Consecutive { lanes } => lane / lanes,
                PhaseRule::Table(table) => u32::from(table[lane as usize / 4]),
            };
            let (mut degree, mut passes, mut ideal) = (0, 0, 0);
            for phase in lanes.iter().map(|&lane| phase_of(lane)).collect::<BTreeSet<_>>() {
                let members = lanes.iter().zip(&addresses).filter(|&(&lane, _)| phase_of(lane) == phase);
                let words: BTreeSet<u64> =
                    members.flat_map(|(_, a)| a / 4..(a + u64::from(size)) / 4).collect();
                let most = (0..32).map(|bank| words.iter().filter(|&word| word % 32 == bank).count()).max();
                let most = most.unwrap_or(0) as u64;
                degree = degree.max(most);
                passes += most;
                ideal += 1;
            }
            prop_assert_eq!(count, BankCount { degree, passes, ideal_passes: ideal });
        }

        #[test]
        fn same_address_is_the_largest_group(addresses in addresses()) {
            let most = addresses.iter().map(|a| addresses.iter().filter(|b| a == *b).count()).max();
            prop_assert_eq!(same_address(&mut Scratch::default(), &addresses), most.unwrap_or(0) as u64);
        }
    }

    #[test]
    fn phases_of_cdna_take_every_lane_once() {
        for (table, lanes_each) in [(&CDNA3_READ, 8), (&CDNA4_READ, 16)] {
            let phases = 64 / lanes_each;
            for phase in 0..phases {
                assert_eq!(table.iter().filter(|&&p| p == phase).count() * 4, usize::from(lanes_each));
            }
        }
    }

    #[test]
    fn no_lanes_cost_nothing() {
        let scratch = &mut Scratch::default();
        assert_eq!(memory(scratch, &[], 4, 32, 128, |_| {}), MemoryCount::default());
        let rule = PhaseRule::Consecutive { lanes: 32 };
        assert_eq!(banks(scratch, &[], &[], 4, 32, 4, rule), BankCount::default());
        assert_eq!(same_address(scratch, &[]), 0);
    }
}
