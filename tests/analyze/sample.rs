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
    let (_, _, message) = guarded(&["--set", "params.n=100"]);
    assert!(
        message.starts_with("15 of 16 sampled workgroups write nothing; give a grid that fits the inputs")
    );
    assert_eq!(guarded(&["--set", "params.n=1048576"]), (1024, 16, String::new()));
    assert_eq!(guarded(&["--grid", "16"]), (1024, 16, String::new()));
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
