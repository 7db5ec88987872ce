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

#[test]
fn a_lane_at_an_edge_does_not_hide_what_the_others_do() {
    // every request has a lane that is clamped or that wraps around: the slice is off for the others
    for body in [
        "dst[id.x] = src[min(id.x + 1u, id.x / 32u * 32u + 31u) + 1u];",
        "dst[id.x] = src[id.x / 32u * 32u + (id.x + 1u) % 32u + 2u];",
    ] {
        let document = json(BUFFERS, "64", body, &[]);
        assert_eq!(causes(&document), ["misaligned"], "{body}: {:?}", messages(&document));
    }
    // only the lane at the edge adds a sector
    let body = "dst[id.x] = src[select(id.x, id.x + 4096u, at.x % 32u == 31u)];";
    let document = json(BUFFERS, "64", body, &[]);
    assert_eq!(causes(&document), ["edge-lanes"]);
    let message = messages(&document)[0];
    assert!(
        message.starts_with("1 of 32 lanes has an address apart")
            && message.contains("5 sectors instead of 4")
    );
}

#[test]
fn the_rarest_requests_do_not_speak_for_the_others() {
    // twenty outcomes at the start, one for all that follow
    let body = "for (var k = 0u; k < 400u; k++) {
            if k >= 20u { dst[id.x] += src[id.x + 1u]; }
            else if at.x <= k { dst[id.x] += src[id.x * id.x]; }
        }";
    let body = body.replace("src[id.x + 1u]", "src[select(id.x * id.x, id.x + 1u, k >= 20u)]");
    let document = json(BUFFERS, "64", &body, &[]);
    let message = messages(&document).join("\n");
    assert!(causes(&document).contains(&"misaligned"), "{message}");
}

#[test]
fn misaligned_lanes_in_any_order() {
    for index in ["(id.x ^ 1u) + 1u", "(id.x ^ 31u) + 3u", "id.x / 32u * 32u + (id.x * 5u) % 32u + 2u"] {
        let document = json(BUFFERS, "64", &format!("dst[id.x] = src[{index}];"), &[]);
        assert_eq!(causes(&document), ["misaligned"], "{index}: {:?}", messages(&document));
    }
}

#[test]
fn each_lane_may_take_another_part_of_its_structure() {
    let declarations = format!(
        "struct Row {{ v: array<f32, 8> }}\n@group(0) @binding(2) var<storage, read> rows: array<Row>;\n{BUFFERS}"
    );
    for part in ["id.x % 8u", "(id.x * 3u) % 8u", "7u - id.x % 8u", "5u"] {
        let document = json(&declarations, "64", &format!("dst[id.x] = rows[id.x].v[{part}];"), &[]);
        assert_eq!(causes(&document), ["array-of-structures"], "{part}");
        let message = messages(&document)[0];
        assert!(message.contains("a stride of 32 bytes: 4 of 32 bytes used"), "{part}: {message}");
    }
    // neighbouring lanes that share a structure take it whole
    let document = json(&declarations, "64", "dst[id.x] = rows[id.x / 8u].v[id.x % 8u];", &[]);
    assert_eq!(causes(&document), [""; 0]);
}

/// The degree of the loads of `tile` and the advice on them.
fn tile(declaration: &str, load: &str) -> (u64, String) {
    let declarations = format!("{BUFFERS}{declaration}\n");
    let body = format!("dst[id.x] = {load};");
    let document = json(&declarations, "8, 8", &body, &[]);
    let degree = accesses(&document, "tile")[0]["conflict_degree"].as_u64().unwrap();
    (degree, messages(&document).join("\n"))
}

