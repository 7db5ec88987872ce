//! What the model says about shaders that are not well-behaved, and of what it had to assume.

#![expect(clippy::unwrap_used, reason = "a test that fails may panic")]

use std::fmt::Write as _;

use naga::valid::{Capabilities, ValidationFlags, Validator};
use stridemark::model::{
    AssumedConstants, Buffers, Contents, Dispatch, Fill, Limits, Machine, ModelError, Program, Report,
    Source, Workgroups, resolve, run,
};

fn compile(source: &str) -> Result<Program, ModelError> {
    let module =
        naga::front::wgsl::parse_str(source).unwrap_or_else(|e| panic!("{}", e.emit_to_string(source)));
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .subgroup_stages(naga::valid::ShaderStages::all())
        .subgroup_operations(naga::valid::SubgroupOperationSet::all())
        .validate(&module)
        .unwrap_or_else(|e| panic!("{}", e.emit_to_string(source)));
    Program::new("test.wgsl", source, &module, &info, "main")
}

fn all(grid: [u32; 3]) -> Dispatch {
    Dispatch { grid, workgroups: Workgroups::All }
}

fn filled(program: &Program, bytes: u64) -> Buffers {
    let mut buffers = Buffers::new(program);
    for i in 0..program.bindings().len() {
        buffers.set(i, Contents::Filled { bytes, fill: Fill::Iota }).unwrap();
    }
    buffers
}

fn execute(program: &Program, buffers: &Buffers, grid: u32) -> Result<Report, ModelError> {
    let machine = Machine::preset("nvidia").unwrap();
    run(
        program,
        &machine,
        &all([grid, 1, 1]),
        buffers,
        &Limits { steps_per_workgroup: 10_000, ..Limits::default() },
    )
}

const HEAD: &str = "@group(0) @binding(0) var<storage, read_write> dst: array<u32>;
@group(0) @binding(1) var<storage, read> src: array<u32>;
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
";

#[test]
fn indices_out_of_bounds_are_clamped_and_reported() {
    let program = compile(&format!("{HEAD} dst[id.x] = src[i32(id.x) - 1]; }}")).unwrap();
    let buffers = filled(&program, 4 * 48);
    let report = execute(&program, &buffers, 2).unwrap();
    let words = buffers.words_named("dst").unwrap();
    assert_eq!(words[0], 47, "the index of lane 0 is clamped to the last element");
    assert_eq!(words[1..47], (0..46).collect::<Vec<_>>());
    let of = |variable: &str| report.out_of_bounds.iter().find(|o| o.variable == variable).unwrap();
    let (dst, src) = (of("dst"), of("src"));
    assert_eq!((dst.lanes, dst.workgroup, dst.lane, dst.index, dst.length), (16, [1, 0, 0], 16, 48, 48));
    assert_eq!((src.lanes, src.workgroup, src.lane, src.index), (1 + 15, [0, 0, 0], 0, -1));
    assert_eq!((src.at.line, src.at.column), (4, 14));
}

#[test]
fn a_loop_that_does_not_end_is_an_error_at_its_place() {
    let program = compile(&format!("{HEAD} loop {{ if dst[0] == 77u {{ break; }} }} }}")).unwrap();
    let error = execute(&program, &filled(&program, 256), 1).unwrap_err();
    assert!(matches!(&error, ModelError::StepLimit { at, limit: 10_000, .. } if at.line == 4), "{error}");
}

#[test]
fn what_is_not_executed_is_named_with_its_place() {
    let source = "@group(0) @binding(0) var acc: acceleration_structure;
@group(0) @binding(1) var<storage, read_write> dst: array<u32>;
@compute @workgroup_size(1) fn main() {
    var query: ray_query;
    rayQueryInitialize(&query, acc, RayDesc(0u, 0xffu, 0.1, 100.0, vec3<f32>(0.0), vec3<f32>(1.0)));
    dst[0] = 1u;
}";
    let source = format!("enable wgpu_ray_query;\n{source}");
    let error = compile(&source).unwrap_err().to_string();
    assert!(error.starts_with("test.wgsl:5:") && error.contains("ray queries"), "{error}");
}

