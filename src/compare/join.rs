//! Two runs side by side: which cases can be compared at all, and what comes of those that can.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::record::{Bound, Flag, Status};
use crate::stats::{self, Interval};

use super::effect::{self, Pair, Stored};
use super::null;
use super::{Effect, Options, Run, RunCase, Verdict};

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Times, on one device.
    Time,
    /// The share of the roof that each device leaves unused, as times of different devices say nothing of
    /// an access pattern: the ratio is base fraction over new fraction.
    RoofFraction,
}

/// One case in two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseComparison {
    /// Name of the pattern.
    pub pattern: String,
    /// Case id.
    pub case: String,
    /// Median of the base.
    pub base_ns: Option<f64>,
    /// Median of the new run.
    pub new_ns: Option<f64>,
    /// Fraction of the base's roof.
    pub base_roof_fraction: Option<f64>,
    /// Fraction of the new run's roof.
    pub new_roof_fraction: Option<f64>,
    /// The effect, where there is one; its ratio is above 1 for slower.
    pub effect: Option<Effect>,
    /// What the comparison says.
    pub verdict: Verdict,
    /// Why.
    pub reason: Option<String>,
}

/// The geometric mean of the ratios of a pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct PatternMean {
    /// Name of the pattern.
    pub pattern: String,
    /// The mean, where a case has a ratio.
    pub geometric_mean: Option<f64>,
}

/// A run compared with a base.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The base, as it was given.
    pub base: String,
    /// The new run, as it was given.
    pub new: String,
    /// What is compared.
    pub basis: Basis,
    /// What else differs between the runs, in words.
    pub notes: Vec<String>,
    /// Patterns, the one with the most important verdict first.
    pub patterns: Vec<PatternMean>,
    /// Cases grouped in the order of `patterns`; in a pattern what matters most first.
    pub cases: Vec<CaseComparison>,
}

impl Comparison {
    /// The number of cases with a verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.cases.iter().filter(|case| case.verdict == verdict).count()
    }

    /// The number of cases that the base measured and the new run did not.
    pub fn lost(&self) -> usize {
        self.cases.iter().filter(|case| case.base_ns.is_some() && case.new_ns.is_none()).count()
    }

    /// The geometric mean of all ratios.
    pub fn geometric_mean(&self) -> Option<f64> {
        mean(self.cases.iter())
    }
}

/// Compares a run with a base.
pub fn compare(base: &Run, new: &Run, options: &Options) -> Comparison {
    let basis = if base.device == new.device { Basis::Time } else { Basis::RoofFraction };
    let in_new: HashMap<&str, &RunCase> = new.cases.iter().map(|case| (case.case.as_str(), case)).collect();
    let in_base: HashMap<&str, ()> = base.cases.iter().map(|case| (case.case.as_str(), ())).collect();

    let reliability = match (&base.journal, &new.journal) {
        (Some(base), Some(new)) => effect::reliability(base, new),
        _ => None,
    };
    let mut cases: Vec<CaseComparison> = base
        .cases
        .par_iter()
        .map(|case| {
            let other = in_new.get(case.case.as_str()).copied();
            join(base, new, case, other, &Setting { basis, reliability, options })
        })
        .collect();
    for case in new.cases.iter().filter(|case| !in_base.contains_key(case.case.as_str())) {
        cases.push(CaseComparison {
            new_ns: case.median_ns,
            new_roof_fraction: case.roof_fraction,
            ..without_effect(case, Verdict::Missing, "only in the new run".to_owned())
        });
    }
    let sample_noise = |run: &Run| run.journal.as_ref().map_or(0.0, super::Journal::sample_noise);
    // Cases of different devices differ for better reasons than luck.
    let noise = if basis == Basis::Time { sample_noise(base).max(sample_noise(new)) } else { 0.0 };
    let width = conclude(&mut cases, noise, options);
    let patterns = sort(&mut cases);
    let mut notes = notes(base, new, basis);
    if width > WORTH_SAYING {
        notes.push(format!(
            "the reference kernel scatters by {:.0} % from sample to sample, and cases scatter between the runs \
             by {} of what their samples explain: intervals are so much wider",
            100.0 * noise,
            crate::units::ratio(width)
        ));
    }
    Comparison { base: base.label.clone(), new: new.label.clone(), basis, notes, patterns, cases }
}

/// Intervals wider than this many times what samples explain are mentioned.
const WORTH_SAYING: f64 = 1.1;

