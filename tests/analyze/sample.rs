//! Which workgroups of which grid are executed, and what is said of them.

use serde_json::json;

use crate::{json_of, on, on_text};

/// A kernel that sends home the lanes beyond `params.n`.
const GUARDED: &str = "struct Params { n: u32 }
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= params.n { return; }
    dst[id.x * 2u] = 1.0;
}
";

/// Active lanes of the store, workgroups executed, and the messages of the warnings.
fn guarded(args: &[&str]) -> (u64, u64, String) {
    let finished = on_text(GUARDED, &[&["--format", "json"], args].concat());
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let document: serde_json::Value = serde_json::from_str(&finished.stdout).unwrap();
    let accesses = document["accesses"].as_array().unwrap();
    let store = accesses.iter().find(|access| access["op"] == "store").unwrap();
    let warnings = document["warnings"].as_array().unwrap();
    let messages: Vec<_> = warnings.iter().map(|warning| warning["message"].as_str().unwrap()).collect();
    (
        store["active_lanes"].as_u64().unwrap(),
        document["workgroups_executed"].as_u64().unwrap(),
        messages.join("\n"),
    )
}

#[test]
fn a_sample_is_taken_from_where_a_guard_lets_lanes_through() {
    let (lanes, workgroups, message) = guarded(&[]);
    assert_eq!((lanes, workgroups), (1024, 16), "all 16 workgroups work");
    assert!(message.contains("from the first 16×1×1 of the grid"), "{message}");
    assert!(message.contains("params.n is 1024 (--set params.n=V)"), "{message}");
    let text = on_text(GUARDED, &[]).stdout;
    assert!(text.contains("executed: 16 of 16384 workgroups, spread over the first 16×1×1"), "{text}");
}

#[test]
fn workgroups_that_write_nothing_are_counted_where_the_caller_chose() {
    let (lanes, workgroups, message) = guarded(&["--workgroups", "8"]);
    assert_eq!((lanes, workgroups), (64, 8));
    assert!(message.starts_with("7 of 8 executed workgroups write nothing") && message.contains("params.n"));
    let (lanes, _, message) = guarded(&["--set", "params.n=100"]);
    assert_eq!(lanes, 100);
    assert!(message.contains("14 of 16 sampled workgroups write nothing; give a grid that fits the inputs"));
    assert_eq!(guarded(&["--set", "params.n=1048576"]), (1024, 16, String::new()));
    assert_eq!(guarded(&["--grid", "16"]), (1024, 16, String::new()));
}

#[test]
fn a_given_number_gives_the_sample_of_the_same_number_assumed() {
    let (lanes, workgroups, message) = guarded(&["--set", "params.n=1024"]);
    assert_eq!((lanes, workgroups), (1024, 16));
    assert_eq!(
        message,
        "workgroups further on write nothing, so the sample is from the first 16×1×1 of the grid"
    );
}

/// A kernel without a guard, whose rows take more than 4 GiB on the default grid.
const UNGUARDED: &str = "@group(0) @binding(0) var<storage, read> rows: array<vec4<u32>>;
@group(0) @binding(1) var<uniform> width: u32;
@group(0) @binding(2) var<storage, read_write> dst: array<u32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    dst[id.x] = rows[id.x * width + 1u].x;
}
";

