//! The last-level cache, from the last knee of the working-set curve.
//!
//! A set beyond a cache is not served by it at all (a least-recently-used cache that is walked in a circle) or
//! in part (other replacements), so a knee is anything from a step to a slope of several sets. The curve is
//! read from its end: the level of memory; the smallest set on that level; and, down the slope from there, the
//! largest set on the level before it. The cache ends between the two.

use crate::record::Bound;
use crate::report::key::exact_bytes;
use crate::report::{CaseKey, Run};
use crate::units;

use super::curve::{Admit, Curve, Point};
use super::{Confidence, Finding};

const CACHE: &str = "last-level cache";

/// Sets of one level differ by up to this factor, or by three standard deviations of their noise.
const LEVEL: f64 = 1.10;

/// Sets within this factor of the last level count as memory, though a cache still serves a part of them.
const NEARLY_MEMORY: f64 = 1.25;

/// A set of the size of the roof's may be somewhat slower or faster than the last level.
const NEAR_THE_ROOF: f64 = 1.25;

/// The fewest sets that show two levels of two sets each.
const FEWEST: usize = 4;

/// The places of a knee in the curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Knee {
    /// Index of the last set on the level before it.
    low: usize,
    /// Index of the first set on the level behind it.
    high: usize,
}

/// Why a curve has no knee to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NoKnee {
    /// Its last two sets differ.
    StillFalling,
    /// All sets are on one level.
    Level,
    /// No two sets of one level precede the slope.
    NoLevelBefore,
}

/// Where the last cache ends.
pub(super) fn last_level(run: &Run) -> Finding {
    let curve = longest(run);
    match knee_of(run, &curve) {
        Ok(finding) => finding.from(curve.cases()),
        Err(reason) => Finding::not_resolved(CACHE, reason).from(curve.cases()),
    }
}

fn knee_of(run: &Run, curve: &Curve) -> Result<Finding, String> {
    let points = &curve.points;
    let size = |index: usize| exact_bytes(points.get(index).and_then(|point| set(&point.key)).unwrap_or(0));
    if points.len() < FEWEST {
        return Err(format!("{} working sets were measured, {FEWEST} are needed", points.len()));
    }
    let largest = size(points.len() - 1);
    let knee = last_knee(points).map_err(|why| match why {
        NoKnee::StillFalling => format!("the speed still falls at {largest}: that of memory is not reached"),
        NoKnee::Level => format!("no knee in sets of up to {largest}"),
        NoKnee::NoLevelBefore => {
            format!("the speed falls all the way to {largest}: no level before memory's")
        }
    })?;
    let memory = &points[knee.high..];
    if memory.iter().any(|point| point.bound == Some(Bound::Issue)) {
        return Err(format!("sets of up to {largest} are issue-bound: the knee may be one of instructions"));
    }
    let (fast, slow) = (1.0 / mean(&points[knee.low - 1..=knee.low]), 1.0 / mean(memory));
    if run.roof().is_some_and(|roof| slow > NEAR_THE_ROOF * roof) {
        return Err(format!(
            "sets of up to {largest} are faster ({}) than the roof: a larger cache still holds them",
            units::gb_per_s(slow)
        ));
    }
    let margin = margin(&points[knee.low - 1..=knee.low], memory);
    let confidence = if margin >= 10.0 {
        Confidence::High
    } else if margin >= 6.0 {
        Confidence::Medium
    } else {
        return Err(format!("the knee is hardly more than noise (ΔBIC {})", units::significant(margin, 2)));
    };
    let (low, high) = (size(knee.low), size(knee.high));
    let mut evidence =
        format!("{} up to {low}, {} from {high} to {largest}", units::gb_per_s(fast), units::gb_per_s(slow));
    let known = run.info.roofline.last_level_cache_bytes;
    let between = set(&points[knee.low].key).zip(set(&points[knee.high].key));
    let contradicted = known.filter(|known| between.is_some_and(|(low, high)| !(low..=high).contains(known)));
    if let Some(known) = contradicted {
        let known = units::bytes(known);
        evidence.push_str(&format!("; known are {known}, of which one program may get a part"));
    }
    let confidence = if contradicted.is_some() { Confidence::Medium } else { confidence };
    Ok(Finding::resolved(CACHE, format!("between {low} and {high}"), confidence, evidence))
}

fn set(key: &CaseKey) -> Option<u64> {
    key.number("footprint_bytes")
}

/// The curve of the element type with most points, by ascending set.
fn longest(run: &Run) -> Curve {
    let curve = |element: &str| {
        let mut curve = Curve::of(run, "working_set", Admit::All, |key| {
            key.value("type") == Some(element) && set(key).is_some()
        });
        curve.points.sort_by_key(|point| set(&point.key));
        curve
    };
    // Of equally long ones the widest loads, which hide least.
    ["u32", "u32x2", "u32x4"]
        .into_iter()
        .map(curve)
        .max_by_key(|curve| curve.points.len())
        .unwrap_or_default()
}

/// Whether two neighbouring sets are on one level.
fn one_level(a: &Point, b: &Point) -> bool {
    let noise = 3.0 * a.noise.hypot(b.noise);
    (a.y / b.y).ln().abs() <= LEVEL.ln().max(noise)
}

fn last_knee(points: &[Point]) -> Result<Knee, NoKnee> {
    let [.., a, b] = points else { return Err(NoKnee::StillFalling) };
    if !one_level(a, b) {
        return Err(NoKnee::StillFalling);
    }
    let memory = mean(&[a.clone(), b.clone()]);
    let high = points
        .iter()
        .rposition(|point| memory / point.y > NEARLY_MEMORY)
        .map(|before| before + 1)
        .ok_or(NoKnee::Level)?;
    let low = (1..high).rev().find(|low| one_level(&points[low - 1], &points[*low]));
    low.map(|low| Knee { low, high }).ok_or(NoKnee::NoLevelBefore)
}

fn weight(point: &Point) -> f64 {
    point.noise.powi(-2)
}

/// The weighted geometric mean of the times.
fn mean(points: &[Point]) -> f64 {
    let total: f64 = points.iter().map(weight).sum();
    (points.iter().map(|point| weight(point) * point.y.ln()).sum::<f64>() / total).exp()
}

/// By how much the Bayesian information criterion prefers two levels to one.
fn margin(fast: &[Point], slow: &[Point]) -> f64 {
    let squares = |points: &[Point]| {
        let level = mean(points).ln();
        points.iter().map(|point| weight(point) * (point.y.ln() - level).powi(2)).sum::<f64>()
    };
    let all = [fast, slow].concat();
    let apart = squares(fast) + squares(slow);
    let freedom = (all.len() - 2).max(1) as f64;
    // The noise is scaled as in `select`.
    (squares(&all) - apart) / (apart / freedom).max(1.0) - (all.len() as f64).ln()
}
