//! Every number of every known answer in `tests/data/cases/` is what the model counts.

#![expect(clippy::unwrap_used, reason = "a test that fails may panic")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use naga::valid::{Capabilities, ValidationFlags, Validator};
use serde_json::Value;
use stridemark::model::count::{self, PhaseRule, Scratch};
use stridemark::model::{
    Buffers, Contents, Dispatch, Fill, Limits, Machine, Phases, Program, Workgroups, run, run_observed,
};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/cases")
}

fn compile(file: &str, source: &str) -> Result<Program, String> {
    let module =
        naga::front::wgsl::parse_str(source).map_err(|e| e.emit_to_string_with_path(source, file))?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .map_err(|e| e.emit_to_string_with_path(source, file))?;
    Program::new(file, source, &module, &info, "main").map_err(|e| e.to_string())
}

fn zeroed(program: &Program) -> Buffers {
    let mut buffers = Buffers::new(program);
    for i in 0..program.bindings().len() {
        buffers.set(i, Contents::Filled { bytes: 1 << 24, fill: Fill::Zero }).unwrap();
    }
    buffers
}

/// The numbers of one request, by the names of `cases.json`.
fn numbers(
    machine: &Machine,
    lanes: &[u32],
    addresses: &[u64],
    bytes: u32,
    load: bool,
) -> BTreeMap<&'static str, f64> {
    let scratch = &mut Scratch::default();
    let memory =
        |scratch: &mut Scratch, sector: u32| count::memory(scratch, addresses, bytes, sector, sector, |_| {});
    let (sector, banks, bank) = (machine.sector_bytes.value, machine.banks.value, machine.bank_bytes.value);
    let m = memory(scratch, sector);
    let fetched = (m.sectors * u64::from(sector)) as f64;
    let rule = PhaseRule::of(machine.phases.value, bytes, load, banks, bank);
    let b = count::banks(scratch, lanes, addresses, bytes, banks, bank, rule);
    let whole = PhaseRule::Consecutive { lanes: 1024 };
    let words: std::collections::BTreeSet<u64> = addresses
        .iter()
        .flat_map(|a| a / u64::from(bank)..(a + u64::from(bytes)).div_ceil(u64::from(bank)))
        .map(|word| word % u64::from(banks))
        .collect();
    BTreeMap::from([
        ("sectors_per_request", m.sectors as f64),
        ("sectors32_per_request", memory(scratch, 32).sectors as f64),
        ("lines64", memory(scratch, 64).lines as f64),
        ("lines128", memory(scratch, 128).lines as f64),
        ("requested_bytes", m.requested_bytes as f64),
        ("unique_bytes", m.unique_bytes as f64),
        ("fetched_bytes", fetched),
        ("over_fetch", fetched / m.unique_bytes as f64),
        ("efficiency", m.requested_bytes as f64 / fetched),
        ("ideal_sectors", m.ideal_sectors as f64),
        ("excess_sectors_fraction", (m.sectors - m.ideal_sectors) as f64 / m.sectors as f64),
        ("bytes_used_per_sector", m.unique_bytes as f64 / m.sectors as f64),
        ("active_lanes", lanes.len() as f64),
        ("bank_conflict_degree", b.degree as f64),
        ("passes", b.passes as f64),
        ("ideal_passes", b.ideal_passes as f64),
        ("excess_passes", (b.passes - b.ideal_passes) as f64),
        (
            "whole_subgroup_degree",
            count::banks(scratch, lanes, addresses, bytes, banks, bank, whole).degree as f64,
        ),
        ("banks_touched", words.len() as f64),
    ])
}

fn machine(case: &Value) -> Machine {
    let mut machine = Machine::preset("nvidia").unwrap();
    machine.line_bytes.set(128, "case");
    for (key, value) in case["machine"].as_object().unwrap() {
        let number = value.as_u64().unwrap_or(0) as u32;
        match key.as_str() {
            "subgroup_size" => machine.subgroup_size.set(number, "case"),
            "sector_bytes" => machine.sector_bytes.set(number, "case"),
            "banks" => machine.banks.set(number, "case"),
            "bank_bytes" => machine.bank_bytes.set(number, "case"),
            "phases" => machine.phases.set(
                match value.as_str().unwrap() {
                    "consecutive" => Phases::Consecutive,
                    "cdna3-read" => Phases::Cdna3Read,
                    "cdna4-read" => Phases::Cdna4Read,
                    other => panic!("phases {other}"),
                },
                "case",
            ),
            other => panic!("machine has {other}"),
        }
    }
    machine
}

