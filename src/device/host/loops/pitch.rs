//! `pitch` on the CPU: row by row, the padding left alone.

use super::runs::Runs;
use crate::device::host::HostPlan;
use crate::pattern::{Case, Limits, Skip, power_of_two_below};

/// Rows come in multiples of this many, so that every pitch holds the same matrix.
const ROWS: u64 = 1024;

/// The loops of `pitch`.
///
/// # Errors
/// When the buffer is too small for one row.
pub fn pitch(case: &Case, limits: &Limits) -> Result<HostPlan, Skip> {
    let (element, row) = (case.element(), case.int("row_bytes"));
    let room = limits.footprint.min(limits.max_binding) / row.next_multiple_of(256);
    let rows = room - room % power_of_two_below(room).clamp(1, ROWS);
    if rows == 0 {
        return Err(Skip::because(format!(
            "a footprint of {} bytes has no room for a row of {row} bytes",
            limits.footprint
        )));
    }
    let pitch = row.next_multiple_of(case.int("align_bytes"));
    let bytes = (rows * pitch).next_multiple_of(16);
    let notes = vec![("rows", rows.to_string()), ("pitch_bytes", pitch.to_string())];
    let [length, pitch] = [row, pitch].map(|distance| distance / element.bytes());
    let runs = Runs { first: 0, length, pitch, count: rows };
    Ok(HostPlan { notes, ..runs.plan(element, bytes, case.op() == "write") })
}