#[test]
fn padding_is_in_elements_of_the_tile_and_does_what_it_says() {
    let vectors = |row: u32| format!("var<workgroup> tile: array<array<vec4<f32>, {row}>, 8>;");
    let (degree, message) = tile(&vectors(8), "dot(tile[at.x][at.y], vec4(1.0))");
    assert_eq!(degree, 8);
    assert!(message.contains("pad the tile row from 8 to 9 elements of 16 bytes"), "{message}");
    assert!(message.contains("takes 4 instead of 32 passes"), "{message}");
    assert_eq!(tile(&vectors(9), "dot(tile[at.x][at.y], vec4(1.0))").0, 1);
    // one component of each: the row can only grow by whole vectors
    let (degree, message) = tile(&vectors(8), "tile[at.x][at.y].x");
    assert_eq!(degree, 8);
    assert!(
        message.contains("from 8 to 9 elements of 16 bytes and the request takes 4 instead of 8"),
        "{message}"
    );
    assert_eq!(tile(&vectors(9), "tile[at.x][at.y].x").0, 4);
    // a row of vectors can't be padded at all: its parts have to be taken apart
    let (degree, message) = tile("var<workgroup> tile: array<vec4<f32>, 64>;", "tile[at.x + at.y * 8u].x");
    assert_eq!(degree, 4);
    assert!(message.contains("keep each part of the elements in an array of its own"), "{message}");
    // lanes two rows apart: it is the row that is padded
    let words = |row: u32| format!("var<workgroup> tile: array<array<f32, {row}>, 16>;");
    let (degree, message) = tile(&words(32), "tile[at.x * 2u][at.y * 2u]");
    assert_eq!(degree, 8);
    assert!(
        message.contains("64 words apart") && message.contains("pad the tile row from 32 to "),
        "{message}"
    );
    let number = |before: &str| -> u64 {
        message.split(before).nth(1).unwrap().split(' ').next().unwrap().parse().unwrap()
    };
    let (row, passes) = (number("from 32 to ") as u32, number("takes "));
    assert!(passes < 8, "{message}");
    assert_eq!(tile(&words(row), "tile[at.x * 2u][at.y * 2u]").0, passes);
}

#[test]
fn what_the_gate_names_has_a_finding() {
    // lanes between others do nothing: the sectors are fetched all the same
    let body = "if (id.x & 7u) == 0u { dst[id.x] = src[id.x]; }";
    let document = json(BUFFERS, "64", body, &[]);
    assert_eq!(causes(&document), ["idle-lanes"; 2]);
    let message = messages(&document)[0];
    assert!(message.starts_with("4 of 32 lanes take part") && message.contains("4 sectors for 16 bytes"));
    // one bad request among many good ones
    let declarations = format!("{BUFFERS}var<workgroup> tile: array<f32, 2048>;\n");
    let body = "var sum = 0.0;
        for (var k = 0u; k < 1000u; k++) { sum += tile[select(at.x + k, at.x * 32u, k == 7u)]; }
        dst[id.x] = sum;";
    let document = json(&declarations, "32", body, &[]);
    assert_eq!(causes(&document), ["bank-conflict"], "{:?}", messages(&document));
}

#[test]
fn lanes_that_append_to_a_list_are_not_scattered() {
    let declarations = "struct Ray { start: vec3<f32>, far: f32, along: vec3<f32>, id: u32 }
        @group(0) @binding(0) var<storage, read> rays: array<Ray>;
        @group(0) @binding(1) var<storage, read_write> hits: array<Ray>;
        @group(0) @binding(2) var<storage, read_write> count: atomic<u32>;\n";
    let body = "if (id.x * 7u) % 11u < 5u { hits[atomicAdd(&count, 1u)] = rays[id.x]; }";
    let document = json(declarations, "64", body, &["--set", "count=0"]);
    let store = document["accesses"].as_array().unwrap().iter().position(|a| a["op"] == "store").unwrap();
    let findings = document["findings"].as_array().unwrap();
    let finding = findings.iter().find(|finding| finding["access"] == store).unwrap();
    assert_eq!(finding["cause"], "array-of-structures", "{finding}");
}

#[test]
fn one_lane_that_wraps_around_does_not_speak_for_the_others() {
    let document = json(BUFFERS, "64", "dst[id.x] = src[id.x - 3u];", &[]);
    assert_eq!(causes(&document), ["misaligned"], "{:?}", messages(&document));
}

#[test]
fn rows_of_lanes_that_come_round_to_the_same_banks() {
    let kernel = |store: &str, load: &str| {
        let declarations = format!("{BUFFERS}var<workgroup> tile: array<f32, 1024>;\n");
        let body = format!("{store} = src[id.x]; workgroupBarrier(); dst[id.y * 1024u + id.x] = {load};");
        json(&declarations, "16, 16", &body, &[])
    };
    // 18 words are the price of loads without a conflict
    let document = kernel("tile[at.y * 18u + at.x]", "tile[at.x * 18u + at.y]");
    let conflicts = messages(&document).join("\n");
    assert!(
        conflicts.contains("the 2 rows of a request, 18 words apart over 32 banks, come round"),
        "{conflicts}"
    );
    assert!(conflicts.contains("no padding of the row") && !conflicts.contains("1 words"), "{conflicts}");
    // without such loads one more word of padding would do
    let document = kernel("tile[at.y * 47u + at.x]", "tile[at.y * 47u + at.x]");
    let conflicts = messages(&document).join("\n");
    assert!(
        conflicts.contains("pad the tile row from 47 to 48 words and the request takes 1 instead"),
        "{conflicts}"
    );
}

