//! What is known of one case, and the row it becomes.

use std::time::Duration;

use crate::device::{DeviceInfo, Kernel};
use crate::pattern::{Case, Purpose};
use crate::predict::Prediction;
use crate::record::{Bound, CaseRow, Flag, Status, Timer, WORKGROUP_SECTORS, count};
use crate::stats;

use super::calibrate::Shape;
use super::reference::{self, Findings, Taken};
use super::stop::StoppingRule;

/// Where a case stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Not visited yet.
    Pending,
    /// Verified; samples are being taken.
    Sampling,
    /// It had enough samples, but of one of the machine's two speeds only; more are being taken.
    Reopened,
    /// Enough samples.
    Done,
    /// The device can't run it.
    Skipped(String),
    /// It should have run and did not.
    Failed(String),
}

/// One case of a run.
#[derive(Clone, Debug)]
pub struct CaseProgress {
    /// The case.
    pub case: Case,
    /// Its id.
    pub id: String,
    /// Where it stands.
    pub state: State,
    /// What preparing showed.
    pub kernel: Option<Kernel>,
    /// Whether the output was checked, and right.
    pub verified: Option<bool>,
    /// How it is sampled.
    pub shape: Option<Shape>,
    /// How its twin is sampled.
    pub twin_shape: Option<Shape>,
    /// Accepted samples, in order.
    pub samples: Vec<Taken>,
    /// Accepted samples of the twin.
    pub twin_samples: Vec<Taken>,
    /// Dispatches in the last sample.
    pub dispatches: Option<u64>,
    /// Samples without a time.
    pub rejected: u32,
    /// Why the last sample was rejected.
    pub last_rejection: Option<String>,
    /// Device time spent, twin included.
    pub spent: Duration,
    /// What the model says of it.
    pub prediction: Option<Prediction>,
}

/// What rows are judged by.
#[derive(Clone, Copy, Debug)]
pub struct Standard<'a> {
    /// The ceilings.
    pub roofline: &'a Roofline,
    /// The stopping rule.
    pub rule: &'a StoppingRule,
    /// What the reference kernel said of the machine.
    pub findings: &'a Findings,
    /// Nanoseconds of the smallest step of the clock, once that is known.
    pub tick_ns: Option<f64>,
}

/// What bandwidths are held against.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Roofline {
    /// Best contiguous bandwidth of the run and the case that reached it.
    pub roof: Option<(f64, String)>,
    /// Data-sheet peak in GB/s.
    pub peak_gb_per_s: Option<f64>,
    /// Last-level cache in bytes.
    pub last_level_cache: Option<u64>,
}

/// A case at least this much slower than its twin is bound by memory; a twin that is as much slower than its
/// case is no ceiling.
const MEMORY_BOUND: f64 = 1.25;
/// A pass of fewer ticks rests on too coarse a clock. Calibration aims at 1000; a tenth less may be noise.
const LEAST_TICKS: f64 = 900.0;
/// Rejected samples after which a case without an accepted one is given up.
const REJECTIONS: u32 = 8;

impl CaseProgress {
    /// A case that was not visited yet.
    pub fn new(case: Case) -> CaseProgress {
        CaseProgress {
            id: case.id(),
            case,
            state: State::Pending,
            kernel: None,
            verified: None,
            shape: None,
            twin_shape: None,
            samples: Vec::new(),
            twin_samples: Vec::new(),
            dispatches: None,
            rejected: 0,
            last_rejection: None,
            spent: Duration::ZERO,
            prediction: None,
        }
    }

    /// Whether more visits are wanted.
    pub fn is_open(&self) -> bool {
        matches!(self.state, State::Pending | State::Sampling | State::Reopened)
    }

    /// Whether no sample has a time, time after time.
    pub fn is_hopeless(&self) -> bool {
        self.samples.is_empty() && self.rejected >= REJECTIONS
    }

    /// Times of the accepted samples, in nanoseconds of a dispatch.
    pub fn times(&self) -> Vec<f64> {
        reference::times(&self.samples)
    }

    /// Useful bytes over the median of the samples that count, in GB/s; absent without any.
    pub fn bandwidth(&self, findings: &Findings) -> Option<f64> {
        let useful = self.kernel.as_ref()?.useful_bytes as f64;
        stats::median(&findings.counted(&self.samples)).map(|ns| useful / ns)
    }

