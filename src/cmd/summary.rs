//! What a run leaves and shows when it is over: charts, `summary.md` and the summary on the terminal.

use std::path::Path;

use anyhow::Context;

use crate::cli::{Format, RunArgs};
use crate::record::{RunDir, RunInfo};
use crate::report::{Report, Run, Summary, charts, json, markdown, terminal};

use super::{note, print, room};

/// Writes charts and `summary.md` into a run's directory and prints its summary; returns the run.
pub(super) fn show(args: &RunArgs, dir: &RunDir, info: &RunInfo) -> anyhow::Result<Run> {
    let run = Run::new(info.clone(), dir.cases()?);
    let charts = if args.no_charts { Vec::new() } else { charts::write(&run, &dir.path().join("charts"))? };
    let summary = Summary::new(&run);
    let path = dir.path().join("summary.md");
    std::fs::write(
        &path,
        markdown::render(&summary, &info.command, &markdown::pictures(&charts, dir.path())),
    )
    .with_context(|| format!("can't write {}", path.display()))?;
    if args.format == Format::Text {
        print(format_args!("{}\n", terminal::render(&summary, room())))?;
    }
    note(format_args!("results in {}", dir.path().display()));
    Ok(run)
}

/// Prints the runs of one call as one JSON document.
pub(super) fn print_json(runs: &[Run]) -> anyhow::Result<()> {
    print(json::render(&Report::new(runs, Vec::new()), runs)?)
}

/// Writes the charts over the devices of one call.
pub(super) fn compare(runs: &[Run], folder: &Path) -> anyhow::Result<()> {
    charts::write_comparison(runs, folder)?;
    note(format_args!("comparison charts in {}", folder.display()));
    Ok(())
}
