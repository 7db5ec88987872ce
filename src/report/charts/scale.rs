//! From values to pixels, and the ticks between.

use super::font;
use crate::report::key::exact_bytes;
use crate::units;

/// What the numbers of an axis are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Sizes and distances.
    Bytes,
    /// Whole numbers without a unit.
    Count,
    /// 10⁹ bytes a second.
    GbPerS,
    /// Fractions, shown as percentages.
    Fraction,
    /// Ratios.
    Ratio,
}

impl Unit {
    /// A value in the fewest characters: for ticks, whose axis names the unit where it is always the same.
    pub(super) fn tick(self, value: f64) -> String {
        match self {
            Unit::Bytes => exact_bytes(value.max(0.0) as u64),
            Unit::Count => format!("{value:.0}"),
            Unit::GbPerS => short(value),
            Unit::Fraction => format!("{} %", short(value * 100.0)),
            Unit::Ratio => format!("{}×", short(value)),
        }
    }

    /// A value with its unit.
    pub(super) fn value(self, value: f64) -> String {
        match self {
            Unit::GbPerS => units::gb_per_s(value),
            Unit::Fraction => units::percent(value),
            Unit::Ratio => units::ratio(value),
            Unit::Bytes | Unit::Count => self.tick(value),
        }
    }
}

