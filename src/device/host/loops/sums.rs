//! Sums that run at the speed of memory and that a check can take apart.
//!
//! A plain sum is the same when two values change places. So values are added and XORed in turn, which costs
//! one instruction a value as a plain sum does, and depends on the order: carries don't commute with XOR. The
//! factor of the kernels' fold, or a second sum of the running sums, would cost a fifth of the bandwidth: the
//! more instructions wait for a line, the fewer lines a core can wait for. Every step is a bijection, so a
//! wrong value always shows; of swaps of two random values about one in seven thousand does not.

use crate::pattern::Element;

/// Words that are summed side by side: a cache line, four vectors of 16 bytes.
pub(super) const LANES: usize = 16;

/// Half a row of lanes: the shortest run that is still read in vectors, 32 bytes.
const HALF: usize = LANES / 2;

/// Two rows of lanes.
const PAIR: usize = 2 * LANES;

/// Partial sums of a large buffer for each thread: enough that all threads get about as many. With more, the loads
/// that wait for memory at the end of each would count.
const PER_THREAD: u64 = 64;

/// What every sum starts with. From 0 the first two values could change places.
const START: u32 = 0x9e37_79b9;

/// How many of `all` values, a power of two, are behind one partial sum: no fewer than `least`.
pub(super) fn behind_one(all: u64, least: u64) -> u64 {
    let sums = (PER_THREAD * rayon::current_num_threads() as u64).next_power_of_two();
    (all / sums).max(least)
}

/// `N` sums side by side.
#[derive(Clone, Copy)]
pub(super) struct Sum<const N: usize>([u32; N]);

/// In place and word by word: the compiler packs a sum of two words that a closure returns into one register,
/// and takes it apart again for each element.
impl<const N: usize> Sum<N> {
    pub(super) fn new() -> Self {
        Sum([START; N])
    }

    /// The next two values.
    #[inline(always)]
    pub(super) fn pair(&mut self, first: &[u32; N], second: &[u32; N]) {
        for (sum, word) in self.0.iter_mut().zip(first) {
            *sum = sum.wrapping_add(*word);
        }
        for (sum, word) in self.0.iter_mut().zip(second) {
            *sum ^= word;
        }
    }

    /// The last of an odd number of values.
    #[inline(always)]
    fn single(&mut self, value: &[u32; N]) {
        fold(&mut self.0, value);
    }

    pub(super) fn value(self) -> [u32; N] {
        self.0
    }
}

impl Sum<LANES> {
    /// A run of words, a row of lanes at a time; the last row may be short.
    ///
    /// Whole rows go into a copy: no slice of a length that is not known points into it, so that it stays in
    /// registers. In place they would take three times as long.
    #[inline(always)]
    pub(super) fn run(&mut self, words: &[u32]) {
        let mut whole = *self;
        let (pairs, rest) = words.as_chunks::<PAIR>();
        for pair in pairs {
            whole.rows(pair);
        }
        let (rows, rest) = rest.as_chunks::<LANES>();
        for row in rows {
            whole.single(row);
        }
        *self = whole;
        let (half, rest) = rest.as_chunks::<HALF>();
        let half = half.as_flattened();
        fold(&mut self.0, half);
        fold(&mut self.0[half.len()..], rest);
    }

    #[inline(always)]
    fn rows(&mut self, pair: &[u32; PAIR]) {
        if let [first, second] = pair.as_chunks::<LANES>().0 {
            self.pair(first, second);
        }
    }
}

/// `sum * 5 + value` in as many lanes as there are values.
#[inline(always)]
fn fold(sums: &mut [u32], values: &[u32]) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum = sum.wrapping_mul(5).wrapping_add(*value);
    }
}

/// The sums over one run of words.
pub(super) fn sum_words(words: &[u32]) -> [u32; LANES] {
    let mut sum = Sum::new();
    sum.run(words);
    sum.value()
}

