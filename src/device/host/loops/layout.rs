//! `layout` on the CPU: records as an array of structures, a structure of arrays, or tiles of both.
//!
//! Fields that are neighbours in memory are read in vectors: those of a whole record, those of a tile, and
//! the arrays of an SoA, of which a thread takes a thousand elements at a time from each.

use std::sync::Arc;

use super::deal;
use super::runs::Runs;
use super::sums::{LANES, Sum, expected_elements, expected_lanes, sum_stepped};
use crate::device::host::{HostLoop, HostPlan};
use crate::pattern::{BufferPlan, Case, Element, Expected, Limits, Role, Skip, splat};

/// Records of an AoSoA tile.
const TILE: u64 = 32;

/// Records behind one partial sum.
const CHUNK: u64 = 1024;

/// Bytes by which the arrays of an SoA are further apart than they are long, so that the same record of
/// every field does not fall into one set of the cache.
const SKEW: u64 = 256;

/// Records in elements.
#[derive(Clone, Copy)]
struct Records {
    element: Element,
    count: u64,
    fields: u64,
    touched: u64,
    bytes: u64,
}

/// The loops of `layout`.
///
/// # Errors
/// When the footprint is too small for a thousand records.
pub fn layout(case: &Case, limits: &Limits) -> Result<HostPlan, Skip> {
    let (element, record_bytes) = (case.element(), case.int("record_bytes"));
    let fields = record_bytes / element.bytes();
    let bytes = limits.footprint.min(limits.max_binding) / 16 * 16;
    let chunks = bytes.saturating_sub(SKEW * fields) / (record_bytes * CHUNK);
    if chunks == 0 {
        return Err(Skip::because(format!(
            "a footprint of {bytes} bytes has no room for {CHUNK} records of {record_bytes} bytes"
        )));
    }
    let touched = match case.name("fields") {
        "1" => 1,
        "2" => 2,
        _ => fields,
    };
    let records = Records { element, count: chunks * CHUNK, fields, touched, bytes };
    Ok(match (case.name("layout"), case.op() == "write") {
        ("soa", false) => records.read_arrays(),
        ("soa", true) => records.write_arrays(),
        ("aos", false) if touched < fields => records.read_structures(),
        ("aos", write) => records.runs(1).plan(element, bytes, write),
        (_, write) => records.runs(TILE).plan(element, bytes, write),
    })
}

impl Records {
    /// The touched fields of tiles of so many records.
    fn runs(self, tile: u64) -> Runs {
        Runs { first: 0, length: self.touched * tile, pitch: self.fields * tile, count: self.count / tile }
    }

    fn plan(self, buffers: Vec<BufferPlan>, run: HostLoop) -> HostPlan {
        let touched = self.count * self.touched * self.element.bytes();
        HostPlan::new(buffers, run, touched)
    }

    /// The buffers of a loop that leaves so many words for each chunk.
    fn sums(self, words: u64, expected: Expected) -> Vec<BufferPlan> {
        let sums = (self.count / CHUNK * words * 4).next_multiple_of(16);
        vec![
            BufferPlan::random("src", Role::Subject, self.bytes, 0),
            BufferPlan::output("dst", Role::Sink, sums, expected),
        ]
    }

    /// One or two fields of each structure.
    fn read_structures(self) -> HostPlan {
        let run: HostLoop = match self.element {
            Element::U32 => Box::new(move |inputs, out| self.sum_structures::<1>(inputs[0], out)),
            Element::U32x2 => Box::new(move |inputs, out| self.sum_structures::<2>(inputs[0], out)),
            Element::U32x4 => Box::new(move |inputs, out| self.sum_structures::<4>(inputs[0], out)),
        };
        let expected: Expected = Arc::new(move |fill, chunk| {
            if chunk >= self.count / CHUNK {
                return [0; 4];
            }
            let records = chunk * CHUNK..(chunk + 1) * CHUNK;
            let places = records.flat_map(|record| (0..self.touched).map(move |n| record * self.fields + n));
            let value = |place| fill.element(self.element, 0, place);
            expected_elements(self.element, CHUNK * self.touched, places.map(value))
        });
        self.plan(self.sums(self.element.words(), expected), run)
    }

    fn sum_structures<const W: usize>(self, src: &[u32], out: &mut [u32]) {
        let (elements, fields) = (src.as_chunks::<W>().0, self.fields as usize);
        let sums = (self.count / CHUNK) as usize;
        deal(&mut out[..sums * W], W, |chunks, part| {
            for (chunk, sum) in chunks.zip(part.as_chunks_mut::<W>().0) {
                let from = &elements[chunk * CHUNK as usize * fields..][..CHUNK as usize * fields];
                *sum = match self.touched {
                    1 => sum_stepped(from, fields),
                    _ => {
                        let mut sum = Sum::new();
                        for record in from.chunks_exact(fields) {
                            sum.pair(&record[0], &record[1]);
                        }
                        sum.value()
                    }
                };
            }
        });
    }

    /// Elements from the start of one array to the next.
    fn array(self) -> u64 {
        self.count + SKEW / self.element.bytes()
    }

    /// From each array in turn the fields of a chunk of records.
    fn read_arrays(self) -> HostPlan {
        let words = self.element.words();
        let [array, chunk] = [self.array() * words, CHUNK * words].map(|words| words as usize);
        let run: HostLoop = Box::new(move |inputs, out| {
            deal(out, LANES, |chunks, part| {
                for (nth, row) in chunks.zip(part.as_chunks_mut::<LANES>().0) {
                    let mut sum = Sum::new();
                    for field in 0..self.touched as usize {
                        let start = field * array + nth * chunk;
                        sum.run(&inputs[0][start..start + chunk]);
                    }
                    *row = sum.value();
                }
            });
        });
        let row = LANES as u64 / words;
        let expected: Expected = Arc::new(move |fill, index| {
            let start = index / row * CHUNK;
            let starts = (0..self.touched).map(|field| field * self.array() + start);
            expected_lanes(self.element, index, CHUNK, starts, |n| fill.element(self.element, 0, n))
        });
        self.plan(self.sums(LANES as u64, expected), run)
    }

    /// One array after the other.
    fn write_arrays(self) -> HostPlan {
        let arrays: Vec<HostLoop> = (0..self.touched)
            .map(|field| {
                let first = field * self.array();
                let runs = Runs { first, length: CHUNK, pitch: CHUNK, count: self.count / CHUNK };
                runs.writes(self.element, 1)
            })
            .collect();
        let run: HostLoop = Box::new(move |inputs, out| arrays.iter().for_each(|array| array(inputs, out)));
        let expected: Expected = Arc::new(move |_, index| {
            let inside = index / self.array() < self.touched && index % self.array() < self.count;
            splat(self.element, if inside { index as u32 + 1 } else { 0 })
        });
        self.plan(vec![BufferPlan::output("dst", Role::Subject, self.bytes, expected)], run)
    }
}
