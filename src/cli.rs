//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::cmd::{AnalyzeArgs, CompareArgs, ExplainArgs};
use crate::units;

/// What does a memory layout cost on a GPU? Measure it, predict it, analyse a shader for it.
#[derive(Debug, Parser)]
#[command(name = "stridemark", version, max_term_width = 100, args_conflicts_with_subcommands = true)]
pub struct Cli {
    /// What to do; without a verb, the suite is run.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Options of `run`.
    #[command(flatten)]
    pub run: RunArgs,
}

/// The verbs.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure the suite on one or more devices (the default)
    Run(Box<RunArgs>),
    /// List the devices
    List(FormatArgs),
    /// List the patterns with their axes and case counts
    Patterns(FormatArgs),
    /// Tell what a pattern is and why it costs, with pictures and counts from the access model
    Explain(ExplainArgs),
    /// Say, line by line, how well a WGSL shader of yours coalesces; needs no GPU
    Analyze(Box<AnalyzeArgs>),
    /// Hold recorded runs against a base: ratio, interval and verdict for each case
    Compare(CompareArgs),
    /// Report on recorded runs: text, Markdown, JSON or one self-contained HTML page
    ///
    /// Without options the report is printed. --out FILE.html makes one page that needs no network and no
    /// other file. Runs that can't be read are named and left out, and the exit code is then 1.
    Report(ReportArgs),
}

/// Text for people or JSON for programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// tables and sentences
    #[default]
    Text,
    /// one JSON document on standard output
    Json,
}

/// The output format alone.
#[derive(Debug, Args)]
pub struct FormatArgs {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// The renderings of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// for the terminal
    Text,
    /// for a page or a comment
    Markdown,
    /// for programs
    Json,
    /// one self-contained page
    Html,
}

/// Options of `report`.
#[derive(Clone, Debug, Args)]
pub struct ReportArgs {
    /// Run directories (each holds cases.csv and run.json)
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Write the report into this file: a self-contained page for .html, else .md, .json or .txt
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Output format [default: that of the extension of --out, or text]
    #[arg(long, value_enum)]
    pub format: Option<ReportFormat>,
    /// Write the charts of each run, and those over all runs, below this folder
    #[arg(long, value_name = "DIR")]
    pub charts: Option<PathBuf>,
    /// Make this folder, which holds the runs, a gallery: charts and summary.md of each, README.md over all
    #[arg(long, value_name = "DIR", conflicts_with_all = ["out", "format", "charts"])]
    pub gallery: Option<PathBuf>,
}

/// Options of `run`.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    /// Device: an index from `list`, `gpu`, `host`, or part of backend:name or PCI id; repeatable
    #[arg(long, value_name = "SEL")]
    pub device: Vec<String>,
    /// Every physical device once, and the host
    #[arg(long, conflicts_with = "device")]
    pub all_devices: bool,
    /// A few cases of every pattern
    #[arg(long, conflicts_with = "full")]
    pub quick: bool,
    /// Every point of every axis
    #[arg(long)]
    pub full: bool,
    /// Only cases whose id matches a glob (`stride/*`, `*type=u32x4*`); repeatable
    #[arg(long, value_name = "GLOB")]
    pub filter: Vec<String>,
    /// Bytes over the buffers of a case (64MiB, 1GiB)
    #[arg(long, value_name = "SIZE", allow_hyphen_values = true, value_parser = units::parse_size)]
    pub footprint: Option<u64>,
    /// Device time a case may take
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true, value_parser = units::parse_seconds)]
    pub budget: Option<f64>,
    /// Time the run of a device may take
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true, value_parser = units::parse_seconds)]
    pub max_time: Option<f64>,
    /// Half-width of the 95 % interval at which a case is done, in per cent of its median [default: 1]
    #[arg(long, value_name = "PCT", allow_hyphen_values = true, value_parser = parse_percent)]
    pub precision: Option<f64>,
    /// Seed of the buffer contents and of the order of cases [default: 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Folder that run directories are made in
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub out: PathBuf,
    /// Go on with a run that was cut off, with its settings, into its directory
    #[arg(long, value_name = "DIR", conflicts_with_all = ["all_devices", "out"])]
    pub resume: Option<PathBuf>,
    /// Write no charts
    #[arg(long)]
    pub no_charts: bool,
    /// Keep the bounds checks and loop bounds that wgpu adds to shaders
    #[arg(long)]
    pub runtime_checks: bool,
    /// Data-sheet bandwidth of the device in GB/s, where stridemark does not know it
    #[arg(long, value_name = "X", allow_hyphen_values = true, value_parser = parse_positive)]
    pub peak_gbps: Option<f64>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

fn parse_percent(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(percent) if percent > 0.0 && percent <= 100.0 => Ok(percent),
        _ => Err(format!("`{text}` is not a percentage above 0 and up to 100, such as 1")),
    }
}

fn parse_positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err(format!("`{text}` is not a positive number of GB/s, such as 960")),
    }
}
