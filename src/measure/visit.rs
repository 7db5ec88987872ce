//! One visit of a case: prepare, calibrate and verify it on the first, then take a few samples.

use std::time::Duration;

use crate::device::{Kernel, RawSample, Refusal, Variant, Work};
use crate::predict::{self, NoPrediction};
use crate::record::REFERENCE_CASE;

use super::TWIN_PREFIX;
use super::calibrate::{self, Shape};
use super::journal::{self, FAILED, SKIPPED, Sample, VERIFIED};
use super::progress::State;
use super::reference::Taken;
use super::run::{Bench, Session, Stop};
use super::stop::Verdict;
use super::timer::{PassTime, Rejected};
use super::verify;

/// Samples of a case in one visit.
const PER_VISIT: u32 = 4;
/// Samples of any case between two of the reference kernel.
const REFERENCE_EVERY: u32 = 8;

/// A dispatch longer than 10 ms needs no warming up.
const LONG_DISPATCH_NS: f64 = 10e6;

/// What is sampled, and its place in the journal.
struct Subject<'a> {
    kernel: &'a Kernel,
    variant: Variant,
    shape: Shape,
    name: &'a str,
    number: u32,
}

impl Session<'_> {
    /// One visit; a fault of the case is its failure, one of the device ends the run. A case that is called off
    /// stays as far as it has come.
    pub(super) fn visit(&mut self, index: usize, round: u32, bench: &Bench) -> Result<(), Stop> {
        let result = match self.ready(index, round, bench) {
            Ok(true) => self.sample_visit(index, round, bench),
            Ok(false) => Ok(()),
            Err(stop) => Err(stop),
        };
        match result {
            Err(Stop::Fault(fault)) if !fault.is_cancellation() => {
                self.fail(index, round, &fault.to_string())?;
                if fault.is_fatal() { Err(fault.into()) } else { Ok(()) }
            }
            other => other,
        }
    }

    /// Makes a case ready to be sampled; says whether it is.
    fn ready(&mut self, index: usize, round: u32, bench: &Bench) -> Result<bool, Stop> {
        let progress = &self.outcome.cases[index];
        if matches!(progress.state, State::Sampling | State::Reopened) && progress.shape.is_some() {
            return Ok(true);
        }
        let kernel = match self.device.prepare(&self.outcome.cases[index].case) {
            Ok(kernel) => kernel,
            Err(Refusal::Skip(skip)) => return self.skip(index, round, &skip.to_string()),
            Err(Refusal::Fault(fault)) => return Err(fault.into()),
        };
        self.outcome.cases[index].kernel = Some(kernel.clone());
        self.predict(index);
        let is_cold = self.outcome.cases[index].case.is_cold();
        let mut busy = Duration::ZERO;
        let clock = &bench.checks.clock;
        let calibrated = if is_cold {
            calibrate::calibrate_evicted(self.device, clock, &kernel, &bench.reference, &mut busy)
        } else {
            calibrate::calibrate(self.device, clock, &kernel, Variant::Timed, &mut busy)
                .map(|(shape, _)| Ok(shape))
        };
        self.outcome.busy += busy;
        let shape = match calibrated? {
            Ok(shape) => shape,
            Err(why) => return self.skip(index, round, &why),
        };
        self.outcome.cases[index].shape = Some(shape);
        if let Err(wrong) = verify::verify(self.device, kernel.id, shape.parts())? {
            self.outcome.cases[index].verified = Some(false);
            self.fail(index, round, &wrong.to_string())?;
            return Ok(false);
        }
        journal::event(self.journal, &self.outcome.cases[index].id, round, VERIFIED)?;
        self.outcome.cases[index].verified = Some(true);
        if self.outcome.cases[index].state == State::Pending {
            self.outcome.cases[index].state = State::Sampling;
        }
        if kernel.has_twin {
            let mut busy = Duration::ZERO;
            let calibrated = calibrate::calibrate(self.device, clock, &kernel, Variant::Twin, &mut busy);
            self.outcome.busy += busy;
            self.outcome.cases[index].twin_shape = Some(calibrated?.0);
        }
        Ok(true)
    }

    /// Puts beside a case what the model says of it. A case at a time, before its first sample: a run that is cut
    /// off has predicted what it has measured, and no more.
    pub(super) fn predict(&mut self, index: usize) {
        let Some(machine) = &self.options.machine else { return };
        let progress = &mut self.outcome.cases[index];
        match predict::predict(&progress.case, self.device.limits(), self.device.fill(), machine) {
            Ok(prediction) => progress.prediction = Some(prediction),
            Err(NoPrediction::Skip(_)) => {}
            Err(error) => {
                self.outcome.unpredicted.push(format!("no prediction for {}: {error}", progress.id));
            }
        }
    }

    /// A sample of the twin, then a few of the case, until the stopping rule is content.
    fn sample_visit(&mut self, index: usize, round: u32, bench: &Bench) -> Result<(), Stop> {
        let progress = &self.outcome.cases[index];
        let (Some(kernel), Some(shape)) = (progress.kernel.clone(), progress.shape) else { return Ok(()) };
        let (id, twin_shape) = (progress.id.clone(), progress.twin_shape);
        let is_first = progress.samples.is_empty();
        if let Some(shape) = twin_shape {
            let number = progress.twin_samples.len() as u32;
            let name = format!("{TWIN_PREFIX}{id}");
            let twin = Subject { kernel: &kernel, variant: Variant::Twin, shape, name: &name, number };
            let (taken, spent) = self.sample(&twin, round, bench)?;
            let progress = &mut self.outcome.cases[index];
            progress.spent += spent;
            progress.twin_samples.extend(taken.ok());
        }
        // On the first visit the verification has just run it, unless the twin came in between.
        if !is_first || twin_shape.is_some() {
            self.warm_up(index, &kernel, shape)?;
        }
        for _ in 0..PER_VISIT {
            self.reference_when_due(bench, round)?;
            let progress = &self.outcome.cases[index];
            let number = progress.samples.len() as u32 + progress.rejected;
            let case = Subject { kernel: &kernel, variant: Variant::Timed, shape, name: &id, number };
            let (taken, spent) = self.sample(&case, round, bench)?;
            let progress = &mut self.outcome.cases[index];
            progress.spent += spent;
            progress.dispatches = Some(u64::from(shape.dispatches()));
            match taken {
                Ok(taken) => progress.samples.push(taken),
                Err(rejected) => {
                    progress.rejected += 1;
                    progress.last_rejection = Some(rejected.to_string());
                }
            }
            let is_enough = self.options.rule.verdict(&progress.times(), progress.spent) != Verdict::More;
            if progress.state != State::Reopened && (is_enough || progress.is_hopeless()) {
                progress.state = State::Done;
                break;
            }
        }
        let progress = &mut self.outcome.cases[index];
        if progress.state == State::Reopened {
            progress.state = State::Done;
        }
        Ok(())
    }

    /// One dispatch brings translation tables and instruction caches back; it is no sample. Where dispatches are
    /// so long that this is a trace of them, their time is better spent on samples.
    fn warm_up(&mut self, index: usize, kernel: &Kernel, shape: Shape) -> Result<(), Stop> {
        let is_long = |taken: &Taken| taken.ns > LONG_DISPATCH_NS;
        if let Shape::Dispatches(_) | Shape::Evicted(_) = shape
            && !self.outcome.cases[index].samples.last().is_some_and(is_long)
        {
            self.device.pass(kernel.id, Variant::Timed, Work::Dispatches(1))?;
        }
        Ok(())
    }

    /// Takes one sample and journals it: the passes of its shape, their times added up.
    fn sample(
        &mut self,
        subject: &Subject<'_>,
        round: u32,
        bench: &Bench,
    ) -> Result<(Result<Taken, Rejected>, Duration), Stop> {
        let Subject { kernel, variant, shape, name, number } = *subject;
        let mut spent = Duration::ZERO;
        let mut total: Result<PassTime, Rejected> = Ok(PassTime { ticks: None, ns: 0.0 });
        for work in shape.passes() {
            if let Shape::Evicted(_) = shape {
                spent += self.device.pass(bench.reference.id, Variant::Timed, Work::Dispatches(1))?.wall;
            }
            let raw = self.device.pass(kernel.id, variant, work)?;
            spent += raw.wall;
            total = match (total, self.time(raw, bench)) {
                (Ok(sum), Ok(time)) => Ok(PassTime {
                    ticks: time.ticks.map(|ticks| ticks + sum.ticks.unwrap_or(0)),
                    ns: sum.ns + time.ns,
                }),
                (Err(rejected), _) | (_, Err(rejected)) => Err(rejected),
            };
        }
        self.outcome.busy += spent;
        let seconds = self.seconds();
        let case = name.to_owned();
        journal::sample(
            self.journal,
            &Sample { case, round, number, dispatches: shape.dispatches(), time: total, seconds },
        )?;
        self.since_reference = self.since_reference.saturating_add(1);
        let taken = total.map(|time| Taken { ns: time.ns / f64::from(shape.dispatches()), seconds });
        Ok((taken, spent))
    }

    /// The time of a pass; stamps that are those of the pass before are none.
    fn time(&mut self, raw: RawSample, bench: &Bench) -> Result<PassTime, Rejected> {
        let stale = raw.ticks.is_some() && raw.ticks == self.last_ticks;
        self.last_ticks = raw.ticks;
        let time = bench.checks.clock.time(raw)?;
        if stale { Err(Rejected::Stale) } else { Ok(time) }
    }

    fn reference_when_due(&mut self, bench: &Bench, round: u32) -> Result<(), Stop> {
        if self.since_reference < REFERENCE_EVERY { Ok(()) } else { self.sample_reference(bench, round) }
    }

    /// A sample of the reference kernel.
    pub(super) fn sample_reference(&mut self, bench: &Bench, round: u32) -> Result<(), Stop> {
        let subject = Subject {
            kernel: &bench.reference,
            variant: Variant::Timed,
            shape: bench.checks.reference,
            name: REFERENCE_CASE,
            number: self.reference_samples,
        };
        let (taken, _) = self.sample(&subject, round, bench)?;
        self.outcome.references.extend(taken.ok());
        self.reference_samples += 1;
        self.since_reference = 0;
        Ok(())
    }

    fn skip(&mut self, index: usize, round: u32, why: &str) -> Result<bool, Stop> {
        journal::event(self.journal, &self.outcome.cases[index].id, round, &format!("{SKIPPED}{why}"))?;
        self.outcome.cases[index].state = State::Skipped(why.to_owned());
        Ok(false)
    }

    fn fail(&mut self, index: usize, round: u32, reason: &str) -> Result<(), Stop> {
        journal::event(self.journal, &self.outcome.cases[index].id, round, &format!("{FAILED}{reason}"))?;
        self.outcome.cases[index].state = State::Failed(reason.to_owned());
        Ok(())
    }
}
