//! `stridemark run`: measure devices one after the other, a run directory each.

mod describe;
mod predictions;
mod recorder;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use anyhow::Context;

use crate::cli::{Format, RunArgs};
use crate::device::gpu::OpenOptions;
use crate::device::select::{self, Candidate};
use crate::measure::run::missing_roof_cases;
use crate::measure::stop::StoppingRule;
use crate::measure::{self, Options, Outcome, State};
use crate::pattern::Case;
use crate::record::{RunDir, slug};
use crate::report::Run;

use super::progress::Progress;
use super::{Exit, note, select_cases, summary};
use recorder::Recorder;

/// Fewest samples before a case may be called precise.
const MIN_SAMPLES: usize = 10;

pub(super) fn run(args: &RunArgs) -> anyhow::Result<Exit> {
    let cases = select_cases::select(args)?;
    let devices = if args.all_devices { select::all() } else { select::select(&args.device)? };
    if args.device.is_empty() && !args.all_devices && devices.iter().all(|d| d.info.backend == "host") {
        note(format_args!("{}; measuring this machine's CPU instead (host)", select::NO_ADAPTER));
    }
    let interrupted = watch_for_interrupts()?;
    let call_started = SystemTime::now();
    let (mut exit, mut runs) = (Exit::Done, Vec::new());
    for candidate in &devices {
        match measure_device(args, candidate, &cases, &interrupted) {
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

/// The stopping rule of a depth.
fn stopping_rule(args: &RunArgs) -> StoppingRule {
    let budget = args.budget.unwrap_or(if args.quick { 0.2 } else { 0.3 });
    StoppingRule {
        precision: args.precision / 100.0,
        min_samples: MIN_SAMPLES,
        budget: Duration::from_secs_f64(budget),
    }
}

fn measure_device(
    args: &RunArgs,
    candidate: &Candidate,
    cases: &[Case],
    interrupted: &Arc<AtomicBool>,
) -> anyhow::Result<(Exit, Run)> {
    let started = SystemTime::now();
    let clock = Instant::now();
    let options =
        OpenOptions { footprint: args.footprint, runtime_checks: args.runtime_checks, seed: args.seed };
    let mut device = candidate.open(&options).with_context(|| candidate.label())?;
    let mut cases = cases.to_vec();
    cases.extend(missing_roof_cases(&cases));
    let rule = stopping_rule(args);

    let slug = slug(&candidate.info.backend, &candidate.info.name, candidate.distinction.as_deref());
    let dir = RunDir::create(&args.out, &slug, started)?;
    let mut info = describe::run_info(device.info(), device.limits(), args, started);
    note(format_args!(
        "{}: {} cases, about {:.0} s, into {}",
        candidate.label(),
        cases.len(),
        estimate(cases.len(), &rule),
        dir.path().display()
    ));
    let cases = predictions::with_predictions(cases, device.as_ref(), interrupted, &mut info);
    dir.write_info(&info)?;
    let mut journal = dir.start_journal()?;

    let progress = Progress::new(cases.len(), rule);
    let mut recorder = Recorder::new(&dir, device.info().clone(), info, rule, progress);
    let outcome = measure::run(
        device.as_mut(),
        cases,
        &Options {
            rule,
            max_time: args.max_time.map(Duration::from_secs_f64),
            seed: args.seed,
            interrupted: Arc::clone(interrupted),
        },
        &mut journal,
        &mut recorder,
    )?;
    let info = recorder.finish(&outcome, clock.elapsed())?;
    let run = summary::show(args, &dir, &info)?;
    Ok((conclude(&outcome, dir.path()), run))
}

/// Seconds that a run will take: most cases reach the precision or their budget, and each costs a
/// compilation and a check.
fn estimate(cases: usize, rule: &StoppingRule) -> f64 {
    const OVERHEAD_S: f64 = 0.15;
    cases as f64 * (rule.budget.as_secs_f64() + OVERHEAD_S)
}

fn conclude(outcome: &Outcome, dir: &Path) -> Exit {
    if outcome.interrupted {
        note(format_args!("interrupted; what was measured is in {}", dir.display()));
        return Exit::Interrupted;
    }
    if let Some(fault) = &outcome.fatal {
        note(format_args!("error: {fault}"));
        return Exit::Failed;
    }
    if outcome.out_of_time {
        note(format_args!("--max-time reached; what was measured is in {}", dir.display()));
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
