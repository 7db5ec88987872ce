//! Curves of made-up devices with known geometry, and of the recorded software adapters.
//!
//! What a case fetches is counted here address by address, not by the formulas under test.

use std::collections::BTreeSet;

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;

use super::*;
use crate::pattern::{self, Case, Depth, Element};
use crate::record::{Bound, CaseRow, Flag, Status};
use crate::report::synthetic;
use crate::stats::Z_95;

const USEFUL: u64 = 1 << 24;

/// A made-up device.
#[derive(Clone, Copy, Debug)]
struct Device {
    sector: u64,
    /// Lines and what one costs, over what as many bytes of sectors cost.
    line: Option<(u64, f64)>,
    banks: u64,
    bank_bytes: u64,
    /// Size and slowness of its levels of memory; the last one has no size.
    levels: &'static [(u64, f64)],
    /// Time for a byte beside memory.
    overhead: f64,
}

const GPU: Device = Device {
    sector: 32,
    line: None,
    banks: 32,
    bank_bytes: 4,
    levels: &[(128 << 10, 1.0), (40 << 20, 3.0), (u64::MAX, 10.0)],
    overhead: 0.3,
};

/// Distinct blocks of a size that pieces at these addresses touch.
fn blocks(addresses: impl Iterator<Item = u64>, length: u64, size: u64) -> f64 {
    let touched: BTreeSet<u64> = addresses.flat_map(|at| at / size..=(at + length - 1) / size).collect();
    touched.len() as f64
}

impl Device {
    /// Time for a useful byte of pieces at these addresses.
    fn fetch(self, addresses: impl Iterator<Item = u64> + Clone, length: u64) -> f64 {
        let useful = addresses.clone().count() as f64 * length as f64;
        let sectors = blocks(addresses.clone(), length, self.sector) * self.sector as f64;
        let lines =
            self.line.map_or(0.0, |(line, weight)| weight * blocks(addresses, length, line) * line as f64);
        self.overhead + (sectors + lines) / useful
    }

    /// Passes of 32 lanes over the banks, as many lanes at a time as there are banks.
    fn passes(self, stride: u64) -> f64 {
        let lanes: Vec<u64> = (0..32).collect();
        let at_once = self.banks.min(32) as usize;
        let degree = |lanes: &[u64]| {
            let words: BTreeSet<u64> = lanes.iter().map(|lane| lane * stride * 4 / self.bank_bytes).collect();
            (0..self.banks).map(|bank| words.iter().filter(|word| *word % self.banks == bank).count()).max()
        };
        lanes.chunks(at_once).filter_map(degree).sum::<usize>() as f64
    }

    /// Time for a useful byte of a case, where this device is about it.
    fn time(self, case: &Case) -> Option<f64> {
        let int = |axis: &str| case.int(axis);
        Some(match case.pattern.name {
            "stride" => self.fetch((0..2048).map(|lane| lane * int("stride_bytes")), case.element().bytes()),
            "misalign" => {
                let length: u64 = case.name("run").strip_suffix('B')?.parse().ok()?;
                let pitch = if length == 512 { 1024 } else { 256 };
                self.fetch((0..64).map(|run| run * pitch + int("offset_bytes")), length)
            }
            "gather" => {
                let length = match case.name("indices") {
                    "permutation" => case.element().bytes(),
                    order => order.strip_prefix("blocks_")?.strip_suffix('b')?.parse().ok()?,
                };
                self.fetch((0..64).map(|block| block * 7 * 4096), length)
            }
            "bank" if case.element() == Element::U32 => 2.0 + self.passes(int("stride_elements")),
            "working_set" => {
                let set = int("footprint_bytes");
                // of a set that is too large, the share that fits is still served from the cache
                let mut time = 0.0;
                let mut held = 0;
                for (size, slowness) in self.levels {
                    let until = (*size).min(set);
                    time += (until - held) as f64 / set as f64 * slowness;
                    held = until;
                }
                time
            }
            _ => return None,
        })
    }

