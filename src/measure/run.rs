//! The measuring of one device: rounds of visits, each visit a few samples of one case.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::device::{Device, Fault, Kernel, Refusal, Variant};
use crate::pattern::{self, Case, Purpose};
use crate::record::{Journal, REFERENCE_CASE, RecordError};
use crate::stats;

use super::calibrate::{Shape, calibrate};
use super::journal::{self, FAILED, SKIPPED, Sample, VERIFIED};
use super::progress::{CaseProgress, State};
use super::selfcheck::{self, SelfCheck};
use super::stop::{StoppingRule, Verdict};
use super::timer::{PassTime, Rejected};
use super::{TWIN_PREFIX, schedule, verify};

/// Samples of a case in one visit.
const PER_VISIT: u32 = 4;
/// Samples of the twin in one visit.
const TWINS_PER_VISIT: u32 = 1;
/// Samples of any case between two of the reference kernel.
const REFERENCE_EVERY: u32 = 8;
/// Rejected samples in a row after which a case is given up.
const REJECTIONS: u32 = 8;
/// The case that the reference kernel runs.
const REFERENCE_KERNEL: &str = "contiguous/op=read/type=u32x4";

/// What the caller chooses about measuring.
#[derive(Clone, Debug)]
pub struct Options {
    /// When a case has enough samples.
    pub rule: StoppingRule,
    /// When the run must end.
    pub max_time: Option<Duration>,
    /// Seed of the schedule.
    pub seed: u64,
    /// Set from outside to end the run after the sample in hand.
    pub interrupted: Arc<AtomicBool>,
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
    /// The accepted samples of the reference kernel: seconds since the start, nanoseconds of a dispatch.
    pub references: Vec<(f64, f64)>,
    /// The fault that ended the run early.
    pub fatal: Option<Fault>,
    /// Whether it was interrupted.
    pub interrupted: bool,
    /// Whether `max_time` ended it.
    pub out_of_time: bool,
}

/// Who watches a run. Every call comes after its sample is in the journal.
pub trait Observer {
    /// A visit begins.
    fn visiting(&mut self, progress: &CaseProgress, round: u32);
    /// A visit ended; `open` cases want more.
    fn visited(&mut self, progress: &CaseProgress, open: usize);
    /// A round ended: the time to save what is known.
    ///
    /// # Errors
    /// When it can't be saved.
    fn round_ended(&mut self, cases: &[CaseProgress], selfcheck: &SelfCheck) -> Result<(), RecordError>;
}

/// Measures cases on a device.
///
/// # Errors
/// When the journal can't be written. Faults of the device are part of the [`Outcome`].
pub fn run(
    device: &mut dyn Device,
    cases: Vec<CaseProgress>,
    options: &Options,
    journal: &mut Journal,
    observer: &mut dyn Observer,
) -> Result<Outcome, RecordError> {
    let outcome = Outcome {
        cases,
        selfcheck: None,
        busy: Duration::ZERO,
        references: Vec::new(),
        fatal: None,
        interrupted: false,
        out_of_time: false,
    };
    let mut session = Session {
        device,
        options,
        journal,
        outcome,
        start: Instant::now(),
        since_reference: 0,
        references: 0,
    };
    match session.measure(observer) {
        Ok(()) => {}
        Err(Stop::Fault(fault)) => session.outcome.fatal = Some(fault),
        Err(Stop::Record(error)) => return Err(error),
    }
    Ok(session.outcome)
}

/// Why measuring ends before its time.
enum Stop {
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

struct Session<'a> {
    device: &'a mut dyn Device,
    options: &'a Options,
    journal: &'a mut Journal,
    outcome: Outcome,
    start: Instant,
    since_reference: u32,
    references: u32,
}

