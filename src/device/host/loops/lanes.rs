//! Sums that the compiler can vectorise and that a check can take apart.
//!
//! One running sum is a chain of dependent additions, and a plain sum is the same when two addresses are
//! swapped. So a row of words is summed lane by lane, and after a group of rows the lane is folded as the
//! kernels fold: `sum = sum * 5 + group`. Folding each row instead costs a sixth of the bandwidth on a core
//! with 16-byte vectors; folding every 32 rows costs nothing.

use crate::pattern::{Element, fold};

/// Words that are summed side by side: a cache line, four vectors of 16 bytes.
pub(super) const LANES: usize = 16;

/// Rows that are added before the lanes are folded.
const ROWS: usize = 32;

/// Words of a group.
pub(super) const GROUP: usize = LANES * ROWS;

/// The lanes' sums over consecutive words, a multiple of [`LANES`].
pub(super) fn sum_words(words: &[u32]) -> [u32; LANES] {
    let mut sum = [0u32; LANES];
    for group in words.chunks(GROUP) {
        let mut part = [0u32; LANES];
        for row in group.as_chunks::<LANES>().0 {
            for lane in 0..LANES {
                part[lane] = part[lane].wrapping_add(row[lane]);
            }
        }
        fold_in(&mut sum, part);
    }
    sum
}

/// The lanes' sums over elements anywhere: element `n` is `at(n)`, and `count` is a multiple of the
/// elements in a row.
#[inline(always)]
pub(super) fn sum_elements<const W: usize>(count: usize, at: impl Fn(usize) -> [u32; W]) -> [u32; LANES] {
    let row = LANES / W;
    let mut sum = [0u32; LANES];
    for start in (0..count).step_by(row * ROWS) {
        let mut part = [0u32; LANES];
        for first in (start..count.min(start + row * ROWS)).step_by(row) {
            for place in 0..row {
                for (w, word) in at(first + place).into_iter().enumerate() {
                    let lane = place * W + w;
                    part[lane] = part[lane].wrapping_add(word);
                }
            }
        }
        fold_in(&mut sum, part);
    }
    sum
}

/// The lanes' sums of products over consecutive groups of two arrays.
pub(super) fn dot_words(a: &[u32], b: &[u32]) -> [u32; LANES] {
    let mut sum = [0u32; LANES];
    for (a, b) in a.as_chunks::<GROUP>().0.iter().zip(b.as_chunks::<GROUP>().0) {
        let mut part = [0u32; LANES];
        for (a, b) in a.as_chunks::<LANES>().0.iter().zip(b.as_chunks::<LANES>().0) {
            for lane in 0..LANES {
                part[lane] = part[lane].wrapping_add(a[lane].wrapping_mul(b[lane]));
            }
        }
        fold_in(&mut sum, part);
    }
    sum
}

fn fold_in(sum: &mut [u32; LANES], part: [u32; LANES]) {
    for lane in 0..LANES {
        sum[lane] = sum[lane].wrapping_mul(5).wrapping_add(part[lane]);
    }
}

/// The reference of all: what the row of sums of elements `first..first + count` holds at an index in
/// elements.
pub(super) fn expected_sum(
    element: Element,
    index: u64,
    first: u64,
    count: u64,
    value: impl Fn(u64) -> [u32; 4],
) -> [u32; 4] {
    let row = LANES as u64 / element.words();
    let group = row * ROWS as u64;
    let end = first + count;
    let sum_of_group = |start: u64| {
        (start + index..end.min(start + group))
            .step_by(row as usize)
            .map(&value)
            .fold([0; 4], |sum, value| std::array::from_fn(|w| u32::wrapping_add(sum[w], value[w])))
    };
    fold(element, (first..end).step_by(group as usize).map(sum_of_group))
}
