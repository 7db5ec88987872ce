//! Sums that run at the speed of memory and that a check can take apart.
//!
//! A plain sum is the same when two addresses are swapped. So values are added in groups, and after each
//! group the sum is folded as the kernels fold: `sum = sum * 5 + group`. Folding after each value instead
//! costs a sixth of the bandwidth on a core with 16-byte vectors; folding after a group costs nothing.

use crate::pattern::{Element, fold};

/// Words that are summed side by side: a cache line, four vectors of 16 bytes.
pub(super) const LANES: usize = 16;

/// Half a row of lanes: the shortest run that is still read in vectors, 32 bytes.
const HALF: usize = LANES / 2;

/// Rows of lanes that are added before the lanes are folded.
const ROWS: usize = 32;

/// Words of a group of rows.
const GROUP: usize = LANES * ROWS;

/// Elements that are added before their sum is folded, where elements lie anywhere.
const ELEMENTS: usize = 64;

/// The lanes' sums over consecutive words. Words beyond the last whole group are not summed.
///
/// Groups of a constant length let the compiler unroll the rows: a quarter faster than rows of a slice, or
/// than one running sum over all words.
pub(super) fn sum_words(words: &[u32]) -> [u32; LANES] {
    let mut sum = [0u32; LANES];
    for group in words.as_chunks::<GROUP>().0 {
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

/// The lanes' sums of products over consecutive words of two arrays, whole groups only.
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

/// The reference of both: what the row of lanes' sums of elements `first..first + count` holds at an index
/// in elements.
pub(super) fn expected_lanes(
    element: Element,
    index: u64,
    first: u64,
    count: u64,
    value: impl Fn(u64) -> [u32; 4],
) -> [u32; 4] {
    let row = LANES as u64 / element.words();
    let group = row * ROWS as u64;
    let groups = (first..first + count).step_by(group as usize);
    let rows = |start: u64| (start + index..start + group).step_by(row as usize);
    fold(element, groups.map(|start| add_up(rows(start).map(&value))))
}

/// The lanes' sums over one run of words of any length.
pub(super) fn sum_run(words: &[u32]) -> [u32; LANES] {
    let mut sum = [0u32; LANES];
    let (groups, rest) = words.as_chunks::<GROUP>();
    for group in groups {
        for row in group.as_chunks::<LANES>().0 {
            for lane in 0..LANES {
                sum[lane] = sum[lane].wrapping_add(row[lane]);
            }
        }
    }
    let (rows, rest) = rest.as_chunks::<LANES>();
    for row in rows {
        for lane in 0..LANES {
            sum[lane] = sum[lane].wrapping_add(row[lane]);
        }
    }
    let (half, rest) = rest.as_chunks::<HALF>();
    for (sum, word) in sum.iter_mut().zip(half.as_flattened()) {
        *sum = sum.wrapping_add(*word);
    }
    for (sum, word) in sum[half.len() * HALF..].iter_mut().zip(rest) {
        *sum = sum.wrapping_add(*word);
    }
    sum
}

/// The reference of that: what the row of lanes' sums of a run of `length` elements holds at an index in
/// elements.
pub(super) fn expected_run(
    element: Element,
    index: u64,
    length: u64,
    value: impl Fn(u64) -> [u32; 4],
) -> [u32; 4] {
    add_up((index..length).step_by(LANES / element.words() as usize).map(value))
}

/// The sum over elements anywhere, one after the other: element `n` is `at(n)`.
#[inline(always)]
pub(super) fn sum_elements<const W: usize>(count: usize, at: impl Fn(usize) -> [u32; W]) -> [u32; W] {
    let mut sum = [0u32; W];
    for start in (0..count).step_by(ELEMENTS) {
        let mut part = [0u32; W];
        for n in start..count.min(start + ELEMENTS) {
            add_in(&mut part, &at(n));
        }
        fold_in(&mut sum, part);
    }
    sum
}

/// The same sum over every `stride`-th element of a slice.
///
/// Four at a time: the compiler then checks the four places once and before the loop, and keeps the sum in a
/// vector.
pub(super) fn sum_stepped<const W: usize>(elements: &[[u32; W]], stride: usize) -> [u32; W] {
    let mut sum = [0u32; W];
    for group in elements.chunks(ELEMENTS * stride) {
        let mut part = [0u32; W];
        let fours = group.chunks_exact(4 * stride);
        let rest = fours.remainder();
        for four in fours {
            for place in 0..4 {
                add_in(&mut part, &four[place * stride]);
            }
        }
        for element in rest.iter().step_by(stride) {
            add_in(&mut part, element);
        }
        fold_in(&mut sum, part);
    }
    sum
}

/// The same sum over the elements that indices name.
pub(super) fn sum_named<const W: usize>(elements: &[[u32; W]], indices: &[u32]) -> [u32; W] {
    let mut sum = [0u32; W];
    for group in indices.chunks(ELEMENTS) {
        let mut part = [0u32; W];
        for index in group {
            add_in(&mut part, &elements[*index as usize]);
        }
        fold_in(&mut sum, part);
    }
    sum
}

/// The reference of all three.
pub(super) fn expected_elements(
    element: Element,
    first: u64,
    count: u64,
    value: impl Fn(u64) -> [u32; 4],
) -> [u32; 4] {
    let end = first + count;
    let groups = (first..end).step_by(ELEMENTS);
    fold(element, groups.map(|start| add_up((start..end.min(start + ELEMENTS as u64)).map(&value))))
}

/// In place and word by word: the compiler packs a sum of two words that a closure returns into one
/// register, and takes it apart again for each element.
#[inline(always)]
fn add_in<const W: usize>(sum: &mut [u32; W], value: &[u32; W]) {
    for (sum, word) in sum.iter_mut().zip(value) {
        *sum = sum.wrapping_add(*word);
    }
}

/// `sum * 5 + part`, lane by lane.
pub(super) fn fold_in<const N: usize>(sum: &mut [u32; N], part: [u32; N]) {
    *sum = std::array::from_fn(|n| sum[n].wrapping_mul(5).wrapping_add(part[n]));
}

fn add_up(values: impl Iterator<Item = [u32; 4]>) -> [u32; 4] {
    values.fold([0; 4], |sum, value| std::array::from_fn(|w| u32::wrapping_add(sum[w], value[w])))
}
