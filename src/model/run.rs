//! Runs a program over a grid, or over a sample of it.

use std::borrow::Cow;
use std::cell::Cell;
use std::panic::UnwindSafe;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use naga::back::PipelineConstants;
use naga::back::pipeline_constants::{PipelineConstantError, process_overrides};
use naga::valid::ModuleInfo;
use naga::{Module, ShaderStage};
use rayon::prelude::*;

use super::Program;
use super::buffers::{AssumptionId, Buffers};
use super::error::ModelError;
use super::exec::{Context, Executor, Numbers, Observer, Totals};
use super::machine::Machine;
use super::report::{AccessReport, BufferReport, Report, Request};
use super::unreached::assumptions_above;

/// The most workgroups of one run.
const MAX_WORKGROUPS: u128 = 1 << 26;

/// What a request costs beside its lanes' arithmetic, in lane operations: its addresses are collected,
/// counted and looked at. Measured: about a microsecond, in which a core does 200 lane operations.
pub const REQUEST_OPERATIONS: u64 = 256;

/// A module whose override constants have values, and naga's findings on it.
pub type Resolved<'a> = (Cow<'a, Module>, Cow<'a, ModuleInfo>);

/// Gives the override constants of an entry point their values, as the pipeline does.
///
/// # Errors
/// naga's: a constant without a value, one that the shader does not have, a value out of range.
pub fn resolve<'a>(
    module: &'a Module,
    info: &'a ModuleInfo,
    entry: &str,
    constants: &PipelineConstants,
) -> Result<Resolved<'a>, ResolveError> {
    // naga 30 asserts where overrides are declared in another order than that of their first use
    let resolved = catch_silently(|| {
        process_overrides(module, info, Some((ShaderStage::Compute, entry)), constants).map_err(Box::new)
    });
    match resolved {
        Ok(resolved) => resolved.map_err(ResolveError::Constants),
        Err(_) => Err(ResolveError::Naga),
    }
}

thread_local! {
    /// Whether panics of this thread are caught and told by other means.
    static SILENT: Cell<bool> = const { Cell::new(false) };
}

/// Catches a panic without a word on standard error; those of other threads are told as ever.
fn catch_silently<T>(f: impl FnOnce() -> T + UnwindSafe) -> std::thread::Result<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !SILENT.get() {
                before(panic);
            }
        }));
    });
    let outer = SILENT.replace(true);
    let result = std::panic::catch_unwind(f);
    SILENT.set(outer);
    result
}

/// Why override constants could not be given their values.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// What naga says of the constants.
    #[error(transparent)]
    Constants(Box<PipelineConstantError>),
    /// naga failed an assertion of its own.
    #[error(
        "naga fails on the override constants of this shader; make them constants, or declare them before \
         whatever uses them and in the order of their first use"
    )]
    Naga,
}

/// Which workgroups of a grid are executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Workgroups {
    /// All of them.
    All,
    /// At most so many: the first, the last and evenly spaced ones between.
    Spread(u32),
    /// The same, fewer where they cost more than so many operations, as the first one shows: `most`
    /// workgroups, or a power of two below, down to two; only the first where it costs twice as much.
    Affordable {
        /// Never more than so many.
        most: u32,
        /// Lane operations of all of them; a request counts as [`REQUEST_OPERATIONS`].
        operations: u64,
    },
    /// Those.
    List(Vec<[u32; 3]>),
}

/// A grid and the workgroups of it to execute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dispatch {
    /// Workgroups along x, y and z.
    pub grid: [u32; 3],
    /// Which of them are executed.
    pub workgroups: Workgroups,
}

/// Bounds on what an execution may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Instructions (of all lanes at once) of one workgroup.
    pub steps_per_workgroup: u64,
    /// Instructions of one execution of a loop, what it encloses included, after which the loop is left with
    /// the iteration that it is in, and [reported](Report::cut_loops) if no loop inside it was: for a look at
    /// a shader whose loops are too long, or do not end. Loops before and after it run as ever; each loop
    /// left halves what the workgroup allows further ones, and half of `steps_per_workgroup` ends them all.
    pub cut_loops_after: Option<u64>,
    /// Bytes written to sparse buffers.
    pub sparse_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { steps_per_workgroup: 1 << 22, cut_loops_after: None, sparse_bytes: 128 << 20 }
    }
}

