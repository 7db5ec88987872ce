//! What programs read.

use serde_json::{Value, json};

use crate::{accesses, analyze, causes, json_of, on, on_text, root};

/// Every shader that can be analysed, with each of its entry points.
const ALL: [&str; 20] = [
    "flat --entry by_columns",
    "flat --entry by_rows",
    "nested",
    "particles",
    "rows --entry of_rows",
    "rows --entry of_columns",
    "transpose --entry conflicting",
    "transpose --entry free",
    "transpose --entry naive",
    "matmul --entry naive",
    "matmul --entry tiled",
    "slice",
    "gather",
    "gather --buffer indices=random",
    "histogram",
    "single",
    "blur",
    "reduce --entry spread",
    "reduce --entry dense",
    "normals",
];

const DOCUMENT: [&str; 10] = [
    "schema_version",
    "file",
    "entry_point",
    "workgroup_size",
    "grid",
    "workgroups_executed",
    "machine",
    "accesses",
    "findings",
    "warnings",
];

const ACCESS: [&str; 22] = [
    "line",
    "column",
    "space",
    "variable",
    "op",
    "access_bytes",
    "executed",
    "requests",
    "active_lanes",
    "requested_bytes",
    "unique_bytes",
    "fetched_bytes",
    "sectors",
    "ideal_sectors",
    "lines",
    "sectors_per_request",
    "over_fetch",
    "excess",
    "passes",
    "ideal_passes",
    "conflict_degree",
    "depends_on_unset",
];

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

fn sorted<const N: usize>(mut names: [&str; N]) -> Vec<&str> {
    names.sort_unstable();
    names.to_vec()
}

#[test]
fn every_document_has_the_schema() {
    for line in ALL {
        let document = json_of(line);
        assert_eq!(keys(&document), sorted(DOCUMENT), "{line}");
        assert_eq!(document["schema_version"], 1);
        assert!(document["workgroups_executed"].as_u64().unwrap() > 0);
        assert_eq!(document["machine"]["subgroup_size"], 32);
        let list = document["accesses"].as_array().unwrap();
        assert!(!list.is_empty());
        for access in list {
            assert_eq!(keys(access), sorted(ACCESS), "{line}");
            check_access(line, access);
        }
        for finding in document["findings"].as_array().unwrap() {
            assert!(finding["message"].as_str().unwrap().len() > 20, "{finding}");
        }
    }
}

fn check_access(line: &str, access: &Value) {
    let number = |key: &str| access[key].as_f64();
    let workgroup = access["space"] == "workgroup";
    for key in ["fetched_bytes", "sectors", "ideal_sectors", "lines"] {
        assert_eq!(access[key].is_null(), workgroup, "{line}: {key} of {access}");
    }
    for key in ["passes", "ideal_passes", "conflict_degree"] {
        assert_eq!(access[key].is_null(), !workgroup, "{line}: {key} of {access}");
    }
    assert_eq!(access["executed"] == json!(true), number("requests").unwrap() > 0.0);
    for key in ["sectors_per_request", "over_fetch", "excess"] {
        let expected = !workgroup && access["executed"] == json!(true);
        assert_eq!(access[key].is_number(), expected, "{line}: {key} of {access}");
    }
    if let (Some(excess), Some(sectors), Some(ideal)) =
        (number("excess"), number("sectors"), number("ideal_sectors"))
    {
        assert!((excess - sectors / ideal).abs() < 1e-9 && excess >= 1.0);
        assert_eq!(number("fetched_bytes"), Some(sectors * 32.0));
    }
    let per_lane = number("requested_bytes").unwrap() / number("active_lanes").unwrap().max(1.0);
    assert!(per_lane <= number("access_bytes").unwrap(), "{line}: {access}");
}