/// The sums of products over consecutive words of two arrays, whole pairs only.
pub(super) fn dot_words(a: &[u32], b: &[u32]) -> [u32; LANES] {
    let mut sum = Sum::new();
    for (a, b) in a.as_chunks::<PAIR>().0.iter().zip(b.as_chunks::<PAIR>().0) {
        sum.rows(&std::array::from_fn(|n| a[n].wrapping_mul(b[n])));
    }
    sum.value()
}

/// The sum over every `stride`-th element of a slice.
///
/// Four at a time: the compiler then checks the four places once and before the loop, and keeps the sum in a
/// vector.
pub(super) fn sum_stepped<const W: usize>(elements: &[[u32; W]], stride: usize) -> [u32; W] {
    let mut sum = Sum::new();
    let fours = elements.chunks_exact(4 * stride);
    let rest = fours.remainder();
    for four in fours {
        sum.pair(&four[0], &four[stride]);
        sum.pair(&four[2 * stride], &four[3 * stride]);
    }
    let mut rest = rest.iter().step_by(stride);
    while let Some(first) = rest.next() {
        match rest.next() {
            Some(second) => sum.pair(first, second),
            None => sum.single(first),
        }
    }
    sum.value()
}

/// The sum over the elements that indices name.
pub(super) fn sum_named<const W: usize>(elements: &[[u32; W]], indices: &[u32]) -> [u32; W] {
    let mut sum = Sum::new();
    let (pairs, last) = indices.as_chunks::<2>();
    for [first, second] in pairs {
        sum.pair(&elements[*first as usize], &elements[*second as usize]);
    }
    for index in last {
        sum.single(&elements[*index as usize]);
    }
    sum.value()
}

/// The reference of every sum here: what runs of elements come to, each of which has the same number of pairs
/// at its start.
pub(super) fn expected_runs<R: Iterator<Item = [u32; 4]>>(
    element: Element,
    pairs: u64,
    runs: impl Iterator<Item = R>,
) -> [u32; 4] {
    let mut sum = [START; 4];
    for run in runs {
        for (nth, value) in (0u64..).zip(run) {
            for (sum, value) in sum.iter_mut().zip(value) {
                *sum = match (nth < 2 * pairs, nth % 2) {
                    (true, 0) => sum.wrapping_add(value),
                    (true, _) => *sum ^ value,
                    (false, _) => sum.wrapping_mul(5).wrapping_add(value),
                };
            }
        }
    }
    std::array::from_fn(|w| if (w as u64) < element.words() { sum[w] } else { 0 })
}

/// The reference of a sum over `count` elements one after the other.
pub(super) fn expected_elements(
    element: Element,
    count: u64,
    values: impl Iterator<Item = [u32; 4]>,
) -> [u32; 4] {
    expected_runs(element, count / 2, std::iter::once(values))
}

/// The reference of the sums over runs of words: what the row of lanes' sums over runs of `length` elements,
/// each from one of `starts` on, holds at an index in elements.
pub(super) fn expected_lanes(
    element: Element,
    index: u64,
    length: u64,
    starts: impl Iterator<Item = u64>,
    value: impl Fn(u64) -> [u32; 4],
) -> [u32; 4] {
    let row = LANES as u64 / element.words();
    let run = |start| (start + index % row..start + length).step_by(row as usize).map(&value);
    expected_runs(element, length / (2 * row), starts.map(run))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Fill;

    /// Every swap of two of 600 words, which fill pairs, a row, a half and a rest.
    #[test]
    fn swapped_words_show() {
        let words: Vec<u32> = (0..600).map(|n| Fill::new(7).word(0, n)).collect();
        let right = sum_words(&words);
        let mut unseen = 0;
        for (low, high) in (0..600).flat_map(|high| (0..high).map(move |low| (low, high))) {
            let mut swapped = words.clone();
            swapped.swap(low, high);
            unseen += u32::from(sum_words(&swapped) == right);
        }
        // 600 * 599 / 2 swaps, of which one in sixteen is within a lane: about 11,000
        assert!(unseen < 11, "{unseen} swaps leave the sums as they were");
    }
}
