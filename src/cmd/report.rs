//! `stridemark report`: recorded runs as text, Markdown, JSON, one page, charts or a gallery.

use std::path::{Path, PathBuf};

use crate::cli::{ReportArgs, ReportFormat};
use crate::record::{RecordError, RunDir, slug};
use crate::report::{Report, ReportError, Run, charts, gallery, html, json, markdown, terminal};

use super::{Exit, Usage, note, print};

/// A run and the directory that it was read from.
type Recorded = (PathBuf, Run);

pub(super) fn run(args: &ReportArgs) -> anyhow::Result<Exit> {
    let format = format(args)?;
    let (recorded, unreadable) = read_all(&args.runs)?;
    let exit = if unreadable.is_empty() { Exit::Done } else { Exit::Failed };
    unreadable.iter().for_each(|error| note(format_args!("error: {error}")));
    if let Some(dir) = &args.gallery {
        gallery::write(dir, &recorded)?;
        note(format_args!("gallery in {}", dir.join(gallery::README).display()));
        return Ok(exit);
    }
    let (dirs, runs): (Vec<PathBuf>, Vec<Run>) = recorded.into_iter().unzip();
    if let Some(folder) = &args.charts {
        write_charts(&runs, folder)?;
    }
    let text = rendered(format, &Report::new(&runs, unreadable), &dirs, &runs)?;
    match &args.out {
        Some(path) => {
            std::fs::write(path, text).map_err(|source| ReportError::writing(path, source))?;
            note(format_args!("report in {}", path.display()));
        }
        None => print(text)?,
    }
    Ok(exit)
}

/// What is asked for: `--format`, else what the extension of `--out` says.
fn format(args: &ReportArgs) -> Result<ReportFormat, Usage> {
    let (None, Some(path)) = (args.format, &args.out) else {
        return Ok(args.format.unwrap_or(ReportFormat::Text));
    };
    match path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase).as_deref() {
        Some("html" | "htm" | "xhtml") => Ok(ReportFormat::Html),
        Some("md" | "markdown") => Ok(ReportFormat::Markdown),
        Some("json") => Ok(ReportFormat::Json),
        Some("txt") => Ok(ReportFormat::Text),
        _ => Err(Usage(format!(
            "--out {}: the extension names no format; end the name in .html, .md, .json or .txt, or give --format",
            path.display()
        ))),
    }
}

/// The runs that can be read, and the errors of the others.
fn read_all(dirs: &[PathBuf]) -> Result<(Vec<Recorded>, Vec<String>), ReportError> {
    let (mut runs, mut errors) = (Vec::new(), Vec::new());
    for dir in dirs {
        match read(dir) {
            Ok(run) => runs.push((dir.clone(), run)),
            Err(error) if dirs.len() == 1 => return Err(error.into()),
            Err(error) => errors.push(error.to_string()),
        }
    }
    if runs.is_empty() {
        errors.iter().for_each(|error| note(format_args!("error: {error}")));
        return Err(ReportError::NothingToShow(dirs.len()));
    }
    Ok((runs, errors))
}

fn read(dir: &Path) -> Result<Run, RecordError> {
    let dir = RunDir::open(dir)?;
    Ok(Run { info: dir.info()?, rows: dir.cases()? })
}

fn rendered(
    format: ReportFormat,
    report: &Report,
    dirs: &[PathBuf],
    runs: &[Run],
) -> Result<String, ReportError> {
    match format {
        ReportFormat::Text => {
            let texts: Vec<String> = report.runs.iter().map(terminal::render).collect();
            Ok(texts.join("\n\n") + "\n")
        }
        ReportFormat::Markdown => {
            let parts = dirs.iter().zip(runs).zip(&report.runs);
            Ok(parts
                .map(|((dir, run), summary)| {
                    markdown::render(summary, &run.info.command, &recorded_pictures(dir))
                })
                .collect::<Vec<_>>()
                .join("\n"))
        }
        ReportFormat::Json => json::render(report, runs),
        ReportFormat::Html => html::render(report),
    }
}

/// The charts of one run, or those of each in a folder of its own and those over all.
fn write_charts(runs: &[Run], folder: &Path) -> Result<(), ReportError> {
    if let [run] = runs {
        charts::write(run, folder)?;
        return Ok(());
    }
    let mut taken: Vec<String> = Vec::new();
    for run in runs {
        let slug = slug(&run.info.backend, &run.info.device.name, None);
        let same = taken.iter().filter(|other| **other == slug).count();
        let name = if same == 0 { slug.clone() } else { format!("{slug}-{}", same + 1) };
        charts::write(run, &folder.join(name))?;
        taken.push(slug);
    }
    charts::write_comparison(runs, folder)?;
    Ok(())
}

/// The pictures that a run left beside its files, in order.
fn recorded_pictures(dir: &Path) -> Vec<String> {
    let mut files: Vec<_> = std::fs::read_dir(dir.join("charts"))
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect();
    files.sort();
    markdown::pictures(&files, dir)
}
