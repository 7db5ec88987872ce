//! What a pattern is and what it costs, told by the model: the examples of its registry row executed, their
//! counts as a table and their requests as pictures. No device takes part.
//!
//! ```text
//! Pattern::examples ─plan─▶ Kernel ─┬─ Sampled ─▶ Row      (counts of each access)
//!                                   └─ Trace ───▶ Drawing  (addresses of the first subgroup)
//! ```
//!
//! [`text`] and [`json`] render an [`Explanation`]; whoever draws in another form starts from the same
//! [`Drawing`]s.

pub mod json;
pub mod picture;
pub mod text;

use crate::model::{Access, AccessOp, Counts, Machine};
use crate::pattern::{Case, Example, Fill, Limits, Pattern};
use crate::predict::{Keep, Kernel, NoPrediction, Sampled, Trace, TracedRequest};

/// A GPU of WebGPU's default limits, with a footprint that is no cache's: sizes don't change what a request
/// costs, but kernels need some.
const LIMITS: Limits = Limits {
    footprint: 64 << 20,
    random_footprint: 64 << 20,
    max_binding: 128 << 20,
    max_workgroup_memory: 32 << 10,
    max_invocations: 256,
    last_level_cache: None,
};

/// Seed of the contents; only index streams have an influence.
const SEED: u64 = 1;

/// What the model has to say of a pattern on a machine.
pub struct Explanation {
    /// The pattern.
    pub pattern: &'static Pattern,
    /// The machine.
    pub machine: Machine,
    /// One entry per access of every example.
    pub rows: Vec<Row>,
    /// The requests of the examples that are drawn.
    pub drawings: Vec<Drawing>,
}

/// The counts of an access in an example.
#[derive(Clone, Debug)]
pub struct Row {
    /// The example.
    pub case: Case,
    /// The access.
    pub access: Access,
    /// Sums over the executed workgroups.
    pub counts: Counts,
    /// Workgroups executed, of how many.
    pub workgroups: (u64, u64),
}

/// A request to be drawn: the first of its access in the first workgroup.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// The example.
    pub case: Case,
    /// The access.
    pub access: Access,
    /// The request.
    pub request: TracedRequest,
}

impl Explanation {
    /// Executes the examples of a pattern.
    ///
    /// # Errors
    /// [`NoPrediction`]: a machine whose numbers can't be used; anything else is a mistake in the pattern.
    pub fn new(pattern: &'static Pattern, machine: Machine) -> Result<Explanation, NoPrediction> {
        let (mut rows, mut drawings) = (Vec::new(), Vec::new());
        for example in pattern.examples {
            let Some(case) = find(pattern, example) else { continue };
            let kernel = Kernel::new(&case, &LIMITS, Fill::new(SEED), Keep::Nothing)?;
            let sampled = Sampled::new(&kernel, &machine)?;
            let workgroups = (sampled.report.workgroups.len() as u64, kernel.plan.groups);
            let shown = |access: &Access| access.binding.is_none() || kernel.touches_subject(access);
            let accesses = sampled.report.accesses.iter();
            rows.extend(accesses.filter(|a| a.executed() && shown(&a.access)).map(|a| Row {
                case: case.clone(),
                access: a.access.clone(),
                counts: a.counts,
                workgroups,
            }));
            if example.drawn {
                let trace = Trace::new(&kernel, &machine, 0, 1)?;
                drawings.extend(trace.requests.into_iter().filter_map(|request| {
                    let access = &trace.accesses[request.access];
                    shown(access).then(|| Drawing { case: case.clone(), access: access.clone(), request })
                }));
            }
        }
        Ok(Explanation { pattern, machine, rows, drawings })
    }

    /// The axes on which the examples differ, by position.
    pub fn varying_axes(&self) -> Vec<usize> {
        let differs =
            |axis: &usize| self.rows.iter().any(|r| r.case.values[*axis] != self.rows[0].case.values[*axis]);
        (0..self.pattern.axes.len()).filter(differs).collect()
    }
}

/// The case of an example.
fn find(pattern: &'static Pattern, example: &Example) -> Option<Case> {
    let id = format!("{}/{}", pattern.name, example.case);
    pattern.cases(crate::pattern::Depth::Full).into_iter().find(|case| case.id() == id)
}

/// What an access does, in a word.
pub fn verb(op: AccessOp) -> &'static str {
    match op {
        AccessOp::Load => "load",
        AccessOp::Store => "store",
        AccessOp::Atomic => "atomic",
    }
}

#[cfg(test)]
mod tests;
