//! The host's loops through the same device that a run measures with. `benches/stream.c` is the C side, and
//! says how to compare the two.
#![allow(missing_docs, reason = "criterion's macros expand to undocumented items")]

use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use stridemark::device::gpu::OpenOptions;
use stridemark::device::{Device, Variant, Work, host};
use stridemark::pattern::{Depth, cases};

const CASES: &[&str] = &[
    "contiguous/op=read/type=u32",
    "contiguous/op=copy/type=u32",
    "contiguous/op=triad/type=u32",
    "contiguous/op=dot/type=u32",
    "stride/op=read/type=u32/stride_bytes=8",
    "stride/op=read/type=u32/stride_bytes=64",
    "gather/type=u32/indices=sequential",
    "gather/type=u32/indices=permutation",
    "gather/type=u32x2/indices=sequential",
];

fn footprint() -> u64 {
    let mib = std::env::var("STRIDEMARK_HOST_MIB").ok().and_then(|mib| mib.parse::<u64>().ok());
    mib.unwrap_or(256) << 20
}

fn loops(criterion: &mut Criterion) {
    let mut device =
        host::open(&OpenOptions { footprint: Some(footprint()), runtime_checks: false, seed: 1 });
    let mut group = criterion.benchmark_group("host");
    group.sample_size(10).warm_up_time(Duration::from_millis(200)).measurement_time(Duration::from_secs(1));
    for case in cases(Depth::Full).into_iter().filter(|case| CASES.contains(&case.id().as_str())) {
        let Ok(kernel) = device.prepare(&case) else { continue };
        group.throughput(Throughput::BytesDecimal(kernel.useful_bytes));
        group.bench_function(BenchmarkId::from_parameter(&case), |bencher| {
            bencher.iter_custom(|dispatches| {
                let work = Work::Dispatches(u32::try_from(dispatches).unwrap_or(u32::MAX));
                device.pass(kernel.id, Variant::Timed, work).map_or(Duration::MAX, |sample| sample.wall)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, loops);
criterion_main!(benches);