    /// A run of it, every time off by normal noise.
    fn run(self, depth: Depth, noise: f64, seed: u64) -> Run {
        noisy(&self.exact(depth), noise, seed)
    }

    /// A run of it without noise.
    fn exact(self, depth: Depth) -> Run {
        let rows = pattern::cases(depth)
            .iter()
            .filter_map(|case| {
                let time = self.time(case)?;
                let mut row = CaseRow::new("made up", "fake", case.pattern.name, &case.id(), Status::Ok);
                row.useful_bytes = Some(USEFUL);
                row.median_ns = Some(time * USEFUL as f64);
                row.bandwidth_gb_per_s = Some(1.0 / time);
                row.bound = Some(Bound::Memory);
                Some(row)
            })
            .collect();
        let mut run = Run::new(synthetic::info("made up", "discrete"), rows);
        run.info.roofline.roof_gb_per_s = Some(0.1);
        run
    }
}

/// The run with every time off by normal noise, and the intervals that this noise has.
fn noisy(exact: &Run, noise: f64, seed: u64) -> Run {
    let mut random = Pcg64Mcg::new((u128::from(seed) << 64) | 1);
    let mut run = exact.clone();
    for row in &mut run.rows {
        let median = row.median_ns.unwrap() * (1.0 + noise * normal(&mut random));
        row.median_ns = Some(median);
        row.ci95_low_ns = Some(median * (1.0 - Z_95 * noise));
        row.ci95_high_ns = Some(median * (1.0 + Z_95 * noise));
    }
    run
}

/// A standard normal deviate, as a sum of twelve uniform ones.
fn normal(random: &mut Pcg64Mcg) -> f64 {
    (0..12).map(|_| f64::from(random.next_u32()) / f64::from(u32::MAX)).sum::<f64>() - 6.0
}

fn finding(run: &Run, what: &str) -> Finding {
    match what {
        "last-level cache" => cache::last_level(run),
        "banks of workgroup memory" => banks::banks(run),
        "sector size" => granularity::sector(run).finding,
        _ => granularity::line(run, &granularity::sector(run)),
    }
}

fn value(run: &Run, what: &str) -> String {
    finding(run, what).value
}

/// Noisy runs of each device that are looked at.
const SEEDS: u64 = 8;

/// How many of some noisy runs resolve a property. None may resolve it wrongly; only under noise beyond 5 %
/// may medium confidence be what it says.
fn resolved(device: Device, noise: f64, what: &str, truth: &[&str]) -> u64 {
    let exact = device.exact(Depth::Default);
    (0..SEEDS)
        .filter(|seed| {
            let found = finding(&noisy(&exact, noise, *seed), what);
            let right = truth.contains(&found.value.as_str());
            let excused = noise > 0.05 && found.confidence == Some(Confidence::Medium);
            assert!(right || excused || found.value == NOT_RESOLVED, "{device:?}, noise {noise}: {found:#?}");
            right
        })
        .count() as u64
}

#[test]
fn sectors_are_found_under_noise_and_never_wrongly() {
    for sector in [32, 64, 128] {
        for overhead in [0.0, 1.0] {
            let device = Device { sector, overhead, ..GPU };
            let truth = format!("{sector} B");
            assert_eq!(resolved(device, 0.01, "sector size", &[&truth]), SEEDS, "{device:?}");
            assert!(resolved(device, 0.03, "sector size", &[&truth]) >= SEEDS - 1, "{device:?}");
            resolved(device, 0.10, "sector size", &[&truth]);
        }
    }
}

#[test]
fn lines_are_found_where_they_cost_something() {
    for (sector, line) in [(32, 64), (32, 128), (64, 128)] {
        let device = Device { sector, line: Some((line, 0.2)), ..GPU };
        let truth = format!("{line} B");
        assert!(resolved(device, 0.01, "line size", &[&truth]) >= SEEDS - 1, "{device:?}");
        resolved(device, 0.05, "line size", &[&truth]);
        assert_eq!(resolved(Device { line: None, ..device }, 0.02, "line size", &[NOT_RESOLVED]), SEEDS);
    }
}

