//! Index streams of `gather` and `scatter`: which element each access names.
//!
//! A stream is a pure function of its position, so that no copy of it is kept: the device's buffer, the
//! check and the count of distinct elements all ask the same function.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::{Element, Fill};

/// The orders in which elements are named, from the most local to the least.
pub(super) const ORDERS: &[&str] = &[
    "sequential",
    "reversed",
    "blocks_4096b",
    "blocks_2048b",
    "blocks_1024b",
    "blocks_512b",
    "blocks_256b",
    "blocks_128b",
    "blocks_64b",
    "blocks_32b",
    "permutation",
    "uniform",
    "same",
];

/// The seed of the uniform stream: fixed, so that a case names the same elements in every run.
pub(super) const SEED: u64 = 0x5eed;

/// A stream of as many indices as there are elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Indices {
    order: Order,
    /// log2 of the elements, and of the indices.
    bits: u32,
}

#[derive(Clone, Copy, Debug)]
enum Order {
    Sequential,
    Reversed,
    /// Runs of 2^`run_bits` elements, each once, in shuffled order.
    Shuffled {
        run_bits: u32,
    },
    Uniform,
    Same,
}

impl Indices {
    /// The stream of that name over 2^`bits` elements.
    pub(super) fn new(name: &str, element: Element, bits: u32) -> Indices {
        let order = match name {
            "sequential" => Order::Sequential,
            "reversed" => Order::Reversed,
            "uniform" => Order::Uniform,
            "same" => Order::Same,
            _ => Order::Shuffled { run_bits: run_elements(name, element).ilog2().min(bits) },
        };
        Indices { order, bits }
    }

    /// The element that the n-th access names.
    pub(crate) fn at(self, n: u64) -> u64 {
        let count = 1u64 << self.bits;
        match self.order {
            Order::Sequential => n,
            Order::Reversed => count - 1 - n,
            Order::Shuffled { run_bits } => {
                let run = shuffled(n >> run_bits, self.bits - run_bits);
                (run << run_bits) | (n & ((1 << run_bits) - 1))
            }
            Order::Uniform => u64::from(Fill::new(SEED).word(0, n)) & (count - 1),
            Order::Same => count / 2,
        }
    }

    /// Which elements the whole stream names.
    pub(crate) fn visited(self) -> Visited {
        match self.order {
            Order::Sequential | Order::Reversed | Order::Shuffled { .. } => Visited::All(1 << self.bits),
            Order::Same => Visited::One(self.at(0)),
            Order::Uniform => Visited::some(self),
        }
    }
}

/// Elements of a run of the `blocks_…b` orders; one for a permutation of elements.
fn run_elements(name: &str, element: Element) -> u64 {
    let bytes = name.strip_prefix("blocks_").and_then(|rest| rest.strip_suffix('b')?.parse::<u64>().ok());
    bytes.map_or(1, |bytes| (bytes / element.bytes()).max(1))
}

/// A fixed permutation of the numbers below 2^`bits` (at most 32) that looks random.
///
/// Every step can be undone on `bits` bits: a product with an odd number modulo a power of two, and the
/// exclusive or with a right shift of itself. The construction and its constants are MurmurHash3's 32-bit
/// finaliser (Appleby, 2011); the shift is half the width, so that high bits reach low ones at any width.
fn shuffled(number: u64, bits: u32) -> u64 {
    let mask = (1u64 << bits) - 1;
    let shift = (bits / 2).max(1);
    [0x85eb_ca6b, 0xc2b2_ae35, 0x85eb_ca6b].into_iter().fold(number ^ (mask / 3), |x, odd: u64| {
        let product = x.wrapping_mul(odd) & mask;
        product ^ (product >> shift)
    })
}

/// The elements that a stream names at least once.
#[derive(Debug)]
pub(crate) enum Visited {
    /// Every one of that many.
    All(u64),
    /// One alone.
    One(u64),
    /// Those whose bit is set.
    Some(Vec<AtomicU64>),
}

