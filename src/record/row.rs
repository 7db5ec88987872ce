//! The rows of the two tables. Field order is column order, so headers can't fall out of step.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, de};

use super::{Flags, SCHEMA_VERSION};

/// The `case` of the reference kernel's samples in `samples.csv`; it has no row in `cases.csv`.
pub const REFERENCE_CASE: &str = "reference";

/// What became of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Measured and verified.
    Ok,
    /// The device can't run it; the reason says why.
    Skipped,
    /// It should have run and did not; the reason says why.
    Failed,
}

impl Status {
    /// The word in the `status` column.
    pub const fn name(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Skipped => "skipped",
            Status::Failed => "failed",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The clock behind a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Timer {
    /// Timestamps that the device wrote at both ends of the pass.
    Timestamp,
    /// The host's monotonic clock around the submission.
    Wall,
}

impl Timer {
    /// The word in the `timer` column.
    pub const fn name(self) -> &'static str {
        match self {
            Timer::Timestamp => "timestamp",
            Timer::Wall => "wall",
        }
    }
}

/// One row of `samples.csv`: a timed pass, or a verification event (which has no time).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampleRow {
    /// Case id, or [`REFERENCE_CASE`].
    pub case: String,
    /// Round of the shuffled schedule, from 0.
    pub round: u32,
    /// Sample number of this case over all rounds, from 0.
    pub sample: u32,
    /// Dispatches in the pass.
    pub dispatches: u64,
    /// Ticks of the whole pass, as the device gave them.
    pub ticks: Option<u64>,
    /// Nanoseconds of one dispatch.
    #[serde(with = "duration")]
    pub ns: Option<f64>,
    /// Whether the sample counts.
    pub accepted: bool,
    /// Why it does not count, or what the event was.
    pub reason: Option<String>,
    /// When the pass ended, in seconds since the run started; time between a run and its resumption does not
    /// count. Absent in journals of the first versions.
    #[serde(default, with = "figure")]
    pub seconds: Option<f64>,
}

impl SampleRow {
    /// The column that journals of the first versions lack.
    pub(super) const LATER_COLUMNS: &[&str] = &["seconds"];
}

/// The parameter that holds the sum over workgroups of the distinct sectors each touches, scaled to the
/// grid as `sectors` is: the traffic if caches were perfect within a workgroup.
pub const WORKGROUP_SECTORS: &str = "workgroup_sectors";

/// One row of `cases.csv`. Absent is an empty cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseRow {
    /// [`SCHEMA_VERSION`] of the writer.
    pub schema_version: u32,
    /// Device name as the driver gives it.
    pub device: String,
    /// `vulkan`, `metal`, `dx12`, `gl`, `host` or `fake`.
    pub backend: String,
    /// Name of the pattern.
    pub pattern: String,
    /// Case id, canonical and stable.
    pub case: String,
    /// Operation of the case.
    pub op: String,
    /// Element type of the case.
    pub element_type: String,
    /// The axes and the plan's notes, a JSON object.
    pub parameters: String,
    /// What became of the case.
    pub status: Status,
    /// Why it was skipped or failed.
    pub reason: Option<String>,
    /// Reservations.
    pub flags: Flags,
    /// Whether every lane's result was checked and right; absent when it did not run.
    pub verified: Option<bool>,
    /// The clock.
    pub timer: Option<Timer>,
    /// Bytes over all buffers.
    pub footprint_bytes: Option<u64>,
    /// Distinct bytes of the subject that a dispatch touches.
    pub distinct_bytes: Option<u64>,
    /// Bytes that the algorithm asks of the subject in a dispatch.
    pub useful_bytes: Option<u64>,
    /// Invocations of a workgroup.
    pub workgroup_size: Option<u32>,
    /// Accesses of the subject that a lane makes.
    pub loads_per_lane: Option<u64>,
    /// Accepted samples.
    pub samples: Option<u32>,
    /// Samples that were not accepted.
    pub rejected_samples: Option<u32>,
    /// Dispatches in a pass.
    pub dispatches_per_sample: Option<u64>,
    /// Median time of a dispatch.
    #[serde(with = "duration")]
    pub median_ns: Option<f64>,
    /// Lower end of the median's 95 % interval.
    #[serde(with = "duration")]
    pub ci95_low_ns: Option<f64>,
    /// Upper end of the median's 95 % interval.
    #[serde(with = "duration")]
    pub ci95_high_ns: Option<f64>,
    /// Fastest sample.
    #[serde(with = "duration")]
    pub min_ns: Option<f64>,
    /// First quartile.
    #[serde(with = "duration")]
    pub p25_ns: Option<f64>,
    /// Third quartile.
    #[serde(with = "duration")]
    pub p75_ns: Option<f64>,
    /// 95th percentile.
    #[serde(with = "duration")]
    pub p95_ns: Option<f64>,
    /// Useful bytes over the median time.
    #[serde(with = "figure")]
    pub bandwidth_gb_per_s: Option<f64>,
    /// Bandwidth over the roof measured in this run.
    #[serde(with = "figure")]
    pub roof_fraction: Option<f64>,
    /// Bandwidth over the data sheet's peak.
    #[serde(with = "figure")]
    pub peak_fraction: Option<f64>,
    /// Median time of the twin.
    #[serde(with = "duration")]
    pub twin_ns: Option<f64>,
    /// `memory` or `issue`; absent where there is no twin to tell.
    pub bound: Option<Bound>,
    /// Predicted memory requests of the subject.
    #[serde(with = "count")]
    pub requests: Option<f64>,
    /// Predicted sectors of the subject.
    #[serde(with = "count")]
    pub sectors: Option<f64>,
    /// Predicted cache lines of the subject.
    #[serde(with = "count")]
    pub lines: Option<f64>,
    /// Predicted sectors over requests.
    #[serde(with = "figure")]
    pub sectors_per_request: Option<f64>,
    /// Predicted fetched over unique bytes.
    #[serde(with = "figure")]
    pub over_fetch: Option<f64>,
    /// Largest predicted bank-conflict degree.
    pub conflict_degree: Option<u32>,
}

