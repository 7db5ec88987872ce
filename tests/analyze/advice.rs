//! The advice is about what most lanes of most requests do, and what it promises can be done.

use serde_json::Value;

use crate::{accesses, causes, on_text};

const BUFFERS: &str = "@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;\n";

/// The JSON of a kernel in a workgroup of some size, with declarations before it.
fn json(declarations: &str, size: &str, body: &str, args: &[&str]) -> Value {
    let text = format!(
        "{declarations}@compute @workgroup_size({size}) fn main(@builtin(global_invocation_id) id: vec3<u32>,
         @builtin(local_invocation_id) at: vec3<u32>, @builtin(workgroup_id) group: vec3<u32>) {{\n{body}\n}}\n"
    );
    let finished = on_text(text, &[&["--format", "json"], args].concat());
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""));
    serde_json::from_str(&finished.stdout).unwrap()
}

/// The messages found, in order.
fn messages(document: &Value) -> Vec<&str> {
    document["findings"].as_array().unwrap().iter().map(|f| f["message"].as_str().unwrap()).collect()
}

#[test]
fn the_bytes_used_are_those_of_all_accesses() {
    // twelve kinds of requests, more than are kept, each to another member of every element
    let declarations = format!(
        "struct Row {{ v: array<f32, 16> }}\n@group(0) @binding(2) var<storage, read> rows: array<Row>;\n{BUFFERS}"
    );
    let body = "var sum = 0.0;
        for (var k = 0u; k < 12u; k++) { if at.x % 32u >= k { sum += rows[id.x].v[k]; } }
        dst[id.x] = sum;";
    let document = json(&declarations, "64", body, &[]);
    let message = messages(&document).join("\n");
    assert!(message.contains("(48 of 64 by all accesses of the kernel together)"), "{message}");
}

#[test]
fn atomics_are_told_what_fits_their_function() {
    let declarations = "@group(0) @binding(0) var<storage, read_write> word: atomic<u32>;
        @group(0) @binding(1) var<storage, read_write> dst: array<u32>;\n";
    for (body, expected, not) in [
        ("atomicAdd(&word, id.x);", "subgroupAdd", "subgroupMax"),
        ("atomicSub(&word, id.x);", "subgroupAdd", "subgroupMax"),
        ("atomicMax(&word, id.x);", "subgroupMax", "subgroupAdd"),
        ("atomicMin(&word, id.x);", "subgroupMin", "subgroupAdd"),
        ("atomicAnd(&word, id.x);", "subgroupAnd", "subgroupAdd"),
        ("atomicOr(&word, id.x);", "subgroupOr", "subgroupAdd"),
        ("atomicXor(&word, id.x);", "subgroupXor", "subgroupAdd"),
        ("dst[id.x] = atomicLoad(&word);", "let one lane load it", "subgroupAdd"),
        ("atomicStore(&word, 1u);", "let a single lane store", "subgroupAdd"),
        ("dst[id.x] = atomicExchange(&word, id.x);", "let a single lane exchange", "subgroupAdd"),
        ("dst[id.x] = atomicCompareExchangeWeak(&word, 1u, id.x).old_value;", "try again", "subgroupAdd"),
    ] {
        let document = json(declarations, "32", body, &[]);
        let messages = messages(&document).join("\n");
        assert!(messages.contains(expected) && !messages.contains(not), "{body}: {messages}");
    }
}

#[test]
fn assumptions_pass_through_the_addresses_and_branches_of_stores() {
    let declarations = format!(
        "struct Params {{ n: u32 }}\n@group(0) @binding(2) var<uniform> params: Params;\n\
         @group(0) @binding(3) var<storage, read_write> counter: atomic<u32>;\n{BUFFERS}\
         var<workgroup> tile: array<u32, 64>;\nvar<workgroup> bins: array<atomic<u32>, 64>;\n"
    );
    for (store, load) in [
        ("tile[(at.x + params.n) % 64u] = at.x;", "tile[at.x]"),
        ("if at.x < params.n { tile[at.x] = at.x; }", "tile[at.x]"),
        ("if at.x < params.n { atomicAdd(&bins[at.x], at.x); }", "atomicLoad(&bins[at.x])"),
        ("atomicStore(&bins[(at.x + params.n) % 64u], at.x);", "atomicLoad(&bins[at.x])"),
    ] {
        let body = format!("{store} workgroupBarrier(); dst[id.x] = src[{load}];");
        let document = json(&declarations, "64", &body, &[]);
        let depends = &accesses(&document, "src")[0]["depends_on_unset"];
        assert_eq!(depends, &serde_json::json!(["params.n"]), "{store}");
    }
    let body = "tile[at.x] = at.x; workgroupBarrier(); dst[id.x] = src[tile[at.x]] + f32(params.n);";
    let document = json(&declarations, "64", body, &[]);
    assert_eq!(accesses(&document, "src")[0]["depends_on_unset"], serde_json::json!([]));
}
