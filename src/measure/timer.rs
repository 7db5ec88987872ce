//! From what a device wrote to a time, or to a reason why there is none.
//!
//! Drivers are known to leave stamps unwritten, to write them reversed, to resolve them too early as zeros
//! and to wrap their counters (`docs/methodology.md` cites the reports); none of these may become a number.

use crate::device::{DeviceInfo, RawSample};

/// How a device's passes become nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// Nanoseconds per tick; `None` is the wall clock.
    pub period_ns: Option<f64>,
    /// Nanoseconds of the smallest step seen between two stamps.
    pub tick_ns: f64,
    /// Nanoseconds of a pass without dispatches.
    pub empty_pass_ns: f64,
}

/// The time of a pass.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassTime {
    /// Ticks between the stamps; `None` on the wall clock.
    pub ticks: Option<u64>,
    /// Nanoseconds; positive and finite.
    pub ns: f64,
}

/// Why a pass has no time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// Both stamps zero.
    #[error("timestamps are zero")]
    Zero,
    /// A stamp that was never written.
    #[error("a timestamp was not written")]
    Unwritten,
    /// The end is not after the begin: reversed, or a counter that wrapped.
    #[error("timestamps are reversed")]
    Reversed,
    /// Begin and end are the same.
    #[error("timestamps are equal: the pass is shorter than a tick")]
    Equal,
    /// The stamps of the pass before: the query was never resolved.
    #[error("timestamps are those of the pass before: the query was not resolved")]
    Stale,
    /// More device time than wall time passed.
    #[error("timestamps are further apart than the wall time around them")]
    LongerThanWall,
}

/// Wall time may be read a little early or late.
const WALL_SLACK: f64 = 1.05;
const WALL_SLACK_NS: f64 = 50_000.0;

impl Clock {
    /// A clock before anything was measured about it.
    pub fn new(info: &DeviceInfo) -> Clock {
        Clock {
            period_ns: info.timestamp_period_ns,
            tick_ns: info.timestamp_period_ns.unwrap_or(1.0),
            empty_pass_ns: 0.0,
        }
    }

    /// The time of a pass.
    ///
    /// # Errors
    /// Why there is none.
    pub fn time(&self, sample: RawSample) -> Result<PassTime, Rejected> {
        let wall_ns = sample.wall.as_nanos() as f64;
        let (Some([begin, end]), Some(period)) = (sample.ticks, self.period_ns) else {
            return if wall_ns > 0.0 {
                Ok(PassTime { ticks: None, ns: wall_ns })
            } else {
                Err(Rejected::Equal)
            };
        };
        if begin == 0 && end == 0 {
            return Err(Rejected::Zero);
        }
        if begin == u64::MAX || end == u64::MAX || begin == 0 || end == 0 {
            return Err(Rejected::Unwritten);
        }
        if end < begin {
            return Err(Rejected::Reversed);
        }
        let ticks = end - begin;
        if ticks == 0 {
            return Err(Rejected::Equal);
        }
        let ns = ticks as f64 * period;
        if !(ns.is_finite() && ns > 0.0) {
            return Err(Rejected::Unwritten);
        }
        if ns > wall_ns * WALL_SLACK + WALL_SLACK_NS {
            return Err(Rejected::LongerThanWall);
        }
        Ok(PassTime { ticks: Some(ticks), ns })
    }

    /// How long a pass must last so that neither the tick nor the pass itself is more than a trace of it:
    /// 1000 ticks, 100 empty passes, 1 ms.
    pub fn goal_ns(&self) -> f64 {
        (1000.0 * self.tick_ns).max(100.0 * self.empty_pass_ns).max(1e6)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const CLOCK: Clock = Clock { period_ns: Some(2.0), tick_ns: 2.0, empty_pass_ns: 0.0 };

    fn raw(begin: u64, end: u64) -> RawSample {
        RawSample { ticks: Some([begin, end]), wall: Duration::from_millis(1) }
    }

    #[test]
    fn a_pass_lasts_ticks_times_period() {
        assert_eq!(CLOCK.time(raw(100, 350)), Ok(PassTime { ticks: Some(250), ns: 500.0 }));
    }

    #[test]
    fn faulty_stamps_have_no_time() {
        assert_eq!(CLOCK.time(raw(0, 0)), Err(Rejected::Zero));
        assert_eq!(CLOCK.time(raw(5, u64::MAX)), Err(Rejected::Unwritten));
        assert_eq!(CLOCK.time(raw(0, 9)), Err(Rejected::Unwritten));
        assert_eq!(CLOCK.time(raw(9, 5)), Err(Rejected::Reversed));
        assert_eq!(CLOCK.time(raw(9, 9)), Err(Rejected::Equal));
        assert_eq!(CLOCK.time(raw(1, 1_000_000)), Err(Rejected::LongerThanWall));
    }

    #[test]
    fn without_stamps_the_wall_clock_counts() {
        let sample = RawSample { ticks: None, wall: Duration::from_nanos(7) };
        assert_eq!(CLOCK.time(sample), Ok(PassTime { ticks: None, ns: 7.0 }));
    }

    #[test]
    fn a_pass_outlasts_ticks_and_empty_passes() {
        assert_eq!(CLOCK.goal_ns(), 1e6);
        assert_eq!(Clock { tick_ns: 65_536.0, ..CLOCK }.goal_ns(), 65_536_000.0);
        assert_eq!(Clock { empty_pass_ns: 84_000.0, ..CLOCK }.goal_ns(), 8_400_000.0);
    }
}
