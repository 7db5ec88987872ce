//! Whether a series in time has a trend, or a stretch at another level.

use super::{MAD_TO_SIGMA, median, median_in_place};

/// A straight line through points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// Change of y for one of x.
    pub slope: f64,
    /// y at x = 0.
    pub intercept: f64,
}

/// The line with the median of the slopes between all pairs of points, or `None` where no two differ in
/// x. Sen, "Estimates of the regression coefficient based on Kendall's tau", JASA 63 (1968).
pub fn theil_sen(points: &[(f64, f64)]) -> Option<Line> {
    let mut slopes = Vec::with_capacity(points.len().saturating_sub(1) * points.len() / 2);
    for (index, (x0, y0)) in points.iter().enumerate() {
        for (x1, y1) in &points[index + 1..] {
            if x0 != x1 {
                slopes.push((y1 - y0) / (x1 - x0));
            }
        }
    }
    let slope = median_in_place(&mut slopes)?;
    let mut intercepts: Vec<f64> = points.iter().map(|(x, y)| y - slope * x).collect();
    Some(Line { slope, intercept: median_in_place(&mut intercepts)? })
}

/// The standard deviation of one sample of a series around its level, from the differences of
/// neighbours: steps and trends of the level hardly count. Von Neumann, "Distribution of the ratio of the
/// mean square successive difference to the variance", Ann. Math. Stat. 12 (1941), with the median of
/// absolute differences in place of the mean square.
pub fn successive_noise(series: &[f64]) -> Option<f64> {
    let mut differences: Vec<f64> = series.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    Some(MAD_TO_SIGMA * median_in_place(&mut differences)? / std::f64::consts::SQRT_2)
}

/// A stretch of a series at another level than the rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Episode {
    /// Index of its first sample.
    pub start: usize,
    /// Index after its last sample; the length of the series where it lasts to the end.
    pub end: usize,
    /// Median in it over the median of the rest.
    pub ratio: f64,
}

/// The score beyond which a stretch is believed. Of series of noise alone, 20 to 200 samples long, fewer
/// than one in a hundred reaches it (test).
const LEAST_SCORE: f64 = 5.0;
/// A stretch has at least so many samples, and as many remain outside.
const LEAST_SAMPLES: usize = 3;
/// Levels closer than 3 % are no matter.
const LEAST_RATIO: f64 = 1.03;

/// The stretch of a positive series that differs most from the rest, or `None` where none stands out.
///
/// Every stretch is scored by the difference of the mean logarithm inside and outside, in standard errors
/// (circular binary segmentation: Olshen, Venkatraman, Lucito & Wigler, Biostatistics 5 (2004), § 2).
/// The noise is that of [`successive_noise`]; values beyond four of it from the median of their five
/// neighbours are drawn in to there first, so that one outlier is no episode.
pub fn episode(series: &[f64]) -> Option<Episode> {
    let n = series.len();
    if n < 2 * LEAST_SAMPLES || series.iter().any(|value| *value <= 0.0) {
        return None;
    }
    let logs: Vec<f64> = series.iter().map(|value| value.ln()).collect();
    let noise = successive_noise(&logs)?.max(1e-4);
    let tame = |index: usize| {
        let window = &logs[index.saturating_sub(2)..(index + 3).min(n)];
        let center = median(window).unwrap_or(logs[index]);
        logs[index].clamp(center - 4.0 * noise, center + 4.0 * noise)
    };
    let mut sums = vec![0.0];
    for index in 0..n {
        sums.push(sums[index] + tame(index));
    }

    let mut best: Option<(f64, usize, usize)> = None;
    for start in 0..n {
        for end in start + LEAST_SAMPLES..=n {
            let (inside, outside) = (end - start, n - (end - start));
            if outside < LEAST_SAMPLES {
                continue;
            }
            let sum = sums[end] - sums[start];
            let difference = sum / inside as f64 - (sums[n] - sum) / outside as f64;
            let error = noise * (1.0 / inside as f64 + 1.0 / outside as f64).sqrt();
            let score = (difference / error).abs();
            if best.is_none_or(|(most, ..)| score > most) {
                best = Some((score, start, end));
            }
        }
    }
    let (score, mut start, mut end) = best?;
    // A stretch from the start and the rest after it score alike: the later one is the change.
    if start == 0 && end < n {
        (start, end) = (end, n);
    }
    let rest: Vec<f64> = logs[..start].iter().chain(&logs[end..]).copied().collect();
    let ratio = (median(&logs[start..end])? - median(&rest)?).exp();
    (score >= LEAST_SCORE && ratio.max(ratio.recip()) >= LEAST_RATIO).then_some(Episode { start, end, ratio })
}

#[cfg(test)]
mod tests {
    use super::super::testing::test_normals;
    use super::*;

    #[test]
    fn empty_single_and_equal_series() {
        assert_eq!(theil_sen(&[]), None);
        assert_eq!(theil_sen(&[(1.0, 2.0)]), None);
        assert_eq!(theil_sen(&[(1.0, 2.0), (1.0, 3.0)]), None);
        assert_eq!(successive_noise(&[]), None);
        assert_eq!(successive_noise(&[1.0]), None);
        assert_eq!(successive_noise(&[1.0; 5]), Some(0.0));
        assert_eq!(episode(&[]), None);
        assert_eq!(episode(&[1.0]), None);
        assert_eq!(episode(&[1.0; 20]), None);
    }

    #[test]
    fn a_line_with_outliers_is_found() {
        let mut points: Vec<(f64, f64)> = (0..20).map(|x| (f64::from(x), 5.0 + 2.0 * f64::from(x))).collect();
        points[4].1 = 400.0;
        points[15].1 = -90.0;
        let line = theil_sen(&points).unwrap();
        assert!((line.slope - 2.0).abs() < 1e-9 && (line.intercept - 5.0).abs() < 1e-9, "{line:?}");
    }

    #[test]
    fn noise_is_that_of_a_sample_whatever_the_trend() {
        let mut normals = test_normals(5);
        let series: Vec<f64> = (0..2000).map(|i| f64::from(i) * 0.001 + 0.5 * normals()).collect();
        let noise = successive_noise(&series).unwrap();
        assert!((noise - 0.5).abs() < 0.05, "{noise}");
    }

    #[test]
    fn a_slow_stretch_is_found_with_its_ends() {
        let mut normals = test_normals(6);
        let mut series: Vec<f64> = (0..60)
            .map(|i| (if (14..31).contains(&i) { 1.12 } else { 1.0 }) * (0.01 * normals()).exp())
            .collect();
        series[50] = 3.0;
        let found = episode(&series).unwrap();
        assert!(found.start.abs_diff(14) <= 1 && found.end.abs_diff(31) <= 1, "{found:?}");
        assert!((found.ratio - 1.12).abs() < 0.01, "{found:?}");
    }

    #[test]
    fn a_step_lasts_to_the_end() {
        let series: Vec<f64> = (0..40).map(|i| if i < 30 { 1.0 } else { 0.8 }).collect();
        let found = episode(&series).unwrap();
        assert_eq!((found.start, found.end), (30, 40));
        assert!((found.ratio - 0.8).abs() < 1e-9);
    }

    #[test]
    fn noise_is_no_episode() {
        for n in [20, 60, 200] {
            let mut normals = test_normals(n as u64);
            let called = (0..300)
                .filter(|_| {
                    let series: Vec<f64> = (0..n).map(|_| (0.1 * normals()).exp()).collect();
                    episode(&series).is_some()
                })
                .count();
            assert!(called < 9, "{called} of 300 at n = {n}");
        }
    }
}
