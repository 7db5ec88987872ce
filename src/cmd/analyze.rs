//! `stridemark analyze`: the access model on a shader of the user's.

use std::path::PathBuf;

use clap::Args;

use crate::analyze::{self, Analysis, AnalyzeError, BufferSpec, Options, OverrideSpec, SetSpec, Source};
use crate::cli::Format;
use crate::model::machine::Phases;
use crate::model::{Machine, Workgroups};
use crate::picture;

use super::{Exit, Usage, machine, note, print, write_picture};

/// Options of `analyze`.
#[derive(Clone, Debug, Args)]
pub struct AnalyzeArgs {
    /// The shader
    #[arg(value_name = "FILE.wgsl")]
    pub file: PathBuf,
    /// Compute entry point, where the shader has several
    #[arg(long, value_name = "NAME")]
    pub entry: Option<String>,
    /// Workgroups launched; enough for 2^20 invocations by default
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true, value_parser = analyze::parse_grid)]
    pub grid: Option<[u32; 3]>,
    /// Workgroups of the grid executed: the first, the last and evenly spaced ones between; or `all`
    #[arg(long, value_name = "N|all", allow_hyphen_values = true, value_parser = analyze::parse_workgroups)]
    pub workgroups: Option<Workgroups>,
    /// Value of an override constant; repeatable
    #[arg(long = "override", value_name = "NAME=V", value_parser = OverrideSpec::parse)]
    pub overrides: Vec<OverrideSpec>,
    /// A buffer's length `len:N`, its contents, or both with a comma, as in idx=len:1Mi,random:7; contents are
    /// `zero`, `iota`, `random[:SEED[:BELOW]]`, `const:V` or `file:PATH`, with or without `fill:` before; repeatable
    #[arg(long = "buffer", value_name = "NAME=SPEC", value_parser = BufferSpec::parse)]
    pub buffers: Vec<BufferSpec>,
    /// Value of a uniform or of a structure's member, such as params.n=1024; repeatable
    #[arg(long, value_name = "PATH=V", value_parser = SetSpec::parse)]
    pub set: Vec<SetSpec>,
    /// Numbers of a machine: nvidia, amd-rdna, amd-cdna3, amd-cdna4, intel-xe, apple, host, or a TOML file
    #[arg(long, value_name = "NAME|FILE", default_value = "nvidia")]
    pub machine: String,
    /// Lanes of a subgroup
    #[arg(long, value_name = "N")]
    pub subgroup_size: Option<u32>,
    /// Bytes of a sector, the smallest unit fetched
    #[arg(long, value_name = "N")]
    pub sector_bytes: Option<u32>,
    /// Bytes of a cache line
    #[arg(long, value_name = "N")]
    pub line_bytes: Option<u32>,
    /// Banks of workgroup memory
    #[arg(long, value_name = "N")]
    pub banks: Option<u32>,
    /// Bytes that a bank serves in one pass
    #[arg(long, value_name = "N")]
    pub bank_bytes: Option<u32>,
    /// How wide accesses to workgroup memory are served: consecutive, cdna3-read, cdna4-read
    #[arg(long, value_name = "RULE", value_parser = parse_phases)]
    pub phases: Option<Phases>,
    /// Write a row for each request to this CSV file
    #[arg(long, value_name = "OUT.csv")]
    pub requests: Option<PathBuf>,
    /// Also draw a typical request of each access into an SVG file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Exit with 3 when an access has an excess or a conflict degree above this factor
    #[arg(long, value_name = "FACTOR", allow_hyphen_values = true, value_parser = parse_factor)]
    pub fail_over: Option<f64>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Runs the verb.
///
/// # Errors
/// What [`AnalyzeError`] says; options that don't fit the shader are usage errors.
pub(super) fn run(args: &AnalyzeArgs) -> anyhow::Result<Exit> {
    let options = Options {
        entry: args.entry.clone(),
        grid: args.grid,
        workgroups: args.workgroups.clone(),
        overrides: args.overrides.clone(),
        buffers: args.buffers.clone(),
        set: args.set.clone(),
        machine: chosen_machine(args)?,
        requests: args.requests.clone(),
    };
    keep_files_apart(args)?;
    let source = Source::read(&args.file).map_err(raise)?;
    let analysis = analyze::analyze(&source, &options).map_err(raise)?;
    if let Some(path) = &args.svg {
        write_picture(path, &picture::of_analysis(&analysis))?;
    }
    print(match args.format {
        Format::Text => analyze::text(&analysis, &source),
        Format::Json => analyze::json(&analysis),
    })?;
    Ok(gate(args.fail_over, &analysis))
}

/// No output may replace the shader, or the other output.
fn keep_files_apart(args: &AnalyzeArgs) -> Result<(), Usage> {
    let real = |path: &PathBuf| path.canonicalize().unwrap_or_else(|_| path.clone());
    let mut taken = vec![real(&args.file)];
    for (option, path) in [("--svg", &args.svg), ("--requests", &args.requests)] {
        let Some(path) = path else { continue };
        if taken.contains(&real(path)) {
            return Err(Usage(format!("{option} {}: that file is taken; name another", path.display())));
        }
        taken.push(real(path));
    }
    Ok(())
}

fn raise(error: AnalyzeError) -> anyhow::Error {
    if error.is_usage() { Usage(error.to_string()).into() } else { error.into() }
}

fn chosen_machine(args: &AnalyzeArgs) -> anyhow::Result<Machine> {
    let mut machine = machine::named(&args.machine)?;
    let given = [
        (&mut machine.subgroup_size, args.subgroup_size, "--subgroup-size"),
        (&mut machine.sector_bytes, args.sector_bytes, "--sector-bytes"),
        (&mut machine.line_bytes, args.line_bytes, "--line-bytes"),
        (&mut machine.banks, args.banks, "--banks"),
        (&mut machine.bank_bytes, args.bank_bytes, "--bank-bytes"),
    ];
    for (figure, value, flag) in given {
        if let Some(value) = value {
            figure.set(value, flag);
        }
    }
    if let Some(phases) = args.phases {
        machine.phases.set(phases, "--phases");
    }
    machine.check().map_err(|error| Usage(error.to_string()))?;
    Ok(machine)
}

/// Whether the shader passes the gate of `--fail-over`.
fn gate(factor: Option<f64>, analysis: &Analysis) -> Exit {
    let Some(factor) = factor else { return Exit::Done };
    let above = analysis.above(factor);
    for access in &above {
        let (at, counts) = (&access.access.at, &access.counts);
        let figure = match counts.excess() {
            Some(excess) => format!("excess {excess:.2}"),
            None => format!("conflict degree {}", counts.conflict_degree),
        };
        note(format_args!("{at}: {figure} is above {factor} (--fail-over)"));
    }
    if above.is_empty() { Exit::Done } else { Exit::Gate }
}

fn parse_phases(text: &str) -> Result<Phases, String> {
    match text {
        "consecutive" => Ok(Phases::Consecutive),
        "cdna3-read" => Ok(Phases::Cdna3Read),
        "cdna4-read" => Ok(Phases::Cdna4Read),
        _ => Err(format!("`{text}` is no rule; write consecutive, cdna3-read or cdna4-read")),
    }
}

fn parse_factor(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(factor) if factor >= 1.0 && factor.is_finite() => Ok(factor),
        _ => Err(format!("`{text}` is no factor from 1, such as 2")),
    }
}