impl Dispatch {
    /// The workgroups to execute, x fastest; of those that have to be [affordable](Workgroups::Affordable)
    /// as many as there may be.
    fn list(&self) -> Result<Vec<[u32; 3]>, ModelError> {
        let total = self.grid.iter().map(|&count| u128::from(count)).product::<u128>();
        if total == 0 {
            return Err(ModelError::Grid(format!("the grid {:?} has no workgroups", self.grid)));
        }
        let count = match &self.workgroups {
            Workgroups::All => total,
            Workgroups::Spread(count) | Workgroups::Affordable { most: count, .. } => {
                total.min(u128::from(*count).max(1))
            }
            Workgroups::List(list) => list.len() as u128,
        };
        if count > MAX_WORKGROUPS {
            return Err(ModelError::Grid(format!(
                "{count} workgroups to execute, the limit is {MAX_WORKGROUPS}; take a sample of them"
            )));
        }
        match &self.workgroups {
            Workgroups::List(list) => {
                if let Some(outside) =
                    list.iter().find(|group| group.iter().zip(&self.grid).any(|(i, n)| i >= n))
                {
                    return Err(ModelError::Grid(format!(
                        "workgroup {outside:?} is outside of the grid {:?}",
                        self.grid
                    )));
                }
                Ok(list.clone())
            }
            Workgroups::All | Workgroups::Spread(_) | Workgroups::Affordable { .. } => {
                Ok(spread(self.grid, count as u64))
            }
        }
    }
}

/// Workgroups of a grid: the first, the last and evenly spaced ones between, x fastest; all where there are
/// no more than `count`.
pub fn spread(grid: [u32; 3], count: u64) -> Vec<[u32; 3]> {
    let [x, y, z] = grid.map(|count| u128::from(count.max(1)));
    let at = |i: u128| [(i % x) as u32, (i / x % y) as u32, (i / x / y) as u32];
    let count = u128::from(count).min(x * y * z);
    let last = x * y * z - 1;
    let gaps = count.saturating_sub(1).max(1);
    // i × last / gaps, where i × last may take more than 128 bits
    (0..count).map(|i| at(last / gaps * i + last % gaps * i / gaps)).collect()
}

/// Executes workgroups and counts their requests.
///
/// Workgroups run in parallel where none can see what another one writes, one after the other (x fastest)
/// otherwise. Either way the report is the same every time; the contents of buffers too, unless workgroups
/// store different values to one address.
///
/// # Errors
/// Numbers of the machine that cannot be used, a buffer without contents, an empty grid, a loop that does
/// not end within the limits.
pub fn run(
    program: &Program,
    machine: &Machine,
    dispatch: &Dispatch,
    buffers: &Buffers,
    limits: &Limits,
) -> Result<Report, ModelError> {
    let (context, workgroups) = prepare(program, machine, dispatch, buffers, limits)?;
    let is_open = matches!(dispatch.workgroups, Workgroups::Affordable { .. });
    if is_open || !program.workgroups_are_independent() {
        return sequential(&context, &dispatch.workgroups, workgroups, None);
    }
    let chunk = workgroups.len().div_ceil(8 * rayon::current_num_threads()).clamp(1, 4096);
    let failed = AtomicBool::new(false);
    let parts: Vec<Result<Totals, ModelError>> = workgroups
        .par_chunks(chunk)
        .map(|workgroups| {
            let mut executor = Executor::new(&context, None);
            for &workgroup in workgroups {
                if failed.load(Relaxed) {
                    break; // the run is lost; the first error in order is reported
                }
                executor.run(workgroup).inspect_err(|_| failed.store(true, Relaxed))?;
            }
            Ok(executor.into_totals())
        })
        .collect();
    let mut all = Executor::new(&context, None).into_totals();
    for part in parts {
        all.merge(part?);
    }
    Ok(report(&context, workgroups, all))
}

/// [`run`], one workgroup after the other, with every request shown to `observer`.
///
/// # Errors
/// As [`run`].
pub fn run_observed(
    program: &Program,
    machine: &Machine,
    dispatch: &Dispatch,
    buffers: &Buffers,
    limits: &Limits,
    observer: &mut dyn FnMut(&Request<'_>),
) -> Result<Report, ModelError> {
    let (context, workgroups) = prepare(program, machine, dispatch, buffers, limits)?;
    sequential(&context, &dispatch.workgroups, workgroups, Some(observer))
}

fn prepare<'a>(
    program: &'a Program,
    machine: &Machine,
    dispatch: &Dispatch,
    buffers: &'a Buffers,
    limits: &Limits,
) -> Result<(Context<'a>, Vec<[u32; 3]>), ModelError> {
    machine.check()?;
    let workgroups = dispatch.list()?;
    let numbers = Numbers::of(machine);
    let taint = |&(reg, sources)| (reg, buffers.assumptions_of(sources));
    let assumed = program.assumed.iter().map(taint).collect();
    let buffers = buffers.complete()?;
    let grid = dispatch.grid;
    Ok((Context { program, buffers, assumed, numbers, limits: *limits, grid }, workgroups))
}

