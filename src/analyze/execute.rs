//! Runs the model on a sample of workgroups that says something, within a budget.
//!
//! Where nobody gives a grid, it is larger than what inputs of 1024 let through a guard such as
//! `if id.x >= params.n { return; }`: a sample spread over all of it would be workgroups that do nothing.
//! Without a guard, an index such as `id.x * params.n` leaves the 4 GiB that an address can reach, and
//! workgroups that are clamped to one element look like broadcasts. The sample is then taken from where ids
//! stay below that bound.

use crate::model::{
    AccessOp, AtomicFun, Dispatch, Limits, MAX_BUFFER_BYTES, OutOfBounds, Program, Report, Request, Space,
    Workgroups, run, run_observed, spread,
};

use super::advice::Used;
use super::collect::{Collector, Kept};
use super::contents::UNSET;
use super::error::AnalyzeError;
use super::input::Source;
use super::module::{self, Compiled};
use super::requests::Rows;
use super::setup::{self, Assumption, Assumptions};
use super::{Options, grid};

/// Workgroups executed where nobody says how many; fewer where one takes long.
const SAMPLE: u32 = 16;
/// Operations that such a sample takes at most, in [`Workgroups::Affordable`]'s unit. One core does 200
/// million in a second, and an answer should be there a tenth of a second after process start.
const SAMPLE_OPERATIONS: u64 = 12_000_000;
/// The most workgroups whose requests are looked at one by one; of more, the largest sample.
const OBSERVED_WORKGROUPS: u128 = 64;
/// Instructions after which a loop is left, in a workgroup of 256 lanes or fewer of a sample; of larger ones so
/// many fewer. A quarter of it is too few for a product of matrices by tiles of 32 by 32, four rows a lane, with
/// a depth of 1024.
const SAMPLE_LOOP_STEPS: u64 = 1 << 18;
/// The same where the number of workgroups was given.
const LOOP_STEPS: u64 = 1 << 20;
/// One lane in so many may leave the address space before the sample is taken elsewhere.
const NOTABLE_SHARE: u64 = 64;
/// Indices from here on are negative ones, which no other part of the grid mends.
const NEGATIVE: i64 = (1 << 32) - (1 << 24);
/// Bytes written to buffers that grow, over all of them.
const SPARSE_BYTES: u64 = 512 << 20;

/// What the model counted, and what was kept of its requests.
pub(super) struct Executed {
    pub(super) report: Report,
    pub(super) assumptions: Assumptions,
    /// By access.
    pub(super) kept: Vec<Kept>,
    pub(super) used: Used,
    /// The start of the grid that the sample was taken from, where that is not all of it, and why.
    pub(super) start: Option<([u32; 3], Why)>,
    /// How many of the executed workgroups change no storage buffer; none where the shader never does.
    pub(super) idle: Option<u64>,
}

/// Why a sample is not spread over all of the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    /// Workgroups further on write nothing.
    Idle,
    /// Indices further on are beyond the addresses that a buffer without a length has.
    Beyond,
    /// One workgroup takes all that a sample may.
    Dear,
}

impl Executed {
    /// What is assumed where storage buffers are changed: at the address, or in the branches above.
    pub(super) fn assumed_of_stores(&self) -> Vec<Assumption> {
        let stores = self.report.accesses.iter().filter(|of| changes_storage(&of.access));
        let mut all: Vec<_> = stores.flat_map(|of| self.assumptions.of(&of.depends_on)).collect();
        all.sort();
        all.dedup();
        all
    }

    /// What is assumed where buffers are accessed.
    pub(super) fn assumed_of_addresses(&self) -> Vec<Assumption> {
        let buffers = self.report.accesses.iter().filter(|of| of.access.space == Space::Storage);
        let mut all: Vec<_> = buffers.flat_map(|of| self.assumptions.of(&of.depends_on)).collect();
        all.sort();
        all.dedup();
        all
    }

    /// Lanes whose index is beyond the addresses of a buffer without a length.
    fn lanes_beyond(&self, program: &Program) -> u64 {
        let is_beyond = |found: &&OutOfBounds| {
            let binding = program.bindings().iter().find(|binding| binding.name == found.variable);
            binding.and_then(|binding| binding.element.as_ref()).is_some_and(|element| {
                let most = (MAX_BUFFER_BYTES - u64::from(element.offset)) / u64::from(element.stride.max(1));
                found.length == most && (0..NEGATIVE).contains(&found.index)
            })
        };
        self.report.out_of_bounds.iter().filter(is_beyond).map(|found| found.lanes).sum()
    }

    /// Lanes of all requests to storage buffers.
    fn lanes_of_storage(&self) -> u64 {
        let storage = self.report.accesses.iter().filter(|of| of.access.space == Space::Storage);
        storage.map(|of| of.counts.active_lanes).sum()
    }

    /// Whether at least half of the executed workgroups change nothing.
    pub(super) fn is_idle(&self) -> bool {
        self.idle.is_some_and(|idle| 2 * idle >= self.report.workgroups.len() as u64)
    }
}

