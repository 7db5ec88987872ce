//! `gather` and `scatter` on the CPU: one index, one element at a time. Hardware gather instructions are
//! left to the compiler, which does not use them for the baseline of a target; Spatter's figures show that
//! they can be slower than plain loads.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use zerocopy::{FromBytes, IntoBytes};

use super::sums::{behind_one, expected_elements, sum_named};
use super::{deal, share};
use crate::device::host::{HostLoop, HostPlan};
use crate::pattern::{BufferPlan, Case, Element, Expected, Limits, Role, Skip, Stream, splat};

/// The fewest indices behind one partial sum.
const LEAST: u64 = 1024;

/// The loops of `gather`.
///
/// # Errors
/// None today: the smallest stream has several chunks.
pub fn gather(case: &Case, limits: &Limits) -> Result<HostPlan, Skip> {
    let (element, stream) = (case.element(), Stream::new(case, limits));
    let (indices, bytes) = (stream.indices, stream.elements * element.bytes());
    let chunk = behind_one(stream.elements, LEAST);
    let expected: Expected = Arc::new(move |fill, sum| {
        let named = (sum * chunk..(sum + 1) * chunk).map(|n| indices.at(n));
        expected_elements(element, chunk, named.map(|place| fill.element(element, 0, place)))
    });
    Ok(HostPlan {
        buffers: vec![
            stream.buffer(),
            BufferPlan::random("src", Role::Subject, bytes, 0),
            BufferPlan::output("dst", Role::Sink, bytes / chunk, expected),
        ],
        run: match element {
            Element::U32 => Box::new(move |inputs, out| gather_elements::<1>(inputs, out, chunk)),
            Element::U32x2 => Box::new(move |inputs, out| gather_elements::<2>(inputs, out, chunk)),
            Element::U32x4 => Box::new(move |inputs, out| gather_elements::<4>(inputs, out, chunk)),
        },
        useful_bytes: bytes,
        distinct_bytes: indices.visited().len() * element.bytes(),
        clamped: stream.clamped,
        notes: stream.notes,
    })
}

fn gather_elements<const W: usize>(inputs: &[&[u32]], out: &mut [u32], chunk: u64) {
    let (elements, chunk) = (inputs[1].as_chunks::<W>().0, chunk as usize);
    deal(out, W, |chunks, part| {
        for (nth, sum) in chunks.zip(part.as_chunks_mut::<W>().0) {
            *sum = sum_named(elements, &inputs[0][nth * chunk..(nth + 1) * chunk]);
        }
    });
}

/// The loops of `scatter`. Threads may store to the same element, so stores are relaxed atomics, which are
/// plain moves on every common CPU; sixteen bytes are two of them.
///
/// # Errors
/// None today.
pub fn scatter(case: &Case, limits: &Limits) -> Result<HostPlan, Skip> {
    let (element, stream) = (case.element(), Stream::new(case, limits));
    let visited = stream.indices.visited();
    let (bytes, distinct_bytes) = (stream.elements * element.bytes(), visited.len() * element.bytes());
    let expected: Expected =
        Arc::new(move |_, i| splat(element, if visited.contains(i) { i as u32 + 1 } else { 0 }));
    let run: HostLoop = match element {
        Element::U32 => Box::new(|inputs, out| {
            if let Ok(places) = <[AtomicU32]>::mut_from_bytes(out.as_mut_bytes()) {
                scatter_elements(inputs[0], places, |place, number| place.store(number, Ordering::Relaxed));
            }
        }),
        Element::U32x2 => Box::new(|inputs, out| {
            if let Ok(places) = <[AtomicU64]>::mut_from_bytes(out.as_mut_bytes()) {
                scatter_elements(inputs[0], places, |place, number| {
                    place.store(pair(number), Ordering::Relaxed)
                });
            }
        }),
        Element::U32x4 => Box::new(|inputs, out| {
            if let Ok(places) = <[[AtomicU64; 2]]>::mut_from_bytes(out.as_mut_bytes()) {
                scatter_elements(inputs[0], places, |place, number| {
                    place.iter().for_each(|half| half.store(pair(number), Ordering::Relaxed));
                });
            }
        }),
    };
    Ok(HostPlan {
        buffers: vec![stream.buffer(), BufferPlan::output("dst", Role::Subject, bytes, expected)],
        run,
        useful_bytes: bytes,
        distinct_bytes,
        clamped: stream.clamped,
        notes: stream.notes,
    })
}

/// The same word twice.
fn pair(word: u32) -> u64 {
    u64::from(word) << 32 | u64::from(word)
}

/// Stores the number of each element that an index names, plus one.
fn scatter_elements<P: Sync>(indices: &[u32], places: &[P], store: impl Fn(&P, u32) + Sync) {
    share(indices.len(), |range| {
        for index in &indices[range] {
            store(&places[*index as usize], index + 1);
        }
    });
}
