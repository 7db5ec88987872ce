//! The measuring of one device: self-checks, warm-up, then rounds of visits until every case is done.

use std::time::{Duration, Instant};

use crate::device::{Cancel, Device, Fault, Kernel, Refusal};
use crate::model::Machine;
use crate::pattern::{self, Case, Purpose};
use crate::record::{Journal, RecordError};

use super::estimate::{self, Costs};
use super::progress::{CaseProgress, State};
use super::reference::{Findings, Taken};
use super::resume::Past;
use super::schedule;
use super::selfcheck::{self, SelfCheck};
use super::stop::StoppingRule;
use super::warmup;

/// The case that the reference kernel runs.
const REFERENCE_KERNEL: &str = "contiguous/op=read/type=u32x4";
/// A case that has not seen both speeds of the machine may take so many budgets.
const BUDGETS_AT_TWO_SPEEDS: u32 = 2;

/// What the caller chooses about measuring.
#[derive(Clone, Debug)]
pub struct Options {
    /// When a case has enough samples.
    pub rule: StoppingRule,
    /// The machine that cases are predicted for; `None` where they are native code.
    pub machine: Option<Machine>,
    /// Seed of the schedule.
    pub seed: u64,
    /// When the run must end.
    pub cancel: Cancel,
}

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Every case, in the order given.
    pub cases: Vec<CaseProgress>,
    /// The self-checks; absent where the reference kernel could not run.
    pub selfcheck: Option<SelfCheck>,
    /// Device time of all timed passes.
    pub busy: Duration,
    /// The accepted samples of the reference kernel.
    pub references: Vec<Taken>,
    /// What could not be predicted though it should, in words.
    pub unpredicted: Vec<String>,
    /// What ended the run early: a fault of the device, or [a cancellation](Fault::is_cancellation).
    pub ended_by: Option<Fault>,
}

/// Who watches a run. Every call comes after its sample is in the journal.
pub trait Observer {
    /// The self-checks are done; the rest should take so many seconds.
    fn checked(&mut self, selfcheck: &SelfCheck, seconds: f64);
    /// A visit begins.
    fn visiting(&mut self, progress: &CaseProgress, round: u32);
    /// A visit ended; `open` cases want more.
    fn visited(&mut self, progress: &CaseProgress, open: usize);
    /// A round ended: the time to save what is known.
    ///
    /// # Errors
    /// When it can't be saved.
    fn round_ended(&mut self, cases: &[CaseProgress], findings: &Findings) -> Result<(), RecordError>;
}

/// Measures the open cases of a run on a device.
///
/// # Errors
/// When the journal can't be written. Faults of the device are part of the [`Outcome`].
pub fn run(
    device: &mut dyn Device,
    past: Past,
    options: &Options,
    journal: &mut Journal,
    observer: &mut dyn Observer,
) -> Result<Outcome, RecordError> {
    device.cancel_on(options.cancel.clone());
    let mut session = Session {
        start: device.now(),
        past_seconds: past.seconds,
        device,
        options,
        journal,
        since_reference: u32::MAX,
        reference_samples: past.reference_samples,
        last_ticks: None,
        outcome: Outcome {
            cases: past.cases,
            selfcheck: None,
            busy: Duration::ZERO,
            references: past.references,
            unpredicted: Vec::new(),
            ended_by: None,
        },
    };
    match session.measure(past.round, observer) {
        Ok(()) => {}
        Err(Stop::Fault(fault)) => session.outcome.ended_by = Some(fault),
        Err(Stop::Record(error)) => return Err(error),
    }
    Ok(session.outcome)
}

/// Why measuring ends before its time.
pub(super) enum Stop {
    Fault(Fault),
    Record(RecordError),
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Stop {
        Stop::Fault(fault)
    }
}

impl From<RecordError> for Stop {
    fn from(error: RecordError) -> Stop {
        Stop::Record(error)
    }
}

/// A run in progress; the visits are in [`super::visit`].
pub(super) struct Session<'a> {
    pub(super) device: &'a mut dyn Device,
    pub(super) options: &'a Options,
    pub(super) journal: &'a mut Journal,
    pub(super) outcome: Outcome,
    /// Samples since the last one of the reference kernel.
    pub(super) since_reference: u32,
    /// Samples of the reference kernel, rejected ones too.
    pub(super) reference_samples: u32,
    /// The stamps of the last pass of a sample.
    pub(super) last_ticks: Option<[u64; 2]>,
    start: Instant,
    /// How long the run had lasted when it was cut off.
    past_seconds: f64,
}

/// What every visit needs.
pub(super) struct Bench {
    pub(super) reference: Kernel,
    pub(super) checks: SelfCheck,
}

