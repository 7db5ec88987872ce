//! Sector and line size, from how time grows as lanes move apart and as runs start off a boundary.
//!
//! A hypothesis of sectors of S bytes says how many bytes each case fetches for each byte that it uses, if no
//! sector is fetched twice:
//!
//! - lanes of e bytes, s bytes apart: min(s, max(S, e)) / e;
//! - runs of r bytes that start o bytes after a boundary, 256 bytes or more apart: as many whole sectors as
//!   they touch, over r;
//! - blocks of b bytes at random places: max(b, S) / b.
//!
//! From a stride of 256 bytes on, the suite visits one element in every 256 bytes: a curve that falls up to
//! there may be the pattern's doing, so that a granularity of 256 bytes is never concluded. Strides beyond 520
//! bytes are left out; what grows there is address translation and rows of DRAM.

use crate::pattern::Element;
use crate::report::key::exact_bytes;
use crate::report::{CaseKey, Run};

use super::curve::{Admit, Curve};
use super::fit::{self, Fit, Sample};
use super::select::{Hypothesis, Outcome, select};
use super::{Confidence, Finding};

/// Sector sizes that are tried; the last one is the end of the range.
const SECTORS: [u64; 5] = [16, 32, 64, 128, END_OF_RANGE];

/// The stride at which the pattern itself changes.
const END_OF_RANGE: u64 = 256;

/// The longest stride that is used.
const LONGEST_STRIDE: u64 = 520;

/// The longest block at random places that is used.
const LONGEST_BLOCK: u64 = 512;

/// Points that a curve must have to be fitted.
const FEWEST_POINTS: usize = 4;

const SECTOR: &str = "sector size";
const LINE: &str = "line size";

/// Why no curve of a processor is read as one of sectors.
pub(super) const PROCESSOR: &str = "a processor runs the lanes: they are lanes of its vector unit or turns of a \
    loop, and its curves follow its prefetchers and that code, not requests of a subgroup";

/// The finding on sectors, with its value for what builds on it.
pub(super) struct Sector {
    pub(super) finding: Finding,
    pub(super) bytes: Option<u64>,
}

/// A curve and how a granularity explains it.
struct Shape {
    curve: Curve,
    /// Bytes fetched for each byte used, at a granularity.
    fetched: fn(&CaseKey, u64) -> Option<f64>,
}

impl Shape {
    fn samples(&self, first: u64, second: Option<u64>) -> Vec<Sample> {
        self.curve
            .points
            .iter()
            .filter_map(|point| {
                let second = second.map_or(Some(0.0), |second| (self.fetched)(&point.key, second))?;
                Some(Sample {
                    y: point.y,
                    noise: point.noise,
                    features: [(self.fetched)(&point.key, first)?, second],
                })
            })
            .collect()
    }
}

fn element_bytes(key: &CaseKey) -> Option<u64> {
    Element::parse(key.value("type")?).map(Element::bytes)
}

fn fetched_by_stride(key: &CaseKey, granularity: u64) -> Option<f64> {
    let (stride, element) = (key.number("stride_bytes")?, element_bytes(key)?);
    Some(stride.min(granularity.max(element)) as f64 / element as f64)
}

fn fetched_by_run(key: &CaseKey, granularity: u64) -> Option<f64> {
    let (offset, run) = (key.number("offset_bytes")?, run_bytes(key)?);
    let sectors = (offset + run - 1) / granularity - offset / granularity + 1;
    Some((sectors * granularity) as f64 / run as f64)
}

fn run_bytes(key: &CaseKey) -> Option<u64> {
    key.value("run")?.strip_suffix('B')?.parse().ok()
}

fn fetched_by_block(key: &CaseKey, granularity: u64) -> Option<f64> {
    let block = block_bytes(key)?;
    Some(block.max(granularity) as f64 / block as f64)
}

/// The bytes that lie together, at random places.
fn block_bytes(key: &CaseKey) -> Option<u64> {
    match key.value("indices")? {
        "permutation" => element_bytes(key),
        order => order.strip_prefix("blocks_")?.strip_suffix('b')?.parse().ok(),
    }
}