#[test]
fn a_padding_is_counted_over_all_accesses_to_the_array() {
    let declarations = format!("{BUFFERS}var<workgroup> tile: array<array<f32, 32>, 33>;\n");
    // the loads run down the columns, the stores down the diagonals that a padding of one aligns
    let body = "for (var k = 0u; k < 64u; k++) { tile[at.x][(k - at.x) & 31u] = src[id.x + k]; }
        workgroupBarrier(); dst[id.x] = tile[at.x][group.x & 31u];";
    let document = json(&declarations, "32", body, &[]);
    let message = messages(&document).join("\n");
    assert!(
        message.contains("pad the tile row from 32 to 34 words and the request takes 2 instead of 32 passes"),
        "{message}"
    );
}

#[test]
fn a_line_whose_stride_changes_is_no_tile() {
    let declarations = format!("{BUFFERS}var<workgroup> line: array<f32, 512>;\n");
    let body = "line[2u * at.x] = src[id.x]; line[2u * at.x + 1u] = src[id.x + 1024u];
        for (var k = 1u; k < 512u; k *= 2u) {
            workgroupBarrier();
            let to = 2u * k * (at.x + 1u) - 1u;
            if to < 512u { line[to] += line[to - k]; }
        }
        workgroupBarrier(); dst[id.x] = line[at.x];";
    let document = json(&declarations, "256", body, &[]);
    let message = messages(&document).join("\n");
    assert!(!message.contains("tile row") && !message.contains("space them"), "{message}");
    assert!(message.contains("let lane i add element i + n / 2"), "{message}");
    assert!(
        message.contains("pad the index (element i at i + i / 32) and the request takes 1 instead of 16"),
        "{message}"
    );
    assert!(message.contains("other accesses take what is between"), "{message}");
}

#[test]
fn bins_that_follow_from_data_get_copies() {
    let declarations = "@group(0) @binding(0) var<storage, read> src: array<u32>;
        @group(0) @binding(1) var<storage, read_write> dst: array<atomic<u32>, 256>;
        var<workgroup> bins: array<atomic<u32>, 256>;\n";
    let body = "let v = src[id.x]; atomicAdd(&bins[(v >> 4u) & 255u], 1u); atomicAdd(&bins[v >> 24u], 1u);
        workgroupBarrier(); atomicAdd(&dst[at.x], atomicLoad(&bins[at.x]));";
    for args in [&[][..], &["--buffer", "src=random"]] {
        let document = json(declarations, "256", body, args);
        let message = messages(&document).join("\n");
        assert!(message.contains("copy lane % R"), "{message}");
        for no in ["subgroupAdd", "give each subgroup a copy", "neighbouring words"] {
            assert!(!message.contains(no), "{no}: {message}");
        }
        for finding in
            document["findings"].as_array().unwrap().iter().filter(|f| f["cause"] == "bank-conflict")
        {
            let access = &document["accesses"][finding["access"].as_u64().unwrap() as usize];
            let degree = format!("{}-way bank conflict", access["conflict_degree"]);
            assert!(finding["message"].as_str().unwrap().starts_with(&degree), "{finding}");
        }
    }
}

