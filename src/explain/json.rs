//! An explanation for programs.

use serde_json::{Value, json};

use crate::model::Space;
use crate::pattern;

use super::{Drawing, Explanation, Row, verb};

/// Raised when a reader of an older document would misread.
pub const SCHEMA_VERSION: u32 = 1;

/// The explanation as one document. What does not apply is null.
pub fn render(explanation: &Explanation) -> Value {
    let Explanation { pattern, machine, rows, drawings } = explanation;
    json!({
        "schema_version": SCHEMA_VERSION,
        "pattern": pattern.name,
        "summary": pattern.summary,
        "why": pattern.why,
        "machine": machine,
        "accesses": rows.iter().map(row).collect::<Vec<_>>(),
        "requests": drawings.iter().map(drawing).collect::<Vec<_>>(),
    })
}

fn space(space: Space) -> &'static str {
    match space {
        Space::Storage => "storage",
        Space::Uniform => "uniform",
        Space::Workgroup => "workgroup",
    }
}

fn row(row: &Row) -> Value {
    let Row { case, access, counts, workgroups } = row;
    let axes: serde_json::Map<String, Value> = case
        .pattern
        .axes
        .iter()
        .zip(&case.values)
        .map(|(axis, value)| {
            let value = match value {
                pattern::Value::Name(name) => Value::from(*name),
                pattern::Value::Int(number) => Value::from(*number),
            };
            (axis.name.to_owned(), value)
        })
        .collect();
    let in_memory = access.space != Space::Workgroup;
    let memory = |count: u64| in_memory.then_some(count);
    let banks = |count: u64| (!in_memory).then_some(count);
    json!({
        "case": case.id(),
        "parameters": axes,
        "space": space(access.space),
        "variable": access.variable,
        "op": verb(access.op),
        "access_bytes": access.bytes,
        "workgroups_executed": workgroups.0,
        "workgroups": workgroups.1,
        "requests": counts.requests,
        "active_lanes": counts.active_lanes,
        "requested_bytes": counts.requested_bytes,
        "unique_bytes": counts.unique_bytes,
        "fetched_bytes": memory(counts.fetched_bytes),
        "sectors": memory(counts.sectors),
        "ideal_sectors": memory(counts.ideal_sectors),
        "lines": memory(counts.lines),
        "sectors_per_request": counts.sectors_per_request(),
        "over_fetch": counts.over_fetch(),
        "excess": counts.excess(),
        "passes": banks(counts.passes),
        "ideal_passes": banks(counts.ideal_passes),
        "conflict_degree": banks(counts.conflict_degree),
    })
}

fn drawing(drawing: &Drawing) -> Value {
    let Drawing { case, access, request } = drawing;
    json!({
        "case": case.id(),
        "space": space(access.space),
        "variable": access.variable,
        "op": verb(access.op),
        "bytes": request.bytes,
        "lanes": request.lanes,
        "addresses": request.addresses,
        "sectors": request.memory.map(|count| count.sectors),
        "ideal_sectors": request.memory.map(|count| count.ideal_sectors),
        "lines": request.memory.map(|count| count.lines),
        "passes": request.banks.map(|count| count.passes),
        "conflict_degree": request.banks.map(|count| count.degree),
    })
}