#[test]
fn a_sample_stays_where_addresses_reach() {
    let finished = on_text(UNGUARDED, &["--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&finished.stdout).unwrap();
    let accesses = document["accesses"].as_array().unwrap();
    let load = accesses.iter().find(|access| access["variable"] == "rows").unwrap();
    assert_eq!((&load["sectors_per_request"], &load["requests"]), (&json!(32.0), &json!(32)));
    let warnings = document["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1, "nothing is clamped: {warnings:?}");
    let message = warnings[0]["message"].as_str().unwrap();
    assert!(message.starts_with("workgroups further on index beyond the 4 GiB"), "{message}");
    assert!(message.contains("from the first 16×1×1 of the grid"), "{message}");
    assert!(message.ends_with("the addresses depend on: width is 1024 (--set width=V)"), "{message}");
    // a given grid is executed as it is
    let text = on_text(UNGUARDED, &["--grid", "16384"]).stdout;
    assert!(text.contains("is outside of `rows`"), "{text}");
    // nothing further on is better than the first lane's neighbour
    let neighbour = UNGUARDED.replace("id.x * width + 1u", "id.x - 1u");
    assert!(on_text(neighbour, &[]).stdout.contains("the first, the last and evenly spaced ones"));
}

/// A product of matrices by tiles of 32 by 32, four rows a lane.
const TILED: &str = "struct Dims { n: u32, k: u32 }
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> c: array<vec4<f32>>;
@group(0) @binding(3) var<uniform> dims: Dims;
var<workgroup> tile_a: array<vec4<f32>, 256>;
var<workgroup> tile_b: array<vec4<f32>, 256>;
@compute @workgroup_size(8, 8)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) at: vec3<u32>) {
    var sums: array<vec4<f32>, 4>;
    for (var t = 0u; t < dims.k / 32u; t++) {
        for (var r = 0u; r < 4u; r++) {
            let row = at.y + r * 8u;
            tile_a[row * 8u + at.x] = a[(group.y * 32u + row) * dims.k / 4u + t * 8u + at.x];
            tile_b[row * 8u + at.x] = b[(t * 32u + row) * dims.n / 4u + group.x * 8u + at.x];
        }
        workgroupBarrier();
        for (var k = 0u; k < 8u; k++) {
            for (var r = 0u; r < 4u; r++) {
                let v = tile_a[(at.y * 4u + r) * 8u + k];
                sums[r] = fma(vec4(v.x), tile_b[k * 32u + at.x], sums[r]);
                sums[r] = fma(vec4(v.y), tile_b[k * 32u + 8u + at.x], sums[r]);
                sums[r] = fma(vec4(v.z), tile_b[k * 32u + 16u + at.x], sums[r]);
                sums[r] = fma(vec4(v.w), tile_b[k * 32u + 24u + at.x], sums[r]);
            }
        }
        workgroupBarrier();
    }
    for (var r = 0u; r < 4u; r++) {
        c[(group.y * 32u + at.y * 4u + r) * dims.n / 4u + group.x * 8u + at.x] = sums[r];
    }
}
";

#[test]
fn a_product_by_tiles_is_executed_to_its_end() {
    let document = |args: &[&str]| -> serde_json::Value {
        let finished = on_text(TILED, &[&["--format", "json"], args].concat());
        serde_json::from_str(&finished.stdout).unwrap()
    };
    let (sample, two) = (document(&[]), document(&["--workgroups", "2"]));
    assert_eq!((&sample["workgroups_executed"], &sample["warnings"]), (&json!(2), &json!([])));
    let requests = |of: &serde_json::Value| -> Vec<u64> {
        of["accesses"].as_array().unwrap().iter().map(|a| a["requests"].as_u64().unwrap()).collect()
    };
    assert_eq!(requests(&sample), requests(&two));
    let tiles = sample["accesses"].as_array().unwrap().iter().filter(|access| access["op"] == "store");
    let tiles: Vec<_> = tiles.map(|access| access["requests"].as_u64().unwrap()).collect();
    assert_eq!(tiles, [2 * 2 * 32 * 4, 2 * 2 * 32 * 4, 2 * 2 * 4], "two subgroups, 32 tiles, 4 rows");
}

#[test]
fn a_loop_that_is_left_leaves_others_alone() {
    let source = "@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var sum = 0.0;
    for (var outer = 0u; outer < 9u; outer++) {
        for (var i = 0u; i < 70000u; i++) { sum += src[i % 1024u]; }
    }
    for (var row = 0u; row < 4u; row++) { dst[row * 1048576u + id.x] = sum; }
}
";
    let finished = on_text(source, &["--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&finished.stdout).unwrap();
    let store = document["accesses"].as_array().unwrap().iter().find(|a| a["op"] == "store").unwrap();
    assert_eq!(store["requests"], 2 * 4, "two subgroups, four rows");
    let lines: Vec<_> =
        document["warnings"].as_array().unwrap().iter().filter_map(|w| w["line"].as_u64()).collect();
    assert_eq!(lines, [6], "only the loop that is long");
}

#[test]
fn a_grid_has_no_more_workgroups_along_an_axis_than_a_dispatch() {
    assert_eq!(json_of("single")["grid"], json!([32768, 32, 1]));
    let text = on("single").stdout;
    assert!(
        text.contains("grid 32768×32×1 (2²⁰ invocations, spread over another axis: a dispatch has"),
        "{text}"
    );
    assert!(text.contains("of 1048576 workgroups"), "{text}");
}

#[test]
fn the_number_of_workgroups_is_right_however_large_the_grid() {
    let text = on("single --grid 4294967295,4294967295,4294967295").stdout;
    assert!(text.contains("of 79228162458924105385300197375 workgroups"), "{text}");
}
