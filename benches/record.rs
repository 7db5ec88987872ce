//! Writing and reading the tables of a run: 100,000 rows.
//!
//! `cargo bench --bench record`

use std::time::SystemTime;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use stridemark::record::{CaseRow, RunDir, SampleRow, Status, read_samples};

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

criterion_group!(benches, tables);
criterion_main!(benches);