#[test]
fn an_unknown_entry_point_lists_those_there_are() {
    let source = "@compute @workgroup_size(1) fn other() {}";
    let error = compile(source).unwrap_err().to_string();
    assert_eq!(error, "test.wgsl has no compute entry point `main`; it has: other");
}

#[test]
fn textures_give_zero_and_are_noted() {
    let source = "@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<vec4<f32>>;
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= textureDimensions(image)) { return; }
    dst[id.x] = textureLoad(image, id.xy, 0) + 1.0;
}";
    let program = compile(source).unwrap();
    let buffers = filled(&program, 512);
    let report = execute(&program, &buffers, 1).unwrap();
    assert_eq!(buffers.words_named("dst").unwrap(), vec![1f32.to_bits(); 128]);
    let notes: Vec<_> = report.notes.iter().map(|note| (note.at.line, note.what.as_str())).collect();
    assert_eq!(notes.len(), 2);
    assert_eq!(notes[1], (5, "a texture load is not analysed; it gives 0"));
}

#[test]
fn sparse_buffers_grow_and_their_assumptions_are_followed() {
    let source = "struct Params { n: u32, scale: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> index: array<u32>;
@group(0) @binding(2) var<storage, read_write> data: array<u32>;
@group(0) @binding(3) var<storage, read_write> sink: array<u32>;
fn at(i: u32) -> u32 { return index[i] * 2u; }
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let plain = data[id.x];
    data[at(id.x)] = plain * params.scale;
    for (var i = 0u; i < params.n; i++) { sink[id.x] = i; }
    sink[id.x + 1000000u] = arrayLength(&index);
    sink[arrayLength(&data) - 1u] = 0u;
}";
    let program = compile(source).unwrap();
    let mut buffers = Buffers::new(&program);
    let position = |name: &str| program.bindings().iter().position(|b| b.name == name).unwrap();
    buffers.set_named("params", Contents::Filled { bytes: 8, fill: Fill::Constant(3) }).unwrap();
    let sparse =
        |length_assumption| Contents::Sparse { fill: Fill::Iota, length: 1 << 20, length_assumption };
    let n = buffers.assume("params.n");
    let scale = buffers.assume("params.scale");
    let contents = buffers.assume("index");
    let length = buffers.assume("length of data");
    buffers.mark_assumed(position("params"), 0..4, n).unwrap();
    buffers.mark_assumed(position("params"), 4..8, scale).unwrap();
    for name in ["index", "data", "sink"] {
        buffers.set_named(name, sparse((name == "data").then_some(length))).unwrap();
    }
    buffers.mark_assumed(position("index"), 0..u32::MAX, contents).unwrap();
    let report = execute(&program, &buffers, 4).unwrap();
    assert_eq!(report.out_of_bounds, []);
    let mut text = String::new();
    for access in &report.accesses {
        let names: Vec<_> = access.depends_on.iter().map(|&id| buffers.assumption(id)).collect();
        let a = &access.access;
        writeln!(text, "{} {} {:?}: {}", a.at.line, a.variable, a.op, names.join(", ")).unwrap();
    }
    assert_eq!(
        text,
        "6 index Load: \n8 data Load: \n9 data Store: index\n9 params Load: \n10 params Load: params.n\n\
         10 sink Store: params.n\n11 sink Store: \n12 sink Store: length of data\n"
    );
    let index_store = report.accesses.iter().find(|a| a.access.at.line == 9 && a.access.variable == "data");
    assert_eq!(index_store.unwrap().counts.sectors, 4 * 8, "a stride of two words");
}

