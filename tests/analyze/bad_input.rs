//! Bad input gets one clear error that names the value and the next step, and the designed exit code.

use std::fmt::Write;

use crate::{Finished, analyze, on, on_text};

/// The message of a run that fails with a code.
fn fails(finished: Finished, code: i32) -> String {
    assert_eq!(finished.code, Some(code), "{}", finished.stderr);
    assert_eq!(finished.stdout, "", "nothing on standard output but results");
    assert!(
        finished.stderr.starts_with("error: ") && !finished.stderr.contains("panicked"),
        "{}",
        finished.stderr
    );
    finished.stderr
}

const HEAD: &str = "@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n";

#[test]
fn files_that_cannot_be_read() {
    let message = fails(analyze(&["tests/shaders/missing.wgsl"]), 1);
    assert!(message.contains("tests/shaders/missing.wgsl can't be read"), "{message}");
    fails(analyze(&["tests/shaders"]), 1);
    let message = fails(on_text(b"fn f() {}\n\xff\xfe", &[]), 1);
    assert!(message.contains("line 2") && message.contains("UTF-8"), "{message}");
    let message = fails(on_text(vec![b' '; (4 << 20) + 1], &[]), 1);
    assert!(message.contains("4194304 bytes"), "{message}");
}

#[test]
fn shaders_that_are_not_wgsl_yet_name_the_line() {
    let message = fails(on("bevy"), 1);
    insta::assert_snapshot!(message);
    let message = fails(on("template"), 1);
    insta::assert_snapshot!(message);
}

#[test]
fn messages_of_naga_come_with_the_source() {
    let message = fails(on_text("fn main() { let x = ; }", &[]), 1);
    insta::assert_snapshot!(message);
    let message = fails(on_text("@compute @workgroup_size(0) fn main() {}", &[]), 1);
    insta::assert_snapshot!(message);
}

#[test]
fn shaders_without_compute() {
    let message = fails(on_text("fn helper() {}", &[]), 1);
    assert!(
        message.contains("no compute entry point") && message.contains("no entry point at all"),
        "{message}"
    );
    let message = fails(on_text("@fragment fn shade() {}", &[]), 1);
    assert!(message.contains("shade (Fragment)"), "{message}");
    fails(on_text("", &[]), 1);
}

#[test]
fn names_that_the_shader_does_not_have() {
    for (line, parts) in [
        ("particles --entry mian", ["--entry mian", "did you mean `main`?"]),
        ("gather --buffer indexes=iota", ["--buffer indexes", "did you mean `indices`?"]),
        ("particles --set params.cuont=5", ["--set params.cuont", "did you mean `params.count`?"]),
        ("gather --set table=5", ["--set table", "--buffer table=const:V"]),
        ("reduce --entry dense --override LANE=64", ["--override LANE", "did you mean `LANES`?"]),
        ("single --override N=1", ["--override N", "it has none"]),
        ("single --machine nvdia", ["--machine nvdia", "amd-rdna"]),
    ] {
        let message = fails(on(line), 2);
        assert!(parts.iter().all(|part| message.contains(part)), "{line}: {message}");
    }
}

#[test]
fn values_that_do_not_fit() {
    for (line, parts) in [
        ("particles --set params.count=-1", ["params.count", "does not fit in u32"]),
        ("particles --set params.count=0.5", ["params.count", "not whole"]),
        ("particles --set params.gravity=1,2", ["2 numbers", "3 scalars"]),
        ("gather --buffer indices=const:-1", ["indices", "does not fit in u32"]),
        ("gather --buffer indices=len:2Gi", ["indices", "4294967292"]),
        ("gather --buffer indices=iota --buffer indices=zero", ["indices", "given twice"]),
        ("histogram --buffer bins=len:5", ["bins", "no runtime-sized array"]),
        ("reduce --entry dense --override LANES=-5", ["dense", "--override"]),
        ("reduce --entry dense --override LANES=1e300", ["dense", "--override"]),
        ("single --subgroup-size 48", ["subgroup_size is 48", "power of two"]),
        ("single --sector-bytes 256", ["line_bytes is 128", "sector_bytes 256"]),
        ("single --phases cdna4-read", ["cdna4-read, which serves 64 banks", "not 32"]),
        ("single --machine amd-cdna4 --banks 32", ["set banks to 64", "phases to consecutive"]),
        ("single --grid 4294967295,4294967295,2 --workgroups all", ["workgroups", "sample"]),
    ] {
        let message = fails(on(line), 2);
        assert!(parts.iter().all(|part| message.contains(part)), "{line}: {message}");
    }
}

