//! `working_set` on the CPU: every thread walks the set over and over, so that small sets sit in each core's
//! own first caches.

use std::hint::black_box;
use std::sync::Arc;

use super::deal;
use super::sums::{LANES, Sum, expected_lanes};
use crate::device::host::HostPlan;
use crate::pattern::{BufferPlan, Case, Limits, Role, Sizing, Skip, admit};

/// The smallest set, and the piece in which every set is walked.
const PIECE: u64 = 4 << 10;

/// Pieces behind one row of sums.
const PIECES: u64 = 16;

/// The loop of `working_set`.
///
/// # Errors
/// When the set is larger than a buffer may be, or so large that it shows nothing new.
pub fn working_set(case: &Case, limits: &Limits) -> Result<HostPlan, Skip> {
    let (element, set) = (case.element(), case.int("footprint_bytes"));
    admit(case, limits)?;
    let wanted = if case.is_cold() { set } else { limits.footprint.max(set) };
    let useful = Sizing::new(wanted, u64::MAX, PIECE * PIECES).bytes;
    let (pieces, piece_words) = ((set / PIECE) as usize, PIECE as usize / 4);
    let (lanes, piece_elements) = (LANES as u64 / element.words(), PIECE / element.bytes());
    Ok(HostPlan {
        buffers: vec![
            BufferPlan::random("src", Role::Subject, set, 0),
            BufferPlan::output(
                "dst",
                Role::Sink,
                useful / (PIECE * PIECES) * LANES as u64 * 4,
                Arc::new(move |fill, index| {
                    let first = index / lanes * PIECES;
                    let starts = (first..first + PIECES).map(|nth| nth % (set / PIECE) * piece_elements);
                    expected_lanes(element, index, piece_elements, starts, |n| fill.element(element, 0, n))
                }),
            ),
        ],
        run: Box::new(move |inputs, out| {
            deal(out, LANES, |rows, part| {
                for (row, sums) in rows.zip(part.as_chunks_mut::<LANES>().0) {
                    let mut sum = Sum::new();
                    for nth in 0..PIECES as usize {
                        let start = (row * PIECES as usize + nth) % pieces * piece_words;
                        // Opaque, or the compiler might read a set of one piece only once.
                        sum.run(black_box(&inputs[0][start..start + piece_words]));
                    }
                    *sums = sum.value();
                }
            });
        }),
        useful_bytes: useful,
        distinct_bytes: set,
        clamped: None,
        notes: Vec::new(),
    })
}