/// The stride curves of reads, one a type.
fn strides(run: &Run) -> Vec<Shape> {
    Element::ALL
        .iter()
        .map(|element| Shape {
            curve: Curve::of(run, "stride", Admit::Memory, |key| {
                key.value("op") == Some("read")
                    && key.value("type") == Some(element.name())
                    && key.number("stride_bytes").is_some_and(|stride| stride <= LONGEST_STRIDE)
            }),
            fetched: fetched_by_stride,
        })
        .collect()
}

/// The misalignment steps of reads, one curve a length of run.
fn misaligned(run: &Run) -> Vec<Shape> {
    ["32B", "128B", "512B"]
        .iter()
        .map(|length| Shape {
            curve: Curve::of(run, "misalign", Admit::Memory, |key| {
                key.value("op") == Some("read")
                    && key.value("type") == Some("u32")
                    && key.value("cause") == Some("slice")
                    && key.value("run") == Some(length)
            }),
            fetched: fetched_by_run,
        })
        .collect()
}

/// Gathers of blocks at random places.
fn blocks(run: &Run) -> Shape {
    Shape {
        curve: Curve::of(run, "gather", Admit::Memory, |key| {
            key.value("type") == Some("u32") && block_bytes(key).is_some_and(|block| block <= LONGEST_BLOCK)
        }),
        fetched: fetched_by_block,
    }
}

/// The curves with enough points, and what was left out of all of them.
fn usable(shapes: Vec<Shape>) -> (Vec<Shape>, Curve) {
    let mut all = Curve::default();
    for shape in &shapes {
        all.hidden += shape.curve.hidden;
        all.cached += shape.curve.cached;
    }
    let usable: Vec<Shape> =
        shapes.into_iter().filter(|shape| shape.curve.points.len() >= FEWEST_POINTS).collect();
    all.points = usable.iter().flat_map(|shape| shape.curve.points.clone()).collect();
    (usable, all)
}

/// The constant and every sector size, fitted to all curves. Lines may explain what sectors leave over, so that
/// each sector size is judged by its best line size or none.
fn sector_hypotheses(shapes: &[&Shape]) -> Vec<Hypothesis<u64>> {
    let flat = together(shapes, |shape| fit::flat(&shape.samples(SECTORS[0], None)));
    let mut hypotheses = vec![Hypothesis { what: None, fit: flat }];
    for sector in SECTORS {
        let criterion = |fit: &Fit| fit.chi2 + fit.parameters as f64 * (fit.points.max(1) as f64).ln();
        let fits = line_hypotheses(shapes, sector).into_iter().map(|hypothesis| hypothesis.fit);
        if let Some(fit) = fits.min_by(|a, b| criterion(a).total_cmp(&criterion(b))) {
            hypotheses.push(Hypothesis { what: Some(sector), fit });
        }
    }
    hypotheses
}

/// Sectors of a size alone, and with lines of every larger size.
fn line_hypotheses(shapes: &[&Shape], sector: u64) -> Vec<Hypothesis<u64>> {
    let alone = together(shapes, |shape| fit::one(&shape.samples(sector, None)));
    let mut hypotheses = vec![Hypothesis { what: None, fit: alone }];
    for line in SECTORS.into_iter().filter(|line| *line > sector) {
        let fit = together(shapes, |shape| fit::two(&shape.samples(sector, Some(line))));
        hypotheses.push(Hypothesis { what: Some(line), fit });
    }
    hypotheses
}

fn together(shapes: &[&Shape], fit: impl Fn(&Shape) -> Fit) -> Fit {
    Fit::together(shapes.iter().map(|shape| fit(shape)))
}

