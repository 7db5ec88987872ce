//! `run.json`: the machine, the device and the command behind a run.

use std::time::SystemTime;

use crate::cli::RunArgs;
use crate::device::{self, Device, DeviceInfo};
use crate::model::Machine;
use crate::predict;
use crate::record::{
    self, HostInfo, RooflineInfo, RunInfo, SettingsInfo, SubgroupInfo, Timer, TimingInfo, peaks,
};

use super::settings::SEED;

/// The version of this program.
pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The git revision that it was built from.
pub(super) const REVISION: Option<&str> = option_env!("STRIDEMARK_REVISION");
/// Start of the note of a resumption, which a UTC time follows.
pub(super) const RESUMED: &str = "resumed at ";

/// What is known before the first sample.
pub(super) fn run_info(
    device: &dyn Device,
    args: &RunArgs,
    settings: &SettingsInfo,
    started: SystemTime,
) -> RunInfo {
    let (info, limits) = (device.info(), device.limits());
    let facts = peaks::find(&info.name);
    RunInfo {
        schema_version: record::SCHEMA_VERSION,
        tool_version: VERSION.to_owned(),
        git_revision: REVISION.map(str::to_owned),
        command: command_line(),
        seed: args.seed.unwrap_or(SEED),
        settings: Some(settings.clone()),
        host: HostInfo {
            cpu: Some(device::host::info().name),
            logical_cpus: std::thread::available_parallelism().ok().map(|count| count.get() as u32),
            os: std::env::consts::OS.to_owned(),
            architecture: std::env::consts::ARCH.to_owned(),
        },
        device: record::DeviceInfo {
            name: info.name.clone(),
            kind: format!("{:?}", info.kind).to_lowercase(),
            vendor_id: info.vendor,
            device_id: info.device,
            pci_bus_id: info.pci.clone(),
            driver: info.driver.clone(),
            driver_info: info.driver_info.clone(),
            identity: info.identity(),
        },
        backend: info.backend.clone(),
        shader_compiler: info.shader_compiler.clone(),
        features: info.features.clone(),
        limits: info.limits.clone(),
        timing: TimingInfo {
            timer: Some(if info.timestamp_period_ns.is_some() { Timer::Timestamp } else { Timer::Wall }),
            timestamp_period_ns: info.timestamp_period_ns,
            ..TimingInfo::default()
        },
        subgroup: SubgroupInfo { size: info.subgroup_size, source: info.subgroup_source.clone() },
        runtime_checks: info.runtime_checks,
        machine: machine(info).as_ref().map(predict::describe),
        roofline: RooflineInfo {
            peak_gb_per_s: args.peak_gbps.or(facts.and_then(|facts| facts.peak_gb_per_s)),
            peak_source: match (args.peak_gbps, facts) {
                (Some(_), _) => Some("--peak-gbps".to_owned()),
                (None, Some(facts)) => facts.peak_gb_per_s.map(|_| facts.source.clone()),
                (None, None) => None,
            },
            last_level_cache_bytes: limits.last_level_cache,
            ..RooflineInfo::default()
        },
        checks: Vec::new(),
        notes: Vec::new(),
        started: humantime::format_rfc3339_seconds(started).to_string(),
        ended: None,
        timed_share: None,
        counts: None,
    }
}

/// The machine that the cases of a device are predicted for; none for the host, whose loops are native code and
/// no WGSL.
pub(super) fn machine(info: &DeviceInfo) -> Option<Machine> {
    (info.backend != device::host::BACKEND).then(|| predict::of_device(info))
}

/// The command line as one would type it; the program without its folder.
fn command_line() -> String {
    let quoted = |word: String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            word
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    std::iter::once("stridemark".to_owned())
        .chain(std::env::args().skip(1).map(quoted))
        .collect::<Vec<_>>()
        .join(" ")
}