#[test]
fn an_option_is_given_once() {
    for line in [
        "particles --set params.count=1 --set params.count=2",
        "gather --buffer indices=iota --buffer indices=zero",
        "reduce --entry dense --override LANES=64 --override LANES=128",
    ] {
        let message = fails(on(line), 2);
        assert!(message.contains("given twice; give it once"), "{line}: {message}");
    }
}

const SIZED: &str = "override TILE: u32 = 16u;
override M: u32 = 4u;
var<workgroup> tile: array<f32, TILE * TILE * M>;
@group(0) @binding(0) var<storage, read_write> dst: array<f32>;
@compute @workgroup_size(TILE, TILE) fn tiled(@builtin(local_invocation_index) at: u32) {
    tile[at] = dst[at];
    dst[at] = tile[at];
}
@compute @workgroup_size(M) fn plain() { dst[0] = 1.0; }
";

#[test]
fn sizes_out_of_range_are_the_command_line_s_fault_and_have_a_place() {
    let of = |entry: &str, value: &str| fails(on_text(SIZED, &["--entry", entry, "--override", value]), 2);
    let message = of("tiled", "TILE=1024");
    assert!(message.contains("shader.wgsl:5:10: ") && message.contains("1048576"), "{message}");
    assert!(message.contains("  5 | @compute @workgroup_size(TILE, TILE)"), "{message}");
    let message = of("tiled", "M=100000");
    assert!(message.contains("shader.wgsl:3:1: ") && message.contains("102400000"), "{message}");
    for (entry, value) in [("tiled", "M=0"), ("plain", "M=0"), ("tiled", "M=100000000"), ("tiled", "M=-1")] {
        let message = of(entry, value);
        assert!(message.contains(&format!("`{entry}` ({value}): ")), "{message}");
        assert!(message.ends_with("; set them with --override NAME=V\n"), "{message}");
    }
    // nobody gave these numbers but the shader
    let own = SIZED.replace("M: u32 = 4u", "M: u32 = 0u");
    fails(on_text(own.clone(), &["--entry", "tiled"]), 1);
    fails(on_text(own, &["--entry", "plain"]), 1);
}

