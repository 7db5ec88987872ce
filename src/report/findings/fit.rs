//! Fitting the prediction of a hypothesis to a curve: its shape is given, its scale is free.
//!
//! Two forms are tried, since devices overlap work to different degrees:
//!
//! ```text
//! added       y = a + b·f + c·g      what a case costs beside memory is paid on top
//! overlapped  y = max(a, b·f)        the roofline: the dearer one hides the other
//! ```
//!
//! with all of a, b, c ≥ 0. Residuals are weighted by the noise of each point, relative to its value.

/// A fitted curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fit {
    /// Σ ((y − ŷ) / (noise · y))².
    pub(super) chi2: f64,
    /// Root mean square of (y − ŷ) / y.
    pub(super) rms: f64,
    /// Free parameters.
    pub(super) parameters: usize,
    /// Points.
    pub(super) points: usize,
}

/// A point to be fitted: its value, its relative noise and up to two features.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    /// The measured value.
    pub(super) y: f64,
    /// Its relative standard deviation.
    pub(super) noise: f64,
    /// The features of the hypothesis; unused ones are 0.
    pub(super) features: [f64; 2],
}

/// The constant alone: nothing depends on anything.
pub(super) fn flat(samples: &[Sample]) -> Fit {
    let mean = weighted_mean(samples);
    outcome(samples, |_| mean, 1)
}

/// The better of both forms, with one feature.
pub(super) fn one(samples: &[Sample]) -> Fit {
    let added = added(samples, 1);
    let overlapped = overlapped(samples);
    if overlapped.chi2 < added.chi2 { overlapped } else { added }
}

/// The added form with both features.
pub(super) fn two(samples: &[Sample]) -> Fit {
    added(samples, 2)
}

/// Least squares with coefficients that are not negative, over every subset of the columns: with at most
/// three of them this is exact (the optimum of the constrained problem is the unconstrained optimum of some
/// subset; Lawson & Hanson, *Solving Least Squares Problems*, 1974, ch. 23).
fn added(samples: &[Sample], features: usize) -> Fit {
    let columns = features + 1;
    let best = (1_u32..1 << columns)
        .filter_map(|subset| {
            let used: Vec<usize> = (0..columns).filter(|column| subset >> column & 1 == 1).collect();
            let coefficients = solve(samples, &used)?;
            if coefficients.iter().any(|coefficient| *coefficient < 0.0) {
                return None;
            }
            let predict = |sample: &Sample| {
                used.iter().zip(&coefficients).map(|(column, c)| c * column_of(sample, *column)).sum()
            };
            Some(outcome(samples, predict, columns))
        })
        .min_by(|a, b| a.chi2.total_cmp(&b.chi2));
    best.unwrap_or_else(|| Fit { parameters: columns, ..flat(samples) })
}

/// The roofline form: for each place where the constant could give way to the feature, both parts are means
/// of their points.
fn overlapped(samples: &[Sample]) -> Fit {
    let mut thresholds: Vec<f64> = samples.iter().map(|sample| sample.features[0]).collect();
    thresholds.sort_unstable_by(f64::total_cmp);
    thresholds.dedup();
    let best = thresholds
        .iter()
        .filter_map(|threshold| {
            let (below, above): (Vec<Sample>, Vec<Sample>) =
                samples.iter().partition(|sample| sample.features[0] <= *threshold);
            if above.is_empty() {
                return None;
            }
            let constant = weighted_mean(&below);
            let per_feature: Vec<Sample> =
                above.iter().map(|sample| Sample { y: sample.y / sample.features[0], ..*sample }).collect();
            let slope = weighted_mean(&per_feature);
            Some(outcome(samples, |sample| constant.max(slope * sample.features[0]), 2))
        })
        .min_by(|a, b| a.chi2.total_cmp(&b.chi2));
    best.unwrap_or_else(|| Fit { parameters: 2, ..flat(samples) })
}

/// The value that has the least squares of relative residuals from all: Σw·y / Σw with w = 1 / (noise·y)².
fn weighted_mean(samples: &[Sample]) -> f64 {
    let weight = |sample: &Sample| (sample.noise * sample.y).powi(-2);
    samples.iter().map(|sample| weight(sample) * sample.y).sum::<f64>()
        / samples.iter().map(weight).sum::<f64>()
}

fn column_of(sample: &Sample, column: usize) -> f64 {
    if column == 0 { 1.0 } else { sample.features[column - 1] }
}