#[test]
fn parallel_and_sequential_runs_agree() {
    let source = format!(
        "{HEAD} var sum = 0u; for (var i = 0u; i < id.x % 7u; i++) {{ sum += src[(id.x * 5u + i) % 4096u]; }} dst[id.x] = sum; }}"
    );
    let program = compile(&source).unwrap();
    let machine = Machine::preset("amd-cdna3").unwrap();
    let (one, two) = (filled(&program, 16384), filled(&program, 16384));
    let limits = Limits::default();
    let parallel = run(&program, &machine, &all([128, 1, 1]), &one, &limits).unwrap();
    let mut requests = 0;
    let observer = &mut |_: &stridemark::model::Request<'_>| requests += 1;
    let sequential =
        stridemark::model::run_observed(&program, &machine, &all([128, 1, 1]), &two, &limits, observer)
            .unwrap();
    assert_eq!(parallel, sequential);
    assert_eq!(one.words_named("dst"), two.words_named("dst"));
    assert_eq!(requests, parallel.accesses.iter().map(|a| a.counts.requests).sum::<u64>());
}

#[test]
fn distinct_sectors_are_counted_per_workgroup() {
    let program = compile(&format!("{HEAD} dst[id.x] = src[id.x] + src[id.x + 1u]; }}")).unwrap();
    let report = execute(&program, &filled(&program, 1024), 2).unwrap();
    let src = report.buffers.iter().find(|buffer| buffer.variable == "src").unwrap();
    // two loads of 32 words, one of them misaligned: 4 + 5 sectors, 5 distinct ones
    assert_eq!((src.sectors, src.distinct_sectors), (2 * 9, 2 * 5));
    assert_eq!(src.per_workgroup, [5, 5]);
}

#[test]
fn too_small_and_missing_buffers_are_named() {
    let program = compile(&format!("{HEAD} dst[id.x] = src[id.x]; }}")).unwrap();
    let mut buffers = Buffers::new(&program);
    let error = execute(&program, &buffers, 1).unwrap_err().to_string();
    assert_eq!(error, "buffer `dst` has no contents; set them before the run");
    let error = buffers.set_named("src", Contents::Bytes(vec![0; 3])).unwrap_err().to_string();
    assert_eq!(error, "buffer `src` has 3 bytes, its type needs at least 4");
    let error = buffers.set_named("source", Contents::Bytes(vec![])).unwrap_err().to_string();
    assert_eq!(error, "the entry point uses no buffer `source`; it uses: dst, src");
}

#[test]
fn a_spread_takes_the_first_the_last_and_some_between() {
    let program = compile(&format!("{HEAD} dst[id.x] = 0u; }}")).unwrap();
    let dispatch = Dispatch { grid: [4, 4, 1], workgroups: Workgroups::Spread(4) };
    let machine = Machine::preset("nvidia").unwrap();
    let report = run(&program, &machine, &dispatch, &filled(&program, 4096), &Limits::default()).unwrap();
    assert_eq!(report.workgroups, [[0, 0, 0], [1, 1, 0], [2, 2, 0], [3, 3, 0]]);
}

#[test]
fn doubling_calls_do_not_double_the_program() {
    // 2^30 calls if functions were pasted where they are called
    let mut source = String::from(
        "@group(0) @binding(0) var<storage, read_write> dst: array<u32>;\nfn f0(x: u32) -> u32 { return x + 1u; }\n",
    );
    for i in 1..30 {
        writeln!(source, "fn f{i}(x: u32) -> u32 {{ return f{0}(x) + f{0}(x + 1u); }}", i - 1).unwrap();
    }
    source.push_str("@compute @workgroup_size(1) fn main() { dst[0] = f29(dst[1]); }");
    let program = compile(&source).unwrap();
    let error = execute(&program, &filled(&program, 256), 1).unwrap_err();
    assert!(matches!(error, ModelError::StepLimit { .. }), "{error}");
}

#[test]
fn loops_that_are_cut_are_named_and_what_follows_is_counted() {
    let body = "loop { if src[id.x] == 7777u { break; } } dst[id.x] = 1u; }";
    let program = compile(&format!("{HEAD} {body}")).unwrap();
    let machine = Machine::preset("nvidia").unwrap();
    let limits = Limits { cut_loops_after: Some(500), ..Limits::default() };
    let buffers = filled(&program, 256);
    let report = run(&program, &machine, &all([2, 1, 1]), &buffers, &limits).unwrap();
    assert_eq!(report.cut_loops.iter().map(|at| at.line).collect::<Vec<_>>(), [4]);
    let store = report.accesses.iter().find(|access| access.access.variable == "dst").unwrap();
    assert_eq!(store.counts.requests, 2);
    assert_eq!(buffers.words_named("dst").unwrap(), vec![1; 64]);
}