#[test]
fn strides_and_their_causes() {
    let particles = json_of("particles");
    assert!(causes(&particles).iter().all(|cause| *cause == "array-of-structures"), "{particles}");
    let of_rows = json_of("rows --entry of_rows");
    let matrix = accesses(&of_rows, "matrix")[0];
    assert_eq!((&matrix["sectors_per_request"], &matrix["excess"]), (&json!(32.0), &json!(8.0)));
    assert_eq!(causes(&of_rows), ["row-walk"]);
    assert_eq!(causes(&json_of("rows --entry of_columns")), [""; 0]);
    assert_eq!(causes(&json_of("transpose --entry naive")), ["swapped-axes"]);
    assert_eq!(causes(&json_of("transpose --entry conflicting")), ["bank-conflict"]);
    assert_eq!(causes(&json_of("transpose --entry free")), [""; 0]);
    assert_eq!(causes(&json_of("flat --entry by_rows")), ["row-walk", "swapped-axes"]);
    assert_eq!(causes(&json_of("flat --entry by_columns")), ["partial-broadcast"]);
    assert_eq!(causes(&json_of("nested")), ["narrow-rows", "stride"]);
    assert_eq!(causes(&json_of("slice")), ["misaligned"; 2]);
    assert_eq!(causes(&json_of("gather")), [""; 0]);
    assert_eq!(causes(&json_of("gather --buffer indices=random")), ["scattered"]);
    assert_eq!(causes(&json_of("single")), ["idle-lanes"]);
    assert_eq!(causes(&json_of("normals")), ["padded-vector"; 2]);
    assert!(causes(&json_of("histogram")).contains(&"same-address"));
}

#[test]
fn a_broadcast_is_not_waste() {
    let particles = json_of("particles");
    let params = accesses(&particles, "params");
    assert_eq!(params.len(), 5);
    for access in params {
        assert_eq!(access["excess"], 1.0, "{access}");
        assert_eq!(access["over_fetch"], 32.0 / access["access_bytes"].as_f64().unwrap(), "{access}");
    }
}

#[test]
fn the_grid_follows_the_axes_in_use() {
    assert_eq!(json_of("particles")["grid"], json!([16384, 1, 1]));
    assert_eq!(json_of("matmul --entry naive")["grid"], json!([64, 64, 1]));
    let document = json_of("slice --grid 3,2 --workgroups all");
    assert_eq!((&document["grid"], &document["workgroups_executed"]), (&json!([3, 2, 1]), &json!(6)));
    assert_eq!(json_of("slice --workgroups 5")["workgroups_executed"], 5);
}

#[test]
fn assumptions_are_named_where_they_matter_and_only_there() {
    let unset = json_of("gather");
    let names =
        |document: &Value, variable: &str| accesses(document, variable)[0]["depends_on_unset"].clone();
    assert_eq!(names(&unset, "indices"), json!(["arrayLength(&indices)"]));
    assert_eq!(names(&unset, "table"), json!(["arrayLength(&indices)", "indices"]));
    let stores = accesses(&unset, "out");
    assert_eq!((&stores[0]["executed"], &stores[1]["executed"]), (&json!(false), &json!(true)));
    assert!(stores[0]["depends_on_unset"].to_string().contains("table"), "{}", stores[0]);
    let set = json_of("gather --buffer indices=len:1Mi,iota --buffer table=const:200");
    assert_eq!(names(&set, "table"), json!([]));
    let stores = accesses(&set, "out");
    assert_eq!((&stores[0]["executed"], &stores[1]["executed"]), (&json!(true), &json!(false)));
    assert_eq!(stores[1]["depends_on_unset"], json!([]));
}

#[test]
fn lines_that_an_assumption_keeps_from_executing_say_so() {
    let unset = json_of("blur");
    let store = accesses(&unset, "brightest")[0];
    let size = "textureDimensions(image)";
    assert_eq!((&store["executed"], &store["depends_on_unset"]), (&json!(false), &json!([size, "mode"])));
    let set = json_of("blur --set mode=1");
    let store = accesses(&set, "brightest")[0];
    assert_eq!((&store["executed"], &store["depends_on_unset"]), (&json!(true), &json!([size])));
    let text = unset["warnings"].to_string();
    assert!(text.contains("a texture load is not analysed"), "{text}");
}

