//! Figures with an interval, and what can be computed from two of them.
//!
//! Intervals of a ratio, difference or product of independent figures are recovered from those of the
//! figures themselves: the method of variance estimates recovery (MOVER), Zou & Donner, "Construction of
//! confidence limits about effect measures: a general approach", Statistics in Medicine 27 (2008). It needs no
//! distribution and keeps asymmetric intervals asymmetric. For a ratio it is applied to logarithms.

use super::Interval;

/// A figure with its 95 % interval, `low ≤ value ≤ high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

impl Estimate {
    /// A figure between two others; an interval that leaves the figure out is widened to hold it.
    pub fn new(value: f64, low: f64, high: f64) -> Estimate {
        Estimate { value, low: low.min(value), high: high.max(value) }
    }

    /// Its interval.
    pub fn interval(self) -> Interval {
        Interval { low: self.low, high: self.high }
    }

    /// The figure times a positive number that is known exactly.
    pub fn scaled(self, factor: f64) -> Estimate {
        Estimate { value: self.value * factor, low: self.low * factor, high: self.high * factor }
    }

    /// This minus another, independent figure.
    pub fn minus(self, other: Estimate) -> Estimate {
        let value = self.value - other.value;
        Estimate {
            value,
            low: value - (self.value - self.low).hypot(other.high - other.value),
            high: value + (self.high - self.value).hypot(other.value - other.low),
        }
    }

    /// This over another, independent figure; `None` unless all six numbers are positive and finite.
    pub fn over(self, other: Estimate) -> Option<Estimate> {
        let log = |of: Estimate| {
            let positive = of.low > 0.0 && of.high.is_finite();
            positive.then(|| Estimate { value: of.value.ln(), low: of.low.ln(), high: of.high.ln() })
        };
        let ratio = log(self)?.minus(log(other)?);
        Some(Estimate { value: ratio.value.exp(), low: ratio.low.exp(), high: ratio.high.exp() })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9 * a.abs().max(b.abs()).max(1.0)
    }

    #[test]
    fn of_normal_intervals_it_is_the_root_of_the_sum_of_squares() {
        // 10 ± 3 minus 4 ± 4 is 6 ± 5
        let difference = Estimate::new(10.0, 7.0, 13.0).minus(Estimate::new(4.0, 0.0, 8.0));
        assert_eq!(difference, Estimate { value: 6.0, low: 1.0, high: 11.0 });
        // e^10 ÷ e^4, with the same half-widths in the exponent
        let of =
            |value: f64, half: f64| Estimate::new(value.exp(), (value - half).exp(), (value + half).exp());
        let ratio = of(10.0, 3.0).over(of(4.0, 4.0)).unwrap();
        assert!(close(ratio.value, 6f64.exp()) && close(ratio.low, 1f64.exp()));
        assert!(close(ratio.high, 11f64.exp()));
    }

    #[test]
    fn asymmetry_is_kept() {
        let slow = Estimate::new(10.0, 10.0, 14.0);
        let fast = Estimate::new(5.0, 2.0, 5.0);
        assert_eq!(slow.minus(fast), Estimate { value: 5.0, low: 5.0, high: 10.0 });
    }

    #[test]
    fn exact_figures_stay_exact_and_absurd_ones_have_no_ratio() {
        let two = Estimate::new(2.0, 2.0, 2.0);
        assert_eq!(two.scaled(3.0).minus(two), Estimate::new(4.0, 4.0, 4.0));
        assert!(close(two.over(two).unwrap().high, 1.0));
        assert_eq!(two.over(Estimate::new(1.0, 0.0, 2.0)), None);
        assert_eq!(Estimate::new(-1.0, -2.0, 3.0).over(two), None);
        assert_eq!(Estimate::new(f64::INFINITY, 1.0, 1.0).over(two), None);
        assert_eq!(Estimate::new(3.0, 4.0, 2.0).interval(), Interval { low: 3.0, high: 3.0 });
    }

    proptest! {
        #[test]
        fn ratios_hold_their_value_and_invert(
            a in 0.1_f64..1e6, b in 0.1_f64..1e6, below in 0.5_f64..1.0, above in 1.0_f64..2.0,
        ) {
            let x = Estimate::new(a, a * below, a * above);
            let y = Estimate::new(b, b * below, b * above);
            let ratio = x.over(y).unwrap();
            prop_assert!(ratio.low <= ratio.value && ratio.value <= ratio.high);
            let inverse = y.over(x).unwrap();
            prop_assert!(close(inverse.low * ratio.high, 1.0) && close(inverse.high * ratio.low, 1.0));
        }
    }
}