fn outcome(samples: &[Sample], predict: impl Fn(&Sample) -> f64, parameters: usize) -> Fit {
    let (mut chi2, mut squares) = (0.0, 0.0);
    for sample in samples {
        let residual = (sample.y - predict(sample)) / sample.y;
        chi2 += (residual / sample.noise).powi(2);
        squares += residual * residual;
    }
    Fit { chi2, rms: (squares / samples.len().max(1) as f64).sqrt(), parameters, points: samples.len() }
}

/// The weighted normal equations of some columns, by Gaussian elimination with pivoting; `None` where the
/// columns don't tell each other apart.
fn solve(samples: &[Sample], used: &[usize]) -> Option<Vec<f64>> {
    let n = used.len();
    let mut rows: Vec<Vec<f64>> = vec![vec![0.0; n + 1]; n];
    for sample in samples {
        let weight = (sample.noise * sample.y).powi(-2);
        for (row, a) in rows.iter_mut().zip(used) {
            let left = weight * column_of(sample, *a);
            for (cell, b) in row.iter_mut().zip(used) {
                *cell += left * column_of(sample, *b);
            }
            row[n] += left * sample.y;
        }
    }
    let scale: Vec<f64> = (0..n).map(|i| rows[i][i]).collect();
    for pivot in 0..n {
        let best = (pivot..n).max_by(|a, b| rows[*a][pivot].abs().total_cmp(&rows[*b][pivot].abs()))?;
        rows.swap(pivot, best);
        if rows[pivot][pivot].abs() <= 1e-10 * scale[pivot] {
            return None;
        }
        let reference = rows[pivot].clone();
        for (index, row) in rows.iter_mut().enumerate() {
            if index != pivot {
                let factor = row[pivot] / reference[pivot];
                row.iter_mut().zip(&reference).for_each(|(cell, above)| *cell -= factor * above);
            }
        }
    }
    Some(rows.iter().enumerate().map(|(i, row)| row[n] / row[i]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(points: &[(f64, f64)]) -> Vec<Sample> {
        points.iter().map(|(f, y)| Sample { y: *y, noise: 0.01, features: [*f, 0.0] }).collect()
    }

    #[test]
    fn both_forms_find_what_made_the_points() {
        let added = samples(&[(1.0, 5.0), (2.0, 7.0), (4.0, 11.0), (8.0, 19.0)]);
        assert!(one(&added).chi2 < 1e-9);
        let roofline = samples(&[(1.0, 6.0), (2.0, 6.0), (4.0, 8.0), (8.0, 16.0)]);
        assert!(one(&roofline).chi2 < 1e-9);
        assert!(added_only(&roofline) > 100.0);
    }

    fn added_only(samples: &[Sample]) -> f64 {
        added(samples, 1).chi2
    }

    #[test]
    fn two_features_are_told_apart() {
        let points = [(1.0, 1.0), (2.0, 1.0), (4.0, 2.0), (4.0, 4.0), (8.0, 8.0)];
        let of = |f: f64, g: f64| 2.0 + 3.0 * f + 5.0 * g;
        let both: Vec<Sample> =
            points.iter().map(|(f, g)| Sample { y: of(*f, *g), noise: 0.01, features: [*f, *g] }).collect();
        assert!(two(&both).chi2 < 1e-6 && one(&both).chi2 > 10.0);
    }

    #[test]
    fn a_falling_curve_gets_no_negative_coefficient() {
        let falling = samples(&[(1.0, 9.0), (2.0, 6.0), (4.0, 3.0)]);
        assert_eq!(one(&falling).chi2, flat(&falling).chi2);
    }

    #[test]
    fn degenerate_input() {
        assert_eq!(flat(&[]).points, 0);
        assert!(one(&[]).chi2 == 0.0 && two(&[]).chi2 == 0.0);
        let single = samples(&[(1.0, 5.0)]);
        assert!(one(&single).chi2 < 1e-12 && two(&single).chi2 < 1e-12);
        let constant_feature = samples(&[(2.0, 5.0), (2.0, 5.0), (2.0, 5.0)]);
        assert!(one(&constant_feature).chi2 < 1e-12);
        let no_feature = samples(&[(0.0, 5.0), (0.0, 6.0)]);
        assert!((one(&no_feature).chi2 - flat(&no_feature).chi2).abs() < 1e-9);
    }
}