#[test]
fn banks_are_found_under_noise_and_never_wrongly() {
    for banks in [16, 32, 64] {
        for bank_bytes in [4, 8] {
            let device = Device { banks, bank_bytes, ..GPU };
            let truth = format!("{banks} banks of {bank_bytes} B");
            assert_eq!(resolved(device, 0.01, "banks of workgroup memory", &[&truth]), SEEDS, "{device:?}");
            assert!(
                resolved(device, 0.03, "banks of workgroup memory", &[&truth]) >= SEEDS - 1,
                "{device:?}"
            );
            resolved(device, 0.10, "banks of workgroup memory", &[&truth]);
        }
    }
}

#[test]
fn the_last_cache_ends_between_two_sets() {
    // of 40 MiB; larger sets are held in part
    let truth = ["between 32 MiB and 128 MiB", "between 32 MiB and 256 MiB"];
    assert_eq!(resolved(GPU, 0.01, "last-level cache", &truth), SEEDS);
    assert!(resolved(GPU, 0.03, "last-level cache", &truth) >= SEEDS - 1);
    let sharp = Device { levels: &[(4 << 20, 1.0), (u64::MAX, 10.0)], ..GPU };
    let found = value(&sharp.run(Depth::Default, 0.01, 1), "last-level cache");
    assert!(found.starts_with("between 4 MiB and"), "{found}");
}

#[test]
fn what_a_curve_does_not_show_is_not_resolved() {
    let none = Device { levels: &[(u64::MAX, 1.0)], ..GPU };
    let mut no_cache = none.run(Depth::Default, 0.02, 1);
    no_cache.info.roofline.roof_gb_per_s = Some(1.0);
    let large = Device { levels: &[(2 << 30, 1.0), (u64::MAX, 10.0)], ..GPU };
    for run in [&no_cache, &large.run(Depth::Default, 0.02, 1)] {
        assert_eq!(value(run, "last-level cache"), NOT_RESOLVED);
    }
    // The curve ends on the slope.
    let mut cut =
        Device { levels: &[(100 << 20, 1.0), (u64::MAX, 10.0)], ..GPU }.run(Depth::Default, 0.02, 1);
    let set = |row: &CaseRow| super::super::CaseKey::parse(&row.case).number("footprint_bytes");
    cut.rows.retain(|row| set(row).is_none_or(|set| set <= 128 << 20));
    assert_eq!(value(&cut, "last-level cache"), NOT_RESOLVED);

    // One bank serves all: every stride is the same.
    let mut banks = GPU.run(Depth::Default, 0.02, 1);
    banks.rows.iter_mut().filter(|row| row.pattern == "bank").for_each(|row| row.median_ns = Some(1e7));
    assert_eq!(value(&banks, "banks of workgroup memory"), NOT_RESOLVED);

    // Nothing waits for memory.
    let mut issue = GPU.run(Depth::Default, 0.01, 1);
    issue.rows.iter_mut().for_each(|row| row.bound = Some(Bound::Issue));
    let mut cached = GPU.run(Depth::Default, 0.01, 1);
    cached.rows.iter_mut().for_each(|row| row.flags.insert(Flag::CacheResident));
    for run in [&issue, &cached] {
        assert_eq!(value(run, "sector size"), NOT_RESOLVED);
        assert_eq!(value(run, "line size"), NOT_RESOLVED);
    }
    assert_eq!(value(&issue, "last-level cache"), NOT_RESOLVED);

    // Prefetching streams up to a stride of 256 B, and a curve that follows no sector at all.
    let streams = Device { sector: 256, ..GPU };
    assert_eq!(resolved(streams, 0.02, "sector size", &[NOT_RESOLVED]), SEEDS);
    for exponent in [0.3, 0.5, 0.7] {
        let mut smooth = GPU.run(Depth::Default, 0.02, 1);
        for row in &mut smooth.rows {
            let key = super::super::CaseKey::parse(&row.case);
            if let Some(stride) = key.number("stride_bytes") {
                let median = 1e7 * (stride as f64).powf(exponent);
                row.median_ns = Some(median);
                (row.ci95_low_ns, row.ci95_high_ns) = (Some(0.99 * median), Some(1.01 * median));
            } else if row.pattern == "misalign" {
                row.median_ns = Some(1e7);
            }
        }
        assert_eq!(
            value(&smooth, "sector size"),
            NOT_RESOLVED,
            "{exponent}: {:#?}",
            finding(&smooth, "sector size")
        );
    }
}