    /// Whether the sectors that hold the distinct bytes lie under twice the last-level cache.
    fn is_cache_resident(&self, cache: Option<u64>) -> bool {
        let (Some(kernel), Some(cache)) = (&self.kernel, cache) else { return false };
        !kernel.workgroup_subject && !self.case.is_cold() && kernel.sector_bytes < 2 * cache
    }

    /// Whether its working set fits the last-level cache and was left there on purpose, to be held against the
    /// same case cold.
    fn is_hot(&self, cache: Option<u64>) -> bool {
        let (Some(kernel), Some(cache)) = (&self.kernel, cache) else { return false };
        self.case.value("cache").is_some() && !self.case.is_cold() && kernel.distinct_bytes <= cache
    }

    /// The row of `cases.csv`.
    pub fn row(&self, info: &DeviceInfo, standard: &Standard<'_>) -> CaseRow {
        let (status, reason) = self.status();
        let mut row = CaseRow::new(&info.name, &info.backend, self.case.pattern.name, &self.id, status);
        row.reason = reason;
        row.op = self.case.op().to_owned();
        row.element_type = self.case.element().name().to_owned();
        row.parameters = self.parameters();
        row.verified = self.verified;
        if info.is_cpu() {
            row.flags.insert(Flag::Software);
        }
        self.fill_prediction(&mut row);
        let Some(kernel) = &self.kernel else { return row };
        row.footprint_bytes = Some(kernel.footprint_bytes);
        row.distinct_bytes = Some(kernel.distinct_bytes);
        row.useful_bytes = Some(kernel.useful_bytes);
        row.workgroup_size = kernel.workgroup_size;
        row.loads_per_lane = kernel.accesses_per_lane;
        if kernel.clamped.is_some() {
            row.flags.insert(Flag::Clamped);
        }
        row.samples = Some(self.samples.len() as u32);
        row.rejected_samples = Some(self.rejected);
        row.dispatches_per_sample = self.dispatches;
        row.timer = self
            .dispatches
            .map(|_| if info.timestamp_period_ns.is_some() { Timer::Timestamp } else { Timer::Wall });
        if status == Status::Ok {
            let times = standard.findings.counted(&self.samples);
            if times.len() < self.samples.len() {
                let note = format!(
                    "figures are of {} of {} samples, those at the faster of the machine's two speeds",
                    times.len(),
                    self.samples.len()
                );
                row.reason = Some(row.reason.map_or(note.clone(), |reason| format!("{reason}; {note}")));
            }
            self.fill_times(&mut row, &times, standard);
            self.fill_bandwidth(&mut row, kernel, standard);
            self.fill_bound(&mut row, kernel, standard);
        }
        row
    }

    /// The statistics of the times, and what there is to say of the samples.
    fn fill_times(&self, row: &mut CaseRow, times: &[f64], standard: &Standard<'_>) {
        let Some(median) = stats::median(times) else { return };
        row.median_ns = Some(median);
        if let Some(interval) = stats::median_interval(times) {
            row.ci95_low_ns = Some(interval.low);
            row.ci95_high_ns = Some(interval.high);
        }
        let sorted = stats::sorted(times);
        row.min_ns = stats::quantile(&sorted, 0.0);
        row.p25_ns = stats::quantile(&sorted, 0.25);
        row.p75_ns = stats::quantile(&sorted, 0.75);
        row.p95_ns = stats::quantile(&sorted, 0.95);
        let pass_ns = self
            .shape
            .map_or(median * row.dispatches_per_sample.unwrap_or(1) as f64, |shape| shape.pass_ns(median));
        let findings = standard.findings;
        let flags = [
            (Flag::Imprecise, !standard.rule.is_precise(times)),
            (
                Flag::Outliers,
                stats::modified_z_scores(times).iter().any(|score| score.abs() > stats::OUTLIER_SCORE),
            ),
            (Flag::Drifted, findings.drifted(&self.samples)),
            (Flag::Bimodal, findings.speeds.is_some() || stats::modes(&self.times()).is_some()),
            (Flag::CoarseTimer, standard.tick_ns.is_some_and(|tick| pass_ns < LEAST_TICKS * tick)),
        ];
        for (flag, _) in flags.into_iter().filter(|(_, holds)| *holds) {
            row.flags.insert(flag);
        }
    }