impl Visited {
    fn some(indices: Indices) -> Visited {
        let count = 1u64 << indices.bits;
        let bitmap: Vec<AtomicU64> = (0..count.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        (0..count).into_par_iter().for_each(|n| {
            let element = indices.at(n);
            bitmap[(element / 64) as usize].fetch_or(1 << (element % 64), Ordering::Relaxed);
        });
        Visited::Some(bitmap)
    }

    /// Whether an element is named.
    pub(crate) fn contains(&self, element: u64) -> bool {
        match self {
            Visited::All(count) => element < *count,
            Visited::One(only) => element == *only,
            Visited::Some(bitmap) => bitmap
                .get((element / 64) as usize)
                .is_some_and(|word| word.load(Ordering::Relaxed) >> (element % 64) & 1 == 1),
        }
    }

    /// How many elements are named.
    pub(crate) fn len(&self) -> u64 {
        match self {
            Visited::All(count) => *count,
            Visited::One(_) => 1,
            Visited::Some(bitmap) => {
                bitmap.iter().map(|word| u64::from(word.load(Ordering::Relaxed).count_ones())).sum()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(name: &str, element: Element, bits: u32) -> Vec<u64> {
        let indices = Indices::new(name, element, bits);
        (0..1 << bits).map(|n| indices.at(n)).collect()
    }

    #[test]
    fn shuffles_are_permutations_at_every_width() {
        for bits in 0..=14 {
            let mut numbers: Vec<u64> = (0..1 << bits).map(|n| shuffled(n, bits)).collect();
            numbers.sort_unstable();
            assert!(numbers.into_iter().eq(0..1 << bits), "{bits} bits");
        }
    }

    #[test]
    fn a_shuffle_leaves_no_neighbours() {
        let numbers: Vec<u64> = (0..1 << 14).map(|n| shuffled(n, 14)).collect();
        let near = numbers.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) <= 8).count();
        // 16 of 16,384 places are that near: about 16 pairs by chance, and by chance alone.
        assert!(near < 64, "{near} of 16383 pairs are neighbours");
    }

    #[test]
    fn all_orders_but_uniform_and_same_visit_every_element_once() {
        for element in Element::ALL {
            for name in ORDERS {
                let mut numbers = stream(name, element, 12);
                let visited = Indices::new(name, element, 12).visited();
                assert!((0..1 << 12).all(|e| visited.contains(e) == numbers.contains(&e)), "{name}");
                numbers.sort_unstable();
                numbers.dedup();
                assert_eq!(numbers.len() as u64, visited.len(), "{name}");
                assert_eq!(numbers.len() == 1 << 12, !["uniform", "same"].contains(name), "{name}");
            }
        }
    }

    #[test]
    fn a_uniform_stream_names_the_share_that_chance_would() {
        let share = Indices::new("uniform", Element::U32, 16).visited().len() as f64 / 65536.0;
        // n draws of n elements miss each with probability (1 - 1/n)^n, 1/e in the limit
        assert!((share - (1.0 - (-1f64).exp())).abs() < 0.01, "{share}");
    }

    #[test]
    fn blocks_are_runs_that_start_at_their_own_size() {
        for (element, length) in [(Element::U32, 32), (Element::U32x2, 16), (Element::U32x4, 8)] {
            let numbers = stream("blocks_128b", element, 12);
            for run in numbers.chunks(length) {
                assert!(run[0].is_multiple_of(length as u64));
                assert!(run.windows(2).all(|pair| pair[1] == pair[0] + 1));
            }
            assert_ne!(numbers[length], numbers[length - 1] + 1, "runs are shuffled");
        }
    }

    #[test]
    fn plain_orders_are_what_they_say() {
        assert_eq!(stream("sequential", Element::U32, 2), [0, 1, 2, 3]);
        assert_eq!(stream("reversed", Element::U32, 2), [3, 2, 1, 0]);
        assert_eq!(stream("same", Element::U32, 2), [2, 2, 2, 2]);
    }
}
