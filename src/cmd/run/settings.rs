//! From the command line to the settings that are recorded with a run, and back.

use std::time::Duration;

use crate::cli::RunArgs;
use crate::device::gpu::OpenOptions;
use crate::measure::stop::StoppingRule;
use crate::record::{RunInfo, SettingsInfo};

/// Fewest samples before a case may be called precise.
const MIN_SAMPLES: usize = 10;
/// Half-width of the interval at which a case is done, where none is given.
const PRECISION: f64 = 0.01;
/// A budget of more seconds is one without end: 30 years.
const LONGEST: f64 = 1e9;
/// The seed where none is given.
pub(super) const SEED: u64 = 1;

/// The settings that a command line asks for.
pub(super) fn of(args: &RunArgs) -> SettingsInfo {
    SettingsInfo {
        depth: depth(args).unwrap_or("default").to_owned(),
        filters: args.filter.clone(),
        footprint_bytes: args.footprint,
        budget_seconds: args.budget.unwrap_or(if args.quick { 0.1 } else { 0.2 }),
        precision: args.precision.map_or(PRECISION, |percent| percent / 100.0),
    }
}

/// The depth that a command line names.
pub(super) fn depth(args: &RunArgs) -> Option<&'static str> {
    match (args.quick, args.full) {
        (true, _) => Some("quick"),
        (_, true) => Some("full"),
        _ => None,
    }
}

/// How a new run opens its device.
pub(super) fn open_options(args: &RunArgs, settings: &SettingsInfo) -> OpenOptions {
    OpenOptions {
        footprint: settings.footprint_bytes,
        runtime_checks: args.runtime_checks,
        seed: args.seed.unwrap_or(SEED),
    }
}

/// How a recorded run opens its device.
pub(super) fn open_options_of(info: &RunInfo, settings: &SettingsInfo) -> OpenOptions {
    OpenOptions { footprint: settings.footprint_bytes, runtime_checks: info.runtime_checks, seed: info.seed }
}

/// The stopping rule of a run.
pub(super) fn stopping_rule(info: &RunInfo) -> StoppingRule {
    let settings = info.settings.clone().unwrap_or_default();
    StoppingRule {
        precision: settings.precision,
        min_samples: MIN_SAMPLES,
        budget: Duration::from_secs_f64(settings.budget_seconds.clamp(0.0, LONGEST)),
    }
}
