//! The script of the fake device.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use globset::{Glob, GlobMatcher};
use serde::Deserialize;

use crate::device::{DeviceInfo, DeviceKind};
use crate::pattern::Limits;

/// How a fake device behaves. Every key is optional.
#[derive(Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Script {
    /// Device name.
    pub name: String,
    /// `discrete`, `integrated`, `virtual`, `other` or `cpu`.
    pub kind: DeviceKind,
    /// Driver version, part of the identity.
    pub driver: String,
    /// Speed of every case, before `slower`.
    pub bandwidth_gb_per_s: f64,
    /// How much faster a twin is than its case.
    pub twin_speedup: f64,
    /// Standard deviation of the logarithm of a time.
    pub noise: f64,
    /// Probability that a time is an outlier.
    pub outliers: f64,
    /// How much longer an outlier takes.
    pub outlier_factor: f64,
    /// Relative slow-down per second of simulated time.
    pub drift_per_second: f64,
    /// A second speed that the device flips to and back.
    pub second_speed: Option<SecondSpeed>,
    /// Stretches of simulated time at another speed.
    #[serde(rename = "stretch")]
    pub stretches: Vec<Stretch>,
    /// Time of a first dispatch on a set that fits the last-level cache and is not in it, over the time of the
    /// next one.
    pub cold_factor: f64,
    /// The longest submission that does not lose the device.
    pub watchdog_seconds: Option<f64>,
    /// Nanoseconds of a timestamp tick; 65,536 imitates quantised stamps.
    pub tick_ns: f64,
    /// Whether the device has timestamp queries.
    pub timestamps: bool,
    /// Wall time over device time.
    pub wall_factor: f64,
    /// Seed of the noise, beside the run's seed.
    pub noise_seed: u64,
    /// Bytes over all buffers of a case.
    pub footprint: u64,
    /// Largest binding in bytes.
    pub max_binding: u64,
    /// Last-level cache in bytes.
    pub last_level_cache: Option<u64>,
    /// Cases that are slower than the rest.
    pub slower: Vec<Slower>,
    /// What goes wrong.
    #[serde(rename = "event")]
    pub events: Vec<Event>,
}

/// A speed that alternates with the first.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SecondSpeed {
    /// Time there over time at the first speed.
    pub factor: f64,
    /// Seconds of simulated time at each speed.
    pub period_seconds: f64,
}

impl SecondSpeed {
    pub(super) fn holds_at(&self, seconds: f64) -> bool {
        (seconds / self.period_seconds) as u64 % 2 == 1
    }
}

/// A stretch of simulated time at another speed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stretch {
    /// Its begin.
    pub from_seconds: f64,
    /// Its end.
    pub to_seconds: f64,
    /// Time in it over time outside.
    pub factor: f64,
}

/// Cases that take longer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slower {
    #[serde(deserialize_with = "glob")]
    case: GlobMatcher,
    /// Time over what it would be.
    pub factor: f64,
}

impl Slower {
    pub(super) fn matches(&self, id: &str) -> bool {
        self.case.is_match(id)
    }
}

/// One thing that goes wrong.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    #[serde(deserialize_with = "glob")]
    case: GlobMatcher,
    /// What happens.
    pub fails: Fails,
    /// At which pass or check of the case, from 0; at every one where absent.
    pub at: Option<u32>,
}

impl Event {
    pub(super) fn matches(&self, id: &str, count: u32) -> bool {
        self.at.is_none_or(|at| at == count) && self.case.is_match(id)
    }
}

/// A fault of drivers and devices that has been seen in the wild.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fails {
    /// Both timestamps zero.
    Zero,
    /// Both timestamps equal.
    Equal,
    /// End before begin.
    Reversed,
    /// The end was never written.
    Unwritten,
    /// The counter wrapped at 36 bits between the two.
    Wrapped,
    /// A duration far longer than the wall time around it.
    TooLong,
    /// The query does not resolve: the stamps are those of the pass before.
    Unresolved,
    /// The device is lost in this pass.
    DeviceLost,
    /// The pass does not finish.
    Timeout,
    /// The driver rejects the submission.
    Rejected,
    /// There is no memory for the case.
    OutOfMemory,
    /// There is no memory any more, in this pass.
    OutOfMemoryLater,
    /// The shader does not compile.
    Compile,
    /// One word of the result is wrong.
    WrongResult,
    /// Two words of the result are swapped.
    SwappedResult,
}