impl Session<'_> {
    fn measure(&mut self, first_round: u32, observer: &mut dyn Observer) -> Result<(), Stop> {
        let bench = self.set_up(observer)?;
        self.prepare_finished()?;
        for round in first_round.. {
            for index in schedule::order(self.options.seed, round, self.outcome.cases.len()) {
                if !self.outcome.cases[index].is_open() {
                    continue;
                }
                self.check_time()?;
                observer.visiting(&self.outcome.cases[index], round);
                self.visit(index, round, &bench)?;
                self.release_if_closed(index);
                let open = self.outcome.cases.iter().filter(|case| case.is_open()).count();
                observer.visited(&self.outcome.cases[index], open);
            }
            // The samples after the last one of the reference kernel have it on one side only.
            self.sample_reference(&bench, round)?;
            let findings = Findings::of(&self.outcome.references);
            self.reopen(&findings);
            observer.round_ended(&self.outcome.cases, &findings)?;
            if !self.outcome.cases.iter().any(CaseProgress::is_open) {
                break;
            }
        }
        Ok(())
    }

    /// Prepares the reference kernel, checks the device with it and warms the device up.
    fn set_up(&mut self, observer: &mut dyn Observer) -> Result<Bench, Stop> {
        let before = self.device.now();
        let reference = match self.device.prepare(&reference_case()) {
            Ok(kernel) => kernel,
            Err(Refusal::Fault(fault)) => return Err(fault.into()),
            Err(Refusal::Skip(skip)) => {
                return Err(Fault::Rejected(format!("reference kernel: {skip}")).into());
            }
        };
        let prepare = self.device.now().saturating_duration_since(before);
        let mut checks = selfcheck::run(self.device, &reference)?;
        let warm_up = warmup::run(self.device, &checks.clock, &reference, checks.reference)?;
        checks.busy += warm_up.took;
        checks.checks.push(warm_up.check());
        self.outcome.busy += checks.busy;
        self.outcome.selfcheck = Some(checks.clone());
        let sample = warm_up.sample_ns.unwrap_or_default() / 1e9;
        let costs = Costs {
            prepare: prepare.as_secs_f64(),
            verify: checks.verify.as_secs_f64(),
            dispatch: sample / f64::from(checks.reference.dispatches()),
            sample,
        };
        let open = self.outcome.cases.iter().filter(|case| case.is_open()).count();
        let estimate = estimate::seconds(open, &costs, &self.options.rule);
        let left = self.options.cancel.time_left(self.device.now());
        observer.checked(&checks, left.map_or(estimate, |left| estimate.min(left.as_secs_f64())));
        Ok(Bench { reference, checks })
    }

    /// Learns again what the rows of finished cases need, after a resumption: their kernels' facts, and
    /// predictions as long as there is time.
    fn prepare_finished(&mut self) -> Result<(), Stop> {
        for index in 0..self.outcome.cases.len() {
            let progress = &self.outcome.cases[index];
            if progress.state != State::Done || progress.kernel.is_some() {
                continue;
            }
            match self.device.prepare(&progress.case) {
                Ok(kernel) => {
                    self.outcome.cases[index].kernel = Some(kernel);
                    self.release_if_closed(index);
                    if self.check_time().is_ok() {
                        self.predict(index);
                    }
                }
                Err(Refusal::Fault(fault)) if fault.is_fatal() => return Err(fault.into()),
                Err(refusal) => self.outcome.cases[index].state = State::Failed(refusal.to_string()),
            }
        }
        Ok(())
    }

    /// Lets the device free what a case without further visits holds.
    fn release_if_closed(&mut self, index: usize) {
        let case = &self.outcome.cases[index];
        if let (false, Some(kernel)) = (case.is_open(), &case.kernel) {
            self.device.release(kernel.id);
        }
    }

    /// Opens cases again that were sampled at one of two speeds only, within bounds.
    fn reopen(&mut self, findings: &Findings) {
        let most = self.options.rule.budget * BUDGETS_AT_TWO_SPEEDS;
        for case in self.outcome.cases.iter_mut().filter(|case| case.state == State::Done) {
            if case.kernel.is_some() && case.spent < most && !findings.has_seen_both(&case.samples) {
                case.state = State::Reopened;
            }
        }
    }

    /// Whether there is time for more.
    fn check_time(&self) -> Result<(), Fault> {
        self.options.cancel.check(self.device.now())
    }

    /// Seconds since the run started, the time between a run and its resumption left out.
    pub(super) fn seconds(&self) -> f64 {
        self.past_seconds + self.device.now().saturating_duration_since(self.start).as_secs_f64()
    }
}

/// The case that the reference kernel runs.
///
/// # Panics
/// Never: the registry has it, and a test says so.
pub fn reference_case() -> Case {
    pattern::cases(pattern::Depth::Full)
        .into_iter()
        .find(|case| case.id() == REFERENCE_KERNEL)
        .expect("the registry has the reference kernel")
}

/// The cases of the roof that a selection lacks.
pub fn missing_roof_cases(selected: &[Case]) -> Vec<Case> {
    pattern::cases(pattern::Depth::Quick)
        .into_iter()
        .filter(|case| (case.pattern.purpose)(case) == Purpose::Roof && !selected.contains(case))
        .collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_registry_has_the_reference_kernel() {
        assert_eq!(super::reference_case().id(), super::REFERENCE_KERNEL);
    }
}