#[test]
fn a_disagreement_is_said() {
    let mut run = GPU.run(Depth::Default, 0.01, 1);
    let other = Device { sector: 128, ..GPU }.run(Depth::Default, 0.01, 2);
    for (row, other) in run.rows.iter_mut().zip(other.rows) {
        if row.pattern == "misalign" {
            *row = other;
        }
    }
    let finding = &of(&run)[0];
    assert_eq!(finding.value, NOT_RESOLVED);
    assert!(finding.evidence.contains("alone") || finding.evidence.contains("equally"), "{finding:?}");
}

#[test]
fn a_quick_run_claims_nothing_beyond_its_points() {
    for finding in of(&GPU.run(Depth::Quick, 0.02, 1)) {
        assert!(finding.confidence != Some(Confidence::High), "{finding:?}");
    }
    let empty = Run { rows: Vec::new(), ..GPU.run(Depth::Quick, 0.02, 1) };
    assert!(of(&empty).iter().all(|finding| finding.value == NOT_RESOLVED && finding.cases.is_empty()));
}

/// A reference run of this repository.
fn recorded(name: &str) -> Run {
    let folder = format!("{}/results/reference/{name}", env!("CARGO_MANIFEST_DIR"));
    Run::read(folder.as_ref()).unwrap()
}

#[test]
fn software_adapters_show_nothing_of_the_kind() {
    for name in [
        "vulkan-llvmpipe-llvm-15-0-6-256-bits",
        "vulkan-swiftshader-device-subzero",
        "gl-llvmpipe-llvm-15-0-6-256-bits",
    ] {
        let run = recorded(name);
        assert!(of(&run).iter().all(|finding| finding.value == NOT_RESOLVED), "{:#?}", of(&run));
        // Nor would they if they posed as a GPU: the curves themselves don't support a conclusion.
        let mut disguised = run;
        disguised.info.device.kind = "discrete".to_owned();
        assert!(of(&disguised).iter().all(|finding| finding.value == NOT_RESOLVED), "{:#?}", of(&disguised));
    }
}

#[test]
fn the_host_shows_its_cache_and_no_sectors() {
    let found = of(&recorded("host-intel-r-xeon-r-processor"));
    let lines: Vec<String> = found
        .iter()
        .map(|finding| format!("{}: {}: {}", finding.what, finding.value, finding.evidence))
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    sector size: not resolved: a processor runs the lanes: they are lanes of its vector unit or turns of a loop, and its curves follow its prefetchers and that code, not requests of a subgroup
    line size: not resolved: a processor runs the lanes: they are lanes of its vector unit or turns of a loop, and its curves follow its prefetchers and that code, not requests of a subgroup
    last-level cache: between 64 MiB and 128 MiB: 47.6 GB/s up to 64 MiB, 27.4 GB/s from 128 MiB to 2 GiB; known are 480 MiB, of which one program may get a part
    banks of workgroup memory: not resolved: a processor runs the lanes: they are lanes of its vector unit or turns of a loop, and its curves follow its prefetchers and that code, not requests of a subgroup
    ");
}