#[test]
fn entry_points_that_there_are_not_bring_a_list_of_those_there_are() {
    let message = fails(on_text(SIZED, &["--entry", "nope"]), 2);
    for part in
        ["--entry nope", "shader.wgsl", "tiled (workgroup size set by", "plain (workgroup size set by"]
    {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn what_naga_fails_on_is_told_in_one_error() {
    let text = "@group(0) @binding(0) var<storage, read_write> dst: array<f32>;
override A: u32 = 4u;
var<workgroup> tile: array<f32, A * 2u>;
override B: u32 = 8u;
@compute @workgroup_size(B) fn main(@builtin(local_invocation_index) at: u32) { dst[at] = tile[at]; }
";
    let message = fails(on_text(text, &[]), 1);
    assert!(message.starts_with("error: shader.wgsl: naga fails on the override constants"), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
}

#[test]
fn options_that_cannot_be_read_name_the_option() {
    for (option, value) in [
        ("--grid", "0"),
        ("--grid", "1,2,3,4"),
        ("--workgroups", "some"),
        ("--buffer", "indices"),
        ("--buffer", "indices=sorted"),
        ("--set", "n"),
        ("--override", "N=x"),
        ("--phases", "odd"),
        ("--fail-over", "0.5"),
        ("--fail-over", "nan"),
        ("--format", "xml"),
    ] {
        let finished = on(&format!("gather {option} {value}"));
        assert_eq!(finished.code, Some(2), "{option} {value}: {}", finished.stderr);
        assert!(finished.stderr.contains(option), "{option} {value}: {}", finished.stderr);
    }
}

#[test]
fn files_of_options_that_cannot_be_used() {
    let message = fails(on("gather --buffer indices=file:missing.bin"), 1);
    assert!(message.contains("missing.bin"), "{message}");
    let message = fails(on("gather --buffer indices=len:1Gi,file:Cargo.toml"), 2);
    assert!(message.contains("Cargo.toml") && message.contains("smaller len"), "{message}");
    let message = fails(on("gather --requests missing/requests.csv"), 1);
    assert!(message.contains("can't write ") && message.contains("missing/requests.csv: "), "{message}");
    let message = fails(on("gather --machine Cargo.toml"), 1);
    assert!(message.contains("Cargo.toml"), "{message}");
}

#[test]
fn what_the_model_does_not_execute_is_shown_in_the_source() {
    let text = format!(
        "enable wgpu_ray_query;\n@group(0) @binding(1) var acc: acceleration_structure;\n{HEAD}@compute @workgroup_size(1) fn main() {{\n    var query: ray_query;\n    rayQueryInitialize(&query, acc, RayDesc(0u, 0xffu, 0.1, 100.0, vec3<f32>(0.0), vec3<f32>(1.0)));\n    data[0] = 1u;\n}}\n"
    );
    let message = fails(on_text(text, &[]), 1);
    assert!(
        message.contains("shader.wgsl:5:") && message.contains("ray queries") && message.contains('^'),
        "{message}"
    );
}

#[test]
fn loops_that_do_not_end_are_left_and_named() {
    let text = format!(
        "{HEAD}@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{\n    \
         while data[0] != 7u {{ }}\n    data[id.x] = 1u;\n}}\n"
    );
    let finished = on_text(text, &["--set", "data=1", "--format", "json"]);
    assert_eq!(finished.code, Some(2), "an array is no single number: {}", finished.stderr);
    let text = format!(
        "{HEAD}@group(0) @binding(1) var<storage, read_write> ready: atomic<u32>;\n@compute @workgroup_size(64) \
         fn main(@builtin(global_invocation_id) id: vec3<u32>) {{\n    while atomicLoad(&ready) != 7u {{ }}\n    \
         data[id.x] = 1u;\n}}\n"
    );
    let finished = on_text(text, &["--format", "json"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let document: serde_json::Value = serde_json::from_str(&finished.stdout).unwrap();
    let dear = document["warnings"][0]["message"].as_str().unwrap();
    assert!(dear.contains("only the first one was executed"), "{dear}");
    assert_eq!(document["workgroups_executed"], 1);
    let warning = &document["warnings"][1];
    assert_eq!(warning["line"], 4, "{document}");
    assert!(warning["message"].as_str().unwrap().contains("never ends"), "{warning}");
    let store = document["accesses"].as_array().unwrap().iter().find(|a| a["op"] == "store").unwrap();
    assert_eq!(store["executed"], true, "what follows the loop is analysed");
}

#[test]
fn ten_thousand_lines() {
    let mut text = format!(
        "{HEAD}@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{\n"
    );
    for i in 0..10_000 {
        writeln!(text, "    data[id.x * {}u] += {i}u;", 1 + i % 4).unwrap();
    }
    text += "}\n";
    let finished = on_text(&text, &["--format", "json"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let document: serde_json::Value = serde_json::from_str(&finished.stdout).unwrap();
    assert_eq!(document["accesses"].as_array().unwrap().len(), 20_000);
}

#[test]
fn hostile_text_ends_in_an_error() {
    let deep = |open: &str, close: &str, count: usize| {
        format!("fn main() {{ let x = {}1{}; }}", open.repeat(count), close.repeat(count))
    };
    let nested = deep("(", ")", 100_000);
    let minus = deep("-", "", 100_000);
    let chain = format!("@compute @workgroup_size(1) fn main() {{ let x = 1{}; }}", " + 1".repeat(20_000));
    let blocks =
        format!("@compute @workgroup_size(1) fn main() {{ {}{} }}", "{".repeat(50_000), "}".repeat(50_000));
    let types = format!("var<private> x: {}u32{};", "array<".repeat(5_000), ", 2>".repeat(5_000));
    let huge = format!(
        "{HEAD}var<workgroup> w: array<u32, 4000000000>;\n@compute @workgroup_size(1) fn main() {{ w[0] = data[0]; }}"
    );
    let nul = "fn main() {\0}".to_owned();
    for text in [nested, minus, blocks, types, huge, nul] {
        let start: String = text.chars().take(60).collect();
        let finished = on_text(&text, &[]);
        assert!(matches!(finished.code, Some(0 | 1)), "{start}: {:?} {}", finished.code, finished.stderr);
        assert!(!finished.stderr.contains("panicked"), "{start}: {}", finished.stderr);
    }
    let finished = on_text(&chain, &[]);
    assert!(matches!(finished.code, Some(0 | 1)), "{:?} {}", finished.code, finished.stderr);
}

#[test]
fn outputs_replace_neither_the_shader_nor_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (shader, out) = (at("a.wgsl"), at("out"));
    std::fs::copy("tests/shaders/slice.wgsl", &shader).unwrap();
    std::fs::write(&out, "").unwrap();
    for options in [["--svg", &shader, "--requests", &out], ["--svg", &out, "--requests", &out]] {
        let message = fails(analyze(&[&[shader.as_str()], options.as_slice()].concat()), 2);
        assert!(message.contains("name another"), "{message}");
    }
    assert_eq!(std::fs::read(&shader).unwrap(), std::fs::read("tests/shaders/slice.wgsl").unwrap());
}
