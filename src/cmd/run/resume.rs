//! `stridemark run --resume DIR`: goes on with a run that was cut off, on the same device, with the same
//! driver, version and settings, so that the table is as if nothing had happened.

use std::path::Path;
use std::time::{Instant, SystemTime};

use anyhow::Context;

use crate::cli::{Format, RunArgs};
use crate::device::DeviceInfo;
use crate::device::select::{self, Candidate};
use crate::measure::Past;
use crate::record::{RunDir, RunInfo, SettingsInfo};

use super::super::{Exit, Usage, note, select_cases, summary};
use super::describe::{RESUMED, REVISION, VERSION};
use super::{Ready, measure, settings, watch_for_interrupts, with_roof};

pub(super) fn run(args: &RunArgs, path: &Path) -> anyhow::Result<Exit> {
    let dir = RunDir::open(path)?;
    let mut info = dir.info()?;
    let at = |usage: Difference| usage.at(path);
    let settings = same_settings(args, &info).map_err(at)?;
    same_program(&info).map_err(at)?;
    let candidate = find_device(args, &info, path)?;
    same_device(&info, &candidate.info).map_err(at)?;
    let interrupted = watch_for_interrupts()?;

    let cases = with_roof(&select_cases::select(&settings)?);
    let (rows, journal) = dir.resume_journal()?;
    let count = cases.len();
    let past = Past::replay(cases, &rows, &settings::stopping_rule(&info))
        .map_err(|error| Usage(format!("{}: {error}", path.display())))?;
    let left = past.cases.iter().filter(|case| case.is_open()).count();
    let (exit, run) = if left == 0 && info.ended.is_some() {
        note(format_args!("nothing to do: all {count} cases of {} are finished", path.display()));
        let failed = info.counts.is_some_and(|counts| counts.failed > 0);
        (if failed { Exit::Failed } else { Exit::Done }, summary::show(args, &dir, &info)?)
    } else {
        let clock = Instant::now();
        let options = settings::open_options_of(&info, &settings);
        let device = candidate.open(&options).with_context(|| candidate.label())?;
        // What was said of the end of the run before is no longer so.
        info.notes.retain(|note| note.starts_with(RESUMED));
        let now = humantime::format_rfc3339_seconds(SystemTime::now());
        info.notes.push(format!(
            "{RESUMED}{now} with {} rows in samples.csv and {left} of {count} cases left",
            rows.len()
        ));
        (info.ended, info.counts) = (None, None);
        note(format_args!("{}: {left} of {count} cases left, into {}", candidate.label(), path.display()));
        dir.write_info(&info)?;
        measure(args, Ready { device, dir, info, past, journal, clock }, &interrupted)?
    };
    if args.format == Format::Json {
        summary::print_json(&[run])?;
    }
    Ok(exit)
}

/// Something that is not as it was.
struct Difference {
    what: &'static str,
    then: String,
    now: String,
}

impl Difference {
    fn at(self, path: &Path) -> Usage {
        let Difference { what, then, now } = self;
        Usage(format!(
            "can't resume {}: {what} differs: the run has {then}, and now it is {now}; \
             restore it, or measure anew without --resume",
            path.display()
        ))
    }
}

/// An error where two texts differ.
fn same(what: &'static str, then: &str, now: &str) -> Result<(), Difference> {
    let quoted = |text: &str| if text.is_empty() { "none".to_owned() } else { format!("`{text}`") };
    if then == now { Ok(()) } else { Err(Difference { what, then: quoted(then), now: quoted(now) }) }
}

/// The settings of the run; an option that is given again must say the same.
fn same_settings(args: &RunArgs, info: &RunInfo) -> Result<SettingsInfo, Difference> {
    let Some(settings) = info.settings.clone() else {
        return Err(Difference {
            what: "what is recorded",
            then: "no settings".to_owned(),
            now: "needed to choose the cases".to_owned(),
        });
    };
    let given = |what, then: String, now: Option<String>| match now {
        Some(now) => same(what, &then, &now),
        None => Ok(()),
    };
    let optional = |value: Option<f64>| value.map(|value| value.to_string());
    given("the depth", settings.depth.clone(), settings::depth(args).map(str::to_owned))?;
    let filters = (!args.filter.is_empty()).then(|| args.filter.join(" "));
    given("--filter", settings.filters.join(" "), filters)?;
    let footprint = settings.footprint_bytes.map(|bytes| bytes.to_string()).unwrap_or_default();
    given("--footprint", footprint, args.footprint.map(|bytes| bytes.to_string()))?;
    given("--budget", settings.budget_seconds.to_string(), optional(args.budget))?;
    given("--precision", (100.0 * settings.precision).to_string(), optional(args.precision))?;
    given("--seed", info.seed.to_string(), args.seed.map(|seed| seed.to_string()))?;
    let peak = optional(info.roofline.peak_gb_per_s).unwrap_or_default();
    given("--peak-gbps", peak, optional(args.peak_gbps))?;
    let checks = args.runtime_checks.then(|| true.to_string());
    given("--runtime-checks", info.runtime_checks.to_string(), checks)?;
    Ok(settings)
}

/// Another version may have other kernels, and another revision of one too.
fn same_program(info: &RunInfo) -> Result<(), Difference> {
    same("the version of stridemark", &info.tool_version, VERSION)?;
    same(
        "the revision of stridemark",
        info.git_revision.as_deref().unwrap_or_default(),
        REVISION.unwrap_or_default(),
    )
}

/// The device that the command line names; without one, the one that the run was made on.
fn find_device(args: &RunArgs, info: &RunInfo, path: &Path) -> anyhow::Result<Candidate> {
    if let [selector] = args.device.as_slice() {
        return Ok(select::select(std::slice::from_ref(selector))?.remove(0));
    }
    if !args.device.is_empty() {
        return Err(
            Usage(format!("--resume goes on with one device, and {} are given", args.device.len())).into()
        );
    }
    if info.backend == "fake" {
        return Err(Usage(
            "the run is of a scripted device; name its script with --device fake:FILE".to_owned(),
        )
        .into());
    }
    let is_it = |candidate: &Candidate| same_device(info, &candidate.info).is_ok();
    let all = select::candidates();
    match all.iter().filter(|candidate| is_it(candidate)).count() {
        0 => Err(Usage(format!(
            "can't resume {}: its device is not here ({}:{}, identity {}); there are:\n{}",
            path.display(),
            info.backend,
            info.device.name,
            info.device.identity,
            select::lines(&all)
        ))
        .into()),
        _ => all.into_iter().find(is_it).context("the device was there a moment ago"),
    }
}

/// Another device or driver makes other figures.
fn same_device(info: &RunInfo, now: &DeviceInfo) -> Result<(), Difference> {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    same("the backend", &info.backend, &now.backend)?;
    same("the device", &info.device.name, &now.name)?;
    same("the PCI address", &text(&info.device.pci_bus_id), &text(&now.pci))?;
    same("the driver", &text(&info.device.driver), &text(&now.driver))?;
    same("the device's identity (vendor:device:driver)", &info.device.identity, &now.identity())?;
    same("the shader compiler", &text(&info.shader_compiler), &text(&now.shader_compiler))
}