#[test]
fn settings_change_what_is_executed() {
    let document = json_of("rows --entry of_rows --set shape=64,3");
    let matrix = accesses(&document, "matrix")[0];
    assert_eq!(matrix["requests"], 2 * 3, "two subgroups of the first workgroup, three columns");
    assert_eq!(matrix["depends_on_unset"], json!([]));
    let tile = json_of("reduce --entry dense --override LANES=128");
    assert_eq!(tile["workgroup_size"], json!([128, 1, 1]));
    assert_eq!(tile["warnings"], json!([]));
    let assumed = json_of("reduce --entry dense");
    assert_eq!(assumed["workgroup_size"], json!([64, 1, 1]));
    assert!(assumed["warnings"][0]["message"].as_str().unwrap().contains("--override LANES=V"));
}

#[test]
fn indices_outside_of_a_given_length_are_reported() {
    let document = json_of("slice --buffer src=len:1000 --grid 8 --workgroups all");
    let warning = &document["warnings"][0];
    assert_eq!(warning["line"], 9);
    let message = warning["message"].as_str().unwrap();
    assert!(
        message.contains("`src`") && message.contains("length of 1000") && message.contains("lane "),
        "{message}"
    );
    assert_eq!(json_of("slice")["warnings"], json!([]), "nothing is clamped without a length");
}

#[test]
fn the_gate_trips_above_its_factor() {
    for (line, code) in [
        ("particles --fail-over 2", 3),
        ("rows --entry of_rows --fail-over 7.9", 3),
        ("rows --entry of_rows --fail-over 8", 0),
        ("transpose --entry conflicting --fail-over 2", 3),
        ("transpose --entry free --fail-over 1", 0),
        ("slice --fail-over 2", 0),
    ] {
        let finished = on(line);
        assert_eq!(finished.code, Some(code), "{line}: {}", finished.stderr);
        assert_eq!(finished.stderr.contains("--fail-over"), code == 3, "{line}: {}", finished.stderr);
        assert!(!finished.stdout.is_empty(), "the analysis is printed either way");
    }
}

#[test]
fn requests_add_up_to_the_document() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("requests.csv");
    let document = json_of(&format!("transpose --entry conflicting --requests {}", path.display()));
    let mut reader = csv::Reader::from_path(&path).unwrap();
    let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    assert_eq!(header.join(","), "access,workgroup,subgroup,sequence,lanes,sectors,lines,degree,passes");
    let list = document["accesses"].as_array().unwrap();
    let mut sums = vec![[0u64; 5]; list.len()];
    for row in reader.records() {
        let row = row.unwrap();
        let number = |column: usize| row[column].parse::<u64>().unwrap_or(0);
        let sum = &mut sums[number(0) as usize];
        assert_eq!(row[1].split(',').count(), 3, "{row:?}");
        for (to, value) in sum.iter_mut().zip([1, number(4), number(5), number(6), number(8)]) {
            *to += value;
        }
    }
    for (access, sum) in list.iter().zip(&sums) {
        let fields = ["requests", "active_lanes", "sectors", "lines", "passes"];
        let expected = fields.map(|field| access[field].as_u64().unwrap_or(0));
        assert_eq!(*sum, expected, "{access}");
    }
}

#[test]
fn looking_at_every_request_or_at_some_counts_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("requests.csv");
    let all = "transpose --entry naive --grid 10,10 --workgroups all";
    assert_eq!(json_of(all), json_of(&format!("{all} --requests {}", path.display())));
}

#[test]
fn line_ends_and_marks_change_nothing() {
    let text = std::fs::read_to_string(root().join("tests/shaders/particles.wgsl")).unwrap();
    let plain = on_text(&text, &["--format", "json"]);
    let dressed = on_text(format!("\u{feff}{}", text.replace('\n', "\r\n")), &["--format", "json"]);
    assert_eq!((plain.code, dressed.code), (Some(0), Some(0)), "{}", dressed.stderr);
    assert_eq!(plain.stdout, dressed.stdout);
}

