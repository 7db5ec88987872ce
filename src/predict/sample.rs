//! The counts of some workgroups of a kernel, and what they say of the whole grid.

use crate::model::{Counts, Limits, Machine, Report, Space, Workgroups, run};

use super::{Kernel, NoPrediction};

/// Accesses of a lane over all workgroups of a sample: what bounds the time of a prediction.
const ACCESSES: u64 = 512;
/// Fewest and most workgroups of a sample. The kernels of a pattern are alike over the grid, but for its
/// ends and for random indices, of which 32 workgroups of 256 lanes are thousands of requests.
const FEWEST: u64 = 4;
const MOST: u64 = 32;

/// What the model says of a case, over its whole grid and of the subject alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Requests.
    pub requests: f64,
    /// Sectors over all requests; absent in workgroup memory, as are lines and what follows from them.
    pub sectors: Option<f64>,
    /// Cache lines over all requests.
    pub lines: Option<f64>,
    /// Sectors over requests.
    pub sectors_per_request: Option<f64>,
    /// Fetched over unique bytes.
    pub over_fetch: Option<f64>,
    /// Largest degree of any access to workgroup memory; absent without such an access.
    pub conflict_degree: Option<u32>,
    /// Distinct sectors of each workgroup, summed: the traffic if caches were perfect within a workgroup.
    pub workgroup_sectors: Option<f64>,
}

/// A sample of a kernel's workgroups, counted.
#[derive(Debug)]
pub struct Sampled<'a> {
    kernel: &'a Kernel,
    /// The counts.
    pub report: Report,
}

impl<'a> Sampled<'a> {
    /// Executes the first, the last and evenly spaced workgroups between, fewer of them the more accesses
    /// a lane makes.
    ///
    /// # Errors
    /// [`NoPrediction`]: what the model refuses, or an index outside of its buffer.
    pub fn new(kernel: &'a Kernel, machine: &Machine) -> Result<Sampled<'a>, NoPrediction> {
        let count = (ACCESSES / kernel.plan.accesses_per_lane.max(1)).clamp(FEWEST, MOST) as u32;
        let dispatch = kernel.dispatch(Workgroups::Spread(count));
        let report = run(&kernel.program, machine, &dispatch, &kernel.buffers, &Limits::default())?;
        match report.out_of_bounds.first() {
            Some(outside) => Err(NoPrediction::OutOfBounds {
                variable: outside.variable.clone(),
                index: outside.index,
                length: outside.length,
            }),
            None => Ok(Sampled { kernel, report }),
        }
    }

    /// Sums over the executed accesses to the subject.
    pub fn subject(&self) -> Counts {
        let mut counts = Counts::default();
        let accesses = self.report.accesses.iter();
        for access in accesses.filter(|access| self.kernel.touches_subject(&access.access)) {
            counts.merge(&access.counts);
        }
        counts
    }

    /// The sample scaled to the grid.
    pub fn prediction(&self) -> Prediction {
        let counts = self.subject();
        let scale = self.kernel.plan.groups as f64 / self.report.workgroups.len() as f64;
        let scaled = |count: u64| (count > 0).then(|| count as f64 * scale);
        let distinct: u64 = self
            .report
            .buffers
            .iter()
            .enumerate()
            .filter(|(binding, _)| self.kernel.is_subject(*binding))
            .map(|(_, buffer)| buffer.distinct_sectors)
            .sum();
        Prediction {
            requests: counts.requests as f64 * scale,
            sectors: scaled(counts.sectors),
            lines: scaled(counts.lines),
            sectors_per_request: counts.sectors_per_request(),
            over_fetch: counts.over_fetch(),
            conflict_degree: self.conflict_degree(),
            workgroup_sectors: scaled(distinct),
        }
    }

    fn conflict_degree(&self) -> Option<u32> {
        let in_workgroup = self
            .report
            .accesses
            .iter()
            .filter(|access| access.access.space == Space::Workgroup && access.executed());
        in_workgroup.map(|access| access.counts.conflict_degree as u32).max()
    }
}
