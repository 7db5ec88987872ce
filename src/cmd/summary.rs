//! What a run leaves and shows when it is over: charts, `summary.md` and the summary on the terminal.

use std::path::Path;

use crate::cli::{Format, RunArgs};
use crate::record::{RunDir, RunInfo, replace};
use crate::report::{Report, ReportError, Run, Summary, charts, json, markdown, terminal};

use super::{note, print, room};

/// Writes charts and `summary.md` into a run's directory and prints its summary, which is shown also where a file
/// can't be written; returns the run.
pub(super) fn show(args: &RunArgs, dir: &RunDir, info: &RunInfo) -> anyhow::Result<Run> {
    let run = Run::new(info.clone(), dir.cases()?);
    let summary = Summary::new(&run);
    let written = write(&run, &summary, dir.path(), !args.no_charts);
    if args.format == Format::Text {
        print(format_args!("{}\n", terminal::render(&summary, room())))?;
    }
    note(format_args!("results in {}", dir.path().display()));
    written?;
    Ok(run)
}

fn write(run: &Run, summary: &Summary, dir: &Path, with_charts: bool) -> Result<(), ReportError> {
    let charts = if with_charts { charts::write(run, &dir.join("charts"))? } else { Vec::new() };
    let text = markdown::render(summary, &run.info.command, &markdown::pictures(&charts, dir));
    let path = dir.join("summary.md");
    replace(&path, text.as_bytes()).map_err(|source| ReportError::writing(&path, source))
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
