//! An analysis for programs. The fields and their meaning are documented in `docs/analyze.md`; a change of
//! meaning raises the schema version.

use serde::Serialize;

use crate::model::machine::Source;
use crate::model::{AccessOp, Machine, Phases, Space};

use super::advice::Cause;
use super::result::{Analysis, AnalyzedAccess};

/// Version of the document.
pub const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    schema_version: u32,
    file: &'a str,
    entry_point: &'a str,
    workgroup_size: [u32; 3],
    grid: [u32; 3],
    workgroups_executed: u64,
    machine: MachineNumbers<'a>,
    accesses: Vec<Access<'a>>,
    findings: Vec<Finding<'a>>,
    warnings: Vec<Warning<'a>>,
}

#[derive(Serialize)]
struct MachineNumbers<'a> {
    name: &'a str,
    subgroup_size: u32,
    sector_bytes: u32,
    line_bytes: u32,
    banks: u32,
    bank_bytes: u32,
    phases: Phases,
    sources: Sources<'a>,
}

#[derive(Serialize)]
struct Sources<'a> {
    subgroup_size: &'a Source,
    sector_bytes: &'a Source,
    line_bytes: &'a Source,
    banks: &'a Source,
    bank_bytes: &'a Source,
    phases: &'a Source,
}

#[derive(Serialize)]
struct Access<'a> {
    line: u32,
    column: u32,
    space: &'static str,
    variable: &'a str,
    op: &'static str,
    access_bytes: u32,
    executed: bool,
    requests: u64,
    active_lanes: u64,
    requested_bytes: u64,
    unique_bytes: u64,
    fetched_bytes: Option<u64>,
    sectors: Option<u64>,
    ideal_sectors: Option<u64>,
    lines: Option<u64>,
    sectors_per_request: Option<f64>,
    over_fetch: Option<f64>,
    excess: Option<f64>,
    passes: Option<u64>,
    ideal_passes: Option<u64>,
    conflict_degree: Option<u64>,
    depends_on_unset: Vec<&'a str>,
}

#[derive(Serialize)]
struct Finding<'a> {
    cause: Cause,
    access: Option<usize>,
    line: Option<u32>,
    column: Option<u32>,
    wasted_bytes: u64,
    wasted_passes: u64,
    message: &'a str,
}

#[derive(Serialize)]
struct Warning<'a> {
    line: Option<u32>,
    column: Option<u32>,
    message: &'a str,
}

/// The analysis as one JSON document.
pub fn render(analysis: &Analysis) -> String {
    let place = |at: &Option<crate::model::Location>| {
        at.as_ref().filter(|at| at.line > 0).map(|at| (at.line, at.column)).unzip()
    };
    let document = Document {
        schema_version: SCHEMA_VERSION,
        file: &analysis.file,
        entry_point: &analysis.entry_point,
        workgroup_size: analysis.workgroup_size,
        grid: analysis.grid,
        workgroups_executed: analysis.workgroups_executed,
        machine: numbers(&analysis.machine),
        accesses: analysis.accesses.iter().map(access).collect(),
        findings: analysis
            .findings
            .iter()
            .map(|found| {
                let (line, column) = place(&found.at);
                Finding {
                    cause: found.advice.cause,
                    access: found.access,
                    line,
                    column,
                    wasted_bytes: found.wasted_bytes,
                    wasted_passes: found.wasted_passes,
                    message: &found.advice.sentence,
                }
            })
            .collect(),
        warnings: analysis
            .warnings
            .iter()
            .map(|warning| {
                let (line, column) = place(&warning.at);
                Warning { line, column, message: &warning.message }
            })
            .collect(),
    };
    // strings, numbers and lists of them can't fail to serialise
    serde_json::to_string_pretty(&document).unwrap_or_default()
}

fn numbers(machine: &Machine) -> MachineNumbers<'_> {
    MachineNumbers {
        name: &machine.name,
        subgroup_size: machine.subgroup_size.value,
        sector_bytes: machine.sector_bytes.value,
        line_bytes: machine.line_bytes.value,
        banks: machine.banks.value,
        bank_bytes: machine.bank_bytes.value,
        phases: machine.phases.value,
        sources: Sources {
            subgroup_size: &machine.subgroup_size.source,
            sector_bytes: &machine.sector_bytes.source,
            line_bytes: &machine.line_bytes.source,
            banks: &machine.banks.source,
            bank_bytes: &machine.bank_bytes.source,
            phases: &machine.phases.source,
        },
    }
}

fn access(access: &AnalyzedAccess) -> Access<'_> {
    let counts = &access.counts;
    let memory = |figure: u64| (!access.is_workgroup()).then_some(figure);
    let banks = |figure: u64| access.is_workgroup().then_some(figure);
    Access {
        line: access.access.at.line,
        column: access.access.at.column,
        space: match access.access.space {
            Space::Storage => "storage",
            Space::Uniform => "uniform",
            Space::Workgroup => "workgroup",
        },
        variable: &access.access.variable,
        op: match access.access.op {
            AccessOp::Load => "load",
            AccessOp::Store => "store",
            AccessOp::Atomic => "atomic",
        },
        access_bytes: access.access.bytes,
        executed: access.executed(),
        requests: counts.requests,
        active_lanes: counts.active_lanes,
        requested_bytes: counts.requested_bytes,
        unique_bytes: counts.unique_bytes,
        fetched_bytes: memory(counts.fetched_bytes),
        sectors: memory(counts.sectors),
        ideal_sectors: memory(counts.ideal_sectors),
        lines: memory(counts.lines),
        sectors_per_request: counts.sectors_per_request(),
        over_fetch: counts.over_fetch(),
        excess: counts.excess(),
        passes: banks(counts.passes),
        ideal_passes: banks(counts.ideal_passes),
        conflict_degree: banks(counts.conflict_degree),
        depends_on_unset: access.assumed.iter().map(|assumption| assumption.name.as_str()).collect(),
    }
}
