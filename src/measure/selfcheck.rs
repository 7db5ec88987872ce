//! What is checked about a device before its first case: how long a tick is, what an empty pass costs,
//! whether the clock runs true, whether twice the work takes twice the time.

use std::time::Duration;

use crate::device::{Device, Fault, Kernel, Variant, Work};
use crate::record::Check;
use crate::stats;

use super::calibrate::{Shape, calibrate};
use super::timer::Clock;
use super::verify;

/// Empty passes timed.
const EMPTY_PASSES: u32 = 15;
/// Passes of the reference kernel compared with wall time and with twice the dispatches.
const PAIRS: u32 = 5;

/// What the self-checks found.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfCheck {
    /// The clock with its tick and empty pass.
    pub clock: Clock,
    /// The period that wall time suggests, in nanoseconds per tick.
    pub calibrated_period_ns: Option<f64>,
    /// How the reference kernel is sampled.
    pub reference: Shape,
    /// What checking its output took.
    pub verify: Duration,
    /// Each check with its figures.
    pub checks: Vec<Check>,
    /// Device time spent.
    pub busy: Duration,
}

/// Runs the checks on the reference kernel (a contiguous read).
///
/// # Errors
/// A fault of the device.
pub fn run(device: &mut dyn Device, reference: &Kernel) -> Result<SelfCheck, Fault> {
    let mut busy = Duration::ZERO;
    let mut clock = Clock::new(device.info());
    let mut deltas = Vec::new();
    clock.empty_pass_ns = empty_pass(device, &clock, reference, &mut deltas)?;
    let (shape, _) = calibrate(device, &clock, reference, Variant::Timed, &mut busy)?;
    let before = device.now();
    let verified = verify::verify(device, reference.id, shape.parts())?;
    let verify = device.now().saturating_duration_since(before);

    let (once, twice) = doubled(shape);
    let (mut single, mut double, mut ratio) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..PAIRS {
        for (times, work) in [(&mut single, once), (&mut double, twice)] {
            let raw = device.pass(reference.id, Variant::Timed, work)?;
            busy += raw.wall;
            if let Ok(time) = clock.time(raw) {
                times.push(time.ns);
                deltas.extend(time.ticks);
                if let (Some(ticks), true) = (time.ticks, work == twice) {
                    ratio.push(raw.wall.as_nanos() as f64 / ticks as f64);
                }
            }
        }
    }
    let tick = deltas.iter().copied().reduce(gcd).unwrap_or(1).max(1);
    clock.tick_ns = clock.period_ns.map_or(1.0, |period| tick as f64 * period);
    // Wall time holds the submission as well, so the shortest ratio is the truest.
    let calibrated = ratio.iter().copied().reduce(f64::min);
    let checks = vec![
        period_check(&clock, calibrated),
        Check {
            name: "tick".to_owned(),
            passed: None,
            detail: format!("{:.1} ns between the finest stamps seen", clock.tick_ns),
        },
        Check {
            name: "empty pass".to_owned(),
            passed: None,
            detail: format!("{:.0} ns", clock.empty_pass_ns),
        },
        doubling_check(stats::median(&single), stats::median(&double)),
        fill_check(device),
        Check {
            name: "result of the reference kernel".to_owned(),
            passed: Some(verified.is_ok()),
            detail: verified.map_or_else(|wrong| wrong.to_string(), |()| "right in every element".to_owned()),
        },
    ];
    Ok(SelfCheck { clock, calibrated_period_ns: calibrated, reference: shape, verify, checks, busy })
}

/// A pass, and one of twice the work; neither is longer than two samples, whatever a watchdog says of more.
fn doubled(shape: Shape) -> (Work, Work) {
    match shape {
        Shape::Dispatches(dispatches) | Shape::Evicted(dispatches) => {
            (Work::Dispatches(dispatches), Work::Dispatches(2 * dispatches))
        }
        Shape::Parts(parts) => (Work::Part { part: 0, parts: 2 * parts }, Work::Part { part: 0, parts }),
    }
}

/// The median time of a pass without dispatches; 0 where the device can't tell.
fn empty_pass(
    device: &mut dyn Device,
    clock: &Clock,
    reference: &Kernel,
    deltas: &mut Vec<u64>,
) -> Result<f64, Fault> {
    let mut times = Vec::new();
    for _ in 0..EMPTY_PASSES {
        if let Ok(time) = clock.time(device.pass(reference.id, Variant::Timed, Work::Empty)?) {
            times.push(time.ns);
            deltas.extend(time.ticks);
        }
    }
    Ok(stats::median(&times).unwrap_or(0.0))
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn period_check(clock: &Clock, calibrated: Option<f64>) -> Check {
    let name = "timestamp period against wall time".to_owned();
    match (clock.period_ns, calibrated) {
        (Some(period), Some(wall)) => Check {
            name,
            // Wall time is longer by the cost of a submission, never shorter.
            passed: Some((0.95..=1.5).contains(&(wall / period))),
            detail: format!("driver {period:.4} ns a tick, wall time {wall:.4} ns a tick"),
        },
        (None, _) => Check { name, passed: None, detail: "no timestamps: the wall clock is used".to_owned() },
        (_, None) => Check { name, passed: Some(false), detail: "no pass had usable timestamps".to_owned() },
    }
}

fn doubling_check(single: Option<f64>, double: Option<f64>) -> Check {
    let name = "twice the dispatches take twice the time".to_owned();
    match (single, double) {
        (Some(single), Some(double)) => {
            let ratio = double / single;
            Check {
                name,
                passed: Some((1.8..=2.2).contains(&ratio)),
                detail: format!("{ratio:.3} times (1.8 to 2.2 is right)"),
            }
        }
        _ => Check { name, passed: Some(false), detail: "no pass had usable timestamps".to_owned() },
    }
}

/// Entropy of the fill's bytes: compressible data would flatter the memory system.
fn fill_check(device: &dyn Device) -> Check {
    const WORDS: u64 = 1 << 16;
    let mut counts = [0u64; 256];
    for index in 0..WORDS {
        for byte in device.fill().word(0, index).to_le_bytes() {
            counts[usize::from(byte)] += 1;
        }
    }
    let total = (4 * WORDS) as f64;
    let bits: f64 = counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| *count as f64 / total)
        .map(|share| -share * share.log2())
        .sum();
    Check {
        name: "fill is incompressible".to_owned(),
        passed: Some(bits > 7.99),
        detail: format!("{bits:.4} bits of entropy a byte (Shannon), 8 is random"),
    }
}