fn one_workgroup() -> Dispatch {
    Dispatch { grid: [4, 4, 1], workgroups: Workgroups::List(vec![[0, 0, 0]]) }
}

#[test]
fn every_number_of_every_case() {
    let text = fs::read_to_string(folder().join("cases.json")).unwrap();
    let cases: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert_eq!(cases.len(), 34);
    let mut compared = 0;
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let file = case["file"].as_str().unwrap();
        let source = fs::read_to_string(folder().join(file)).unwrap();
        let program = compile(file, &source).unwrap_or_else(|e| panic!("{name}: {e}"));
        let machine = machine(case);
        let line = case["line"].as_u64().unwrap() as u32;
        let (position, access) = program
            .accesses()
            .iter()
            .enumerate()
            .find(|(_, access)| access.at.line == line)
            .unwrap_or_else(|| panic!("{name}: no access on line {line}"));
        assert_eq!(u64::from(access.bytes), case["access_bytes"].as_u64().unwrap(), "{name}");
        let load = access.op == stridemark::model::AccessOp::Load;
        let mut requests = Vec::new();
        let buffers = zeroed(&program);
        let observer = &mut |request: &stridemark::model::Request<'_>| {
            if request.access == position {
                let of = numbers(&machine, request.lanes, request.addresses, request.bytes, load);
                if let Some(memory) = request.memory {
                    assert_eq!(memory.sectors as f64, of["sectors_per_request"]);
                }
                if let Some(banks) = request.banks {
                    assert_eq!(banks.degree as f64, of["bank_conflict_degree"]);
                }
                requests.push((request.subgroup, of));
            }
        };
        let limits = Limits::default();
        let report = run_observed(&program, &machine, &one_workgroup(), &buffers, &limits, observer)
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(report.out_of_bounds, [], "{name}");
        let counts = report.accesses[position].counts;
        assert_eq!(counts.requests, requests.len() as u64, "{name}");
        let sums: u64 = requests.iter().map(|(_, of)| of["requested_bytes"] as u64).sum();
        assert_eq!(counts.requested_bytes, sums, "{name}");
        for (key, expected) in case["expected"].as_object().unwrap() {
            let check = |actual: f64, expected: f64| {
                assert!(
                    (actual - expected).abs() <= 5.01e-5,
                    "{name}: {key} is {actual}, expected {expected}"
                );
            };
            match expected {
                Value::Number(expected) => {
                    for (_, of) in &requests {
                        check(of[key.as_str()], expected.as_f64().unwrap());
                        compared += 1;
                    }
                }
                Value::Array(list) => {
                    // one entry per loop iteration of the first subgroup
                    let first: Vec<_> = requests.iter().filter(|(subgroup, _)| *subgroup == 0).collect();
                    assert_eq!(first.len(), list.len(), "{name}: {key}");
                    for ((_, of), expected) in first.iter().zip(list) {
                        check(of[key.as_str()], expected.as_f64().unwrap());
                        compared += 1;
                    }
                }
                other => panic!("{name}: {key} is {other}"),
            }
        }
    }
    assert!(compared > 400, "only {compared} numbers were compared");
}

#[test]
fn a_constant_shift_by_the_width_is_refused_at_its_place() {
    let file = "shift-by-32-const.wgsl";
    let source = fs::read_to_string(folder().join("negative").join(file)).unwrap();
    let message = compile(file, &source).unwrap_err();
    assert!(message.contains("shift-by-32-const.wgsl:10:"), "{message}");
    assert!(message.to_lowercase().contains("shift"), "{message}");
}

#[test]
fn a_run_time_shift_by_the_width_is_modulo_the_width() {
    let file = "shift-by-32-runtime.wgsl";
    let source = fs::read_to_string(folder().join("negative").join(file)).unwrap();
    let program = compile(file, &source).unwrap();
    let machine = Machine::preset("nvidia").unwrap();
    let buffers = zeroed(&program);
    let report = run(&program, &machine, &one_workgroup(), &buffers, &Limits::default()).unwrap();
    let line = source.lines().position(|line| line.contains("// ACCESS")).unwrap() as u32 + 1;
    let access = report.accesses.iter().find(|access| access.access.at.line == line).unwrap();
    assert_eq!(access.counts.conflict_degree, 4);
    assert_eq!(access.counts.passes, 4 * access.counts.requests);
}
