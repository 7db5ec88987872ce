//! `stridemark run`: measure devices one after the other, a run directory each, or go on with one.

mod describe;
mod recorder;
mod resume;
mod settings;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use anyhow::Context;

use crate::cli::{Format, RunArgs};
use crate::device::select::{self, Candidate};
use crate::device::{Cancel, Device, Fault};
use crate::measure::run::missing_roof_cases;
use crate::measure::{self, CaseProgress, Options, Outcome, Past, State};
use crate::pattern::Case;
use crate::record::{Journal, RunDir, RunInfo, SettingsInfo, slug};
use crate::report::Run;

use super::progress::Progress;
use super::{Exit, note, select_cases, summary};
use recorder::Recorder;

pub(super) fn run(args: &RunArgs) -> anyhow::Result<Exit> {
    if let Some(dir) = &args.resume {
        return resume::run(args, dir);
    }
    let settings = settings::of(args);
    let cases = select_cases::select(&settings)?;
    let devices = if args.all_devices { select::all() } else { select::select(&args.device)? };
    if args.device.is_empty() && !args.all_devices && devices.iter().all(|d| d.info.backend == "host") {
        note(format_args!("{}; measuring this machine's CPU instead (host)", select::NO_ADAPTER));
    }
    let interrupted = watch_for_interrupts()?;
    let call_started = SystemTime::now();
    let (mut exit, mut runs) = (Exit::Done, Vec::new());
    for candidate in &devices {
        match measure_device(args, &settings, candidate, &cases, &interrupted) {
            Ok((device_exit, run)) => {
                runs.push(run);
                exit = if device_exit == Exit::Done { exit } else { device_exit };
            }
            // The other devices are still worth measuring.
            Err(error) if devices.len() > 1 => {
                note(format_args!("error: {}: {error:#}", candidate.label()));
                exit = Exit::Failed;
            }
            Err(error) => return Err(error),
        }
        if exit == Exit::Interrupted {
            break;
        }
    }
    if runs.len() > 1 && !args.no_charts {
        let time = humantime::format_rfc3339_seconds(call_started).to_string().replace(':', "-");
        summary::compare(&runs, &args.out.join(format!("{time}-devices")))?;
    }
    if args.format == Format::Json {
        summary::print_json(&runs)?;
    }
    Ok(exit)
}

/// Ctrl-C ends the run after the sample in hand; a second one ends the program.
fn watch_for_interrupts() -> anyhow::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let seen = Arc::clone(&interrupted);
    ctrlc::set_handler(move || {
        if seen.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    })
    .context("can't listen for Ctrl-C")?;
    Ok(interrupted)
}

/// Measures a device into a new directory.
fn measure_device(
    args: &RunArgs,
    settings: &SettingsInfo,
    candidate: &Candidate,
    cases: &[Case],
    interrupted: &Arc<AtomicBool>,
) -> anyhow::Result<(Exit, Run)> {
    let (started, clock) = (SystemTime::now(), Instant::now());
    let options = settings::open_options(args, settings);
    let device = candidate.open(&options).with_context(|| candidate.label())?;
    let info = describe::run_info(device.as_ref(), args, settings, started);
    let slug = slug(&candidate.info.backend, &candidate.info.name, candidate.distinction.as_deref());
    let dir = RunDir::create(&args.out, &slug, started)?;
    let past = Past::none(with_roof(cases));
    note(format_args!(
        "{}: {} cases into {}; the device is checked first",
        candidate.label(),
        past.cases.len(),
        dir.path().display()
    ));
    dir.write_info(&info)?;
    let journal = dir.start_journal()?;
    measure(args, Ready { device, dir, info, past, journal, clock }, interrupted)
}

/// The cases of a selection and those that the roof needs, none of them visited.
fn with_roof(cases: &[Case]) -> Vec<CaseProgress> {
    let missing = missing_roof_cases(cases);
    cases.iter().cloned().chain(missing).map(CaseProgress::new).collect()
}

/// A run that can start, or go on.
struct Ready {
    device: Box<dyn Device>,
    dir: RunDir,
    info: RunInfo,
    past: Past,
    journal: Journal,
    /// When work on the device began, which `--max-time` counts from.
    clock: Instant,
}

/// Measures until the run is complete, and shows it.
fn measure(args: &RunArgs, ready: Ready, interrupted: &Arc<AtomicBool>) -> anyhow::Result<(Exit, Run)> {
    let Ready { mut device, dir, mut info, past, mut journal, clock } = ready;
    if let Some(cut) = device.footprint_cut() {
        note(cut);
        info.notes.push(cut.to_owned());
    }
    let rule = settings::stopping_rule(&info);
    let most = args.max_time.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let options = Options {
        rule,
        machine: describe::machine(device.info()),
        seed: info.seed,
        cancel: Cancel::new(Arc::clone(interrupted), clock, most),
    };
    let progress = Progress::new(&past.cases, rule, options.cancel.clone());
    let mut recorder = Recorder::new(&dir, device.info().clone(), info, rule, progress);
    let outcome = measure::run(device.as_mut(), past, &options, &mut journal, &mut recorder)?;
    let info = recorder.finish(&outcome, clock.elapsed())?;
    // What failed is told whether or not the summary can be shown.
    let shown = summary::show(args, &dir, &info);
    let exit = conclude(&outcome, &dir);
    Ok((exit, shown?))
}

/// A fault and what to try where no case is to blame.
fn advised(fault: &Fault) -> String {
    match fault {
        Fault::OutOfMemory(_) => format!("{fault}, or another --device"),
        _ => {
            format!("{fault}; try a smaller --footprint, or another --device (`stridemark list` names them)")
        }
    }
}

/// Tells how a run has ended, and what failed in it.
fn conclude(outcome: &Outcome, dir: &RunDir) -> Exit {
    let dir = dir.path().display();
    match &outcome.ended_by {
        Some(Fault::Interrupted) => {
            note(format_args!("interrupted; what was measured is in {dir}; go on with --resume {dir}"));
            return Exit::Interrupted;
        }
        Some(Fault::OutOfTime) if outcome.cases.iter().all(|case| case.samples.is_empty()) => {
            note(
                "error: --max-time was up before the first sample of a case, so nothing is measured; raise it, or \
                 ask for less with --footprint",
            );
            return Exit::Failed;
        }
        Some(Fault::OutOfTime) => {
            note(format_args!(
                "--max-time reached; what was measured is in {dir}; go on with --resume {dir}"
            ));
        }
        Some(fault) if outcome.selfcheck.is_none() => {
            note(format_args!(
                "error: the reference kernel, which every run needs, failed: {}",
                advised(fault)
            ));
            return Exit::Failed;
        }
        Some(fault) => {
            let has_failed = |case: &CaseProgress| case.state == State::Failed(fault.to_string());
            let without =
                if outcome.cases.iter().any(has_failed) { " without the case that caused it" } else { "" };
            note(format_args!("error: {fault}; go on{without} with --resume {dir}"));
            return Exit::Failed;
        }
        None => {}
    }
    let failed: Vec<_> = outcome
        .cases
        .iter()
        .filter_map(|case| match &case.state {
            State::Failed(reason) => Some(format!("  {}: {reason}", case.id)),
            State::Done if case.samples.is_empty() => Some(format!("  {}: no usable sample", case.id)),
            _ => None,
        })
        .collect();
    if failed.is_empty() {
        return Exit::Done;
    }
    note(format_args!(
        "error: {} of {} cases failed:\n{}",
        failed.len(),
        outcome.cases.len(),
        failed.join("\n")
    ));
    Exit::Failed
}
