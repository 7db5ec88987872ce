//! The suite's own kernels through the suite's own runner, on the default device, and what a run does beside
//! them: expanding patterns and checking results.
//!
//! `cargo bench --bench suite`; the figures are of whatever device `stridemark list` would choose first.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use stridemark::device::gpu::OpenOptions;
use stridemark::device::{Device, Variant, Work, select};
use stridemark::measure::verify::verify;
use stridemark::pattern::{self, Case, Depth};

const OPTIONS: OpenOptions = OpenOptions { footprint: Some(16 << 20), runtime_checks: false, seed: 1 };

const ROOF: &str = "contiguous/op=read/";

/// One case of every pattern: the first of the quick suite.
fn firsts() -> Vec<Case> {
    pattern::registry().iter().filter_map(|pattern| pattern.cases(Depth::Quick).into_iter().next()).collect()
}

fn default_device(options: &OpenOptions) -> Box<dyn Device> {
    let candidates = select::select(&[]).expect("a device, at least the host");
    candidates[0].open(options).expect("it opens")
}

fn kernels(criterion: &mut Criterion) {
    let mut device = default_device(&OPTIONS);
    let mut group = criterion.benchmark_group("kernels");
    for case in firsts() {
        let Ok(kernel) = device.prepare(&case) else { continue };
        group.throughput(Throughput::Bytes(kernel.useful_bytes));
        group.bench_function(case.id(), |bencher| {
            bencher.iter(|| device.pass(kernel.id, Variant::Timed, Work::Dispatches(1)).expect("a pass"));
        });
    }
}

/// Contiguous reads over the device's own footprint, a batch in one pass: what other tools call its peak.
fn roof(criterion: &mut Criterion) {
    let mut device = default_device(&OpenOptions { footprint: None, ..OPTIONS });
    let mut group = criterion.benchmark_group("roof");
    for case in pattern::cases(Depth::Full).into_iter().filter(|case| case.id().starts_with(ROOF)) {
        let kernel = device.prepare(&case).expect("every device reads");
        group.throughput(Throughput::BytesDecimal(kernel.useful_bytes));
        group.bench_function(case.id(), |bencher| {
            bencher.iter_custom(|dispatches| {
                let work = Work::Dispatches(u32::try_from(dispatches).unwrap_or(u32::MAX));
                device.pass(kernel.id, Variant::Timed, work).expect("a pass").wall
            });
        });
    }
}

fn verification(criterion: &mut Criterion) {
    let mut device = default_device(&OPTIONS);
    let mut group = criterion.benchmark_group("verification");
    for case in firsts() {
        let Ok(kernel) = device.prepare(&case) else { continue };
        group.throughput(Throughput::Bytes(kernel.footprint_bytes));
        group.bench_function(case.id(), |bencher| {
            bencher.iter(|| verify(device.as_mut(), kernel.id, 1).expect("a pass").expect("a right result"));
        });
    }
}

fn expansion(criterion: &mut Criterion) {
    criterion.bench_function("expansion of the full suite to case ids", |bencher| {
        bencher.iter(|| pattern::cases(Depth::Full).iter().map(Case::id).collect::<Vec<_>>());
    });
}

criterion_group!(benches, kernels, roof, verification, expansion);
criterion_main!(benches);