/// The sector size, from stride knee and misalignment steps together.
pub(super) fn sector(run: &Run) -> Sector {
    if run.is_software() {
        return Sector { finding: Finding::not_resolved(SECTOR, PROCESSOR.to_owned()), bytes: None };
    }
    let (strides, stride_points) = usable(strides(run));
    let (steps, step_points) = usable(misaligned(run));
    let all: Vec<&Shape> = strides.iter().chain(&steps).collect();
    let outcome = select(&sector_hypotheses(&all));
    let cases: Vec<String> = [stride_points.cases(), step_points.cases()].concat();
    let used = format!(
        "{} points of strides{}, {} of misaligned runs{}",
        stride_points.points.len(),
        stride_points.left_out(),
        step_points.points.len(),
        step_points.left_out()
    );
    let (bytes, confidence, evidence) = match outcome {
        Outcome::Clear { what, confidence, margin, rms } if what < END_OF_RANGE => {
            let curves = [("stride curves", &strides), ("misaligned runs", &steps)];
            let dissent = curves.into_iter().find_map(|(name, shapes)| Some((name, dissent(shapes, what)?)));
            if let Some((name, other)) = dissent {
                return unresolved(
                    format!("{what} B by all curves together, but {other} by the {name} alone; {used}"),
                    cases,
                );
            }
            let alone = strides.is_empty() || steps.is_empty();
            let confidence = if alone { Confidence::Medium } else { confidence };
            (what, confidence, format!("{used}; {}", how_well(margin, rms)))
        }
        Outcome::Clear { .. } => {
            return unresolved(
                format!(
                    "time grows up to a stride of {END_OF_RANGE} B, where the pattern itself changes; {used}"
                ),
                cases,
            );
        }
        other => return unresolved(format!("{}; {used}", doubt(other, SECTOR)), cases),
    };
    let finding = Finding::resolved(SECTOR, exact_bytes(bytes), confidence, evidence).from(cases);
    Sector { finding, bytes: Some(bytes) }
}

fn unresolved(reason: String, cases: Vec<String>) -> Sector {
    Sector { finding: Finding::not_resolved(SECTOR, reason).from(cases), bytes: None }
}

/// What some of the curves clearly show by themselves, where it is something else. Every sector size in range
/// predicts steps in every kind of curve, so that none at all is another answer too.
fn dissent(shapes: &[Shape], agreed: u64) -> Option<String> {
    match select(&sector_hypotheses(&shapes.iter().collect::<Vec<_>>())) {
        Outcome::Clear { what, .. } if what != agreed => Some(exact_bytes(what)),
        Outcome::Flat => Some("no steps".to_owned()),
        _ => None,
    }
}

/// The line size: whether lines explain what sectors leave over.
pub(super) fn line(run: &Run, sector: &Sector) -> Finding {
    let Some(sector_bytes) = sector.bytes else {
        let reason = if run.is_software() { PROCESSOR } else { "the sector size is not resolved" };
        return Finding::not_resolved(LINE, reason.to_owned());
    };
    let mut shapes = strides(run);
    shapes.push(blocks(run));
    let (shapes, points) = usable(shapes);
    let all: Vec<&Shape> = shapes.iter().collect();
    let used = format!("{} points of strides and random blocks{}", points.points.len(), points.left_out());
    let finding = match select(&line_hypotheses(&all, sector_bytes)) {
        Outcome::Clear { what, confidence, margin, rms } if what < END_OF_RANGE => Finding::resolved(
            LINE,
            exact_bytes(what),
            confidence,
            format!("beside sectors of {sector_bytes} B; {used}; {}", how_well(margin, rms)),
        ),
        Outcome::Flat => Finding::not_resolved(
            LINE,
            format!(
                "sectors of {sector_bytes} B explain the curves: lines cost no time of their own; {used}"
            ),
        ),
        Outcome::Clear { .. } => Finding::not_resolved(
            LINE,
            format!("what sectors leave over grows up to {END_OF_RANGE} B, the end of the range; {used}"),
        ),
        other => Finding::not_resolved(LINE, format!("{}; {used}", doubt(other, LINE))),
    };
    finding.from(points.cases())
}

/// The strength of a conclusion.
pub(super) fn how_well(margin: f64, rms: f64) -> String {
    format!(
        "{} scatter around the fit, ΔBIC {} to the next hypothesis",
        crate::units::percent(rms),
        crate::units::significant(margin, 3)
    )
}

/// Why none was drawn.
pub(super) fn doubt<T: std::fmt::Display>(outcome: Outcome<T>, what: &str) -> String {
    match outcome {
        Outcome::Flat | Outcome::Clear { .. } => {
            format!("no {what} explains the curve better than a constant")
        }
        Outcome::Poor { rms } => {
            format!("no {what} describes the curve: {} scatter around the best", crate::units::percent(rms))
        }
        Outcome::Ambiguous { best, next: Some(next), margin } => format!(
            "{best} and {next} explain the curve about equally well (ΔBIC {})",
            crate::units::significant(margin, 2)
        ),
        Outcome::Ambiguous { best, next: None, margin } => format!(
            "{best} explains the curve little better than a constant (ΔBIC {})",
            crate::units::significant(margin, 2)
        ),
        Outcome::TooFew => "too few points".to_owned(),
    }
}