fn sequential<'a>(
    context: &'a Context<'a>,
    chosen: &Workgroups,
    mut workgroups: Vec<[u32; 3]>,
    observer: Option<Observer<'a>>,
) -> Result<Report, ModelError> {
    let mut executor = Executor::new(context, observer);
    let mut done = 0;
    if let (Workgroups::Affordable { operations, .. }, Some(&first)) = (chosen, workgroups.first()) {
        executor.run(first)?;
        done = 1;
        let count = affordable(workgroups.len() as u64, *operations, executor.operations());
        workgroups = spread(context.grid, count);
    }
    for &workgroup in workgroups.iter().skip(done) {
        executor.run(workgroup)?;
    }
    let totals = executor.into_totals();
    Ok(report(context, workgroups, totals))
}

/// How many of `most` workgroups to execute where one costs that much: a power of two, so that a small change
/// of the shader does not change the sample. The first and the last at least, unless either of them takes
/// twice the budget.
fn affordable(most: u64, budget: u64, cost: u64) -> u64 {
    if cost > budget.saturating_mul(2) {
        return 1;
    }
    let count = budget / cost.max(1);
    if count >= most { most } else { (1 << count.max(2).ilog2()).min(most) }
}

impl Totals {
    /// Adds what later workgroups counted.
    fn merge(&mut self, other: Self) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(to, from)| to.merge(from));
        self.depends.iter_mut().zip(&other.depends).for_each(|(to, from)| *to |= from);
        self.branches.iter_mut().zip(&other.branches).for_each(|(to, from)| *to |= from);
        for (to, from) in self.out_of_bounds.iter_mut().zip(other.out_of_bounds) {
            match (to.as_mut(), from) {
                (Some(to), Some(from)) => to.lanes += from.lanes,
                (None, from) => *to = from,
                (Some(_), None) => {}
            }
        }
        self.distinct.extend(other.distinct);
        self.cut_loops.extend(other.cut_loops);
        self.steps += other.steps;
    }
}

fn report(context: &Context<'_>, workgroups: Vec<[u32; 3]>, totals: Totals) -> Report {
    let program = context.program;
    let above = assumptions_above(program, &totals.branches);
    let accesses: Vec<_> = program
        .accesses
        .iter()
        .zip(totals.counts.iter().zip(totals.depends.iter().zip(&above)))
        .map(|(access, (&counts, (&depends, &above)))| {
            let depends = if counts.requests > 0 { depends } else { above };
            AccessReport {
                access: access.clone(),
                counts,
                depends_on: (0..64).filter(|bit| depends >> bit & 1 != 0).map(AssumptionId).collect(),
            }
        })
        .collect();
    let buffer_reports = program.bindings.iter().enumerate().map(|(i, binding)| {
        let per_workgroup: Vec<u64> = totals.distinct.iter().map(|distinct| distinct[i]).collect();
        let of_buffer = accesses.iter().filter(|access| access.access.binding == Some(i));
        BufferReport {
            variable: binding.name.clone(),
            sectors: of_buffer.map(|access| access.counts.sectors).sum(),
            distinct_sectors: per_workgroup.iter().sum(),
            per_workgroup,
        }
    });
    let mut out_of_bounds: Vec<_> = totals.out_of_bounds.into_iter().flatten().collect();
    out_of_bounds.sort_by(|a, b| a.at.cmp(&b.at));
    Report {
        grid: context.grid,
        workgroups,
        buffers: buffer_reports.collect(),
        accesses,
        out_of_bounds,
        notes: program.notes.clone(),
        cut_loops: totals.cut_loops.into_iter().collect(),
        steps: totals.steps,
        lane_operations: totals.steps * program.lanes() as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_over_the_grid() {
        assert_eq!(spread([5, 1, 1], 3), [[0, 0, 0], [2, 0, 0], [4, 0, 0]]);
        assert_eq!(spread([2, 2, 1], 9), [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]);
        assert_eq!(spread([7, 7, 7], 1), [[0, 0, 0]]);
        // far above 64 bits
        let most = [u32::MAX; 3];
        assert_eq!(spread(most, 2), [[0, 0, 0], [u32::MAX - 1; 3]]);
    }

    #[test]
    fn as_many_as_are_affordable() {
        let of = |cost| affordable(16, 48, cost);
        assert_eq!([of(97), of(96), of(25), of(12), of(4), of(3), of(1), of(0)], [1, 2, 2, 4, 8, 16, 16, 16]);
        assert_eq!((affordable(1, 9, 1), affordable(3, 9, 4), affordable(3, 9, 1)), (1, 2, 3));
        assert_eq!(affordable(16, u64::MAX, u64::MAX), 2);
    }
}