/// Verdicts on the effects, as wide as unchanged cases scatter, with the false discovery rate controlled over
/// all of them. Returns that width; `noise` is that of the less steady run.
fn conclude(cases: &mut [CaseComparison], noise: f64, options: &Options) -> f64 {
    let tested: Vec<usize> = (0..cases.len())
        .filter(|index| cases[*index].effect.as_ref().is_some_and(|effect| effect.doubt.is_none()))
        .collect();
    let effects: Vec<&Effect> = tested.iter().filter_map(|index| cases[*index].effect.as_ref()).collect();
    let width = null::width(noise, &effects);
    cases.iter_mut().filter_map(|case| case.effect.as_mut()).for_each(|effect| effect.widen(width));
    let p_values: Vec<f64> =
        tested.iter().filter_map(|index| cases[*index].effect.as_ref()).map(|effect| effect.p).collect();
    let mut discovered = vec![false; cases.len()];
    for (index, found) in
        tested.iter().zip(stats::benjamini_hochberg(&p_values, options.false_discovery_rate))
    {
        discovered[*index] = found;
    }
    for (case, discovered) in cases.iter_mut().zip(discovered) {
        if let Some(effect) = &case.effect {
            (case.verdict, case.reason) = options.judge(effect, discovered);
        }
    }
    width
}

fn without_effect(case: &RunCase, verdict: Verdict, reason: String) -> CaseComparison {
    CaseComparison {
        pattern: case.pattern.clone(),
        case: case.case.clone(),
        base_ns: None,
        new_ns: None,
        base_roof_fraction: None,
        new_roof_fraction: None,
        effect: None,
        verdict,
        reason: Some(reason),
    }
}

/// What all cases of two runs share.
struct Setting<'a> {
    basis: Basis,
    reliability: Option<f64>,
    options: &'a Options,
}

/// One case of the base and its counterpart; the verdict on an effect comes later.
fn join(
    base: &Run,
    new: &Run,
    case: &RunCase,
    other: Option<&RunCase>,
    setting: &Setting<'_>,
) -> CaseComparison {
    let mut joined = CaseComparison {
        base_ns: case.median_ns.filter(|_| case.status == Status::Ok),
        base_roof_fraction: case.roof_fraction,
        new_ns: other.filter(|other| other.status == Status::Ok).and_then(|other| other.median_ns),
        new_roof_fraction: other.and_then(|other| other.roof_fraction),
        ..without_effect(case, Verdict::Missing, String::new())
    };
    let Some(other) = other else {
        joined.reason = Some("not in the new run".to_owned());
        return joined;
    };
    if let Some(reason) = absence(case, "the base").or_else(|| absence(other, "the new run")) {
        joined.reason = Some(reason);
        return joined;
    }
    if let Some(reason) = obstacle(base, new, case, other, setting.basis) {
        (joined.verdict, joined.reason) = (Verdict::NotComparable, Some(reason));
        return joined;
    }
    joined.effect = effect_of(base, new, case, other, setting);
    if joined.effect.is_none() {
        joined.reason = Some(match setting.basis {
            Basis::Time => "a run has no time".to_owned(),
            Basis::RoofFraction => "a run has no fraction of its roof".to_owned(),
        });
    }
    joined
}

/// Why a run has no figure for a case.
fn absence(case: &RunCase, run: &str) -> Option<String> {
    let why = case.reason.as_deref().unwrap_or("without a reason");
    match case.status {
        Status::Ok => None,
        Status::Skipped => Some(format!("skipped in {run}: {why}")),
        Status::Failed => Some(format!("failed in {run}: {why}")),
    }
}

/// Why two figures can't be held side by side.
fn obstacle(base: &Run, new: &Run, case: &RunCase, other: &RunCase, basis: Basis) -> Option<String> {
    if base.runtime_checks != new.runtime_checks {
        let which = if base.runtime_checks { "base" } else { "new run" };
        return Some(format!("only the {which} has runtime checks"));
    }
    if case.bound == Some(Bound::Issue) && other.bound == Some(Bound::Issue) {
        return Some("issue-bound in both: the cost of memory is hidden".to_owned());
    }
    if basis == Basis::RoofFraction {
        // Devices differ in their caches, and so in the footprints that exceed them.
        return None;
    }
    if case.footprint_bytes != other.footprint_bytes {
        let bytes = |case: &RunCase| crate::units::or_absent(case.footprint_bytes.map(crate::units::bytes));
        return Some(format!("footprint {} in the base and {} in the new run", bytes(case), bytes(other)));
    }
    match (case.timer, other.timer) {
        (Some(one), Some(two)) if one != two => {
            Some(format!("timed by {} in the base and by {} in the new run", one.name(), two.name()))
        }
        _ => None,
    }
}

