//! What an analysis found: one content model, which text, JSON and pictures are renderings of.

use crate::model::{Access, BufferReport, Counts, Location, Machine, OutOfBounds, Space};

use super::advice::Advice;
use super::collect::SampleRequest;
use super::execute::{Executed, Why};
use super::setup::Assumption;

/// The analysis of one entry point.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The shader's path as given.
    pub file: String,
    /// The entry point.
    pub entry_point: String,
    /// Lanes of a workgroup along x, y and z.
    pub workgroup_size: [u32; 3],
    /// Workgroups of the grid along x, y and z.
    pub grid: [u32; 3],
    /// Whether the grid was chosen here.
    pub default_grid: bool,
    /// Whether a chosen grid goes along more axes than the shader uses, since one can't hold it.
    pub spread_grid: bool,
    /// The workgroups executed.
    pub workgroups_executed: u64,
    /// Where the sample was taken from the start of the grid: how far that reaches along x, y and z.
    pub sampled_start: Option<[u32; 3]>,
    /// The numbers that requests were held against.
    pub machine: Machine,
    /// One entry per access expression, in source order.
    pub accesses: Vec<AnalyzedAccess>,
    /// The traffic of each buffer.
    pub buffers: Vec<BufferReport>,
    /// What could be better, most wasted bytes first.
    pub findings: Vec<Finding>,
    /// What limits the analysis, in source order.
    pub warnings: Vec<Warning>,
}

/// An access expression with its counts.
#[derive(Clone, Debug)]
pub struct AnalyzedAccess {
    /// The expression.
    pub access: Access,
    /// Its sums over all executed requests.
    pub counts: Counts,
    /// What was assumed of inputs that its address, or whether it executes, depends on.
    pub assumed: Vec<Assumption>,
    /// A request that stands for the others: the kind that wastes most.
    pub representative: Option<SampleRequest>,
}

/// What an access, or the entry point as a whole, wastes, and how not to.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Position in [`Analysis::accesses`]; none where it is about the entry point.
    pub access: Option<usize>,
    /// Where; none where the entry point's place is not known.
    pub at: Option<Location>,
    /// Bytes fetched in vain, over all executed requests.
    pub wasted_bytes: u64,
    /// Passes over the banks lost to conflicts, over all executed requests.
    pub wasted_passes: u64,
    /// What to do.
    pub advice: Advice,
}

/// Something that limits what the analysis says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Where; none where it is about the whole.
    pub at: Option<Location>,
    /// What, in a sentence.
    pub message: String,
}

impl AnalyzedAccess {
    /// Whether any lane executed it.
    pub fn executed(&self) -> bool {
        self.counts.requests > 0
    }

    /// Bytes fetched beyond the fewest sectors that could hold what was asked for.
    pub fn wasted_bytes(&self, machine: &Machine) -> u64 {
        self.counts.sectors.saturating_sub(self.counts.ideal_sectors) * u64::from(machine.sector_bytes.value)
    }

    /// Passes over the banks lost to conflicts.
    pub fn wasted_passes(&self) -> u64 {
        self.counts.passes.saturating_sub(self.counts.ideal_passes)
    }

    /// Whether its memory is workgroup memory.
    pub fn is_workgroup(&self) -> bool {
        self.access.space == Space::Workgroup
    }
}

impl Analysis {
    /// The accesses with an excess or a conflict degree above a factor.
    pub fn above(&self, factor: f64) -> Vec<&AnalyzedAccess> {
        let is_above = |access: &&AnalyzedAccess| {
            access.counts.excess().is_some_and(|excess| excess > factor)
                || access.counts.conflict_degree as f64 > factor
        };
        self.accesses.iter().filter(is_above).collect()
    }

    /// Workgroups of the whole grid.
    pub fn workgroups_of_grid(&self) -> u128 {
        self.grid.iter().map(|&count| u128::from(count)).product()
    }
}

/// Assumptions with the options that replace them.
fn listed(assumed: &[Assumption]) -> String {
    let named = |Assumption { name, assumed, flag }: &Assumption| format!("{name} {assumed} ({flag})");
    assumed.iter().map(named).collect::<Vec<_>>().join(", ")
}

impl Warning {
    /// Why the sample is from the start of the grid.
    pub(super) fn start(executed: &Executed) -> Option<Warning> {
        let ([x, y, z], why) = executed.start?;
        let message = match why {
            Why::Idle => {
                let assumed = executed.assumed_of_stores();
                let (with, depends) = match assumed.is_empty() {
                    true => ("", String::new()),
                    false => (
                        " with what is assumed",
                        format!("; what is written where depends on: {}", listed(&assumed)),
                    ),
                };
                format!(
                    "workgroups further on write nothing{with}, so the sample is from the first {x}×{y}×{z} of \
                     the grid{depends}"
                )
            }
            Why::Beyond => {
                let assumed = executed.assumed_of_addresses();
                let depends = match assumed.is_empty() {
                    true => String::new(),
                    false => format!("; the addresses depend on: {}", listed(&assumed)),
                };
                format!(
                    "workgroups further on index beyond the 4 GiB that a buffer can have, so the sample is from \
                     the first {x}×{y}×{z} of the grid; give a grid that fits the inputs (--grid X,Y,Z) or other \
                     inputs{depends}"
                )
            }
            Why::Dear => "a workgroup takes long, so that only the first one was executed; --workgroups 2 \
                          executes the last one too"
                .to_owned(),
        };
        Some(Warning { at: None, message })
    }

    /// Workgroups that change nothing, where they are many.
    pub(super) fn idle(executed: &Executed, sampled: bool) -> Option<Warning> {
        let idle = executed.idle.filter(|_| executed.is_idle())?;
        let all = executed.report.workgroups.len();
        let of = if sampled { "sampled" } else { "executed" };
        let assumed = executed.assumed_of_stores();
        let depends = match assumed.is_empty() || executed.start.is_some_and(|(_, why)| why == Why::Idle) {
            true => String::new(),
            false => format!("; what is written where depends on: {}", listed(&assumed)),
        };
        let message = format!(
            "{idle} of {all} {of} workgroups write nothing; give a grid that fits the inputs (--grid X,Y,Z) or \
             other inputs{depends}"
        );
        Some(Warning { at: None, message })
    }

    pub(super) fn out_of_bounds(found: &OutOfBounds) -> Warning {
        let OutOfBounds { variable, lanes, workgroup: [x, y, z], lane, index, length, .. } = found;
        let others = lanes - 1;
        let more = if others == 0 { String::new() } else { format!(", and {others} more") };
        Warning {
            at: Some(found.at.clone()),
            message: format!(
                "index {index} is outside of `{variable}` with its length of {length} (lane {lane} of workgroup \
                 {x},{y},{z}{more}); the last element was taken, as WGSL allows"
            ),
        }
    }
}