impl Session<'_> {
    fn measure(&mut self, observer: &mut dyn Observer) -> Result<(), Stop> {
        let reference = self.prepare_reference()?;
        let checks = selfcheck::run(self.device, &reference)?;
        self.outcome.busy += checks.busy;
        self.outcome.selfcheck = Some(checks.clone());
        for round in 0.. {
            for index in schedule::order(self.options.seed, round, self.outcome.cases.len()) {
                if !self.outcome.cases[index].is_open() {
                    continue;
                }
                if self.must_end() {
                    return Ok(());
                }
                observer.visiting(&self.outcome.cases[index], round);
                self.visit(index, round, &checks, &reference)?;
                let open = self.outcome.cases.iter().filter(|case| case.is_open()).count();
                observer.visited(&self.outcome.cases[index], open);
            }
            observer.round_ended(&self.outcome.cases, &checks)?;
            if !self.outcome.cases.iter().any(CaseProgress::is_open) {
                break;
            }
        }
        Ok(())
    }

    fn must_end(&mut self) -> bool {
        self.outcome.interrupted = self.options.interrupted.load(Ordering::Relaxed);
        self.outcome.out_of_time = self.options.max_time.is_some_and(|most| self.start.elapsed() >= most);
        self.outcome.interrupted || self.outcome.out_of_time
    }

    fn prepare_reference(&mut self) -> Result<Kernel, Stop> {
        let case = reference_case();
        match self.device.prepare(&case) {
            Ok(kernel) => Ok(kernel),
            Err(Refusal::Fault(fault)) => Err(fault.into()),
            Err(Refusal::Skip(skip)) => Err(Fault::Rejected(format!("reference kernel: {skip}")).into()),
        }
    }

    /// One visit: on the first, prepare, calibrate and verify; then a few samples.
    fn visit(
        &mut self,
        index: usize,
        round: u32,
        checks: &SelfCheck,
        reference: &Kernel,
    ) -> Result<(), Stop> {
        let prepared = self.ready(index, round, checks);
        let result = match prepared {
            Ok(true) => self.sample_visit(index, round, checks, reference),
            Ok(false) => Ok(()),
            Err(stop) => Err(stop),
        };
        match result {
            Err(Stop::Fault(fault)) => {
                self.fail(index, round, &fault.to_string())?;
                if fault.is_fatal() { Err(fault.into()) } else { Ok(()) }
            }
            other => other,
        }
    }

    /// Makes a case ready to be sampled; says whether it is.
    fn ready(&mut self, index: usize, round: u32, checks: &SelfCheck) -> Result<bool, Stop> {
        if self.outcome.cases[index].state == State::Sampling && self.outcome.cases[index].kernel.is_some() {
            return Ok(true);
        }
        let kernel = match self.device.prepare(&self.outcome.cases[index].case) {
            Ok(kernel) => kernel,
            Err(Refusal::Skip(skip)) => {
                journal::event(
                    self.journal,
                    &self.outcome.cases[index].id,
                    round,
                    &format!("{SKIPPED}{skip}"),
                )?;
                self.outcome.cases[index].state = State::Skipped(skip.to_string());
                return Ok(false);
            }
            Err(Refusal::Fault(fault)) => return Err(fault.into()),
        };
        self.outcome.cases[index].kernel = Some(kernel.clone());
        let mut busy = Duration::ZERO;
        let calibrated = calibrate(self.device, &checks.clock, &kernel, Variant::Timed, &mut busy);
        self.outcome.busy += busy;
        let (shape, _) = calibrated?;
        self.outcome.cases[index].shape = Some(shape);
        if let Err(wrong) = verify::verify(self.device, kernel.id, shape.parts())? {
            self.outcome.cases[index].verified = Some(false);
            self.fail(index, round, &wrong.to_string())?;
            return Ok(false);
        }
        journal::event(self.journal, &self.outcome.cases[index].id, round, VERIFIED)?;
        self.outcome.cases[index].verified = Some(true);
        self.outcome.cases[index].state = State::Sampling;
        if kernel.has_twin {
            let mut busy = Duration::ZERO;
            let calibrated = calibrate(self.device, &checks.clock, &kernel, Variant::Twin, &mut busy);
            self.outcome.busy += busy;
            self.outcome.cases[index].twin_shape = Some(calibrated?.0);
        }
        Ok(true)
    }

    fn sample_visit(
        &mut self,
        index: usize,
        round: u32,
        checks: &SelfCheck,
        reference: &Kernel,
    ) -> Result<(), Stop> {
        let progress = &self.outcome.cases[index];
        let (Some(kernel), Some(shape)) = (progress.kernel.clone(), progress.shape) else { return Ok(()) };
        let (id, twin_shape) = (progress.id.clone(), progress.twin_shape);
        if let Some(twin_shape) = twin_shape {
            for _ in 0..TWINS_PER_VISIT {
                let number = self.outcome.cases[index].twin_samples.len() as u32;
                let name = format!("{TWIN_PREFIX}{id}");
                let (time, spent) =
                    self.sample(&kernel, Variant::Twin, twin_shape, checks, name, round, number)?;
                let progress = &mut self.outcome.cases[index];
                progress.spent += spent;
                progress
                    .twin_samples
                    .extend(time.ok().map(|time| time.ns / f64::from(twin_shape.dispatches())));
            }
        }
        // One dispatch brings translation tables and instruction caches back; it is no sample.
        let warm_up = self.device.pass(
            kernel.id,
            Variant::Timed,
            shape.passes().next().unwrap_or(crate::device::Work::Empty),
        );
        warm_up?;
        let mut rejections = 0;
        for _ in 0..PER_VISIT {
            self.reference_when_due(checks, reference, round)?;
            let progress = &self.outcome.cases[index];
            let number = progress.samples.len() as u32 + progress.rejected;
            let (time, spent) =
                self.sample(&kernel, Variant::Timed, shape, checks, id.clone(), round, number)?;
            let progress = &mut self.outcome.cases[index];
            progress.spent += spent;
            match time {
                Ok(time) => progress.samples.push(time.ns / f64::from(shape.dispatches())),
                Err(rejected) => {
                    progress.rejected += 1;
                    progress.last_rejection = Some(rejected.to_string());
                    rejections += 1;
                }
            }
            if self.options.rule.verdict(&progress.samples, progress.spent) != Verdict::More
                || (progress.samples.is_empty() && progress.rejected >= REJECTIONS)
            {
                progress.state = State::Done;
                break;
            }
            if self.options.interrupted.load(Ordering::Relaxed) || rejections == PER_VISIT {
                break;
            }
        }
        Ok(())
    }

    /// Takes one sample and journals it: the passes of its shape, their times added up.
    #[expect(clippy::too_many_arguments, reason = "what a sample is and where it stands in the journal")]
    fn sample(
        &mut self,
        kernel: &Kernel,
        variant: Variant,
        shape: Shape,
        checks: &SelfCheck,
        case: String,
        round: u32,
        number: u32,
    ) -> Result<(Result<PassTime, Rejected>, Duration), Stop> {
        let mut spent = Duration::ZERO;
        let mut total: Result<PassTime, Rejected> = Ok(PassTime { ticks: None, ns: 0.0 });
        for work in shape.passes() {
            let raw = self.device.pass(kernel.id, variant, work)?;
            spent += raw.wall;
            total = match (total, checks.clock.time(raw)) {
                (Ok(sum), Ok(time)) => Ok(PassTime {
                    ticks: time.ticks.map(|ticks| ticks + sum.ticks.unwrap_or(0)),
                    ns: sum.ns + time.ns,
                }),
                (Err(rejected), _) | (_, Err(rejected)) => Err(rejected),
            };
        }
        self.outcome.busy += spent;
        let sample = Sample { case, round, number, dispatches: shape.dispatches(), time: total };
        journal::sample(self.journal, &sample)?;
        self.since_reference += 1;
        Ok((total, spent))
    }

    fn reference_when_due(&mut self, checks: &SelfCheck, reference: &Kernel, round: u32) -> Result<(), Stop> {
        if self.since_reference < REFERENCE_EVERY && self.references > 0 {
            return Ok(());
        }
        let (number, shape) = (self.references, checks.reference);
        let name = REFERENCE_CASE.to_owned();
        let (time, _) = self.sample(reference, Variant::Timed, shape, checks, name, round, number)?;
        if let Ok(time) = time {
            let seconds = self.start.elapsed().as_secs_f64();
            self.outcome.references.push((seconds, time.ns / f64::from(shape.dispatches())));
        }
        self.references += 1;
        self.since_reference = 0;
        Ok(())
    }

    fn fail(&mut self, index: usize, round: u32, reason: &str) -> Result<(), Stop> {
        journal::event(self.journal, &self.outcome.cases[index].id, round, &format!("{FAILED}{reason}"))?;
        self.outcome.cases[index].state = State::Failed(reason.to_owned());
        Ok(())
    }
}

/// What the reference kernel tells of the device's speed over the run, in words: the stretch that stands out.
pub fn drift(references: &[(f64, f64)]) -> Option<String> {
    let times: Vec<f64> = references.iter().map(|(_, ns)| *ns).collect();
    let episode = stats::episode(&times)?;
    let (first, last) = (references.get(episode.start)?.0, references.get(episode.end.checked_sub(1)?)?.0);
    let (word, change) =
        if episode.ratio > 1.0 { ("slower", episode.ratio - 1.0) } else { ("faster", 1.0 - episode.ratio) };
    Some(format!(
        "the reference kernel ran {:.0} % {word} between {first:.0} s and {last:.0} s: \
         differences of that size between cases may be the machine's",
        100.0 * change
    ))
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