    /// The bandwidth, and what it is held against.
    fn fill_bandwidth(&self, row: &mut CaseRow, kernel: &Kernel, standard: &Standard<'_>) {
        let Some(bandwidth) = self.bandwidth(standard.findings) else { return };
        let roofline = standard.roofline;
        row.bandwidth_gb_per_s = Some(bandwidth);
        let cached = self.is_cache_resident(roofline.last_level_cache);
        if cached {
            row.flags.insert(Flag::CacheResident);
        }
        if self.is_hot(roofline.last_level_cache) {
            row.flags.insert(Flag::Hot);
        }
        if !kernel.workgroup_subject {
            row.roof_fraction = roofline.roof.as_ref().map(|(roof, _)| bandwidth / roof);
            row.peak_fraction = roofline.peak_gb_per_s.map(|peak| bandwidth / peak);
            if !cached && row.peak_fraction.is_some_and(|fraction| fraction > 1.0) {
                row.flags.insert(Flag::AbovePeak);
            }
        }
    }

    /// Whether memory or the instructions are the limit, as far as the twin can tell.
    fn fill_bound(&self, row: &mut CaseRow, kernel: &Kernel, standard: &Standard<'_>) {
        row.twin_ns = stats::median(&standard.findings.counted(&self.twin_samples));
        match row.median_ns.zip(row.twin_ns) {
            Some((median, twin)) if twin >= MEMORY_BOUND * median => row.flags.insert(Flag::TwinSlower),
            Some((median, twin)) if median >= MEMORY_BOUND * twin => row.bound = Some(Bound::Memory),
            Some(_) => row.bound = Some(Bound::Issue),
            None if kernel.has_twin => row.flags.insert(Flag::TwinMissing),
            None => {}
        }
    }

    fn fill_prediction(&self, row: &mut CaseRow) {
        let Some(prediction) = &self.prediction else { return };
        row.requests = Some(prediction.requests);
        row.sectors = prediction.sectors;
        row.lines = prediction.lines;
        row.sectors_per_request = prediction.sectors_per_request;
        row.over_fetch = prediction.over_fetch;
        row.conflict_degree = prediction.conflict_degree;
    }

    fn status(&self) -> (Status, Option<String>) {
        match &self.state {
            State::Skipped(reason) => (Status::Skipped, Some(reason.clone())),
            State::Failed(reason) => (Status::Failed, Some(reason.clone())),
            State::Pending => {
                (Status::Skipped, Some("not measured: the run ended before its turn".to_owned()))
            }
            State::Sampling | State::Reopened | State::Done if self.samples.is_empty() => {
                let why = self.last_rejection.as_deref().unwrap_or("the run ended before its first sample");
                let status = if self.rejected > 0 { Status::Failed } else { Status::Skipped };
                (status, Some(format!("no sample: {why}")))
            }
            State::Sampling | State::Reopened | State::Done => {
                (Status::Ok, self.kernel.as_ref().and_then(|k| k.clamped.clone()))
            }
        }
    }

    /// The axes, the plan's notes and the prediction that has no column as a JSON object.
    fn parameters(&self) -> String {
        use crate::pattern::Value;
        let mut object = serde_json::Map::new();
        for (axis, value) in self.case.pattern.axes.iter().zip(&self.case.values) {
            let value = match value {
                Value::Name(name) => (*name).into(),
                Value::Int(number) => (*number).into(),
            };
            object.insert(axis.name.to_owned(), value);
        }
        for (name, note) in self.kernel.iter().flat_map(|kernel| &kernel.notes) {
            object.insert((*name).to_owned(), note.as_str().into());
        }
        if let Some(sectors) = self.prediction.as_ref().and_then(|p| p.workgroup_sectors) {
            object.insert(WORKGROUP_SECTORS.to_owned(), count::whole(sectors).into());
        }
        serde_json::Value::Object(object).to_string()
    }
}

/// The roof: the best bandwidth among the cases that count for it and that no cache has served.
pub fn roof(
    cases: &[CaseProgress],
    last_level_cache: Option<u64>,
    findings: &Findings,
) -> Option<(f64, String)> {
    cases
        .iter()
        .filter(|progress| (progress.case.pattern.purpose)(&progress.case) == Purpose::Roof)
        .filter(|progress| !progress.is_cache_resident(last_level_cache))
        .filter_map(|progress| Some((progress.bandwidth(findings)?, progress.id.clone())))
        .max_by(|a, b| a.0.total_cmp(&b.0))
}
