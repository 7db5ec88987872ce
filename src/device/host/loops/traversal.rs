//! `traversal` on the CPU: along a row each line serves sixteen elements at once; along a column only if it
//! is still in the cache when the walk comes back for the next column.

use super::runs::Runs;
use super::stride::Walk;
use crate::device::host::HostPlan;
use crate::pattern::{Case, Limits, Skip, power_of_two_below};

/// The side of the matrix whose rows or columns are summed as a whole.
const SUMMED: u64 = 4096;

/// Rows that a walk down a column needs at least.
const ROWS: u64 = 16;

/// The loops of `traversal`. Along a column, a thread owns a range of rows and walks its part of each
/// column.
///
/// # Errors
/// When the matrix is too large for the footprint, or when a workgroup is what the case is about.
pub fn traversal(case: &Case, limits: &Limits) -> Result<HostPlan, Skip> {
    let (element, columns, walk) = (case.element(), case.int("row_elements"), case.name("walk"));
    let row_bytes = columns * element.bytes();
    let room = limits.footprint.min(limits.max_binding) / row_bytes;
    let rows = match walk {
        "workgroup_per_row" => {
            return Err(Skip::because("the host has no workgroups; lane_per_row is its thread per row"));
        }
        "lane_per_row" | "lane_per_column" => power_of_two_below(room).min(SUMMED),
        _ => power_of_two_below(room),
    };
    if rows < ROWS {
        return Err(Skip::because(format!(
            "a footprint of {} bytes has no room for {ROWS} rows of {row_bytes} bytes",
            limits.footprint
        )));
    }
    let (bytes, write) = (rows * row_bytes, case.op() == "write");
    let sums = matches!(walk, "lane_per_row" | "lane_per_column");
    let clamped = (sums && rows < SUMMED)
        .then(|| format!("matrix of {SUMMED} rows cut to {rows}: the footprint is smaller"));
    let plan = match walk {
        "lanes_along_row" | "lane_per_row" => {
            Runs { first: 0, length: columns, pitch: columns, count: rows }.plan(element, bytes, write)
        }
        _ => Walk::down_columns(rows, columns).plan(element, bytes, write),
    };
    Ok(HostPlan { clamped, notes: vec![("rows", rows.to_string())], ..plan })
}