fn effect_of(
    base: &Run,
    new: &Run,
    case: &RunCase,
    other: &RunCase,
    setting: &Setting<'_>,
) -> Option<Effect> {
    let Setting { basis, reliability, options } = *setting;
    if let (Basis::Time, Some(base), Some(new)) = (basis, &base.journal, &new.journal) {
        let issue_bound = case.bound == Some(Bound::Issue) || other.bound == Some(Bound::Issue);
        let pair = Pair { case: &case.case, base, new, reliability, issue_bound };
        if let Some(effect) = effect::from_samples(&pair, options, seed_of(&case.case)) {
            return Some(effect);
        }
    }
    let stored = |case: &RunCase| {
        let median = case.median_ns?;
        let interval = case.ci95_low_ns.zip(case.ci95_high_ns).map(|(low, high)| Interval { low, high });
        match basis {
            Basis::Time => Some(Stored { value: median, interval }),
            Basis::RoofFraction => {
                let value = case.roof_fraction.filter(|fraction| *fraction > 0.0)?.recip();
                let scaled = |ns: f64| value * ns / median;
                let interval = interval.map(|i| Interval { low: scaled(i.low), high: scaled(i.high) });
                Some(Stored { value, interval })
            }
        }
    };
    // The reference kernels of two devices can't correct each other's; they tell how far each strayed.
    let (mut drift, mut doubt) = (0.0, None);
    for (run, case) in [(base, case), (new, other)] {
        let flag = [Flag::Drifted, Flag::Bimodal].into_iter().find(|flag| case.flags.contains(*flag));
        match (flag, &run.journal) {
            (Some(_), Some(journal)) => drift += journal.reference_spread(),
            (Some(flag), None) => {
                doubt = Some(format!("flagged {flag}, and there are no samples to correct it by"));
            }
            (None, _) => {}
        }
    }
    Some(effect::from_intervals(stored(case)?, stored(other)?, drift, doubt))
}

/// A seed from a case id, so that a case resamples alike whatever else is in a run: FNV-1a
/// (Fowler, Noll & Vo).
fn seed_of(case: &str) -> u64 {
    case.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

fn notes(base: &Run, new: &Run, basis: Basis) -> Vec<String> {
    let mut notes = Vec::new();
    for (which, run) in [("the base", base), ("the new run", new)] {
        notes.extend(run.repeated.iter().map(|told| format!("{which}: {told}")));
    }
    if basis == Basis::RoofFraction {
        notes.push(format!(
            "different devices ({} and {}): fractions of each device's own roof are compared, not times",
            base.device, new.device
        ));
    }
    let mut differs = |what: &str, base: &str, new: &str| {
        if base != new {
            notes.push(format!("{what} differs: {base} and {new}"));
        }
    };
    differs("backend", &base.backend, &new.backend);
    if basis == Basis::Time {
        let driver = |run: &Run| run.driver.clone().unwrap_or_else(|| "unknown".to_owned());
        differs("driver", &driver(base), &driver(new));
    }
    differs("version of stridemark", &base.tool_version, &new.tool_version);
    let reference = |run: &Run| run.journal.as_ref().and_then(super::Journal::reference_ns);
    if let (Basis::Time, Some(base), Some(new)) = (basis, reference(base), reference(new)) {
        let ratio = new / base;
        if (ratio - 1.0).abs() > 0.03 {
            notes.push(format!(
                "the reference kernel takes {} in the new run: the machine's speed differs, \
                 or everything that reads memory became {}",
                crate::units::ratio(ratio),
                if ratio > 1.0 { "slower" } else { "faster" }
            ));
        }
    }
    notes
}

/// How far a ratio is from 1, for sorting; absent is nearest.
fn distance(case: &CaseComparison) -> f64 {
    case.effect.as_ref().map_or(0.0, |effect| effect.ratio.ln().abs())
}

fn mean<'a>(cases: impl Iterator<Item = &'a CaseComparison>) -> Option<f64> {
    let ratios: Vec<f64> = cases.filter_map(|case| Some(case.effect.as_ref()?.ratio)).collect();
    stats::geometric_mean(&ratios)
}

/// Groups the cases by pattern and puts what matters first: verdicts in the order of [`Verdict::ALL`],
/// then the larger difference, then the order of the base.
fn sort(cases: &mut [CaseComparison]) -> Vec<PatternMean> {
    let key = |case: &CaseComparison| (case.verdict, -distance(case));
    let before = |a: &(Verdict, f64), b: &(Verdict, f64)| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1));
    let mut foremost: Vec<(String, (Verdict, f64))> = Vec::new();
    for case in cases.iter() {
        match foremost.iter_mut().find(|(pattern, _)| *pattern == case.pattern) {
            Some((_, first)) if before(&key(case), first).is_lt() => *first = key(case),
            Some(_) => {}
            None => foremost.push((case.pattern.clone(), key(case))),
        }
    }
    foremost.sort_by(|a, b| before(&a.1, &b.1));
    let rank: HashMap<&str, usize> =
        foremost.iter().enumerate().map(|(rank, (pattern, _))| (pattern.as_str(), rank)).collect();
    cases.sort_by(|a, b| {
        let ranks = (rank.get(a.pattern.as_str()), rank.get(b.pattern.as_str()));
        ranks.0.cmp(&ranks.1).then_with(|| before(&key(a), &key(b)))
    });
    foremost
        .iter()
        .map(|(pattern, _)| PatternMean {
            pattern: pattern.clone(),
            geometric_mean: mean(cases.iter().filter(|case| case.pattern == *pattern)),
        })
        .collect()
}
