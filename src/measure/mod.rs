//! Measuring: from prepared cases to samples that may be believed.
//!
//! The phases of a run are functions with the phase's name: [`selfcheck::run`] learns what a pass costs and
//! how the device counts time; then, over shuffled rounds, each case is prepared, calibrated
//! ([`calibrate`]), verified ([`verify`]) and sampled until the stopping rule ([`stop`]) is content. Every
//! sample is in the journal before the next one starts.

pub mod calibrate;
mod journal;
pub mod progress;
pub mod run;
pub mod schedule;
pub mod selfcheck;
pub mod stop;
pub mod timer;
pub mod verify;

pub use progress::{CaseProgress, State};
pub use run::{Observer, Options, Outcome, run};

/// Prefix of the journal's `case` for samples of a case's twin.
pub const TWIN_PREFIX: &str = "twin:";
