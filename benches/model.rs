//! How fast the model executes: the built-in transpose, on one core and on all of them. `benches/oclgrind` runs
//! the same transpose in Oclgrind.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use naga::back::PipelineConstants;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use stridemark::model::{
    Buffers, Contents, Dispatch, Fill, Limits, Machine, Program, Workgroups, resolve, run, run_observed,
};

const WGSL: &str = include_str!("../shaders/transpose.wgsl");

/// A matrix of `side` rows and columns, tiles of 32.
fn transpose(entry: &str, side: u32) -> (Program, Buffers, Dispatch) {
    let constants: PipelineConstants = [
        ("TILE", 32.0),
        ("LANE_ROWS", 8.0),
        ("ROWS", f64::from(side)),
        ("COLUMNS", f64::from(side)),
        ("TILES_ACROSS", f64::from(side / 32)),
        ("PAD", 1.0),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into_iter()
    .collect();
    let module = naga::front::wgsl::parse_str(WGSL).expect("the shader parses");
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .expect("the shader is valid");
    let (module, info) = resolve(&module, &info, entry, &constants).expect("its constants exist");
    let program = Program::new("transpose.wgsl", WGSL, &module, &info, entry).expect("the model compiles it");
    let groups = (side / 32) * (side / 32);
    let mut buffers = Buffers::new(&program);
    let params = [u32::MAX, 0, 0, 0, groups, groups].iter().flat_map(|word| word.to_le_bytes()).collect();
    let bytes = 4 * u64::from(side) * u64::from(side);
    buffers.set_named("params", Contents::Bytes(params)).expect("params exist");
    for name in ["src", "dst"] {
        buffers.set_named(name, Contents::Filled { bytes, fill: Fill::Iota }).expect("the matrix exists");
    }
    (program, buffers, Dispatch { grid: [groups, 1, 1], workgroups: Workgroups::All })
}

fn bench(criterion: &mut Criterion) {
    let machine = Machine::preset("nvidia").expect("a preset");
    let limits = Limits::default();
    let (program, buffers, dispatch) = transpose("tiled", 512);
    let report = run(&program, &machine, &dispatch, &buffers, &limits).expect("it runs");
    let mut group = criterion.benchmark_group("model");
    group.sample_size(10);
    group.throughput(Throughput::Elements(report.lane_operations));
    group.bench_function("transpose 512, lane operations, one core", |bencher| {
        let mut ignore = |_: &stridemark::model::Request<'_>| {};
        bencher.iter(|| run_observed(&program, &machine, &dispatch, &buffers, &limits, &mut ignore));
    });
    group.bench_function("transpose 512, lane operations, all cores", |bencher| {
        bencher.iter(|| run(&program, &machine, &dispatch, &buffers, &limits));
    });
    for side in [1024, 4096] {
        let (program, buffers, dispatch) = transpose("tiled", side);
        group.throughput(Throughput::Elements(u64::from(side) * u64::from(side)));
        group.bench_function(format!("transpose {side}, elements, all cores"), |bencher| {
            bencher.iter(|| run(&program, &machine, &dispatch, &buffers, &limits));
        });
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
