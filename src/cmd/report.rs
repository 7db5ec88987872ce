//! `stridemark report`: recorded runs as text, Markdown, JSON, one page, charts or a gallery.

use std::path::{Path, PathBuf};

use crate::cli::{ReportArgs, ReportFormat};
use crate::record::slug;
use crate::report::{Report, ReportError, Run, charts, gallery, html, json, markdown, terminal};

use super::{Exit, Usage, note, print, room};

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
    let text = rendered(format, &Report::new(&runs, unreadable), &dirs, &runs, args.out.is_none())?;
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
    let Some(path) = &args.out else { return Ok(args.format.unwrap_or(ReportFormat::Text)) };
    match (args.format, by_extension(path)) {
        (Some(given), Some(named)) if given != named => Err(Usage(format!(
            "--out {}: the extension names another format than --format; leave one of them out",
            path.display()
        ))),
        (Some(format), _) | (None, Some(format)) => Ok(format),
        (None, None) => Err(Usage(format!(
            "--out {}: the extension names no format; end the name in .html, .md, .json or .txt, or give --format",
            path.display()
        ))),
    }
}

fn by_extension(path: &Path) -> Option<ReportFormat> {
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "html" | "htm" | "xhtml" => Some(ReportFormat::Html),
        "md" | "markdown" => Some(ReportFormat::Markdown),
        "json" => Some(ReportFormat::Json),
        "txt" => Some(ReportFormat::Text),
        _ => None,
    }
}

/// The runs that can be read, and the errors of the others.
fn read_all(dirs: &[PathBuf]) -> Result<(Vec<Recorded>, Vec<String>), ReportError> {
    let (mut runs, mut errors) = (Vec::new(), Vec::new());
    for dir in dirs {
        match Run::read(dir) {
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

fn rendered(
    format: ReportFormat,
    report: &Report,
    dirs: &[PathBuf],
    runs: &[Run],
    printed: bool,
) -> Result<String, ReportError> {
    match format {
        ReportFormat::Text => {
            let room = if printed { room() } else { terminal::Room::FILE };
            let runs = report.runs.iter().map(|summary| terminal::render(summary, room) + "\n");
            Ok(parts(terminal::unreadable(report, room), runs))
        }
        ReportFormat::Markdown => {
            let runs = dirs.iter().zip(runs).zip(&report.runs).map(|((dir, run), summary)| {
                markdown::render(summary, &run.info.command, &recorded_pictures(dir))
            });
            Ok(parts(markdown::unreadable(report), runs))
        }
        ReportFormat::Json => json::render(report, runs),
        ReportFormat::Html => html::render(report),
    }
}

/// What is said of runs that are left out, then each run, with an empty line between them.
fn parts(left_out: String, runs: impl Iterator<Item = String>) -> String {
    let left_out = Some(left_out).filter(|text| !text.is_empty());
    left_out.into_iter().chain(runs).collect::<Vec<_>>().join("\n")
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
