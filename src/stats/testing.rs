//! Whether two groups of samples differ, and how many such findings to believe.

/// The two-sided p-value of the rank-sum test that neither group tends to the larger values, or `None`
/// where a group is empty.
///
/// Mann & Whitney, "On a test of whether one of two random variables is stochastically larger than the
/// other", Ann. Math. Stat. 18 (1947). Exact where there are no ties and the groups are small, by the
/// generating function of U (the Gaussian binomial coefficient: Andrews, *The Theory of Partitions*
/// (1976), § 3.2); else the normal approximation with the correction for ties and for continuity
/// (Lehmann, *Nonparametrics* (1975), § 1.4).
pub fn rank_sum(base: &[f64], new: &[f64]) -> Option<f64> {
    let (n, m) = (base.len(), new.len());
    if n == 0 || m == 0 {
        return None;
    }
    let mut all: Vec<(f64, bool)> =
        base.iter().map(|x| (*x, false)).chain(new.iter().map(|x| (*x, true))).collect();
    all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));

    let (mut rank_of_new, mut ties) = (0.0, 0.0);
    let mut first = 0;
    for group in all.chunk_by(|a, b| a.0 == b.0) {
        let count = group.len();
        let mid_rank = first as f64 + (count + 1) as f64 / 2.0;
        rank_of_new += mid_rank * group.iter().filter(|(_, is_new)| *is_new).count() as f64;
        ties += (count * count * count - count) as f64;
        first += count;
    }
    let u = rank_of_new - (m * (m + 1)) as f64 / 2.0;
    let pairs = (n * m) as f64;
    let extreme = u.min(pairs - u);

    if ties == 0.0 && n.max(m) <= LARGEST_EXACT {
        return Some(exact_tail(n, m, extreme as usize));
    }
    Some(approximate_tail(n, m, extreme, ties))
}

/// The same by the normal approximation; `ties` is Σ(t³ − t) over groups of t equal samples.
fn approximate_tail(n: usize, m: usize, u: f64, ties: f64) -> f64 {
    let (pairs, total) = ((n * m) as f64, (n + m) as f64);
    let variance = pairs / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)));
    if variance <= 0.0 {
        return 1.0;
    }
    normal_two_sided((pairs / 2.0 - u - 0.5).max(0.0) / variance.sqrt())
}

/// Counts of arrangements stay within 128 bits up to here: C(80, 40) < 2⁷⁷, and the partial products too.
const LARGEST_EXACT: usize = 40;

/// 2·P(U ≤ u) where all arrangements of n and m samples are equally likely, at most 1.
fn exact_tail(n: usize, m: usize, u: usize) -> f64 {
    // Coefficients of ∏ (1 − q^(n+i)) / (1 − q^i), i = 1 … m, up to q^u.
    let mut ways = vec![0_i128; u + 1];
    ways[0] = 1;
    for i in 1..=m {
        for power in (n + i..=u).rev() {
            ways[power] -= ways[power - n - i];
        }
        for power in i..=u {
            ways[power] += ways[power - i];
        }
    }
    let mut arrangements = 1.0;
    for i in 1..=m {
        arrangements *= (n + i) as f64 / i as f64;
    }
    (2.0 * ways.iter().sum::<i128>() as f64 / arrangements).min(1.0)
}

