//! `repack` on the CPU: what the change of a layout costs once, when a host makes it.

use std::sync::Arc;

use super::transpose::Matrix;
use super::{deal, deal_arrays};
use crate::device::host::{HostLoop, HostPlan};
use crate::pattern::{BufferPlan, Case, Element, Limits, Role, Skip, power_of_two_below};

/// Elements of a tight row; padded rows start on multiples of [`ROW_ALIGNMENT`] bytes.
const ROW: u64 = 1001;
const ROW_ALIGNMENT: u64 = 128;

/// Records that are taken apart at a time: their bytes, read once per field, stay in the first cache.
const RECORDS: usize = 128;

/// Bytes between the arrays of an SoA beyond their length.
const SKEW: u64 = 256;

/// Side of the blocks of a transposed copy: sixteen 4-byte elements fill a line.
const BLOCK: usize = 16;

/// Sizes in elements, the loop, and where each element of the new layout comes from.
struct Change {
    src: u64,
    dst: u64,
    moved: u64,
    run: HostLoop,
    origin: Box<dyn Fn(u64) -> Option<u64> + Send + Sync>,
}

/// The loops of `repack`.
///
/// # Errors
/// When the footprint is too small for a few records or rows.
pub fn repack(case: &Case, limits: &Limits) -> Result<HostPlan, Skip> {
    let element = case.element();
    let room = (limits.footprint / 2).min(limits.max_binding) / element.bytes();
    let change = match case.name("change") {
        "aos16_to_soa" => records(16 / element.bytes(), element, room),
        "aos64_to_soa" => records(64 / element.bytes(), element, room),
        "pad_rows" => rows(element, room),
        _ => matrix(element, room),
    };
    if change.moved == 0 {
        return Err(Skip::because(format!(
            "a footprint of {} bytes has no room for two layouts",
            limits.footprint
        )));
    }
    let (origin, moved) = (change.origin, change.moved * element.bytes());
    let buffers = vec![
        BufferPlan::random("src", Role::Subject, change.src * element.bytes(), 0),
        BufferPlan::output(
            "dst",
            Role::Subject,
            change.dst * element.bytes(),
            Arc::new(move |fill, i| origin(i).map_or([0; 4], |from| fill.element(element, 0, from))),
        ),
    ];
    Ok(HostPlan::new(buffers, change.run, 2 * moved))
}

/// Records of so many fields to an array per field.
fn records(fields: u64, element: Element, room: u64) -> Change {
    let skew = SKEW / element.bytes();
    let count = room.saturating_sub(skew * fields) / fields / RECORDS as u64 * RECORDS as u64;
    let pitch = count + skew;
    let (f, n, p) = (fields as usize, count as usize, pitch as usize);
    Change {
        src: count * fields,
        dst: pitch * fields,
        moved: count * fields,
        run: match element {
            Element::U32 => Box::new(move |inputs, out| split_fields::<1>(inputs[0], out, f, n, p)),
            Element::U32x2 => Box::new(move |inputs, out| split_fields::<2>(inputs[0], out, f, n, p)),
            Element::U32x4 => Box::new(move |inputs, out| split_fields::<4>(inputs[0], out, f, n, p)),
        },
        origin: Box::new(move |i| {
            let (field, record) = (i / pitch, i % pitch);
            (record < count).then_some(record * fields + field)
        }),
    }
}

fn split_fields<const W: usize>(src: &[u32], out: &mut [u32], fields: usize, count: usize, pitch: usize) {
    let src = src.as_chunks::<W>().0;
    deal_arrays(out, pitch * W, count * W, RECORDS * W, |units, arrays| {
        let records = src[units.start * RECORDS * fields..].chunks_exact(RECORDS * fields);
        for (nth, records) in records.take(units.len()).enumerate() {
            for (field, array) in arrays.iter_mut().enumerate() {
                let to = &mut array[nth * RECORDS * W..(nth + 1) * RECORDS * W];
                let from = records[field..].iter().step_by(fields);
                for (to, from) in to.as_chunks_mut::<W>().0.iter_mut().zip(from) {
                    *to = *from;
                }
            }
        }
    });
}

/// Tight rows to padded ones.
fn rows(element: Element, room: u64) -> Change {
    let pitch = ROW.next_multiple_of(ROW_ALIGNMENT / element.bytes());
    // A multiple of four rows keeps the tight buffer a multiple of 16 bytes.
    let rows = room / pitch / 4 * 4;
    let [row_words, pitch_words] = [ROW, pitch].map(|n| (n * element.words()) as usize);
    Change {
        src: rows * ROW,
        dst: rows * pitch,
        moved: rows * ROW,
        run: Box::new(move |inputs, out| {
            deal(out, pitch_words, |range, part| {
                let tight = inputs[0][range.start * row_words..].chunks_exact(row_words);
                for (to, from) in part.chunks_exact_mut(pitch_words).zip(tight) {
                    to[..row_words].copy_from_slice(from);
                }
            });
        }),
        origin: Box::new(move |i| (i % pitch < ROW).then_some(i / pitch * ROW + i % pitch)),
    }
}

/// Rows to columns.
fn matrix(element: Element, room: u64) -> Change {
    let side = power_of_two_below(room.isqrt());
    let matrix = Matrix { rows: side as usize, columns: side as usize, block: BLOCK };
    Change {
        src: side * side,
        dst: side * side,
        moved: side * side,
        run: matrix.run(element, "blocks"),
        origin: Box::new(move |i| Some(i % side * side + i / side)),
    }
}
