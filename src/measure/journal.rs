//! What a run writes to the journal.

use crate::record::{Journal, RecordError, SampleRow};

use super::timer::{PassTime, Rejected};

/// A sample before it has a place in the journal: the time of one dispatch.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sample {
    pub(super) case: String,
    pub(super) round: u32,
    pub(super) number: u32,
    pub(super) dispatches: u32,
    pub(super) time: Result<PassTime, Rejected>,
    pub(super) seconds: f64,
}

/// Appends a sample.
pub(super) fn sample(journal: &mut Journal, sample: &Sample) -> Result<(), RecordError> {
    let time = sample.time.ok();
    journal.append(&SampleRow {
        case: sample.case.clone(),
        round: sample.round,
        sample: sample.number,
        dispatches: u64::from(sample.dispatches),
        ticks: time.and_then(|time| time.ticks),
        ns: time.map(|time| time.ns / f64::from(sample.dispatches)),
        accepted: time.is_some(),
        reason: sample.time.err().map(|rejected| rejected.to_string()),
        seconds: Some(sample.seconds),
    })
}

/// Appends an event of a case: a verification, a skip, a failure.
pub(super) fn event(journal: &mut Journal, case: &str, round: u32, event: &str) -> Result<(), RecordError> {
    journal.append(&SampleRow {
        case: case.to_owned(),
        round,
        sample: 0,
        dispatches: 0,
        ticks: None,
        ns: None,
        accepted: false,
        reason: Some(event.to_owned()),
        seconds: None,
    })
}

/// The event of a right result.
pub(super) const VERIFIED: &str = "verified";
/// Start of the event of a case that the device can't run.
pub(super) const SKIPPED: &str = "skipped: ";
/// Start of the event of a case that failed.
pub(super) const FAILED: &str = "failed: ";
