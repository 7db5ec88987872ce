//! `contiguous` on the CPU: STREAM's loops. The element type changes nothing but the indices that `write`
//! stores, since the compiler vectorises across elements.

use std::ops::Range;
use std::sync::Arc;

use super::deal;
use super::sums::{LANES, behind_one, dot_words, expected_lanes, sum_words};
use crate::device::host::{HostLoop, HostPlan};
use crate::pattern::{BufferPlan, Case, Element, Expected, Fill, Limits, Role, Sizing, Skip, splat};

/// Bytes in units of which threads are dealt a buffer; the smallest buffer is one.
const UNIT: u64 = 16 << 10;
const UNIT_WORDS: usize = UNIT as usize / 4;

/// BabelStream's scalar is 0.4; this is the suite's integer in its place.
const SCALAR: u32 = 3;

/// The loops of `contiguous`.
///
/// # Errors
/// None today: every size has room for one unit.
pub fn contiguous(case: &Case, limits: &Limits) -> Result<HostPlan, Skip> {
    let (element, op) = (case.element(), case.op());
    let reads: u64 = match op {
        "write" => 0,
        "read" | "copy" | "mul" => 1,
        _ => 2,
    };
    let writes = !matches!(op, "read" | "dot");
    let streams = reads + u64::from(writes);
    let Sizing { bytes, clamped } = Sizing::new(limits.footprint / streams, limits.max_binding, UNIT);
    let chunk = behind_one(bytes, UNIT);
    let mut buffers = Vec::new();
    for (name, stream) in [("a", 0), ("b", 1)].into_iter().take(reads as usize) {
        buffers.push(BufferPlan::random(name, Role::Subject, bytes, stream));
    }
    let expected = expected(op, element, chunk);
    buffers.push(if writes {
        BufferPlan::output("dst", Role::Subject, bytes, expected)
    } else {
        BufferPlan::output("dst", Role::Sink, bytes / chunk * 4 * LANES as u64, expected)
    });
    let run: HostLoop = match op {
        "read" => Box::new(move |inputs, out| sums(out, chunk, |words| sum_words(&inputs[0][words]))),
        "dot" => Box::new(move |inputs, out| {
            sums(out, chunk, |words| dot_words(&inputs[0][words.clone()], &inputs[1][words]));
        }),
        "write" => match element {
            Element::U32 => Box::new(|_, out| write::<1>(out)),
            Element::U32x2 => Box::new(|_, out| write::<2>(out)),
            Element::U32x4 => Box::new(|_, out| write::<4>(out)),
        },
        "copy" => Box::new(|inputs, out| {
            deal(out, UNIT_WORDS, |units, part| part.copy_from_slice(&inputs[0][words(units)]));
        }),
        "mul" => Box::new(|inputs, out| {
            deal(out, UNIT_WORDS, |units, part| {
                for (dst, a) in part.iter_mut().zip(&inputs[0][words(units)]) {
                    *dst = a.wrapping_mul(SCALAR);
                }
            });
        }),
        "add" => Box::new(|inputs, out| map2(inputs, out, u32::wrapping_add)),
        _ => Box::new(|inputs, out| map2(inputs, out, |a, b| a.wrapping_add(b.wrapping_mul(SCALAR)))),
    };
    Ok(HostPlan { clamped, ..HostPlan::new(buffers, run, bytes * streams) })
}

/// The words of a range of units.
fn words(units: Range<usize>) -> Range<usize> {
    units.start * UNIT_WORDS..units.end * UNIT_WORDS
}

/// One row of lanes per chunk of so many bytes.
fn sums(out: &mut [u32], chunk: u64, sum: impl Fn(Range<usize>) -> [u32; LANES] + Sync) {
    let chunk = chunk as usize / 4;
    deal(out, LANES, |chunks, part| {
        for (nth, row) in chunks.zip(part.as_chunks_mut::<LANES>().0) {
            *row = sum(nth * chunk..(nth + 1) * chunk);
        }
    });
}

fn write<const W: usize>(out: &mut [u32]) {
    deal(out, UNIT_WORDS, |units, part| {
        let first = (words(units).start / W) as u32;
        for (element, index) in part.as_chunks_mut::<W>().0.iter_mut().zip(first..) {
            *element = [index.wrapping_mul(SCALAR).wrapping_add(1); W];
        }
    });
}

fn map2(inputs: &[&[u32]], out: &mut [u32], f: impl Fn(u32, u32) -> u32 + Sync) {
    deal(out, UNIT_WORDS, |units, part| {
        let (a, b) = (&inputs[0][words(units.clone())], &inputs[1][words(units)]);
        for ((dst, a), b) in part.iter_mut().zip(a).zip(b) {
            *dst = f(*a, *b);
        }
    });
}

fn expected(op: &str, element: Element, chunk: u64) -> Expected {
    let row = LANES as u64 / element.words();
    let chunk = chunk / element.bytes();
    let a = move |fill: &Fill, i| fill.element(element, 0, i);
    let b = move |fill: &Fill, i| fill.element(element, 1, i);
    let both = move |fill: &Fill, i, f: fn(u32, u32) -> u32| -> [u32; 4] {
        let (a, b) = (a(fill, i), b(fill, i));
        std::array::from_fn(|w| f(a[w], b[w]))
    };
    let start = move |i: u64| std::iter::once(i / row * chunk);
    match op {
        "read" => Arc::new(move |fill, i| expected_lanes(element, i, chunk, start(i), |n| a(fill, n))),
        "dot" => Arc::new(move |fill, i| {
            expected_lanes(element, i, chunk, start(i), |n| both(fill, n, u32::wrapping_mul))
        }),
        "write" => Arc::new(move |_, i| splat(element, (i as u32).wrapping_mul(3).wrapping_add(1))),
        "copy" => Arc::new(a),
        "mul" => Arc::new(move |fill, i| a(fill, i).map(|x| x.wrapping_mul(3))),
        "add" => Arc::new(move |fill, i| both(fill, i, u32::wrapping_add)),
        _ => Arc::new(move |fill, i| both(fill, i, |x, y| x.wrapping_add(y.wrapping_mul(3)))),
    }
}