#[test]
fn many_loops_that_are_cut_end_within_the_limit() {
    let body = "loop { if src[id.x] == 7777u { break; } } ".repeat(9);
    let program =
        compile(&format!("{HEAD} {body} for (var i = 0u; i < 2u; i++) {{ dst[i] = 1u; }} }}")).unwrap();
    let machine = Machine::preset("nvidia").unwrap();
    let limits = Limits { steps_per_workgroup: 4000, cut_loops_after: Some(1000), ..Limits::default() };
    let report = run(&program, &machine, &all([1, 1, 1]), &filled(&program, 256), &limits).unwrap();
    assert!(report.steps < 3000, "{}", report.steps);
    let store = report.accesses.iter().find(|access| access.access.variable == "dst").unwrap();
    assert_eq!(store.counts.requests, 1, "after nine loops the tenth has one iteration");
}

#[test]
fn an_access_that_nobody_executes_names_the_branches_above_it() {
    let source = "@group(0) @binding(0) var<uniform> mode: u32;
@group(0) @binding(1) var<uniform> limit: u32;
@group(0) @binding(2) var<storage, read_write> dst: array<u32>;
fn leave(i: u32) { if i > limit { return; } dst[i] = 1u; }
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    switch mode { case 1u: { dst[id.x] = 2u; } default: {} }
    if id.x > 100u { dst[id.x] = 3u; }
    leave(id.x + 10u);
    for (var i = 0u; i < mode * 0u; i++) { dst[i] = 4u; }
}";
    let program = compile(source).unwrap();
    let mut buffers = Buffers::new(&program);
    for (position, name) in ["mode", "limit", "dst"].iter().enumerate() {
        buffers.set_named(name, Contents::Bounded { bytes: 4096, fill: Fill::Zero }).unwrap();
        let id = buffers.assume(*name);
        buffers.mark_assumed(position, 0..4096, id).unwrap();
    }
    let report = execute(&program, &buffers, 1).unwrap();
    let stores = report.accesses.iter().filter(|access| access.access.variable == "dst");
    let found: Vec<_> = stores
        .map(|access| {
            let names: Vec<_> = access.depends_on.iter().map(|&id| buffers.assumption(id)).collect();
            (access.access.at.line, access.executed(), names)
        })
        .collect();
    let expected = [(4, vec!["limit"]), (6, vec!["mode"]), (7, vec![]), (9, vec!["mode"])];
    assert_eq!(found, expected.map(|(line, names)| (line, false, names)));
}

