//! `stridemark analyze`: the access model on any shader, without a GPU and without set-up.
//!
//! ```text
//! file ─input─▶ Source ─module─▶ Program ─┐
//! options ─spec─▶ setup: buffers, assumptions ┴─▶ model ─▶ Report + requests kept by collect
//!                                                              │
//!                                            advice: cause and remedy of each waste
//!                                                              │
//!                                               Analysis ─▶ text · json · requests
//! ```
//!
//! Everything that is not given is assumed, and every assumption has a name that reaches the lines that
//! depend on it. Input is hostile: size, steps and memory are bounded, and what fails inside a parser is an
//! error, not a crash.

mod advice;
mod collect;
mod contents;
mod error;
mod excerpt;
mod execute;
mod grid;
mod input;
mod json;
mod module;
mod number;
mod requests;
mod result;
mod setup;
mod shape;
mod spec;
mod template;
mod text;

use std::collections::BTreeMap;
use std::path::PathBuf;

pub use advice::{Advice, Cause};
pub use collect::SampleRequest;
pub use error::AnalyzeError;
pub use input::{MAX_SHADER_BYTES, Source};
pub use json::{SCHEMA_VERSION, render as json};
pub use number::Number;
pub use requests::COLUMNS as REQUEST_COLUMNS;
pub use result::{Analysis, AnalyzedAccess, Finding, Warning};
pub use setup::{Assumption, MAX_FILE_BYTES, UNSET_LENGTH};
pub use spec::{BufferSpec, FillSpec, OverrideSpec, SetSpec, parse_grid, parse_workgroups};
pub use text::render as text;

use crate::model::{Access, AccessReport, Machine, Report, Space, Workgroups};

use advice::{Situation, Used};
use collect::Kept;
use execute::{Executed, execute};
use module::{AssumedConstant, Compiled};
use setup::Assumptions;

/// Stack of the thread that parses and compiles: both follow the nesting of the shader.
const STACK_BYTES: usize = 256 << 20;
/// Waste below this share of what is needed is not worth a word.
const NOTABLE: f64 = 0.05;
/// A conflict above this degree is worth one however rare: the gate `--fail-over 2` names it too.
const NOTABLE_DEGREE: u64 = 2;

/// Accesses to one variable that an advice on one of them is held against.
const SIBLINGS: usize = 64;

/// What to analyse, and with which inputs.
#[derive(Clone, Debug)]
pub struct Options {
    /// The compute entry point; needed where there are several.
    pub entry: Option<String>,
    /// Workgroups along x, y and z; enough for 2²⁰ invocations by default.
    pub grid: Option<[u32; 3]>,
    /// The workgroups executed; a sample by default.
    pub workgroups: Option<Workgroups>,
    /// Override constants.
    pub overrides: Vec<OverrideSpec>,
    /// Contents of buffers.
    pub buffers: Vec<BufferSpec>,
    /// Numbers of uniforms and of the fixed parts of buffers.
    pub set: Vec<SetSpec>,
    /// The numbers that requests are held against.
    pub machine: Machine,
    /// Where to write a row for each request.
    pub requests: Option<PathBuf>,
}

impl Options {
    /// Nothing given, for a machine.
    pub fn new(machine: Machine) -> Options {
        Options {
            entry: None,
            grid: None,
            workgroups: None,
            overrides: Vec::new(),
            buffers: Vec::new(),
            set: Vec::new(),
            machine,
            requests: None,
        }
    }
}

/// Analyses a shader.
///
/// # Errors
/// See [`AnalyzeError`].
pub fn analyze(source: &Source, options: &Options) -> Result<Analysis, AnalyzeError> {
    let failed = |what: String| AnalyzeError::Internal { file: source.name.clone(), what };
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().name("analysis".to_owned()).stack_size(STACK_BYTES);
        let thread = builder.spawn_scoped(scope, || analyze_here(source, options));
        let thread = thread.map_err(|error| failed(error.to_string()))?;
        thread.join().unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Err(failed(text.unwrap_or("no message").to_owned()))
        })
    })
}

fn analyze_here(source: &Source, options: &Options) -> Result<Analysis, AnalyzeError> {
    let compiled = module::compile(source, options.entry.as_deref(), &options.overrides)?;
    let program = &compiled.program;
    let grid = options.grid.unwrap_or_else(|| grid::default(program.workgroup_size(), compiled.axes));
    let executed = execute(source, options, &compiled, grid)?;
    let warnings = warnings(&compiled, &executed, options.workgroups.is_none());
    let Executed { report, assumptions, kept, used, start, .. } = executed;
    let accesses = analyzed(&report, &assumptions, &kept, &options.machine);
    let mut findings = access_findings(&compiled, &report, &assumptions, (&kept, &used), &options.machine);
    findings.extend(advice::few_lanes(&options.machine, program.workgroup_size()).map(|advice| Finding {
        access: None,
        at: source.entry_place(&compiled.entry),
        wasted_bytes: 0,
        wasted_passes: 0,
        advice,
    }));
    findings.sort_by_key(|finding| std::cmp::Reverse((finding.wasted_bytes, finding.wasted_passes)));
    Ok(Analysis {
        file: source.name.clone(),
        entry_point: compiled.entry.clone(),
        workgroup_size: program.workgroup_size(),
        grid,
        default_grid: options.grid.is_none(),
        spread_grid: options.grid.is_none() && grid::is_spread(program.workgroup_size(), compiled.axes),
        workgroups_executed: report.workgroups.len() as u64,
        sampled_start: start.map(|(start, _)| start),
        machine: options.machine.clone(),
        accesses,
        findings,
        warnings,
        buffers: report.buffers,
    })
}

