//! Measuring: from prepared cases to samples that may be believed.
//!
//! The phases of a run are functions with the phase's name: [`selfcheck::run`] learns what a pass costs and
//! how the device counts time, [`warmup::run`] waits until the device is steady; then, over shuffled rounds,
//! each case is prepared, calibrated ([`calibrate`]), verified ([`verify`]) and sampled until the stopping
//! rule ([`stop`]) is content. Every sample is in the journal before the next one starts, so that a run that
//! was cut off goes on from there ([`resume`]). The reference kernel's samples in between tell what the
//! machine did meanwhile ([`mod@reference`]).

pub mod calibrate;
pub mod estimate;
mod journal;
pub mod progress;
pub mod reference;
pub mod resume;
pub mod run;
pub mod schedule;
pub mod selfcheck;
pub mod stop;
pub mod timer;
pub mod verify;
mod visit;
pub mod warmup;

pub use progress::{CaseProgress, State};
pub use reference::{Findings, Taken};
pub use resume::Past;
pub use run::{Observer, Options, Outcome, run};

/// Prefix of the journal's `case` for samples of a case's twin.
pub const TWIN_PREFIX: &str = "twin:";
