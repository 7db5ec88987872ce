//! The banks of workgroup memory, from the sweep of strides: each hypothesis says how many passes a subgroup
//! needs at each stride, by the arithmetic of the model.

use std::fmt;

use crate::model::Phases;
use crate::model::count::{self, PhaseRule, Scratch};
use crate::report::Run;

use super::Finding;
use super::curve::{Admit, Curve};
use super::fit::{self, Sample};
use super::granularity::{PROCESSOR, doubt, how_well};
use super::select::{Hypothesis, Outcome, select};

const BANKS: &str = "banks of workgroup memory";

/// Bytes of an element of the curve that is used. Wider ones are served in phases, by rules that differ between
/// vendors.
const ELEMENT: u32 = 4;

/// A number of banks and their width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Geometry {
    banks: u32,
    bytes: u32,
}

impl fmt::Display for Geometry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} banks of {} B", self.banks, self.bytes)
    }
}

/// Passes over the banks of one request whose lanes are so many elements apart.
fn passes(geometry: Geometry, subgroup: u32, stride: u64) -> f64 {
    let lanes: Vec<u32> = (0..subgroup).collect();
    let addresses: Vec<u64> =
        lanes.iter().map(|lane| u64::from(*lane) * stride * u64::from(ELEMENT)).collect();
    let rule = PhaseRule::of(Phases::Consecutive, ELEMENT, true, geometry.banks, geometry.bytes);
    let (banks, bytes) = (geometry.banks, geometry.bytes);
    count::banks(&mut Scratch::default(), &lanes, &addresses, ELEMENT, banks, bytes, rule).passes as f64
}

/// Number and width of the banks.
pub(super) fn banks(run: &Run) -> Finding {
    if run.is_software() {
        return Finding::not_resolved(BANKS, PROCESSOR.to_owned());
    }
    let Some(subgroup) = run.info.subgroup.size.or(run.info.machine.as_ref().map(|m| m.subgroup_size)) else {
        return Finding::not_resolved(BANKS, "the subgroup size is not known".to_owned());
    };
    // The twin is the sweep at a stride of 1, so `bound` says no more than the curve itself.
    let curve = Curve::of(run, "bank", Admit::All, |key| {
        key.value("op") == Some("read") && key.value("type") == Some("u32")
    });
    let samples = |geometry: Geometry| -> Vec<Sample> {
        let sample = |point: &super::curve::Point| {
            let stride = point.key.number("stride_elements")?;
            Some(Sample {
                y: point.y,
                noise: point.noise,
                features: [passes(geometry, subgroup, stride), 0.0],
            })
        };
        curve.points.iter().filter_map(sample).collect()
    };
    let mut hypotheses = Vec::new();
    for banks in [8, 16, 32, 64, 128] {
        for bytes in [4, 8] {
            let geometry = Geometry { banks, bytes };
            hypotheses.push(Hypothesis { what: Some(geometry), fit: fit::one(&samples(geometry)) });
        }
    }
    let any = Geometry { banks: 32, bytes: 4 };
    hypotheses.push(Hypothesis { what: None, fit: fit::flat(&samples(any)) });
    let used = format!("{} strides, subgroups of {subgroup} lanes", curve.points.len());
    let finding = match select(&hypotheses) {
        Outcome::Clear { what, confidence, margin, rms } => Finding::resolved(
            BANKS,
            what.to_string(),
            confidence,
            format!("{used}; {}", how_well(margin, rms)),
        ),
        other => Finding::not_resolved(BANKS, format!("{}; {used}", doubt(other, "number of banks"))),
    };
    finding.from(curve.cases())
}
