//! What people read.

use crate::{analyze, on, on_text, root};

/// Snapshots of the text for a shader and options.
macro_rules! reads {
    ($($name:ident: $line:literal,)*) => {$(
        #[test]
        fn $name() {
            let finished = on($line);
            assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""));
            insta::assert_snapshot!(finished.stdout);
        }
    )*};
}

reads! {
    array_of_structures: "particles",
    rows: "rows --entry of_rows",
    columns: "rows --entry of_columns",
    tile_with_conflicts: "transpose --entry conflicting",
    tile_without_conflicts: "transpose --entry free",
    transpose_without_tile: "transpose --entry naive",
    product: "matmul --entry naive",
    product_by_tiles: "matmul --entry tiled --set params.n=256",
    misaligned_slices: "slice",
    gather_of_unknown_indices: "gather",
    gather_of_random_indices: "gather --buffer indices=random:7 --buffer table=len:1Mi",
    atomics: "histogram",
    one_lane: "single",
    textures: "blur",
    tree_of_sums: "reduce --entry spread",
    dense_tree_of_sums: "reduce --entry dense --override LANES=256",
    padded_vectors: "normals",
    loop_too_long: "bodies",
    lanes_folded_into_rows: "flat --entry by_rows",
    small_rows_and_strides: "nested",
    another_machine: "transpose --entry conflicting --machine amd-cdna3 --grid 8,8 --workgroups all",
}

#[test]
fn a_line_of_fine_accesses_is_said_once_and_long_lists_are_cut() {
    let mut text = String::from("@group(0) @binding(0) var<storage, read_write> data: array<u32>;\n");
    text += "@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {\n";
    for i in 0..100 {
        text += &format!("    data[id.x + {}u] = {i}u;\n", 64 * i);
    }
    text += "}\n";
    let finished = on_text(text, &[]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(finished.stdout.contains("and 60 lines more"), "{}", finished.stdout);
    assert_eq!(finished.stdout.matches("data[id.x + 640u]").count(), 1);
}

#[test]
fn the_chapter_shows_what_is_printed() {
    let chapter = std::fs::read_to_string(root().join("docs/analyze.md")).unwrap();
    let mut shown = 0;
    for part in chapter.split("```sh\n").skip(1) {
        let (commands, rest) = part.split_once("```").unwrap();
        let Some(output) = rest.split_once("```text\n").and_then(|(_, text)| text.split_once("\n```")) else {
            panic!("no output behind {commands}");
        };
        let command = commands.lines().last().unwrap();
        let args: Vec<&str> = command.strip_prefix("stridemark analyze ").unwrap().split(' ').collect();
        let finished = analyze(&args);
        let actual = if finished.code == Some(3) { finished.stderr } else { finished.stdout };
        assert_eq!(output.0, actual.trim_end(), "{command}");
        shown += 1;
    }
    assert_eq!(shown, 4);
}

#[test]
fn a_wide_access_is_said_to_be_several_requests() {
    let text = "@group(0) @binding(0) var<storage, read> src: array<mat4x4<f32>>;
        @group(0) @binding(1) var<storage, read_write> dst: array<vec4<f32>>;
        @compute @workgroup_size(32) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
            dst[id.x] = src[id.x] * vec4(1.0);
        }";
    let finished = on_text(text, &["--workgroups", "2"]);
    assert!(
        finished.stdout.contains("load of 64 B in 4 pieces of 16 B, each 32 sectors, excess 2.00×"),
        "{}",
        finished.stdout
    );
    assert!(
        finished.stdout.contains("workgroups, the first and the last (--workgroups"),
        "{}",
        finished.stdout
    );
}
