//! Writing and reading the tables of a run, 100,000 rows; comparing up to ten thousand runs of 400 rows.
//!
//! `cargo bench --bench record`

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use stridemark::compare::{Options, compare_directories};
use stridemark::record::{
    CaseRow, DeviceInfo, HostInfo, RooflineInfo, RunDir, RunInfo, SCHEMA_VERSION, SampleRow, Status,
    SubgroupInfo, Timer, TimingInfo, read_samples,
};

const ROWS: u64 = 100_000;

fn cases() -> Vec<CaseRow> {
    (0..ROWS)
        .map(|index| {
            let id = format!("stride/op=read/type=u32/stride_bytes={}", 4 * (index + 1));
            let mut row = CaseRow::new("Fake GPU", "fake", "stride", &id, Status::Ok);
            row.median_ns = Some(1e6 + index as f64 / 7.0);
            row.bandwidth_gb_per_s = Some(100.0 + index as f64 / 1e3);
            row
        })
        .collect()
}

fn tables(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dir = RunDir::create(folder.path(), "bench", SystemTime::now()).expect("a run directory");
    let rows = cases();
    let mut group = criterion.benchmark_group("tables");
    group.throughput(Throughput::Elements(ROWS)).sample_size(10);
    group.bench_function("write cases.csv", |bencher| {
        bencher.iter(|| dir.write_cases(&rows).expect("written"));
    });
    dir.write_cases(&rows).expect("written");
    group.bench_function("read cases.csv", |bencher| bencher.iter(|| dir.cases().expect("read")));

    let mut journal = dir.start_journal().expect("a journal");
    let sample = |number| SampleRow {
        case: "stride/op=read/type=u32/stride_bytes=64".to_owned(),
        round: 0,
        sample: number,
        dispatches: 8,
        ticks: Some(1_000_000 + u64::from(number)),
        ns: Some(125_000.0 + f64::from(number) / 8.0),
        accepted: true,
        reason: None,
        seconds: Some(1.5),
    };
    group.bench_function("append to samples.csv, flushed row by row", |bencher| {
        bencher.iter(|| {
            (0..ROWS as u32).try_for_each(|number| journal.append(&sample(number))).expect("appended")
        });
    });
    group.bench_function("read samples.csv", |bencher| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let dir = RunDir::create(folder.path(), "bench", SystemTime::now()).expect("a run directory");
        let mut journal = dir.start_journal().expect("a journal");
        (0..ROWS as u32).try_for_each(|number| journal.append(&sample(number))).expect("appended");
        bencher.iter(|| read_samples(&dir.samples_path()).expect("read"));
    });
}

/// Different run directories; more runs are the same ones again, which costs the same to read and compare.
const RUNS: usize = 1000;
const CASES: usize = 400;

fn info() -> RunInfo {
    RunInfo {
        schema_version: SCHEMA_VERSION,
        tool_version: "bench".to_owned(),
        git_revision: None,
        command: "bench".to_owned(),
        seed: 1,
        settings: None,
        host: HostInfo::default(),
        device: DeviceInfo { name: "Fake GPU".to_owned(), ..DeviceInfo::default() },
        backend: "fake".to_owned(),
        shader_compiler: None,
        features: Vec::new(),
        limits: Default::default(),
        timing: TimingInfo::default(),
        subgroup: SubgroupInfo::default(),
        runtime_checks: false,
        machine: None,
        roofline: RooflineInfo::default(),
        checks: Vec::new(),
        notes: Vec::new(),
        started: "2027-01-15T08:00:00Z".to_owned(),
        ended: None,
        timed_share: None,
        counts: None,
    }
}

/// A run directory with every figure of its rows filled in.
fn generated(folder: &Path, number: usize) -> PathBuf {
    let rows: Vec<CaseRow> = (0..CASES)
        .map(|index| {
            let id = format!("stride/op=read/type=u32/stride_bytes={}", 4 * (index + 1));
            let ns = 1e6 + index as f64 * 1e3 + (number * 7919 + index * 104_729) as f64 % 9973.0;
            let mut row = CaseRow::new("Fake GPU", "fake", "stride", &id, Status::Ok);
            row.op = "read".to_owned();
            row.element_type = "u32".to_owned();
            row.verified = Some(true);
            row.timer = Some(Timer::Timestamp);
            for bytes in [&mut row.footprint_bytes, &mut row.distinct_bytes, &mut row.useful_bytes] {
                *bytes = Some(64 << 20);
            }
            row.samples = Some(20);
            row.rejected_samples = Some(0);
            row.dispatches_per_sample = Some(8);
            row.median_ns = Some(ns);
            row.ci95_low_ns = Some(ns * 0.99);
            row.ci95_high_ns = Some(ns * 1.01);
            row.min_ns = Some(ns * 0.97);
            row.p25_ns = Some(ns * 0.98);
            row.p75_ns = Some(ns * 1.02);
            row.p95_ns = Some(ns * 1.05);
            row.bandwidth_gb_per_s = Some(f64::from(64 << 20) / ns);
            row.roof_fraction = Some(1e5 / ns);
            row
        })
        .collect();
    let dir = RunDir::create(folder, &format!("run-{number}"), SystemTime::UNIX_EPOCH).expect("a directory");
    dir.write_cases(&rows).expect("written");
    dir.write_info(&info()).expect("written");
    dir.path().to_owned()
}

fn comparisons(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let base = generated(folder.path(), RUNS);
    let runs: Vec<PathBuf> = (0..RUNS).map(|number| generated(folder.path(), number)).collect();
    let mut group = criterion.benchmark_group("compare");
    group.sample_size(10);
    for count in [RUNS / 10, RUNS, 10 * RUNS] {
        let runs: Vec<PathBuf> = runs.iter().cycle().take(count).cloned().collect();
        group.throughput(Throughput::Elements((count * CASES) as u64));
        group.bench_function(format!("{count} runs of {CASES} cases"), |bencher| {
            bencher.iter(|| compare_directories(&base, &runs, false, &Options::default()).expect("compared"));
        });
    }
}

criterion_group!(benches, tables, comparisons);
criterion_main!(benches);
