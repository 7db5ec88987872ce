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