/// What limits a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Bound {
    /// At least 1.25 times slower than its twin.
    Memory,
    /// The instruction ceiling hides what memory costs here.
    Issue,
}

impl CaseRow {
    /// A row that says what the case is and nothing yet of how it went: every figure absent.
    pub fn new(device: &str, backend: &str, pattern: &str, case: &str, status: Status) -> CaseRow {
        CaseRow {
            schema_version: SCHEMA_VERSION,
            device: device.to_owned(),
            backend: backend.to_owned(),
            pattern: pattern.to_owned(),
            case: case.to_owned(),
            op: String::new(),
            element_type: String::new(),
            parameters: "{}".to_owned(),
            status,
            reason: None,
            flags: Flags::default(),
            verified: None,
            timer: None,
            footprint_bytes: None,
            distinct_bytes: None,
            useful_bytes: None,
            workgroup_size: None,
            loads_per_lane: None,
            samples: None,
            rejected_samples: None,
            dispatches_per_sample: None,
            median_ns: None,
            ci95_low_ns: None,
            ci95_high_ns: None,
            min_ns: None,
            p25_ns: None,
            p75_ns: None,
            p95_ns: None,
            bandwidth_gb_per_s: None,
            roof_fraction: None,
            peak_fraction: None,
            twin_ns: None,
            bound: None,
            requests: None,
            sectors: None,
            lines: None,
            sectors_per_request: None,
            over_fetch: None,
            conflict_degree: None,
        }
    }
}

/// A duration in a cell: positive and finite, or nothing.
pub(crate) mod duration {
    use serde::{Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        value.filter(|ns| ns.is_finite() && *ns > 0.0).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
        super::checked(deserializer, |ns| ns > 0.0, "a positive, finite duration")
    }
}

/// A figure in a cell: finite and not negative, or nothing.
pub(crate) mod figure {
    use serde::{Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        value.filter(|figure| figure.is_finite() && *figure >= 0.0).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
        super::checked(deserializer, |figure| figure >= 0.0, "a finite number that is not negative")
    }
}

/// A predicted count in a cell: a whole number, or nothing. Counts scaled from sampled workgroups may have a
/// fraction, which means nothing; files of the first versions have one.
pub(crate) mod count {
    use serde::{Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(value: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        value.filter(|count| count.is_finite() && *count >= 0.0).map(whole).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
        super::figure::deserialize(deserializer)
    }

    pub(crate) fn whole(count: f64) -> u64 {
        count.round() as u64
    }
}

/// Reads an optional number that must be finite and pass a test.
pub(crate) fn checked<'de, D: Deserializer<'de>>(
    deserializer: D,
    valid: fn(f64) -> bool,
    expected: &str,
) -> Result<Option<f64>, D::Error> {
    match Option::<f64>::deserialize(deserializer)? {
        Some(number) if !(number.is_finite() && valid(number)) => {
            Err(de::Error::custom(format!("`{number}` is not {expected}")))
        }
        other => Ok(other),
    }
}
