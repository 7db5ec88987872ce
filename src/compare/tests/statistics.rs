//! The promise of `compare`, over many simulated pairs of runs with fixed seeds: of unchanged cases at
//! most one in twenty is called changed, of cases that are 5 % slower at least 95 in a hundred are called
//! slower.

use rayon::prelude::*;

use crate::compare::{Options, Verdict, compare};

use super::simulation::{Chance, Machine, Plan, Subject, name, run};

/// Cases of a run.
const CASES: usize = 12;

/// What came of a scenario.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    unchanged: u32,
    called_changed: u32,
    slowed: u32,
    called_slower: u32,
}

impl Tally {
    fn plus(self, other: Tally) -> Tally {
        Tally {
            unchanged: self.unchanged + other.unchanged,
            called_changed: self.called_changed + other.called_changed,
            slowed: self.slowed + other.slowed,
            called_slower: self.called_slower + other.called_slower,
        }
    }

    fn false_share(self) -> f64 {
        f64::from(self.called_changed) / f64::from(self.unchanged)
    }

    fn power(self) -> f64 {
        f64::from(self.called_slower) / f64::from(self.slowed)
    }
}

/// Pairs of runs on one machine; in each new run a quarter of the cases are `factor` times as long.
fn pairs(count: u64, base: Machine, new: Machine, rounds: u32, noise: f64, factor: f64) -> Tally {
    let options = Options { resamples: 300, ..Options::default() };
    (0..count)
        .into_par_iter()
        .map(|pair| {
            let mut chance = Chance::new(pair);
            let subjects: Vec<Subject> = (0..CASES)
                .map(|_| Subject {
                    ns: 1e6 * (3.0 * chance.uniform()).exp(),
                    sensitivity: [1.0, 1.0, 0.5, 0.0][(4.0 * chance.uniform()) as usize],
                })
                .collect();
            let slowed: Vec<Subject> = subjects
                .iter()
                .enumerate()
                .map(|(index, subject)| Subject {
                    ns: subject.ns * if index % 4 == 1 { factor } else { 1.0 },
                    ..*subject
                })
                .collect();
            let plan = Plan { subjects: &subjects, machine: base, rounds, noise };
            let first = run("base", &plan, 2 * pair);
            let second = run("new", &Plan { subjects: &slowed, machine: new, ..plan }, 2 * pair + 1);
            let comparison = compare(&first, &second, &options);
            let mut tally = Tally::default();
            for index in 0..CASES {
                let id = name(index);
                let verdict = comparison.cases.iter().find(|case| case.case == id).map(|case| case.verdict);
                if index % 4 == 1 && factor != 1.0 {
                    tally.slowed += 1;
                    tally.called_slower += u32::from(verdict == Some(Verdict::Slower));
                } else {
                    tally.unchanged += 1;
                    let changed = matches!(verdict, Some(Verdict::Slower | Verdict::Faster));
                    tally.called_changed += u32::from(changed);
                }
            }
            tally
        })
        .reduce(Tally::default, Tally::plus)
}

#[test]
fn the_promise_holds_on_every_machine() {
    let flips = Machine::TwoSpeeds(1.67, 1.0 / 80.0);
    let scenarios = [
        ("steady, 12 samples", pairs(250, Machine::Steady, Machine::Steady, 3, 0.01, 1.05)),
        ("steady, 20 samples", pairs(250, Machine::Steady, Machine::Steady, 5, 0.015, 1.05)),
        ("drift", pairs(250, Machine::Drifting(0.08), Machine::Drifting(0.08), 5, 0.01, 1.05)),
        ("two speeds", pairs(250, flips, flips, 5, 0.01, 1.05)),
    ];
    for (name, tally) in scenarios {
        assert!(tally.false_share() <= 0.05, "{name}: {tally:?}");
        assert!(tally.power() >= 0.95, "{name}: {tally:?}");
    }
}

#[test]
fn a_machine_at_another_speed_is_no_change() {
    let slow = Machine::Level(1.67);
    for (base, new) in [(Machine::Steady, slow), (slow, Machine::Steady)] {
        let tally = pairs(50, base, new, 5, 0.01, 1.0);
        assert!(tally.false_share() <= 0.01, "{tally:?}");
    }
}

#[test]
fn a_machine_that_others_use_is_no_change() {
    for chance_of_change in [0.5, 0.1, 0.02] {
        let busy = Machine::Contended(0.6, chance_of_change);
        let quiet = Machine::Contended(0.1, chance_of_change);
        for (base, new) in [(busy, busy), (busy, quiet)] {
            let tally = pairs(50, base, new, 5, 0.02, 1.0);
            assert!(tally.false_share() <= 0.05, "{base:?} {new:?}: {tally:?}");
        }
    }
}

#[test]
fn noise_as_large_as_the_difference_is_not_called_a_change() {
    for noise in [0.05, 0.15] {
        let tally = pairs(50, Machine::Steady, Machine::Steady, 5, noise, 1.0);
        assert!(tally.false_share() <= 0.01, "{tally:?}");
    }
}
