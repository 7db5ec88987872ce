//! A run predicts what it measures, and `explain` tells patterns from the same model.

mod common;

use common::{Lab, assert_clean};
use stridemark::record::{CaseRow, Status};

fn row<'a>(rows: &'a [CaseRow], case: &str) -> &'a CaseRow {
    rows.iter().find(|row| row.case == case).unwrap_or_else(|| panic!("no row {case}"))
}

fn workgroup_sectors(row: &CaseRow) -> Option<f64> {
    let parameters: serde_json::Value = serde_json::from_str(&row.parameters).expect("an object");
    parameters["workgroup_sectors"].as_f64()
}

#[test]
fn a_run_predicts_every_case_of_its_own_grid() {
    let lab = Lab::new();
    let finished = lab.run_fake(
        "max_binding = 1048576",
        &["--quick", "--no-charts", "--filter", "stride/*", "--filter", "transpose/op=tile*"],
    );
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let (rows, info) = (lab.rows(), lab.info());
    let machine = info.machine.expect("a machine");
    assert_eq!((machine.name.as_str(), machine.subgroup_size), ("nvidia (stand-in)", 32));
    assert!(machine.source.contains("subgroup_size: script"), "{}", machine.source);
    for row in rows.iter().filter(|row| row.status == Status::Ok) {
        assert!(row.requests.is_some() && row.over_fetch.is_some(), "{row:?}");
    }
    // a stride of two words: every sector once, half of it asked for
    let stride = row(&rows, "stride/op=read/type=u32/stride_bytes=8");
    let bytes = stride.useful_bytes.expect("a plan") as f64;
    assert_eq!(stride.sectors, Some(2.0 * bytes / 32.0));
    assert_eq!((stride.sectors_per_request, stride.over_fetch), (Some(8.0), Some(2.0)));
    assert_eq!((workgroup_sectors(stride), stride.conflict_degree), (stride.sectors, None));
    let transposed = rows.iter().filter(|row| row.case.starts_with("transpose/op=tile/"));
    assert!(transposed.clone().count() > 0);
    for row in transposed.filter(|row| row.status == Status::Ok) {
        assert_eq!(row.conflict_degree, Some(32), "{}", row.case);
    }
    assert_clean(&lab.only_run());
}

#[test]
fn nothing_is_predicted_for_native_loops() {
    let lab = Lab::new();
    let args =
        ["run", "--device", "host", "--quick", "--no-charts", "--footprint", "1MiB", "--budget", "0.01"];
    let finished = lab.run(&[&args[..], &["--filter", "stride/op=read/type=u32/stride_bytes=8"]].concat());
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(lab.info().machine, None);
    assert!(lab.rows().iter().all(|row| row.requests.is_none() && row.sectors.is_none()));
}

#[test]
fn explain_tells_a_pattern() {
    let lab = Lab::new();
    let finished = lab.run(&["explain", "misalign"]);
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""));
    assert!(finished.stdout.contains("touch 5 sectors of 32 bytes where 4 would do"), "{}", finished.stdout);
    let finished = lab.run(&["explain", "bank", "--format", "json", "--machine", "intel-xe"]);
    let json: serde_json::Value = serde_json::from_str(&finished.stdout).expect("JSON alone");
    assert_eq!(json["machine"]["name"], "intel-xe");
    assert!(json["accesses"].as_array().is_some_and(|accesses| !accesses.is_empty()));
}

#[test]
fn explain_names_what_it_does_not_know() {
    let lab = Lab::new();
    let finished = lab.run(&["explain", "strid"]);
    assert_eq!(finished.code, Some(2));
    assert!(finished.stderr.contains("no pattern `strid`; did you mean `stride`?"), "{}", finished.stderr);
    let finished = lab.run(&["explain", "stride", "--machine", "nvidea"]);
    assert_eq!(finished.code, Some(2));
    assert!(finished.stderr.contains("did you mean `nvidia`?"), "{}", finished.stderr);
}
