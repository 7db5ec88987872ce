//! Every number of the known answers that the JSON has, through the program.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use crate::{analyze, root};

/// The options of a case's machine.
fn options(case: &Value) -> Vec<String> {
    let flags = BTreeMap::from([
        ("subgroup_size", "--subgroup-size"),
        ("sector_bytes", "--sector-bytes"),
        ("banks", "--banks"),
        ("bank_bytes", "--bank-bytes"),
        ("phases", "--phases"),
    ]);
    let machine = case["machine"].as_object().unwrap();
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    machine.iter().flat_map(|(key, value)| [flags[key.as_str()].to_owned(), text(value)]).collect()
}

/// A number of `cases.json`, for all requests of the access together, from the fields of its JSON.
fn figure(key: &str, access: &Value) -> Option<f64> {
    let of = |field: &str| access[field].as_f64();
    let each = |field: &str| Some(of(field)? / of("requests")?);
    match key {
        "sectors_per_request" => of("sectors_per_request"),
        "requested_bytes" | "unique_bytes" | "fetched_bytes" | "ideal_sectors" | "active_lanes"
        | "passes" | "ideal_passes" => each(key),
        "over_fetch" => of("over_fetch"),
        "efficiency" => Some(of("requested_bytes")? / of("fetched_bytes")?),
        "excess_sectors_fraction" => Some((of("sectors")? - of("ideal_sectors")?) / of("sectors")?),
        "bytes_used_per_sector" => Some(of("unique_bytes")? / of("sectors")?),
        "bank_conflict_degree" => of("conflict_degree"),
        "excess_passes" => Some(each("passes")? - each("ideal_passes")?),
        _ => None,
    }
}

#[test]
fn numbers_of_the_known_answers_through_the_program() {
    let folder = root().join("tests/data/cases");
    let cases: Vec<Value> =
        serde_json::from_str(&fs::read_to_string(folder.join("cases.json")).unwrap()).unwrap();
    let mut compared = 0;
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let file = format!("tests/data/cases/{}", case["file"].as_str().unwrap());
        let options = options(case);
        let mut args = vec![file.as_str(), "--grid", "4,4,1", "--workgroups", "1", "--format", "json"];
        args.extend(options.iter().map(String::as_str));
        let finished = analyze(&args);
        assert_eq!(finished.code, Some(0), "{name}: {}", finished.stderr);
        let document: Value = serde_json::from_str(&finished.stdout).unwrap();
        let list = document["accesses"].as_array().unwrap();
        let access = list.iter().find(|access| access["line"] == case["line"]).unwrap();
        assert_eq!(access["access_bytes"], case["access_bytes"], "{name}");
        for (key, expected) in case["expected"].as_object().unwrap() {
            // lists are per request; the document has sums
            let (Some(expected), Some(actual)) = (expected.as_f64(), figure(key, access)) else { continue };
            assert!((actual - expected).abs() < 5.01e-5, "{name}: {key} is {actual}, expected {expected}");
            compared += 1;
        }
    }
    assert!(compared > 220, "only {compared} numbers were compared");
}

#[test]
fn a_constant_shift_by_the_width_is_refused_at_its_place() {
    let finished = analyze(&["tests/data/cases/negative/shift-by-32-const.wgsl"]);
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(1), ""));
    assert!(finished.stderr.contains("shift-by-32-const.wgsl:10:"), "{}", finished.stderr);
    let finished = analyze(&["tests/data/cases/negative/shift-by-32-runtime.wgsl", "--format", "json"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let document: Value = serde_json::from_str(&finished.stdout).unwrap();
    let degrees = document["accesses"].as_array().unwrap().iter().map(|access| &access["conflict_degree"]);
    assert!(degrees.into_iter().any(|degree| degree == 4), "{document}");
}
