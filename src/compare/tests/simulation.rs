//! Runs of a machine that never existed: noise, outliers, drift and two speeds as they have been seen on
//! real ones, in the order in which a real run takes its samples.

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;

use crate::compare::{Run, RunCase};
use crate::record::{CaseRow, REFERENCE_CASE, SampleRow, Status, tests::info};
use crate::stats;

/// How the machine misbehaves during a run.
#[derive(Clone, Copy, Debug)]
pub(super) enum Machine {
    /// One speed.
    Steady,
    /// Slower or faster by up to this share from start to end.
    Drifting(f64),
    /// Flips between full speed and this many times the time; at any sample with the given chance.
    TwoSpeeds(f64, f64),
    /// Others take a share of it that changes with the given chance at any sample: times are longer by the
    /// exponential of a half-normal number with that deviation.
    Contended(f64, f64),
    /// This many times the time, all along.
    Level(f64),
}

/// A case of the simulation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subject {
    pub(super) ns: f64,
    /// 1 follows the machine's speed, 0 ignores it.
    pub(super) sensitivity: f64,
}

/// Uniform and normal numbers.
pub(super) struct Chance(Pcg64Mcg);

impl Chance {
    pub(super) fn new(seed: u64) -> Chance {
        Chance(Pcg64Mcg::new((u128::from(seed) << 64) | 0x9e37_79b9_7f4a_7c15))
    }

    pub(super) fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (2.0 * std::f64::consts::PI * self.uniform()).cos()
    }
}

/// What a run is made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan<'a> {
    pub(super) subjects: &'a [Subject],
    pub(super) machine: Machine,
    pub(super) rounds: u32,
    /// Standard deviation of the logarithm of a sample.
    pub(super) noise: f64,
}

/// Samples at a visit, and samples between two of the reference kernel: those of `measure`.
const PER_VISIT: u32 = 4;
const REFERENCE_EVERY: u32 = 8;
/// One sample in forty is an outlier, up to three times as long.
const OUTLIERS: f64 = 0.025;

/// The journal of a run.
pub(super) fn journal(plan: &Plan<'_>, seed: u64) -> Vec<SampleRow> {
    let mut chance = Chance::new(seed);
    let total = f64::from(plan.rounds * PER_VISIT) * plan.subjects.len() as f64 * 1.125;
    let trend = if chance.uniform() < 0.5 { -1.0 } else { 1.0 };
    let mut slow = chance.uniform() < 0.5;
    let mut taken = 1.0;
    let mut rows: Vec<SampleRow> = Vec::new();
    let mut sample = |case: &str, subject: Subject, round: u32, rows: &mut Vec<SampleRow>| {
        let speed = match plan.machine {
            Machine::Steady => 1.0,
            Machine::Drifting(share) => 1.0 + trend * share * rows.len() as f64 / total,
            Machine::TwoSpeeds(factor, chance_of_flip) => {
                slow ^= chance.uniform() < chance_of_flip;
                if slow { factor } else { 1.0 }
            }
            Machine::Contended(deviation, chance_of_change) => {
                if rows.is_empty() || chance.uniform() < chance_of_change {
                    taken = (deviation * chance.normal().abs()).exp();
                }
                taken
            }
            Machine::Level(factor) => factor,
        };
        let mut ns = subject.ns * speed.powf(subject.sensitivity) * (plan.noise * chance.normal()).exp();
        if chance.uniform() < OUTLIERS {
            ns *= 1.2 + 1.8 * chance.uniform();
        }
        rows.push(SampleRow {
            case: case.to_owned(),
            round,
            sample: 0,
            dispatches: 8,
            ticks: None,
            ns: Some(ns),
            accepted: true,
            reason: None,
            seconds: None,
        });
    };
    let reference = Subject { ns: 2e6, sensitivity: 1.0 };
    let mut since = REFERENCE_EVERY;
    for round in 0..plan.rounds {
        for index in crate::measure::schedule::order(seed, round, plan.subjects.len()) {
            for _ in 0..PER_VISIT {
                if since >= REFERENCE_EVERY {
                    sample(REFERENCE_CASE, reference, round, &mut rows);
                    since = 0;
                }
                sample(&name(index), plan.subjects[index], round, &mut rows);
                since += 1;
            }
        }
    }
    rows
}

/// The id of a simulated case.
pub(super) fn name(index: usize) -> String {
    format!("stride/op=read/type=u32/stride_bytes={}", 4 * (index + 1))
}

/// A run with its table, as the recorder would have written it.
pub(super) fn run(label: &str, plan: &Plan<'_>, seed: u64) -> Run {
    let samples = journal(plan, seed);
    let cases = (0..plan.subjects.len())
        .map(|index| {
            let case = name(index);
            let times: Vec<f64> =
                samples.iter().filter(|row| row.case == case).filter_map(|row| row.ns).collect();
            let mut row = CaseRow::new("fake", "fake", "stride", &case, Status::Ok);
            let interval = stats::median_interval(&times);
            row.median_ns = stats::median(&times);
            row.ci95_low_ns = interval.map(|interval| interval.low);
            row.ci95_high_ns = interval.map(|interval| interval.high);
            row.footprint_bytes = Some(64 << 20);
            RunCase::from(&row)
        })
        .collect();
    Run::new(label, &info(), cases, Some(&samples))
}
