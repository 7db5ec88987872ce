//! Which samples lie too far out to be of the same kind as the others.

use super::{MAD_TO_SIGMA, mad, median};

/// The modified z-score beyond which a sample is an outlier.
pub const OUTLIER_SCORE: f64 = 3.5;

/// The modified z-score of each sample: 0.6745·(x − median) / MAD, an outlier beyond ±3.5.
///
/// Iglewicz & Hoaglin, *How to Detect and Handle Outliers* (ASQC, 1993), § 3. Where the MAD is zero
/// (half of the samples are equal) their substitute is used, 1.2533 times the mean absolute deviation;
/// all-equal samples score zero.
pub fn modified_z_scores(samples: &[f64]) -> Vec<f64> {
    let (Some(center), Some(spread)) = (median(samples), mad(samples)) else {
        return Vec::new();
    };
    let sigma = if spread > 0.0 {
        MAD_TO_SIGMA * spread
    } else {
        1.2533 * samples.iter().map(|x| (x - center).abs()).sum::<f64>() / samples.len() as f64
    };
    samples.iter().map(|x| if sigma > 0.0 { (x - center) / sigma } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outliers(samples: &[f64]) -> Vec<f64> {
        let scores = modified_z_scores(samples);
        samples.iter().zip(scores).filter(|(_, score)| score.abs() > OUTLIER_SCORE).map(|(x, _)| *x).collect()
    }

    #[test]
    fn empty_single_and_equal_samples() {
        assert!(modified_z_scores(&[]).is_empty());
        assert_eq!(modified_z_scores(&[5.0]), [0.0]);
        assert_eq!(modified_z_scores(&[5.0; 4]), [0.0; 4]);
    }

    #[test]
    fn far_samples_are_found() {
        assert_eq!(outliers(&[10.0, 10.1, 9.9, 10.2, 9.8, 15.0]), [15.0]);
        assert!(outliers(&[10.0, 10.1, 9.9, 10.2, 9.8, 10.4]).is_empty());
    }

    #[test]
    fn one_in_many_equal_samples_is_found() {
        let mut samples = vec![10.0; 12];
        samples.push(10.5);
        assert_eq!(outliers(&samples), [10.5]);
    }
}
