//! How many dispatches make a pass long enough to time, and how many parts make a dispatch short enough to
//! submit.

use std::time::Duration;

use crate::device::{Device, Fault, Kernel, Variant, Work};

use super::timer::Clock;

/// How a sample of a case is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One pass of several dispatches.
    Dispatches(u32),
    /// One dispatch in several passes, each its own submission, so that no watchdog bites.
    Parts(u32),
    /// Several dispatches, each a pass of its own, after another kernel has taken the caches.
    Evicted(u32),
}

impl Shape {
    /// Dispatches in a sample.
    pub fn dispatches(self) -> u32 {
        match self {
            Shape::Dispatches(dispatches) | Shape::Evicted(dispatches) => dispatches,
            Shape::Parts(_) => 1,
        }
    }

    /// Submissions in a dispatch.
    pub fn parts(self) -> u32 {
        match self {
            Shape::Dispatches(_) | Shape::Evicted(_) => 1,
            Shape::Parts(parts) => parts,
        }
    }

    /// Nanoseconds of one pass where a dispatch takes so many.
    pub fn pass_ns(self, dispatch_ns: f64) -> f64 {
        match self {
            Shape::Dispatches(dispatches) => dispatch_ns * f64::from(dispatches),
            Shape::Parts(parts) => dispatch_ns / f64::from(parts),
            Shape::Evicted(_) => dispatch_ns,
        }
    }

    /// The passes of a sample.
    pub fn passes(self) -> impl Iterator<Item = Work> {
        let count = match self {
            Shape::Dispatches(_) => 1,
            Shape::Parts(passes) | Shape::Evicted(passes) => passes,
        };
        (0..count).map(move |part| match self {
            Shape::Dispatches(dispatches) => Work::Dispatches(dispatches),
            Shape::Parts(parts) => Work::Part { part, parts },
            Shape::Evicted(_) => Work::Dispatches(1),
        })
    }
}

/// The first pass runs one of this many parts: nothing is known yet of how long the case takes.
const FIRST_PARTS: u64 = 64;

/// A pass of more dispatches than this gains nothing.
const MOST_DISPATCHES: f64 = 1e6;

/// A pass of one dispatch lasts at least so many empty passes, so that its own cost is at most a tenth of it.
const LEAST_EMPTY_PASSES: f64 = 10.0;
/// The most evicted dispatches of a sample: each costs a dispatch of the kernel that evicts.
const MOST_EVICTED: f64 = 16.0;

/// Finds the shape of a case's samples and the time of a dispatch in nanoseconds.
///
/// # Errors
/// A fault of the device.
pub fn calibrate(
    device: &mut dyn Device,
    clock: &Clock,
    kernel: &Kernel,
    variant: Variant,
    busy: &mut Duration,
) -> Result<(Shape, f64), Fault> {
    let target_ns = device.submission_target().as_nanos() as f64;
    let parts = kernel.groups.clamp(1, FIRST_PARTS) as u32;
    // The first pass of a kernel may hold its compilation and the mapping of pages; the second one doesn't.
    let mut part_ns = f64::INFINITY;
    for _ in 0..2 {
        let work = Work::Part { part: 0, parts };
        part_ns = part_ns.min(time_or_wall(device, clock, kernel, variant, work, busy)?);
    }
    let guess = part_ns * f64::from(parts);
    if guess > target_ns && kernel.groups > 1 {
        let parts = (guess / target_ns).ceil().clamp(2.0, kernel.groups as f64) as u32;
        return Ok((Shape::Parts(parts), guess));
    }
    if guess > target_ns {
        return Ok((Shape::Dispatches(1), guess));
    }
    let mut dispatches = 1.0;
    loop {
        let work = Work::Dispatches(dispatches as u32);
        let pass_ns = time_or_wall(device, clock, kernel, variant, work, busy)?;
        let dispatch_ns = pass_ns / dispatches;
        let most = (target_ns / dispatch_ns).floor().clamp(1.0, MOST_DISPATCHES);
        let wanted = (clock.goal_ns() / dispatch_ns).ceil().clamp(1.0, most);
        // Long enough already, or as long as it may get.
        if dispatches >= wanted || dispatches >= most {
            return Ok((Shape::Dispatches(dispatches as u32), dispatch_ns));
        }
        // Times of short passes are mostly overhead: approach in steps, with a tenth to spare.
        dispatches = (wanted * 1.1).ceil().min(dispatches * 64.0).min(most);
    }
}

/// Finds how many evicted dispatches make a sample. The inner error says why the case can't be timed so.
///
/// # Errors
/// A fault of the device.
pub fn calibrate_evicted(
    device: &mut dyn Device,
    clock: &Clock,
    kernel: &Kernel,
    evictor: &Kernel,
    busy: &mut Duration,
) -> Result<Result<Shape, String>, Fault> {
    // The first run of a kernel is slower than those that follow; the second one counts.
    let mut dispatch_ns = 0.0;
    for _ in 0..2 {
        time_or_wall(device, clock, evictor, Variant::Timed, Work::Dispatches(1), busy)?;
        dispatch_ns = time_or_wall(device, clock, kernel, Variant::Timed, Work::Dispatches(1), busy)?;
    }
    if dispatch_ns < LEAST_EMPTY_PASSES * clock.empty_pass_ns {
        return Ok(Err(format!(
            "a cold dispatch is a pass of its own, and {dispatch_ns:.0} ns are less than {LEAST_EMPTY_PASSES} \
             empty passes of {:.0} ns",
            clock.empty_pass_ns
        )));
    }
    let wanted = (1000.0 * clock.tick_ns).max(1e6) / dispatch_ns;
    Ok(Ok(Shape::Evicted(wanted.ceil().clamp(1.0, MOST_EVICTED) as u32)))
}

/// The time of a pass; where its stamps are faulty, the wall time: calibration needs an order of magnitude.
fn time_or_wall(
    device: &mut dyn Device,
    clock: &Clock,
    kernel: &Kernel,
    variant: Variant,
    work: Work,
    busy: &mut Duration,
) -> Result<f64, Fault> {
    let raw = device.pass(kernel.id, variant, work)?;
    *busy += raw.wall;
    Ok(clock.time(raw).map_or(raw.wall.as_nanos() as f64, |time| time.ns).max(1.0))
}
