//! Runs of consecutive elements, a fixed distance from start to start: rows of a matrix, slices, records.

use std::sync::Arc;

use super::deal;
use super::sums::{LANES, Sum, expected_lanes};
use crate::device::host::{HostLoop, HostPlan};
use crate::pattern::{BufferPlan, Element, Expected, Role, power_of_two_below, splat};

/// Runs behind one row of partial sums span about this many bytes.
const CHUNK: u64 = 64 << 10;

/// Runs of `length` elements, `pitch` elements from start to start, the first at `first`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Runs {
    pub(super) first: u64,
    pub(super) length: u64,
    pub(super) pitch: u64,
    pub(super) count: u64,
}

impl Runs {
    /// The loop that reads all runs of a buffer of that many bytes, or writes them.
    pub(super) fn plan(mut self, element: Element, bytes: u64, write: bool) -> HostPlan {
        let mut chunk =
            power_of_two_below((CHUNK / (self.pitch * element.bytes())).clamp(1, self.count.max(1)));
        self.count -= self.count % chunk;
        // Nobody would walk runs that touch one by one: word by word where they are short.
        if self.length == self.pitch {
            let longer = self.length * chunk;
            self = Runs { length: longer, pitch: longer, count: self.count / chunk, ..self };
            chunk = 1;
        }
        let touched = self.count * self.length * element.bytes();
        let (buffers, run) = if write {
            let expected = self.expected_places(element);
            (vec![BufferPlan::output("dst", Role::Subject, bytes, expected)], self.writes(element, chunk))
        } else {
            let sums = self.count / chunk * LANES as u64 * 4;
            let buffers = vec![
                BufferPlan::random("src", Role::Subject, bytes, 0),
                BufferPlan::output("dst", Role::Sink, sums, self.expected_sums(element, chunk)),
            ];
            (buffers, self.reads(element, chunk))
        };
        HostPlan::new(buffers, run, touched)
    }

    /// The element type is of no consequence here: runs are read word by word, vectors at a time.
    fn reads(self, element: Element, chunk: u64) -> HostLoop {
        let words = element.words();
        let [first, length, pitch, chunk] =
            [self.first * words, self.length * words, self.pitch * words, chunk].map(|n| n as usize);
        Box::new(move |inputs, out| {
            deal(out, LANES, |chunks, part| {
                for (nth, row) in chunks.zip(part.as_chunks_mut::<LANES>().0) {
                    let mut sum = Sum::new();
                    for run in nth * chunk..(nth + 1) * chunk {
                        let start = first + run * pitch;
                        sum.run(&inputs[0][start..start + length]);
                    }
                    *row = sum.value();
                }
            });
        })
    }

    /// The loop that writes all runs, dealt to the threads `chunk` runs at a time; `count` is a multiple.
    pub(super) fn writes(self, element: Element, chunk: u64) -> HostLoop {
        match element {
            Element::U32 => Box::new(move |_, out| self.write::<1>(out, chunk)),
            Element::U32x2 => Box::new(move |_, out| self.write::<2>(out, chunk)),
            Element::U32x4 => Box::new(move |_, out| self.write::<4>(out, chunk)),
        }
    }

    fn write<const W: usize>(self, out: &mut [u32], chunk: u64) {
        let [first, length, pitch, count] =
            [self.first, self.length, self.pitch, self.count].map(|n| n as usize);
        let unit = chunk as usize * pitch;
        deal(&mut out[first * W..(first + count * pitch) * W], unit * W, |chunks, part| {
            let base = first + chunks.start * unit;
            for (row, start) in part.chunks_exact_mut(pitch * W).zip((base..).step_by(pitch)) {
                let run = row[..length * W].as_chunks_mut::<W>().0;
                for (element, number) in run.iter_mut().zip(start as u32 + 1..) {
                    *element = [number; W];
                }
            }
        });
    }

    fn expected_sums(self, element: Element, chunk: u64) -> Expected {
        let row = LANES as u64 / element.words();
        Arc::new(move |fill, index| {
            let runs = index / row * chunk..(index / row + 1) * chunk;
            let starts = runs.map(|run| self.first + run * self.pitch);
            expected_lanes(element, index, self.length, starts, |n| fill.element(element, 0, n))
        })
    }

    /// Each element of a run holds its index plus one.
    fn expected_places(self, element: Element) -> Expected {
        Arc::new(move |_, index| {
            let inside = index
                .checked_sub(self.first)
                .is_some_and(|beyond| beyond / self.pitch < self.count && beyond % self.pitch < self.length);
            splat(element, if inside { index as u32 + 1 } else { 0 })
        })
    }
}
