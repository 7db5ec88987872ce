//! The order of visits: shuffled anew each round, so that drift favours no case.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// The order in which a round visits `cases` cases (Fisher and Yates 1938, as Durstenfeld 1964 coded it).
pub fn order(seed: u64, round: u32, cases: usize) -> Vec<usize> {
    let mut random = Pcg64Mcg::seed_from_u64(seed ^ (u64::from(round) << 32));
    let mut order: Vec<usize> = (0..cases).collect();
    for last in (1..cases).rev() {
        let other = (random.next_u64() % (last as u64 + 1)) as usize;
        order.swap(last, other);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::order;

    #[test]
    fn a_round_visits_every_case_once_and_rounds_differ() {
        let (first, second) = (order(1, 0, 100), order(1, 1, 100));
        let sorted = |mut order: Vec<usize>| {
            order.sort_unstable();
            order
        };
        assert_eq!(sorted(first.clone()), (0..100).collect::<Vec<_>>());
        assert_ne!(first, second);
        assert_eq!(first, order(1, 0, 100));
    }
}
