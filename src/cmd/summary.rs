//! What a run leaves and shows when it is over: charts, `summary.md` and the summary on the terminal.

use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::cli::{Format, RunArgs};
use crate::record::{RunDir, RunInfo};
use crate::report::{Run, Summary, charts, markdown, terminal};

use super::{note, print};

/// Writes charts and `summary.md` into a run's directory and prints its summary; returns the run.
pub(super) fn show(args: &RunArgs, dir: &RunDir, info: &RunInfo) -> anyhow::Result<Run> {
    let run = Run { info: info.clone(), rows: dir.cases()? };
    let charts = if args.no_charts { Vec::new() } else { charts::write(&run, &dir.path().join("charts"))? };
    let summary = Summary::new(&run);
    let pictures = pictures(&charts, dir.path());
    let path = dir.path().join("summary.md");
    std::fs::write(&path, markdown::render(&summary, &info.command, &pictures))
        .with_context(|| format!("can't write {}", path.display()))?;
    if args.format == Format::Text {
        print(format_args!("{}\n", terminal::render(&summary)))?;
    }
    note(format_args!("results in {}", dir.path().display()));
    Ok(run)
}

/// The SVG files among charts, as links from a folder that they lie below.
pub(super) fn pictures(charts: &[PathBuf], folder: &Path) -> Vec<String> {
    charts
        .iter()
        .filter(|file| file.extension().is_some_and(|extension| extension == "svg"))
        .filter_map(|file| Some(file.strip_prefix(folder).ok()?.to_string_lossy().replace('\\', "/")))
        .collect()
}

/// Prints the runs of one call as one JSON document.
pub(super) fn print_json(runs: &[Run]) -> anyhow::Result<()> {
    let runs: Vec<_> =
        runs.iter().map(|run| serde_json::json!({ "run": run.info, "cases": run.rows })).collect();
    print(serde_json::to_string_pretty(&serde_json::json!({ "runs": runs }))?)
}

/// Writes the charts over the devices of one call.
pub(super) fn compare(runs: &[Run], folder: &Path) -> anyhow::Result<()> {
    charts::write_comparison(runs, folder)?;
    note(format_args!("comparison charts in {}", folder.display()));
    Ok(())
}