fn analyzed(
    report: &Report,
    assumptions: &Assumptions,
    kept: &[Kept],
    machine: &Machine,
) -> Vec<AnalyzedAccess> {
    let with_kept = report.accesses.iter().zip(kept);
    with_kept
        .map(|(of, kept)| AnalyzedAccess {
            access: of.access.clone(),
            counts: of.counts,
            assumed: assumptions.of(&of.depends_on),
            representative: kept.representative(machine).cloned(),
        })
        .collect()
}

/// What the accesses waste, and why.
fn access_findings(
    compiled: &Compiled,
    report: &Report,
    assumptions: &Assumptions,
    (all_kept, used): (&[Kept], &Used),
    machine: &Machine,
) -> Vec<Finding> {
    let program = &compiled.program;
    let mut siblings: BTreeMap<_, Vec<(&Access, &Kept)>> = BTreeMap::new();
    for (of, kept) in report.accesses.iter().zip(all_kept) {
        let of_variable = siblings.entry((of.access.space, &of.access.variable)).or_default();
        if of_variable.len() < SIBLINGS {
            of_variable.push((&of.access, kept));
        }
    }
    let mut findings = Vec::new();
    for (index, (of, kept)) in report.accesses.iter().zip(all_kept).enumerate() {
        let AccessReport { access, counts, .. } = of;
        let binding = access.binding.and_then(|binding| program.bindings().get(binding));
        let element = binding.and_then(|binding| binding.element.as_ref());
        let workgroup_size = program.workgroup_size();
        let tile = match access.space {
            Space::Workgroup => program.workgroup_strides(&access.variable),
            Space::Storage | Space::Uniform => &[],
        };
        let siblings = siblings.get(&(access.space, &access.variable)).map_or(&[][..], Vec::as_slice);
        let is_contents = |assumption: &Assumption| assumption.flag.ends_with("=random");
        let assumes_contents = assumptions.of(&of.depends_on).iter().any(is_contents);
        let situation = Situation {
            access,
            kept,
            machine,
            workgroup_size,
            element,
            fixed: binding.map_or(&[], |binding| &binding.leaves),
            tile,
            used,
            counts,
            siblings,
            assumes_contents,
        };
        let sectors = counts.sectors.saturating_sub(counts.ideal_sectors);
        let passes = counts.passes.saturating_sub(counts.ideal_passes);
        let found = |advice, wasted_bytes, wasted_passes| Finding {
            access: Some(index),
            at: Some(access.at.clone()),
            wasted_bytes,
            wasted_passes,
            advice,
        };
        let notable = |waste: u64, needed: u64| waste as f64 > NOTABLE * needed as f64;
        if notable(sectors, counts.ideal_sectors)
            || notable(passes, counts.ideal_passes)
            || counts.conflict_degree > NOTABLE_DEGREE
        {
            let wasted_bytes = sectors * u64::from(machine.sector_bytes.value);
            findings.push(found(advice::advise(&situation), wasted_bytes, passes));
        }
        findings.extend(advice::same_address(&situation).map(|advice| found(advice, 0, 0)));
    }
    findings
}

fn warnings(compiled: &Compiled, executed: &Executed, sampled: bool) -> Vec<Warning> {
    let report = &executed.report;
    let mut warnings: Vec<Warning> = compiled
        .assumed
        .iter()
        .map(|AssumedConstant { name, shown }| Warning {
            at: None,
            message: format!(
                "override constant `{name}` has no value; {shown} was assumed, set it with --override {name}=V"
            ),
        })
        .collect();
    warnings.extend(Warning::start(executed));
    warnings.extend(Warning::idle(executed, sampled));
    warnings.extend(report.out_of_bounds.iter().map(Warning::out_of_bounds));
    let longer = if sampled { ", or let it run longer with --workgroups 2" } else { "" };
    warnings.extend(report.cut_loops.iter().map(|at| Warning {
        at: Some(at.clone()),
        message: format!(
            "a workgroup ran this loop for too long and was taken out of it, and of the loops around it: it is \
             long, waits for another workgroup or never ends; set the inputs that its bound depends on{longer}"
        ),
    }));
    warnings.extend(
        report.notes.iter().map(|note| Warning { at: Some(note.at.clone()), message: note.what.clone() }),
    );
    warnings
}
