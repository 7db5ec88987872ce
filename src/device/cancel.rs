//! When work ends before it is done: on Ctrl-C, or when its time is up.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::Fault;

/// What ends work early; asked between pieces of it that take some tens of milliseconds. By default, nothing.
#[derive(Clone, Debug, Default)]
pub struct Cancel {
    interrupted: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl Cancel {
    /// Ends work once `interrupted` is set, or `most` after `start`.
    pub fn new(interrupted: Arc<AtomicBool>, start: Instant, most: Option<Duration>) -> Cancel {
        // A deadline beyond the end of the clock is none.
        Cancel { interrupted, deadline: most.and_then(|most| start.checked_add(most)) }
    }

    /// Whether to go on.
    ///
    /// # Errors
    /// [`Fault::Interrupted`] or [`Fault::OutOfTime`].
    pub fn check(&self, now: Instant) -> Result<(), Fault> {
        if self.interrupted.load(Ordering::Relaxed) {
            Err(Fault::Interrupted)
        } else if self.deadline.is_some_and(|deadline| now >= deadline) {
            Err(Fault::OutOfTime)
        } else {
            Ok(())
        }
    }

    /// What is left of the time, where it is limited.
    pub fn time_left(&self, now: Instant) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_ends_at_the_deadline_or_when_it_is_interrupted() {
        let (start, second) = (Instant::now(), Duration::from_secs(1));
        let interrupted = Arc::new(AtomicBool::new(false));
        let cancel = Cancel::new(Arc::clone(&interrupted), start, Some(second));
        assert_eq!((cancel.check(start), cancel.time_left(start)), (Ok(()), Some(second)));
        assert_eq!(cancel.check(start + second), Err(Fault::OutOfTime));
        assert_eq!(cancel.time_left(start + 2 * second), Some(Duration::ZERO));
        interrupted.store(true, Ordering::Relaxed);
        assert_eq!(cancel.check(start), Err(Fault::Interrupted));
    }

    #[test]
    fn no_deadline_and_one_beyond_the_clock_are_never_reached() {
        for most in [None, Some(Duration::MAX)] {
            let cancel = Cancel::new(Arc::default(), Instant::now(), most);
            assert_eq!((cancel.check(Instant::now()), cancel.time_left(Instant::now())), (Ok(()), None));
        }
    }
}
