//! `run.json`: everything about a run that is not a row, so that a figure can be traced to the machine,
//! the driver and the command behind it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Timer;

/// The content of `run.json`. Written at the start of a run, replaced at its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunInfo {
    /// [`super::SCHEMA_VERSION`] of the writer.
    pub schema_version: u32,
    /// Version of stridemark.
    pub tool_version: String,
    /// Git revision it was built from.
    pub git_revision: Option<String>,
    /// The command line, as one would type it.
    pub command: String,
    /// Seed of fill, schedule and bootstrap.
    pub seed: u64,
    /// What was asked for; absent in runs of the first versions, which can't be resumed.
    #[serde(default)]
    pub settings: Option<SettingsInfo>,
    /// The computer.
    pub host: HostInfo,
    /// What ran the cases.
    pub device: DeviceInfo,
    /// `vulkan`, `metal`, `dx12`, `gl`, `host` or `fake`.
    pub backend: String,
    /// The compiler behind the driver's front door, where it can be told (`dxc`, `fxc`, …).
    pub shader_compiler: Option<String>,
    /// Device features that were requested.
    pub features: Vec<String>,
    /// Device limits that the run depended on, by their wgpu names.
    pub limits: BTreeMap<String, u64>,
    /// The clock.
    pub timing: TimingInfo,
    /// Lanes that run in lock-step.
    pub subgroup: SubgroupInfo,
    /// Whether shaders ran with bounds and loop checks.
    pub runtime_checks: bool,
    /// The machine that the model predicted for.
    pub machine: Option<MachineInfo>,
    /// What the bandwidths are held against.
    #[serde(default)]
    pub roofline: RooflineInfo,
    /// Self-checks made before the first case.
    #[serde(default)]
    pub checks: Vec<Check>,
    /// Findings about the run in words, such as drift of the reference kernel.
    #[serde(default)]
    pub notes: Vec<String>,
    /// UTC time of the start, RFC 3339.
    pub started: String,
    /// UTC time of the end; absent while the run goes on or when it was cut off.
    pub ended: Option<String>,
    /// Timed device work over wall time.
    pub timed_share: Option<f64>,
    /// Cases by status; absent until the end.
    pub counts: Option<Counts>,
}

/// What was asked for, as far as it decides which figures a run makes; seed, run-time checks and peak stand
/// elsewhere in [`RunInfo`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SettingsInfo {
    /// `quick`, `default` or `full`.
    pub depth: String,
    /// The globs that chose cases; all cases of the depth where there is none.
    pub filters: Vec<String>,
    /// Bytes over the buffers of a case, where they were not left to the device.
    pub footprint_bytes: Option<u64>,
    /// Device time that a case may take.
    pub budget_seconds: f64,
    /// Half-width of the interval at which a case is done, relative to its median.
    pub precision: f64,
}

/// The computer that the device sits in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostInfo {
    /// CPU model.
    pub cpu: Option<String>,
    /// Logical processors available to the process.
    pub logical_cpus: Option<u32>,
    /// Operating system and its version.
    pub os: String,
    /// Processor architecture.
    pub architecture: String,
}

/// What ran the cases, as its driver describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// Name, as the driver gives it.
    pub name: String,
    /// `discrete`, `integrated`, `virtual`, `cpu` or `other`.
    pub kind: String,
    /// PCI vendor.
    pub vendor_id: Option<u32>,
    /// PCI device.
    pub device_id: Option<u32>,
    /// Where it sits on the bus.
    pub pci_bus_id: Option<String>,
    /// Driver.
    pub driver: Option<String>,
    /// Driver version and build.
    pub driver_info: Option<String>,
    /// `vendor:device:driver`: two runs with equal identity are of the same device and driver.
    pub identity: String,
}

/// How passes were timed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TimingInfo {
    /// The clock.
    pub timer: Option<Timer>,
    /// Nanoseconds of a tick, as the driver claims.
    pub timestamp_period_ns: Option<f64>,
    /// Nanoseconds of a tick, calibrated against wall time.
    pub calibrated_period_ns: Option<f64>,
    /// Smallest step between two stamps, greatest common divisor of the deltas seen.
    pub tick_ns: Option<f64>,
    /// Time of a pass that does nothing.
    pub empty_pass_ns: Option<f64>,
    /// How long the run was expected to take, announced after the self-checks.
    #[serde(default)]
    pub estimated_seconds: Option<f64>,
    /// Whether the empty pass was subtracted by the slope of N and 2N dispatches.
    #[serde(default)]
    pub slope: bool,
}

/// Lanes in lock-step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubgroupInfo {
    /// Lanes; absent where the device does not tell.
    pub size: Option<u32>,
    /// Where the figure comes from: `probe`, `adapter`, `data sheet` or `unknown`.
    pub source: String,
}

/// The machine that the model assumed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MachineInfo {
    /// Name of the preset or file.
    pub name: String,
    /// Lanes in lock-step.
    pub subgroup_size: u32,
    /// Smallest unit fetched.
    pub sector_bytes: u32,
    /// Cache line.
    pub line_bytes: u32,
    /// Banks of workgroup memory.
    pub banks: u32,
    /// Width of a bank.
    pub bank_bytes: u32,
    /// Where the figures come from.
    pub source: String,
}

/// The ceilings of the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RooflineInfo {
    /// Best contiguous bandwidth measured in this run.
    pub roof_gb_per_s: Option<f64>,
    /// The case that reached it.
    pub roof_case: Option<String>,
    /// Peak of the data sheet.
    pub peak_gb_per_s: Option<f64>,
    /// Where the peak comes from.
    pub peak_source: Option<String>,
    /// Last-level cache of the device.
    pub last_level_cache_bytes: Option<u64>,
}

/// A self-check and how it went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// Short name, such as `time doubles with dispatches`.
    pub name: String,
    /// The verdict; absent when it could not be made.
    pub passed: Option<bool>,
    /// The figures behind the verdict, in words.
    pub detail: String,
}

/// Cases by status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Measured and verified.
    pub ok: u32,
    /// Could not run on this device.
    pub skipped: u32,
    /// Should have run and did not.
    pub failed: u32,
}
