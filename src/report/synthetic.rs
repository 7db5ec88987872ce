//! Runs without a device, for the tests of reports: every case of the registry, with figures that are
//! smooth enough to draw and no claim about any hardware.

use crate::pattern::{self, Depth};
use crate::record::{
    Bound, CaseRow, Counts, DeviceInfo, Flag, HostInfo, MachineInfo, RooflineInfo, RunInfo, Status,
    SubgroupInfo, TimingInfo,
};

use super::Run;

const ROOF: f64 = 512.0;
const USEFUL: u64 = 256 << 20;

/// A run of every case of a depth on a device of that name and kind.
pub(crate) fn run(name: &str, kind: &str, depth: Depth) -> Run {
    let rows = pattern::cases(depth)
        .iter()
        .enumerate()
        .map(|(index, case)| row(name, index, case.pattern.name, &case.id()))
        .collect();
    Run::new(info(name, kind), rows)
}

/// What `run.json` would say of it.
pub(crate) fn info(name: &str, kind: &str) -> RunInfo {
    RunInfo {
        schema_version: crate::record::SCHEMA_VERSION,
        tool_version: "0.0.0".to_owned(),
        git_revision: None,
        command: "stridemark --device fake".to_owned(),
        seed: 1,
        settings: None,
        host: HostInfo::default(),
        device: DeviceInfo {
            name: name.to_owned(),
            kind: kind.to_owned(),
            driver: Some("synthetic".to_owned()),
            identity: "0:0:synthetic".to_owned(),
            ..DeviceInfo::default()
        },
        backend: "fake".to_owned(),
        shader_compiler: None,
        features: Vec::new(),
        limits: Default::default(),
        timing: TimingInfo::default(),
        subgroup: SubgroupInfo { size: Some(32), source: "probe".to_owned() },
        runtime_checks: false,
        machine: Some(MachineInfo {
            name: "synthetic".to_owned(),
            subgroup_size: 32,
            sector_bytes: 32,
            line_bytes: 128,
            banks: 32,
            bank_bytes: 4,
            source: "test".to_owned(),
        }),
        roofline: RooflineInfo {
            roof_gb_per_s: Some(ROOF),
            roof_case: Some("contiguous/op=read/type=u32x4".to_owned()),
            ..RooflineInfo::default()
        },
        checks: Vec::new(),
        notes: Vec::new(),
        started: "2026-01-01T00:00:00Z".to_owned(),
        ended: None,
        timed_share: None,
        counts: Some(Counts { ok: 1, skipped: 0, failed: 0 }),
    }
}

/// A measured row: between a hundredth of the roof and the roof, some of them issue-bound.
fn row(device: &str, index: usize, pattern: &str, case: &str) -> CaseRow {
    let share = 1.0 / (1.0 + (index * 7 % 100) as f64);
    let median = USEFUL as f64 / (ROOF * share);
    let mut row = CaseRow::new(device, "fake", pattern, case, Status::Ok);
    row.useful_bytes = Some(USEFUL);
    row.median_ns = Some(median);
    row.ci95_low_ns = Some(median * 0.97);
    row.ci95_high_ns = Some(median * 1.04);
    row.bandwidth_gb_per_s = Some(ROOF * share);
    // Workgroup memory has no roof.
    row.roof_fraction = (pattern != "bank").then_some(share);
    row.sectors = Some(USEFUL as f64 / 32.0 * (1.0 + (index % 8) as f64));
    row.bound = Some(if index.is_multiple_of(5) { Bound::Issue } else { Bound::Memory });
    if index.is_multiple_of(9) {
        row.flags.insert(Flag::Imprecise);
    }
    row
}
