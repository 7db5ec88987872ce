//! `stridemark report`: recorded runs, summarised.

use std::path::Path;

use crate::cli::{ReportArgs, ReportFormat};
use crate::record::{RecordError, RunDir};
use crate::report::{Run, Summary, charts, markdown, terminal};

use super::{Exit, print, summary};

pub(super) fn run(args: &ReportArgs) -> anyhow::Result<Exit> {
    let runs: Vec<Run> = args.runs.iter().map(|dir| read(dir)).collect::<Result<_, _>>()?;
    if let Some(folder) = &args.charts {
        if let [run] = &runs[..] {
            charts::write(run, folder)?;
        } else {
            for run in &runs {
                charts::write(
                    run,
                    &folder.join(crate::record::slug(&run.info.backend, &run.info.device.name, None)),
                )?;
            }
            charts::write_comparison(&runs, folder)?;
        }
    }
    match args.format {
        ReportFormat::Text => {
            for run in &runs {
                print(format_args!("{}\n", terminal::render(&Summary::new(run))))?;
            }
        }
        ReportFormat::Markdown => {
            for (dir, run) in args.runs.iter().zip(&runs) {
                print(markdown::render(&Summary::new(run), &run.info.command, &recorded_pictures(dir)))?;
            }
        }
        ReportFormat::Json => summary::print_json(&runs)?,
    }
    Ok(Exit::Done)
}

fn read(dir: &Path) -> Result<Run, RecordError> {
    let dir = RunDir::open(dir)?;
    Ok(Run { info: dir.info()?, rows: dir.cases()? })
}

/// The pictures that a run left beside its files, in order.
fn recorded_pictures(dir: &Path) -> Vec<String> {
    let mut files: Vec<_> = std::fs::read_dir(dir.join("charts"))
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    files.sort();
    summary::pictures(&files, dir)
}