/// The probability that a standard normal variable lies farther from zero than z.
///
/// 2·Q(|z|) by the series of Φ below 3 and by Laplace's continued fraction of the tail above: Abramowitz
/// & Stegun, *Handbook of Mathematical Functions* (1964), 26.2.11 and 26.2.14.
pub fn normal_two_sided(z: f64) -> f64 {
    let z = z.abs();
    let density = (-z * z / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    if z < 3.0 {
        let (mut term, mut sum, mut odd) = (z, z, 1.0);
        while term > 1e-17 * sum.max(1e-300) {
            odd += 2.0;
            term *= z * z / odd;
            sum += term;
        }
        return (1.0 - 2.0 * density * sum).max(0.0);
    }
    let fraction = (1..=60).rev().fold(0.0, |tail, k| f64::from(k) / (z + tail));
    2.0 * density / (z + fraction)
}

/// The distance from zero beyond which a standard normal variable lies with probability p, by bisection of
/// [`normal_two_sided`]; at most 38, where that is zero in double precision.
pub fn normal_two_sided_quantile(p: f64) -> f64 {
    let (mut low, mut high) = (0.0, 38.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if normal_two_sided(middle) > p { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

/// Which of the p-values to reject so that at most the share `rate` of the rejected is expected to be
/// wrong: the largest k with p₍ₖ₎ ≤ k·rate/n, and all up to it.
///
/// Benjamini & Hochberg, "Controlling the false discovery rate", J. R. Stat. Soc. B 57 (1995).
pub fn benjamini_hochberg(p_values: &[f64], rate: f64) -> Vec<bool> {
    let mut sorted = p_values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len() as f64;
    let limit = sorted.iter().enumerate().rev().find(|(index, p)| **p <= (*index + 1) as f64 * rate / n);
    p_values.iter().map(|p| limit.is_some_and(|(_, limit)| p <= limit)).collect()
}

/// Standard normal numbers from a seed, for tests: Box & Muller (1958).
#[cfg(test)]
pub(crate) fn test_normals(seed: u64) -> impl FnMut() -> f64 {
    use rand_pcg::rand_core::Rng;
    let mut random = rand_pcg::Pcg64Mcg::new((u128::from(seed) << 64) | 0x5bd1_e995);
    move || {
        let mut uniform = || (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let radius = (-2.0 * (1.0 - uniform()).ln()).sqrt();
        radius * (2.0 * std::f64::consts::PI * uniform()).cos()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_quantile_inverts_the_tail() {
        for z in [0.0, 0.3, 1.0, 1.96, 2.999, 3.001, 5.0, 12.0, 30.0] {
            let back = normal_two_sided_quantile(normal_two_sided(z));
            assert!((back - z).abs() < 1e-6, "{z} came back as {back}");
        }
        assert!(normal_two_sided_quantile(0.0) > 37.0 && normal_two_sided_quantile(1.0) < 1e-6);
    }

    #[test]
    fn empty_single_and_equal_samples() {
        assert_eq!(rank_sum(&[], &[1.0]), None);
        assert_eq!(rank_sum(&[1.0], &[2.0]), Some(1.0));
        assert_eq!(rank_sum(&[1.0; 5], &[1.0; 9]), Some(1.0));
        assert!(benjamini_hochberg(&[], 0.05).is_empty());
        assert_eq!(benjamini_hochberg(&[0.05], 0.05), [true]);
    }

    #[test]
    fn exact_tails_are_those_of_the_tables() {
        // Complete separation: 2 / C(n + m, m).
        assert!((exact_tail(10, 10, 0) - 2.0 / 184_756.0).abs() < 1e-15);
        // Critical values of U for 5 % two-sided, as printed in textbooks.
        for (n, m, critical) in [(5, 5, 2), (8, 8, 13), (10, 10, 23), (20, 20, 127)] {
            assert!(exact_tail(n, m, critical) <= 0.05, "{n} {m}");
            assert!(exact_tail(n, m, critical + 1) > 0.05, "{n} {m}");
        }
        assert!((exact_tail(7, 9, 31) - 1.0).abs() < 0.2);
    }

    #[test]
    fn normal_tails_are_those_of_the_tables() {
        for (z, p) in [(0.0, 1.0), (1.0, 0.317_310_507_86), (1.959_963_984_54, 0.05), (4.0, 6.334_248_366e-5)]
        {
            assert!((normal_two_sided(z) / p - 1.0).abs() < 1e-9, "{z}");
        }
        assert!((normal_two_sided(3.0 - 1e-12) / normal_two_sided(3.0) - 1.0).abs() < 1e-9);
        assert!((normal_two_sided(6.0) / 1.973_175_290_075e-9 - 1.0).abs() < 1e-9);
        assert_eq!(normal_two_sided(1e3), 0.0);
    }

    #[test]
    fn the_approximation_meets_the_exact_tail() {
        for u in [500, 550, 600, 700, 799] {
            let (exact, approximate) = (exact_tail(40, 40, u), approximate_tail(40, 40, u as f64, 0.0));
            assert!((exact / approximate - 1.0).abs() < 0.3, "{u}: {exact} {approximate}");
        }
    }

    #[test]
    fn the_paper_s_example_rejects_four() {
        // Benjamini & Hochberg (1995), § 3: 15 p-values, four rejected at 5 %.
        let p = [
            0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719,
            0.6528, 0.7590, 1.000,
        ];
        let rejected = benjamini_hochberg(&p, 0.05);
        assert_eq!(rejected.iter().filter(|r| **r).count(), 4);
        assert!(rejected[..4].iter().all(|r| *r));
    }

    proptest! {
        #[test]
        fn the_test_does_not_know_which_group_is_which(
            base in prop::collection::vec(0.0_f64..10.0, 1..45),
            new in prop::collection::vec(0.0_f64..10.0, 1..45),
        ) {
            let (there, back) = (rank_sum(&base, &new).unwrap(), rank_sum(&new, &base).unwrap());
            prop_assert!((there - back).abs() < 1e-9);
            prop_assert!(there > 0.0 && there <= 1.0);
        }

        #[test]
        fn a_smaller_p_is_rejected_first(p in prop::collection::vec(0.0_f64..1.0, 1..50)) {
            let rejected = benjamini_hochberg(&p, 0.1);
            for (i, r) in rejected.iter().enumerate() {
                for (j, s) in rejected.iter().enumerate() {
                    prop_assert!(!(*s && !*r && p[i] <= p[j]));
                }
            }
        }
    }
}