/// Where a fault strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Prepare,
    Pass,
    Check,
}

impl Fails {
    pub(super) fn stage(self) -> Stage {
        match self {
            Fails::OutOfMemory | Fails::Compile => Stage::Prepare,
            Fails::WrongResult | Fails::SwappedResult => Stage::Check,
            Fails::Zero
            | Fails::Equal
            | Fails::Reversed
            | Fails::Unwritten
            | Fails::Wrapped
            | Fails::TooLong
            | Fails::Unresolved
            | Fails::OutOfMemoryLater
            | Fails::DeviceLost
            | Fails::Timeout
            | Fails::Rejected => Stage::Pass,
        }
    }
}

/// Why a script can't be used.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// The file can't be read.
    #[error("can't read the script {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is no script.
    #[error("{}: {source}", path.display())]
    Parse {
        /// The file.
        path: PathBuf,
        /// What is wrong, with its line.
        source: Box<toml::de::Error>,
    },
}

impl Default for Script {
    fn default() -> Script {
        Script {
            name: "Fake GPU".to_owned(),
            kind: DeviceKind::Discrete,
            driver: "1.0".to_owned(),
            bandwidth_gb_per_s: 100.0,
            twin_speedup: 4.0,
            noise: 0.002,
            outliers: 0.0,
            outlier_factor: 3.0,
            drift_per_second: 0.0,
            second_speed: None,
            stretches: Vec::new(),
            cold_factor: 1.0,
            watchdog_seconds: None,
            tick_ns: 1.0,
            timestamps: true,
            wall_factor: 1.05,
            noise_seed: 0,
            footprint: 1 << 20,
            max_binding: 128 << 20,
            last_level_cache: None,
            slower: Vec::new(),
            events: Vec::new(),
        }
    }
}

impl Script {
    /// Reads a script.
    ///
    /// # Errors
    /// When the file can't be read or holds something else.
    pub fn read(path: &Path) -> Result<Script, ScriptError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ScriptError::Read { path: path.to_owned(), source })?;
        toml::from_str(&text)
            .map_err(|source| ScriptError::Parse { path: path.to_owned(), source: Box::new(source) })
    }

    /// Time at a moment over time at full speed.
    pub(super) fn slowness_at(&self, seconds: f64) -> f64 {
        let second = self.second_speed.as_ref().filter(|speed| speed.holds_at(seconds)).map(|s| s.factor);
        let within = |stretch: &&Stretch| (stretch.from_seconds..stretch.to_seconds).contains(&seconds);
        let stretches: f64 = self.stretches.iter().filter(within).map(|stretch| stretch.factor).product();
        (1.0 + self.drift_per_second * seconds) * second.unwrap_or(1.0) * stretches
    }

    pub(in crate::device) fn info(&self) -> DeviceInfo {
        DeviceInfo {
            name: self.name.clone(),
            backend: "fake".to_owned(),
            kind: self.kind,
            vendor: Some(0xfa),
            device: Some(0xce),
            pci: None,
            driver: Some("fake".to_owned()),
            driver_info: Some(self.driver.clone()),
            shader_compiler: None,
            subgroup_size: Some(32),
            subgroup_source: "script".to_owned(),
            timestamp_period_ns: self.timestamps.then_some(self.tick_ns),
            features: Vec::new(),
            limits: BTreeMap::from([("max_binding_bytes".to_owned(), self.max_binding)]),
            runtime_checks: false,
        }
    }

    pub(super) fn limits(&self) -> Limits {
        Limits {
            footprint: self.footprint,
            random_footprint: self.footprint,
            max_binding: self.max_binding,
            max_workgroup_memory: 32 << 10,
            max_invocations: 1024,
            last_level_cache: self.last_level_cache,
        }
    }
}

fn glob<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<GlobMatcher, D::Error> {
    let text = String::deserialize(deserializer)?;
    Glob::new(&text).map(|glob| glob.compile_matcher()).map_err(serde::de::Error::custom)
}
