//! `stride` on the CPU: a loop with a step. A thread owns a contiguous part of the buffer and walks it once
//! for each 256-byte residue, residues outermost, as the kernel does.

use std::sync::Arc;

use super::deal;
use super::runs::Runs;
use super::sums::{expected_elements, sum_stepped};
use crate::device::host::{HostLoop, HostPlan};
use crate::pattern::{
    BufferPlan, Case, Element, Expected, Limits, Role, Sizing, Skip, power_of_two_below, splat,
};

/// The shortest walk, and the shortest that leaves a sum of its own.
const STEPS: u64 = 16;

/// Bytes of the pieces in which neighbouring elements are taken: no stride, and no loop with a step.
const PIECE: u64 = 16 << 10;

/// From this stride on a dispatch visits one element in every block of this many bytes.
const BLOCK: u64 = 256;

/// A walk in elements: `count` places `stride` apart, and the same again for each residue, `block` further.
#[derive(Clone, Copy)]
pub(super) struct Walk {
    stride: usize,
    /// Places per residue, a multiple of `chunk`.
    count: usize,
    /// Places behind one partial sum.
    chunk: usize,
    residues: usize,
    block: usize,
}

/// The loops of `stride`.
///
/// # Errors
/// When the buffer is too small for sixteen steps.
pub fn stride(case: &Case, limits: &Limits) -> Result<HostPlan, Skip> {
    let (element, stride) = (case.element(), case.int("stride_bytes"));
    let Sizing { bytes, clamped } = Sizing::new(limits.footprint, limits.max_binding, PIECE);
    if stride == element.bytes() {
        let elements = PIECE / stride;
        let runs = Runs { first: 0, length: elements, pitch: elements, count: bytes / PIECE };
        return Ok(HostPlan { clamped, ..runs.plan(element, bytes, case.op() == "write") });
    }
    let steps = bytes / stride;
    if steps < STEPS {
        return Err(Skip::because(format!(
            "a buffer of {bytes} bytes has no room for {STEPS} steps of {stride} bytes"
        )));
    }
    let chunk = Walk::chunk_of(steps);
    let walk = Walk {
        stride: (stride / element.bytes()) as usize,
        count: (steps / chunk * chunk) as usize,
        chunk: chunk as usize,
        residues: (stride / BLOCK).max(1) as usize,
        block: (BLOCK / element.bytes()) as usize,
    };
    Ok(HostPlan { clamped, ..walk.plan(element, bytes, case.op() == "write") })
}

impl Walk {
    /// Down every column of a row-major matrix of so many elements, one column after the other.
    pub(super) fn down_columns(rows: u64, columns: u64) -> Walk {
        let chunk = Walk::chunk_of(rows);
        Walk {
            stride: columns as usize,
            count: (rows / chunk * chunk) as usize,
            chunk: chunk as usize,
            residues: columns as usize,
            block: 1,
        }
    }

    /// Places behind one sum: many, and yet enough sums to share among the threads.
    fn chunk_of(steps: u64) -> u64 {
        power_of_two_below(steps / 128).clamp(STEPS, 4096)
    }

    /// The loop that reads all places of a buffer of that many bytes, or writes them.
    pub(super) fn plan(self, element: Element, bytes: u64, write: bool) -> HostPlan {
        let touched = (self.count * self.residues) as u64 * element.bytes();
        let (buffers, run) = if write {
            let expected = self.expected_places(element);
            (vec![BufferPlan::output("dst", Role::Subject, bytes, expected)], self.writes(element))
        } else {
            let sums = (self.count / self.chunk * self.residues) as u64 * element.bytes();
            let expected = self.expected_sums(element);
            let buffers = vec![
                BufferPlan::random("src", Role::Subject, bytes, 0),
                BufferPlan::output("dst", Role::Sink, sums.next_multiple_of(16), expected),
            ];
            (buffers, self.reads(element))
        };
        HostPlan::new(buffers, run, touched)
    }

    fn reads(self, element: Element) -> HostLoop {
        match element {
            Element::U32 => Box::new(move |inputs, out| self.read::<1>(inputs[0], out)),
            Element::U32x2 => Box::new(move |inputs, out| self.read::<2>(inputs[0], out)),
            Element::U32x4 => Box::new(move |inputs, out| self.read::<4>(inputs[0], out)),
        }
    }

    fn writes(self, element: Element) -> HostLoop {
        match element {
            Element::U32 => Box::new(move |_, out| self.write::<1>(out)),
            Element::U32x2 => Box::new(move |_, out| self.write::<2>(out)),
            Element::U32x4 => Box::new(move |_, out| self.write::<4>(out)),
        }
    }

    fn read<const W: usize>(self, src: &[u32], out: &mut [u32]) {
        let elements = src.as_chunks::<W>().0;
        let sums = self.count / self.chunk * self.residues;
        deal(&mut out[..sums * W], self.residues * W, |chunks, part| {
            let sums = part.as_chunks_mut::<W>().0;
            for residue in 0..self.residues {
                for (nth, chunk) in chunks.clone().enumerate() {
                    let first = chunk * self.chunk * self.stride + residue * self.block;
                    let end = elements.len().min(first + self.chunk * self.stride);
                    sums[nth * self.residues + residue] = sum_stepped(&elements[first..end], self.stride);
                }
            }
        });
    }

    fn write<const W: usize>(self, out: &mut [u32]) {
        let unit = self.chunk * self.stride * W;
        let walked = self.count * self.stride * W;
        deal(&mut out[..walked], unit, |chunks, part| {
            let elements = part.as_chunks_mut::<W>().0;
            let base = chunks.start * self.chunk * self.stride;
            for residue in 0..self.residues {
                let first = residue * self.block;
                let numbers = ((base + first) as u32 + 1..).step_by(self.stride);
                for (element, number) in elements[first..].iter_mut().step_by(self.stride).zip(numbers) {
                    *element = [number; W];
                }
            }
        });
    }

    /// For each chunk of places one sum per residue.
    fn expected_sums(self, element: Element) -> Expected {
        let (residues, chunk) = (self.residues as u64, self.chunk as u64);
        let chunks = self.count as u64 / chunk;
        let (stride, block) = (self.stride as u64, self.block as u64);
        Arc::new(move |fill, index| {
            let (chunk_index, residue) = (index / residues, index % residues);
            if chunk_index >= chunks {
                return [0; 4];
            }
            let places = chunk_index * chunk..(chunk_index + 1) * chunk;
            let place = |nth| fill.element(element, 0, nth * stride + residue * block);
            expected_elements(element, chunk, places.map(place))
        })
    }

    /// Each place that is visited holds its index plus one.
    fn expected_places(self, element: Element) -> Expected {
        let (residues, count) = (self.residues as u64, self.count as u64);
        let (stride, block) = (self.stride as u64, self.block as u64);
        Arc::new(move |_, index| {
            let (place, beyond) = (index / stride, index % stride);
            let visited = place < count && beyond % block == 0 && beyond / block < residues;
            splat(element, if visited { index as u32 + 1 } else { 0 })
        })
    }
}
