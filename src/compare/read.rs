//! Runs as a comparison needs them: a few columns of each row, read by the thousand.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use serde::Deserialize;

use crate::record::{
    Bound, CaseRow, Flags, RecordError, RunDir, RunInfo, SampleRow, Status, Table, Timer, duration, figure,
    last_of_each, read_samples,
};
use crate::report::text::printable;

use super::{Comparison, Journal, Options, compare};

/// So many runs are compared with a base by their samples; more by their stored intervals, as reading a
/// journal takes about a hundred times as long as reading a table.
pub const SAMPLES_UP_TO: usize = 8;

/// What a comparison needs of a row of `cases.csv`; the fields are its columns.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct RunCase {
    /// Name of the pattern.
    pub pattern: String,
    /// Case id.
    pub case: String,
    /// What became of the case.
    pub status: Status,
    /// Why it was skipped or failed.
    pub reason: Option<String>,
    /// Reservations.
    pub flags: Flags,
    /// The clock.
    pub timer: Option<Timer>,
    /// Bytes over all buffers.
    pub footprint_bytes: Option<u64>,
    /// Median time of a dispatch.
    #[serde(deserialize_with = "duration::deserialize")]
    pub median_ns: Option<f64>,
    /// Lower end of its 95 % interval.
    #[serde(deserialize_with = "duration::deserialize")]
    pub ci95_low_ns: Option<f64>,
    /// Upper end of its 95 % interval.
    #[serde(deserialize_with = "duration::deserialize")]
    pub ci95_high_ns: Option<f64>,
    /// Bandwidth over the roof of its run.
    #[serde(deserialize_with = "figure::deserialize")]
    pub roof_fraction: Option<f64>,
    /// What limits it.
    pub bound: Option<Bound>,
}

impl From<&CaseRow> for RunCase {
    fn from(row: &CaseRow) -> RunCase {
        RunCase {
            pattern: row.pattern.clone(),
            case: row.case.clone(),
            status: row.status,
            reason: row.reason.clone(),
            flags: row.flags.clone(),
            timer: row.timer,
            footprint_bytes: row.footprint_bytes,
            median_ns: row.median_ns,
            ci95_low_ns: row.ci95_low_ns,
            ci95_high_ns: row.ci95_high_ns,
            roof_fraction: row.roof_fraction,
            bound: row.bound,
        }
    }
}

/// A run, as far as a comparison needs it.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The directory, as it was given.
    pub label: String,
    /// Device name.
    pub device: String,
    /// Backend.
    pub backend: String,
    /// Driver and its version.
    pub driver: Option<String>,
    /// Version of stridemark.
    pub tool_version: String,
    /// Whether shaders ran with bounds and loop checks.
    pub runtime_checks: bool,
    /// The rows, one for each case.
    pub cases: Vec<RunCase>,
    /// Which cases had several rows, in words.
    pub repeated: Option<String>,
    /// The samples, where they were asked for and are there.
    pub journal: Option<Journal>,
}

impl Run {
    /// A run in memory.
    pub fn new(label: &str, info: &RunInfo, cases: Vec<RunCase>, samples: Option<&[SampleRow]>) -> Run {
        let driver = [&info.device.driver, &info.device.driver_info];
        let driver = driver.into_iter().flatten().map(|part| printable(part)).collect::<Vec<_>>().join(" ");
        let (cases, repeated) = last_of_each(cases, |row| &row.case);
        Run {
            label: label.to_owned(),
            device: printable(&info.device.name),
            backend: printable(&info.backend),
            driver: (!driver.is_empty()).then_some(driver),
            tool_version: printable(&info.tool_version),
            runtime_checks: info.runtime_checks,
            cases,
            repeated,
            journal: samples.map(Journal::new),
        }
    }

    /// Reads a run directory.
    ///
    /// # Errors
    /// When one of its files is missing or can't be understood. A missing `samples.csv` is no error.
    pub fn read(path: &Path, with_samples: bool) -> Result<Run, RecordError> {
        let dir = RunDir::open(path)?;
        let info = dir.info()?;
        let mut table = Table::read::<CaseRow>(&dir.cases_path())?;
        let mut cases = Vec::new();
        while let Some(case) = table.next::<RunCase>()? {
            cases.push(case);
        }
        let samples = match read_samples(&dir.samples_path()) {
            _ if !with_samples => None,
            Ok(samples) => Some(samples),
            Err(RecordError::NotARun { .. }) => None,
            Err(error) => return Err(error),
        };
        Ok(Run::new(&path.display().to_string(), &info, cases, samples.as_deref()))
    }
}

/// Runs compared with one base.
#[derive(Debug)]
pub struct Comparisons {
    /// One per run that could be read, in the order given.
    pub comparisons: Vec<Comparison>,
    /// What is wrong with the others.
    pub unread: Vec<RecordError>,
}

/// Reads runs and compares each with a base. With `keep_going`, runs that can't be read are set aside.
///
/// # Errors
/// When the base can't be read, or another run and `keep_going` is off.
pub fn compare_directories(
    base: &Path,
    new: &[PathBuf],
    keep_going: bool,
    options: &Options,
) -> Result<Comparisons, RecordError> {
    let with_samples = new.len() <= SAMPLES_UP_TO;
    let base = Run::read(base, with_samples)?;
    let results: Vec<Result<Comparison, RecordError>> = new
        .par_iter()
        .map(|path| Run::read(path, with_samples).map(|new| compare(&base, &new, options)))
        .collect();
    let mut all = Comparisons { comparisons: Vec::with_capacity(results.len()), unread: Vec::new() };
    for result in results {
        match result {
            Ok(comparison) => all.comparisons.push(comparison),
            Err(error) if keep_going => all.unread.push(error),
            Err(error) => return Err(error),
        }
    }
    Ok(all)
}
