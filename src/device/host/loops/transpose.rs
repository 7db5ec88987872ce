//! `transpose` on the CPU: the copy, the two naive loops, and blocks that keep the lines of both sides in
//! the cache, which is what a tile of workgroup memory is for on a GPU.

use std::sync::Arc;

use super::deal;
use crate::device::host::{HostLoop, HostPlan};
use crate::pattern::{BufferPlan, Case, Element, Expected, Limits, Role, Skip};

/// A matrix in elements, and the side of the blocks in which it is taken.
#[derive(Clone, Copy)]
pub(super) struct Matrix {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) block: usize,
}

/// The loops of `transpose`: a thread owns a range of rows of the result.
///
/// # Errors
/// When the case is about workgroup memory itself, or the matrices are larger than the device allows.
pub fn transpose(case: &Case, limits: &Limits) -> Result<HostPlan, Skip> {
    let (element, op) = (case.element(), case.op());
    let skip = |why: &str| Err(Skip::because(why));
    if !matches!(op, "copy" | "naive_coalesced_reads" | "naive_coalesced_writes" | "tile") {
        return skip("needs workgroup memory; the host has caches instead");
    }
    if case.int("ballast_bytes") > 0 {
        return skip("unused workgroup memory lowers a GPU's occupancy; the host has none");
    }
    let sides = case
        .name("matrix")
        .split_once('x')
        .and_then(|(rows, columns)| Some((rows.parse::<usize>().ok()?, columns.parse::<usize>().ok()?)));
    let Some((rows, columns)) = sides else {
        return skip("the matrix is not named ROWSxCOLUMNS");
    };
    let bytes = (rows * columns) as u64 * element.bytes();
    if bytes > limits.max_binding {
        return skip(&format!("the matrix has {bytes} bytes; a buffer has at most {}", limits.max_binding));
    }
    let matrix = Matrix { rows, columns, block: case.int("tile_elements") as usize };
    let run = matrix.run(element, op);
    let [rows, columns] = [rows as u64, columns as u64];
    let expected: Expected = match op {
        "copy" => Arc::new(move |fill, i| fill.element(element, 0, i)),
        _ => Arc::new(move |fill, i| fill.element(element, 0, i % rows * columns + i / rows)),
    };
    let buffers = vec![
        BufferPlan::random("src", Role::Subject, bytes, 0),
        BufferPlan::output("dst", Role::Subject, bytes, expected),
    ];
    Ok(HostPlan::new(buffers, run, 2 * bytes))
}

impl Matrix {
    /// The loop of an operation; in blocks where it is none of the others.
    pub(super) fn run(self, element: Element, op: &str) -> HostLoop {
        match element {
            Element::U32 => self.typed::<1>(op),
            Element::U32x2 => self.typed::<2>(op),
            Element::U32x4 => self.typed::<4>(op),
        }
    }

    fn typed<const W: usize>(self, op: &str) -> HostLoop {
        match op {
            "copy" => Box::new(move |inputs, out| {
                let row = self.columns * W;
                deal(out, row, |rows, part| {
                    part.copy_from_slice(&inputs[0][rows.start * row..rows.end * row]);
                });
            }),
            // Whole rows of the source, one after the other: the shares' blocks are as large as they are.
            "naive_coalesced_reads" => Box::new(move |inputs, out| {
                self.by_source_rows::<W>(inputs[0], out);
            }),
            "naive_coalesced_writes" => Box::new(move |inputs, out| {
                self.by_blocks::<W>(inputs[0], out, 1, self.rows);
            }),
            _ => Box::new(move |inputs, out| self.by_blocks::<W>(inputs[0], out, self.block, self.block)),
        }
    }

    /// Blocks of `height` rows of the result by `width` columns of it, written row by row.
    fn by_blocks<const W: usize>(self, src: &[u32], out: &mut [u32], height: usize, width: usize) {
        let src = src.as_chunks::<W>().0;
        deal(out, self.rows * W, |range, part| {
            let result = part.as_chunks_mut::<W>().0;
            for (nth, band) in result.chunks_mut(self.rows * height).enumerate() {
                let first_row = range.start + nth * height;
                for first_column in (0..self.rows).step_by(width) {
                    let end = self.rows.min(first_column + width);
                    for (row, line) in band.chunks_exact_mut(self.rows).enumerate() {
                        let column_of_source = first_row + row;
                        let from = src[first_column * self.columns + column_of_source..]
                            .iter()
                            .step_by(self.columns);
                        for (to, from) in line[first_column..end].iter_mut().zip(from) {
                            *to = *from;
                        }
                    }
                }
            }
        });
    }

    /// Each row of the source spread over a column of the result.
    fn by_source_rows<const W: usize>(self, src: &[u32], out: &mut [u32]) {
        let src = src.as_chunks::<W>().0;
        deal(out, self.rows * W, |range, part| {
            let result = part.as_chunks_mut::<W>().0;
            for (column, line) in src.chunks_exact(self.columns).enumerate() {
                let to = result[column..].iter_mut().step_by(self.rows);
                for (to, from) in to.zip(&line[range.clone()]) {
                    *to = *from;
                }
            }
        });
    }
}