#[test]
fn machines_by_name_file_and_number() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("half.toml");
    std::fs::write(&path, "name = \"half\"\nbanks = 16").unwrap();
    let args = "transpose --entry conflicting";
    let of = |options: &str| json_of(&format!("{args} {options}"))["machine"].clone();
    assert_eq!(of("--machine amd-cdna3")["subgroup_size"], 64);
    let file = of(&format!("--machine {}", path.display()));
    assert_eq!(
        (&file["name"], &file["banks"], &file["sector_bytes"]),
        (&json!("half"), &json!(16), &json!(32))
    );
    let set = of(
        "--subgroup-size 64 --sector-bytes 64 --line-bytes 256 --banks 64 --bank-bytes 4 --phases cdna4-read",
    );
    assert_eq!(set["banks"], 64);
    assert_eq!(set["phases"], "cdna4-read");
    assert_eq!(set["sources"]["sector_bytes"], json!({"set": "--sector-bytes"}));
}

#[test]
fn a_file_can_be_the_contents() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("indices.bin");
    let words: Vec<u8> = (0..4096u32).flat_map(|i| (i * 8).to_le_bytes()).collect();
    std::fs::write(&path, words).unwrap();
    let line = format!("gather --buffer indices=len:4Ki,file:{} --grid 16", path.display());
    let table = json_of(&line);
    assert_eq!(accesses(&table, "table")[0]["sectors_per_request"], 32.0);
}

#[test]
fn entry_points_are_listed_and_chosen() {
    let finished = on("transpose");
    assert_eq!(finished.code, Some(2));
    insta::assert_snapshot!(finished.stderr, @r"
    error: tests/shaders/transpose.wgsl has 3 compute entry points:
      conflicting (workgroups of 32×8×1)
      free (workgroups of 32×8×1)
      naive (workgroups of 16×16×1)
    choose one with --entry NAME
    ");
    assert_eq!(analyze(&["tests/shaders/transpose.wgsl", "--entry", "free"]).code, Some(0));
}

#[test]
fn constants_without_a_value_and_textures_are_named_where_they_matter() {
    let source = "override N: u32;
override WIDE: bool;
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;
@group(0) @binding(2) var image: texture_2d<f32>;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    dst[id.x] = a[id.x * N];
    if WIDE { dst[id.x * 2u] = 0.0; }
    if id.x < textureDimensions(image).x { dst[id.x + 1u] = textureLoad(image, id.xy, 0).x; }
    dst[0] = 1.0;
}
";
    let finished = on_text(source, &["--format", "json"]);
    let document: Value = serde_json::from_str(&finished.stdout).unwrap();
    let depends = |line: u64| -> Vec<_> {
        let accesses = document["accesses"].as_array().unwrap().iter();
        accesses.filter(|a| a["line"] == line).map(|a| a["depends_on_unset"].clone()).collect()
    };
    assert_eq!(depends(7), [json!([]), json!(["N"])]);
    assert_eq!(depends(8), [json!(["WIDE"])]);
    assert_eq!(depends(9), [json!(["textureDimensions(image)"])]);
    let text = on_text(source, &[]).stdout;
    assert!(text.contains("= assumed: N is 1024; set it with --override N=V"), "{text}");
    let text = on_text(source, &["--override", "N=2", "--override", "WIDE=true"]).stdout;
    assert!(!text.contains("--override"), "{text}");
}

#[test]
fn a_branch_that_no_lane_takes_leaves_its_assumptions_behind() {
    let source = "@group(0) @binding(0) var<storage, read> field: array<f32>;
@group(0) @binding(1) var<storage, read> table: array<f32>;
@group(0) @binding(2) var<storage, read_write> dst: array<f32>;
@group(0) @binding(3) var<uniform> iso: f32;
@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var at = 0u;
    if field[id.x] < iso { at = id.x * 8u; }
    dst[id.x] = table[at];
}
";
    let finished = on_text(source, &["--format", "json"]);
    let document: Value = serde_json::from_str(&finished.stdout).unwrap();
    assert_eq!(accesses(&document, "table")[0]["depends_on_unset"], json!(["field", "iso"]));
    assert_eq!(accesses(&document, "dst")[0]["depends_on_unset"], json!([]));
}