/// A tick's number without trailing zeros.
fn short(value: f64) -> String {
    let text = format!("{value:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A mapping from values to pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    /// The values at both ends.
    pub values: (f64, f64),
    /// The pixels at both ends; the second is smaller on axes that go up.
    pub pixels: (f64, f64),
    /// Whether equal ratios take equal lengths.
    pub log: bool,
}

impl Scale {
    /// The pixel of a value. A value that a logarithm can't show goes to the near end.
    pub(super) fn at(&self, value: f64) -> f64 {
        let (low, high) = self.values;
        let share = if self.log {
            let value = value.max(low);
            (value / low).ln() / (high / low).ln()
        } else {
            (value - low) / (high - low)
        };
        self.pixels.0 + (self.pixels.1 - self.pixels.0) * share
    }
}

/// The ends of a logarithmic axis of powers of two around values.
pub(super) fn powers_of_two_around(low: f64, high: f64) -> (f64, f64) {
    let (low, high) = (low.max(1.0).log2().floor().exp2(), high.max(1.0).log2().ceil().exp2());
    if low < high { (low, high) } else { (low, low * 2.0) }
}

/// The ends of a logarithmic axis of 1, 2, 5, 10 … around values.
pub(super) fn decades_around(low: f64, high: f64) -> (f64, f64) {
    let down = one_two_five(low, f64::floor);
    let up = one_two_five(high, f64::ceil);
    if down < up { (down, up) } else { (down, down * 10.0) }
}

/// The nearest of 1, 2, 5, 10 … on one side of a value.
fn one_two_five(value: f64, towards: fn(f64) -> f64) -> f64 {
    let decade = 10_f64.powf(value.log10().floor());
    let candidates = [0.5, 1.0, 2.0, 5.0, 10.0].map(|step| step * decade);
    let tolerance = 1e-9;
    if towards(0.5) == 0.0 {
        candidates.into_iter().filter(|c| *c <= value * (1.0 + tolerance)).fold(candidates[0], f64::max)
    } else {
        candidates.into_iter().rev().filter(|c| *c >= value * (1.0 - tolerance)).fold(candidates[4], f64::min)
    }
}

/// The distance between ticks of a linear axis that reaches a value in about so many steps.
fn nice_step(span: f64, steps: f64) -> f64 {
    one_two_five((span / steps).max(f64::MIN_POSITIVE), f64::ceil)
}

/// The upper end of a linear axis from zero.
pub(super) fn nice_end(high: f64) -> f64 {
    let step = nice_step(high.max(1e-9), 5.0);
    (high / step - 1e-9).ceil().max(1.0) * step
}

/// Ticks of a linear axis from zero.
pub(super) fn linear_ticks(end: f64) -> Vec<f64> {
    let step = nice_step(end, 5.0);
    let count = (end / step + 1e-9).floor() as u32;
    (0..=count).map(|index| f64::from(index) * step).collect()
}

/// Ticks at 1, 2, 5, 10 … between two values.
pub(super) fn decade_ticks((low, high): (f64, f64)) -> Vec<f64> {
    let first = low.log10().floor() as i32;
    let last = high.log10().ceil() as i32;
    (first..=last)
        .flat_map(|decade| [1.0, 2.0, 5.0].map(|step| step * 10_f64.powi(decade)))
        .filter(|tick| *tick >= low * (1.0 - 1e-9) && *tick <= high * (1.0 + 1e-9))
        .collect()
}

/// Ticks at the powers of two between two values.
pub(super) fn power_ticks((low, high): (f64, f64)) -> Vec<f64> {
    let (first, last) = (low.log2().ceil() as i32, high.log2().floor() as i32);
    (first..=last).map(|power| f64::from(power).exp2()).collect()
}

/// Ticks at multiples of a power of two, for whole numbers on a linear axis.
pub(super) fn whole_ticks((low, high): (f64, f64)) -> Vec<f64> {
    let step = ((high - low) / 8.0).max(1.0).log2().ceil().exp2();
    let first = (low / step).ceil();
    let count = ((high - first * step) / step + 1e-9).floor().max(0.0) as u32;
    (0..=count).map(|index| (first + f64::from(index)) * step).collect()
}

/// The most ticks whose labels don't touch along an axis: every one, every second, every third …
pub(super) fn thinned(ticks: &[f64], scale: &Scale, extent: impl Fn(f64) -> f64) -> Vec<f64> {
    let fits = |kept: &[f64]| {
        kept.windows(2).all(|pair| {
            let needed = (extent(pair[0]) + extent(pair[1])) / 2.0;
            (scale.at(pair[1]) - scale.at(pair[0])).abs() > needed
        })
    };
    (1..=ticks.len().max(1))
        .map(|step| ticks.iter().copied().step_by(step).collect::<Vec<f64>>())
        .find(|kept| fits(kept))
        .unwrap_or_default()
}

/// Room that a horizontal tick label needs along its axis.
pub(super) fn label_extent(unit: Unit, size: f64) -> impl Fn(f64) -> f64 {
    move |value| font::width(&unit.tick(value), size) + 12.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_enclose_the_values() {
        assert_eq!(powers_of_two_around(4.0, 65_552.0), (4.0, 131_072.0));
        assert_eq!(powers_of_two_around(4.0, 4.0), (4.0, 8.0));
        let (low, high) = decades_around(0.73, 812.0);
        assert!((low - 0.5).abs() < 1e-9 && (high - 1000.0).abs() < 1e-6, "{low} {high}");
        assert!((nice_end(0.93) - 1.0).abs() < 1e-9);
        assert!((nice_end(512.0) - 600.0).abs() < 1e-9);
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(linear_ticks(600.0), [0.0, 200.0, 400.0, 600.0]);
        assert_eq!(whole_ticks((0.0, 128.0)), [0.0, 16.0, 32.0, 48.0, 64.0, 80.0, 96.0, 112.0, 128.0]);
        assert_eq!(power_ticks((4.0, 64.0)), [4.0, 8.0, 16.0, 32.0, 64.0]);
        let texts: Vec<String> =
            decade_ticks((0.5, 20.0)).into_iter().map(|t| Unit::GbPerS.tick(t)).collect();
        assert_eq!(texts, ["0.5", "1", "2", "5", "10", "20"]);
    }

    #[test]
    fn crowded_ticks_are_thinned_until_they_fit() {
        let ticks = power_ticks((4.0, 65_536.0));
        let scale = Scale { values: (4.0, 65_536.0), pixels: (0.0, 400.0), log: true };
        let kept = thinned(&ticks, &scale, label_extent(Unit::Bytes, 18.0));
        assert!(kept.len() < ticks.len() && kept.len() >= 4, "{kept:?}");
    }

    #[test]
    fn the_ends_of_a_scale_meet_the_pixels() {
        let scale = Scale { values: (1.0, 100.0), pixels: (500.0, 100.0), log: true };
        assert_eq!(scale.at(1.0), 500.0);
        assert!((scale.at(10.0) - 300.0).abs() < 1e-9);
        assert_eq!(scale.at(0.0), 500.0);
    }
}
