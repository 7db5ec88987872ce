//! `misalign` on the CPU: a loop per run, its elements consecutive, so that the compiler reads vectors which
//! straddle two lines where the run is off their boundary.

use super::runs::Runs;
use crate::device::host::HostPlan;
use crate::pattern::{Case, Limits, Skip};

/// The length of the pieces in which an endless run is dealt to the threads.
const ENDLESS: u64 = 16 << 10;

/// The loops of `misalign`.
///
/// # Errors
/// When the buffer is too small for one run.
pub fn misalign(case: &Case, limits: &Limits) -> Result<HostPlan, Skip> {
    let (element, offset) = (case.element(), case.int("offset_bytes"));
    let (first, length, pitch) = match (case.name("cause"), case.name("run")) {
        // The payload of 128 bytes of records that begin with a header of 12.
        ("field", _) => (12, 128, 12 + 128),
        // The second of two arrays; the first has 1027 words.
        ("packed", _) => (4 * 1027, ENDLESS, ENDLESS),
        (_, "32B") => (offset, 32, 256),
        (_, "128B") => (offset, 128, 256),
        (_, "512B") => (offset, 512, 1024),
        _ => (offset, ENDLESS, ENDLESS),
    };
    let bytes = limits.footprint.min(limits.max_binding) / 16 * 16;
    let count = bytes.saturating_sub(first) / pitch;
    if count == 0 {
        return Err(Skip::because(format!(
            "a buffer of {bytes} bytes has no room for a run of {length} bytes"
        )));
    }
    let [first, length, pitch] = [first, length, pitch].map(|distance| distance / element.bytes());
    Ok(Runs { first, length, pitch, count }.plan(element, bytes, case.op() == "write"))
}
