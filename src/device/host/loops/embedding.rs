//! `embedding` on the CPU: a thread reads the whole of each row that it looks up, as a stream.

use std::sync::Arc;

use super::deal;
use super::sums::{LANES, expected_lanes, sum_words};
use crate::device::host::HostPlan;
use crate::pattern::{BufferPlan, Case, EmbeddingTable, Limits, Role, Skip};

/// Bytes of a row, rows looked up: as the kernels have it.
const ROW_BYTES: u64 = 4096 * 2;
const LOOKUPS: u64 = 512;

/// The loop of `embedding`.
///
/// # Errors
/// When a workgroup is what the case is about, or when no row fits.
pub fn embedding(case: &Case, limits: &Limits) -> Result<HostPlan, Skip> {
    if case.name("reader") != "lane_per_row" {
        return Err(Skip::because("the host has no workgroups; lane_per_row is its thread per row"));
    }
    let element = case.element();
    let table = EmbeddingTable::new(limits)?;
    let row = move |lookup| table.row(lookup);
    let (lanes, row_elements) = (LANES as u64 / element.words(), ROW_BYTES / element.bytes());
    let mut distinct: Vec<u64> = (0..LOOKUPS).map(row).collect();
    distinct.sort_unstable();
    distinct.dedup();
    Ok(HostPlan {
        buffers: vec![
            BufferPlan::words("rows", Role::Index, LOOKUPS * 4, Arc::new(move |n| row(n) as u32)),
            BufferPlan::random("table", Role::Subject, table.rows * ROW_BYTES, 0),
            BufferPlan::output(
                "dst",
                Role::Sink,
                LOOKUPS * LANES as u64 * 4,
                Arc::new(move |fill, index| {
                    let start = std::iter::once(row(index / lanes) * row_elements);
                    expected_lanes(element, index, row_elements, start, |n| fill.element(element, 0, n))
                }),
            ),
        ],
        run: Box::new(|inputs, out| {
            deal(out, LANES, |lookups, part| {
                for (row, sums) in inputs[0][lookups].iter().zip(part.as_chunks_mut::<LANES>().0) {
                    let start = *row as usize * (ROW_BYTES / 4) as usize;
                    *sums = sum_words(&inputs[1][start..start + (ROW_BYTES / 4) as usize]);
                }
            });
        }),
        useful_bytes: LOOKUPS * ROW_BYTES,
        distinct_bytes: distinct.len() as u64 * ROW_BYTES,
        clamped: table.clamped(),
        notes: table.notes(),
    })
}
