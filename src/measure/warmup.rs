//! Warming up: clocks rise under load and pages are mapped on first use, so the reference kernel runs until its
//! time is steady, and nothing of that is a sample.

use std::time::Duration;

use crate::device::{Device, Fault, Kernel, Variant};
use crate::record::Check;
use crate::stats;

use super::calibrate::Shape;
use super::timer::Clock;

/// How warming up went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WarmUp {
    /// How long it took.
    pub took: Duration,
    /// Standard deviation over mean of the last samples; absent where too few had a time.
    pub variation: Option<f64>,
    /// Median time of a sample; absent where none had one.
    pub sample_ns: Option<f64>,
}

/// Samples whose variation is looked at.
const WINDOW: usize = 10;
/// The device is steady when the last samples vary by no more than 2 % (coefficient of variation: Georges,
/// Buytaert and Eeckhout, "Statistically rigorous Java performance evaluation", OOPSLA 2007, section 3.3).
const STEADY: f64 = 0.02;
/// Clocks take some tenths of a second to rise.
const LEAST: Duration = Duration::from_millis(300);
/// A machine that is not steady by now will not be.
const MOST: Duration = Duration::from_millis(1500);

impl WarmUp {
    /// Whether the device was steady at the end.
    pub fn is_steady(&self) -> bool {
        self.variation.is_some_and(|variation| variation <= STEADY)
    }

    /// The line of `run.json`. An unsteady machine is no fault of the device, so it fails no check.
    pub fn check(&self) -> Check {
        let took = self.took.as_secs_f64();
        let detail = match self.variation {
            Some(variation) if self.is_steady() => {
                format!(
                    "steady after {took:.1} s: the last {WINDOW} samples vary by {:.1} %",
                    100.0 * variation
                )
            }
            Some(variation) => {
                format!(
                    "not steady after {took:.1} s: the last {WINDOW} samples vary by {:.1} %",
                    100.0 * variation
                )
            }
            None => format!("no usable time in {took:.1} s"),
        };
        Check { name: "warm-up".to_owned(), passed: None, detail }
    }
}

/// Runs the reference kernel until it is steady.
///
/// # Errors
/// A fault of the device.
pub fn run(device: &mut dyn Device, clock: &Clock, kernel: &Kernel, shape: Shape) -> Result<WarmUp, Fault> {
    let start = device.now();
    let mut times: Vec<f64> = Vec::new();
    loop {
        let mut sample = Some(0.0);
        for work in shape.passes() {
            let raw = device.pass(kernel.id, Variant::Timed, work)?;
            sample = sample.zip(clock.time(raw).ok()).map(|(sum, time)| sum + time.ns);
        }
        times.extend(sample);
        let warm_up = WarmUp {
            took: device.now().saturating_duration_since(start),
            variation: variation(&times[times.len().saturating_sub(WINDOW)..]),
            sample_ns: stats::median(&times),
        };
        if warm_up.took >= MOST || (warm_up.took >= LEAST && warm_up.is_steady()) {
            return Ok(warm_up);
        }
    }
}

/// Standard deviation over mean of a full window.
fn variation(times: &[f64]) -> Option<f64> {
    if times.len() < WINDOW {
        return None;
    }
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    let square = times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / (times.len() - 1) as f64;
    Some(square.sqrt() / mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_full_window_varies() {
        assert_eq!(variation(&[1.0; WINDOW - 1]), None);
        assert_eq!(variation(&[1.0; WINDOW]), Some(0.0));
        let mut times = [1.0; WINDOW];
        times[0] = 2.0;
        assert!(variation(&times).is_some_and(|variation| variation > 0.25));
    }

    #[test]
    fn what_is_not_steady_is_said() {
        let warm_up =
            WarmUp { took: Duration::from_millis(1500), variation: Some(0.05), sample_ns: Some(1e6) };
        assert_eq!(warm_up.check().detail, "not steady after 1.5 s: the last 10 samples vary by 5.0 %");
        assert_eq!(warm_up.check().passed, None);
        assert!(WarmUp { variation: Some(0.02), ..warm_up }.is_steady());
        assert!(!WarmUp { variation: None, ..warm_up }.is_steady());
    }
}