/// Runs the model and keeps some of its requests.
pub(super) fn execute(
    source: &Source,
    options: &Options,
    compiled: &Compiled,
    grid: [u32; 3],
) -> Result<Executed, AnalyzeError> {
    let affordable = Workgroups::Affordable { most: SAMPLE, operations: SAMPLE_OPERATIONS };
    let workgroups = options.workgroups.clone().unwrap_or(affordable);
    let executed = execute_on(source, options, compiled, grid, workgroups)?;
    if options.workgroups.is_some() {
        return Ok(executed);
    }
    if executed.report.workgroups.len() == 1 && grid != [1; 3] {
        return Ok(Executed { start: Some(([1; 3], Why::Dear)), ..executed });
    }
    let program = &compiled.program;
    let start = grid::below(UNSET as u32, program.workgroup_size(), grid);
    let beyond = executed.lanes_beyond(program);
    let beyond = if beyond > executed.lanes_of_storage() / NOTABLE_SHARE { beyond } else { 0 };
    if options.grid.is_some() || start == grid || !executed.is_idle() && beyond == 0 {
        return Ok(executed);
    }
    let workgroups = Workgroups::List(spread(start, executed.report.workgroups.len() as u64));
    let again = execute_on(source, options, compiled, grid, workgroups)?;
    let busy = |of: &Executed| of.report.workgroups.len() as u64 - of.idle.unwrap_or(0);
    let why = if busy(&again) > busy(&executed) {
        Why::Idle
    } else if again.lanes_beyond(program) < beyond && busy(&again) == busy(&executed) {
        Why::Beyond
    } else {
        return Ok(executed);
    };
    Ok(Executed { start: Some((start, why)), ..again })
}

fn execute_on(
    source: &Source,
    options: &Options,
    compiled: &Compiled,
    grid: [u32; 3],
    workgroups: Workgroups,
) -> Result<Executed, AnalyzeError> {
    let program = &compiled.program;
    let limits = limits(program, options.workgroups.is_some());
    let run_on = |workgroups: Workgroups, observer: Option<&mut dyn FnMut(&Request<'_>)>| {
        let setup = setup::set_up(compiled, &options.buffers, &options.set)?;
        let dispatch = Dispatch { grid, workgroups };
        let report = match observer {
            Some(observer) => {
                run_observed(program, &options.machine, &dispatch, &setup.buffers, &limits, observer)
            }
            None => run(program, &options.machine, &dispatch, &setup.buffers, &limits),
        };
        let report = report.map_err(|error| module::in_source(source, &compiled.entry, error))?;
        Ok::<_, AnalyzeError>((report, setup.assumptions))
    };
    let mut rows = options.requests.as_deref().map(Rows::create).transpose()?;
    let mut collector = Collector::new(program.accesses().len());
    let mut used = Used::new(program.bindings(), program.accesses());
    let mut busy = Busy::new(program);
    let sizes: Vec<u32> = program.accesses().iter().map(|access| access.bytes).collect();
    let mut observe = |request: &Request<'_>| {
        used.add(request);
        busy.add(request);
        collector.add(request, sizes.get(request.access) == Some(&request.bytes));
        if let Some(rows) = &mut rows {
            rows.add(request);
        }
    };
    let total = grid.iter().map(|&count| u128::from(count)).product::<u128>();
    let count = match &workgroups {
        Workgroups::All => total,
        Workgroups::Spread(count) | Workgroups::Affordable { most: count, .. } => {
            total.min(u128::from(*count))
        }
        Workgroups::List(list) => list.len() as u128,
    };
    let is_observed = options.requests.is_some() || count <= OBSERVED_WORKGROUPS;
    let (report, assumptions) = if is_observed {
        run_on(workgroups, Some(&mut observe))?
    } else {
        run_on(Workgroups::Spread(SAMPLE), Some(&mut observe))?;
        run_on(workgroups, None)?
    };
    if let Some(rows) = rows {
        rows.finish()?;
    }
    let idle = busy.idle(report.workgroups.len() as u64).filter(|_| is_observed);
    Ok(Executed { report, assumptions, kept: collector.into_kept(), used, start: None, idle })
}

/// Bounds on an execution; `thorough` where the caller chose the workgroups.
fn limits(program: &Program, thorough: bool) -> Limits {
    let written = program.bindings().iter().filter(|binding| binding.written).count().max(1) as u64;
    let lanes = program.workgroup_size().iter().map(|&size| u64::from(size)).product::<u64>().max(256);
    let limits = Limits::default();
    Limits {
        cut_loops_after: Some(if thorough { LOOP_STEPS } else { SAMPLE_LOOP_STEPS * 256 / lanes }),
        sparse_bytes: limits.sparse_bytes.min(SPARSE_BYTES / written),
        ..limits
    }
}

/// Whether an access may change a storage buffer: all that a dispatch leaves behind, textures apart.
fn changes_storage(access: &crate::model::Access) -> bool {
    let changes = match access.op {
        AccessOp::Load => false,
        AccessOp::Store => true,
        AccessOp::Atomic => access.atomic != Some(AtomicFun::Load),
    };
    changes && access.space == Space::Storage
}

/// Counts the workgroups that change a storage buffer.
struct Busy {
    /// By access.
    changes: Vec<bool>,
    last: Option<[u32; 3]>,
    workgroups: u64,
}

impl Busy {
    fn new(program: &Program) -> Busy {
        let changes = program.accesses().iter().map(changes_storage).collect();
        Busy { changes, last: None, workgroups: 0 }
    }

    /// Looks at a request; those of a workgroup come one after the other.
    fn add(&mut self, request: &Request<'_>) {
        if self.changes.get(request.access) == Some(&true) && self.last != Some(request.workgroup) {
            self.last = Some(request.workgroup);
            self.workgroups += 1;
        }
    }

    fn idle(&self, executed: u64) -> Option<u64> {
        self.changes.contains(&true).then(|| executed.saturating_sub(self.workgroups))
    }
}