#[test]
fn assumed_constants_and_textures_reach_what_depends_on_them() {
    let source = "override N: u32; override TWICE = N * 2u; override ON: bool; override GIVEN: u32 = 3u;
var<private> start: u32 = TWICE + 1u;
@group(0) @binding(0) var<storage, read_write> dst: array<u32>;
@group(0) @binding(1) var flat: texture_2d<f32>;
@group(0) @binding(2) var deep: texture_3d<u32>;
fn texel(from_: texture_2d<f32>) -> u32 { return u32(textureLoad(from_, vec2(0), 0).x); }
@compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    dst[id.x * N] = 1u;
    dst[id.x + TWICE] = 1u;
    dst[start] = 1u;
    dst[dot(vec2(N, 1u) * 2u, id.xy)] = 1u;
    if ON { dst[id.x] = 1u; }
    let size = textureDimensions(deep);
    dst[id.x * size.x] = 1u;
    dst[id.x + texel(flat)] = 1u;
    dst[id.x * GIVEN] = 1u;
    dst[id.x * select(1u, 2u, ON) + 8u] = 1u;
}";
    let module =
        naga::front::wgsl::parse_str(source).unwrap_or_else(|e| panic!("{}", e.emit_to_string(source)));
    let info = Validator::new(ValidationFlags::all(), Capabilities::all()).validate(&module).unwrap();
    let constants = [("N".to_owned(), 1.0), ("ON".to_owned(), 0.0)].into_iter().collect();
    let (resolved, findings) = resolve(&module, &info, "main", &constants).unwrap();
    let assumed = AssumedConstants::new(&module, vec!["N".to_owned(), "ON".to_owned()]);
    let program = Program::with_assumed("test.wgsl", source, &resolved, &findings, "main", &assumed).unwrap();
    let expected = [
        Source::Constant("N".to_owned()),
        Source::Constant("ON".to_owned()),
        Source::Extent("deep".to_owned()),
        Source::Texels("flat".to_owned()),
    ];
    assert_eq!(program.sources(), expected);
    let mut buffers = filled(&program, 1 << 16);
    for (position, name) in ["N", "ON", "size of deep", "flat"].iter().enumerate() {
        let id = buffers.assume(*name);
        buffers.mark_source(position, id);
    }
    let report = execute(&program, &buffers, 2).unwrap();
    let found: Vec<_> = report
        .accesses
        .iter()
        .map(|access| {
            let names: Vec<_> = access.depends_on.iter().map(|&id| buffers.assumption(id)).collect();
            (access.access.at.line, names.join(" "))
        })
        .collect();
    let expected = [
        (8, "N"),
        (9, "N"),
        (10, "N"),
        (11, "N"),
        (12, "ON"),
        (14, "size of deep"),
        (15, "flat"),
        (16, ""),
        (17, "ON"),
    ];
    assert_eq!(found, expected.map(|(line, names)| (line, names.to_owned())));
}

#[test]
fn what_a_condition_kept_from_being_assigned_depends_on_it() {
    let source = "@group(0) @binding(0) var<storage, read_write> dst: array<u32>;
@group(0) @binding(1) var<uniform> a: u32;
@group(0) @binding(2) var<uniform> b: u32;
@group(0) @binding(3) var<uniform> c: u32;
@group(0) @binding(4) var<uniform> d: u32;
@group(0) @binding(5) var<uniform> e: u32;
@group(0) @binding(6) var<uniform> f: u32;
var<private> seen: u32;
var<workgroup> tile: array<u32, 32>;
var<private> first: u32;
fn leave(i: u32) { first = i; if e < i + 1u { return; } seen = 8u; }
@compute @workgroup_size(32) fn main(@builtin(local_invocation_index) i: u32) {
    var x = 0u; var y = 0u; var z = 0u; var list: array<u32, 4>; var untouched = 0u;
    if a > i { x = i * 8u; }
    dst[x] = 1u;
    switch b { case 1u: { y = i; } default: {} }
    dst[y] = 1u;
    while z < c { z += 1u; }
    dst[i * z] = 1u;
    if d > 0u { list[i & 3u] = i; tile[i] = 9u; }
    dst[list[2]] = 1u;
    dst[tile[i]] = 1u;
    leave(i);
    dst[seen] = 1u;
    dst[first + untouched] = 1u;
    if f > 0u { x = 1u; }
    x = i;
    dst[x] = 1u;
}";
    let program = compile(source).unwrap();
    let mut buffers = Buffers::new(&program);
    for (position, binding) in program.bindings().iter().enumerate() {
        buffers.set(position, Contents::Bounded { bytes: 4096, fill: Fill::Zero }).unwrap();
        if binding.name != "dst" {
            let id = buffers.assume(binding.name.clone());
            buffers.mark_assumed(position, 0..4096, id).unwrap();
        }
    }
    let report = execute(&program, &buffers, 1).unwrap();
    let stores = report.accesses.iter().filter(|access| access.access.variable == "dst");
    let found: Vec<_> = stores
        .map(|access| {
            let names: Vec<_> = access.depends_on.iter().map(|&id| buffers.assumption(id)).collect();
            (access.access.at.line, names.join(" "))
        })
        .collect();
    let expected = [(15, "a"), (17, "b"), (19, "c"), (21, "d"), (22, "d"), (24, "e"), (25, ""), (28, "")];
    assert_eq!(found, expected.map(|(line, names)| (line, names.to_owned())));
}