#[test]
fn parts_that_accesses_use_together_are_taken_at_once() {
    let pair = "dst[2u * id.x] = src[2u * id.x] + src[2u * id.x + 1u]; dst[2u * id.x + 1u] = 1.0;";
    let document = json(BUFFERS, "64", pair, &[]);
    assert_eq!(causes(&document), ["stride"; 4]);
    for (message, verb) in messages(&document).iter().zip(["store", "load", "load", "store"]) {
        let at_once =
            format!("(8 of 8 by all accesses together); {verb} them at once, as vectors of 8 bytes");
        assert!(message.contains("use 4 bytes of them") && message.ends_with(&at_once), "{message}");
    }
    // three words are no vector, and a pair that starts on an odd word is none either
    for body in [
        "dst[id.x] = src[3u * id.x] + src[3u * id.x + 1u] + src[3u * id.x + 2u];",
        "dst[id.x] = src[2u * id.x + 1u] + src[2u * id.x + 2u];",
    ] {
        let document = json(BUFFERS, "64", body, &[]);
        for message in messages(&document) {
            assert!(message.contains("by all accesses together); keep each of these parts"), "{message}");
            assert!(!message.contains("as vectors") && !message.contains("whole grid"), "{message}");
        }
    }
}

#[test]
fn rows_and_vectors_are_no_structures() {
    let with = |element: &str| {
        format!(
            "struct Block {{ scale: f32, q: array<f32, 8> }}\n{BUFFERS}@group(0) @binding(2) var<storage, read> rows: array<{element}>;\n"
        )
    };
    let walk = "var sum = 0.0; for (var k = 0u; k < N; k++) { sum += rows[id.x][k]; } dst[id.x] = sum;";
    let document = json(&with("array<f32, 8>"), "64", &walk.replace('N', "8u"), &[]);
    let message = messages(&document)[0];
    assert_eq!(causes(&document), ["row-walk"], "{message}");
    assert!(
        message.contains("(at j * rows + row)") && message.contains("declare the rows as vectors"),
        "{message}"
    );
    let document = json(&with("array<f32, 9>"), "64", &walk.replace('N', "9u"), &[]);
    let message = messages(&document)[0];
    assert!(!message.contains("vectors") && !message.contains("member"), "{message}");
    let document = json(&with("vec4<f32>"), "64", &walk.replace('N', "4u"), &[]);
    let message = messages(&document)[0];
    assert_eq!(causes(&document), ["row-walk"], "{message}");
    assert!(message.contains("take the vector whole"), "{message}");
    let document = json(&with("vec4<f32>"), "64", "dst[id.x] = rows[id.x].y;", &[]);
    assert!(messages(&document)[0].contains("keep the component in an array of its own"));
    // 36 bytes: an array of its own leaves `q` a row, and no vector fits
    let walk = walk.replace("[id.x][k]", "[id.x].q[k] * rows[id.x].scale").replace('N', "8u");
    let document = json(&with("Block"), "64", &walk, &[]);
    let message = messages(&document).join("\n");
    assert!(message.contains("`q` is a row of 32 bytes") && !message.contains("vectors"), "{message}");
}

#[test]
fn neighbours_can_not_be_aligned() {
    let value = "fn value(x: u32, y: u32) -> f32 { return src[y * 1024u + x]; }\n";
    let declarations = format!("{BUFFERS}{value}");
    let body = "if id.x == 0u || id.y == 0u { return; }
        dst[id.y * 1024u + id.x] = value(id.x - 1u, id.y) + value(id.x + 1u, id.y) + value(id.x, id.y - 1u);";
    let document = json(&declarations, "8, 8", body, &[]);
    let message = messages(&document).join("\n");
    assert_eq!(causes(&document), ["narrow-rows"], "{message}");
    assert!(
        message.contains("make rows of 8 lanes in the workgroup wider (of 32 each takes 5 sectors where 4"),
        "{message}"
    );
    for body in [
        "dst[id.x] = src[id.x + 1u] - src[id.x];",
        "var sum = 0.0; for (var k = 1u; k < 6u; k++) { sum += src[id.x + k]; } dst[id.x] = sum;",
    ] {
        let document = json(BUFFERS, "64", body, &[]);
        let message = messages(&document).join("\n");
        assert_eq!(causes(&document), ["misaligned"], "{message}");
        assert!(
            message.contains("no alignment serves both") && !message.contains("at multiples of"),
            "{message}"
        );
    }
}

#[test]
fn atomics_are_not_taken_for_vectors() {
    let declarations = "@group(0) @binding(0) var<storage, read_write> dst: array<atomic<u32>>;\n";
    let body = "atomicAdd(&dst[2u * id.x], 1u); atomicAdd(&dst[2u * id.x + 1u], 1u);";
    let document = json(declarations, "64", body, &[]);
    let message = messages(&document).join("\n");
    assert!(message.contains("8 of 8 by all accesses together") && !message.contains("vectors"), "{message}");
}
