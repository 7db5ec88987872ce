//! A folder of recorded runs as something to look at: each run's charts and `summary.md` made anew, charts over
//! all of them, and a `README.md` that shows them. Everything is a function of the recorded runs, so
//! making the gallery again changes nothing as long as the runs and the program stay the same.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use super::charts;
use super::markdown;
use super::text::escaped;
use super::{Report, ReportError, Run};
use crate::record::replace;

/// The file that shows the gallery.
pub const README: &str = "README.md";
/// The folder of the charts over all runs.
const DEVICES: &str = "devices";
/// What stands around the part of the file that is generated; the rest is kept.
const MARKS: [&str; 2] =
    ["<!-- gallery: made by `stridemark report RUN… --gallery DIR` -->", "<!-- /gallery -->"];

/// Writes the gallery of runs that lie below `dir`, in the order given.
///
/// # Errors
/// When a run does not lie below `dir`, or a file can't be read or written.
pub fn write(dir: &Path, recorded: &[(PathBuf, Run)]) -> Result<(), ReportError> {
    let folders: Vec<String> = recorded.iter().map(|(path, _)| below(dir, path)).collect::<Result<_, _>>()?;
    let runs: Vec<Run> = recorded.iter().map(|(_, run)| run.clone()).collect();
    let report = Report::new(&runs, Vec::new());
    for ((path, run), summary) in recorded.iter().zip(&report.runs) {
        let charts = charts::write(run, &path.join("charts"))?;
        let text = markdown::render(summary, &run.info.command, &markdown::pictures(&charts, path));
        put(&path.join("summary.md"), &text)?;
    }
    if runs.len() > 1 {
        charts::write_comparison(&runs, &dir.join(DEVICES))?;
    }
    let path = dir.join(README);
    let before = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(source) => return Err(ReportError::Read { path, source }),
    };
    put(&path, &replaced(&before, &generated(&report, &folders, recorded)))
}

fn put(path: &Path, text: &str) -> Result<(), ReportError> {
    replace(path, text.as_bytes()).map_err(|source| ReportError::writing(path, source))
}

/// The path of a run as a link from the gallery.
fn below(dir: &Path, run: &Path) -> Result<String, ReportError> {
    let real = |path: &Path| {
        path.canonicalize().map_err(|source| ReportError::Read { path: path.to_owned(), source })
    };
    match real(run)?.strip_prefix(real(dir)?) {
        Ok(rest) => Ok(rest.to_string_lossy().replace('\\', "/")),
        Err(_) => Err(ReportError::OutsideGallery { run: run.to_owned(), gallery: dir.to_owned() }),
    }
}

/// A text with its generated part replaced, or with one at its end where it had none.
fn replaced(before: &str, generated: &str) -> String {
    let part = format!("{}\n{generated}{}\n", MARKS[0], MARKS[1]);
    match (before.find(MARKS[0]), before.find(MARKS[1])) {
        (Some(start), Some(end)) if start < end => {
            let rest = before[end + MARKS[1].len()..].trim_start_matches('\n');
            format!("{}{part}{}{rest}", &before[..start], if rest.is_empty() { "" } else { "\n" })
        }
        _ if before.trim().is_empty() => part,
        _ => format!("{}\n\n{part}", before.trim_end()),
    }
}

/// The list of runs and the charts over them.
fn generated(report: &Report, folders: &[String], recorded: &[(PathBuf, Run)]) -> String {
    let mut text = String::new();
    // Writing to a string can't fail.
    let _ = write_generated(report, folders, recorded, &mut text);
    text
}

fn write_generated(
    report: &Report,
    folders: &[String],
    recorded: &[(PathBuf, Run)],
    text: &mut String,
) -> std::fmt::Result {
    writeln!(text, "\n## Runs\n\n| device | recorded by |\n|---|---|")?;
    for ((summary, folder), (_, run)) in report.runs.iter().zip(folders).zip(recorded) {
        let command = escaped(&run.info.command).replace('|', "\\|").replace('`', "'");
        writeln!(text, "| [{}]({folder}/summary.md) | `{command}` |", escaped(&summary.name))?;
    }
    let Some(overview) = &report.overview else { return Ok(()) };
    writeln!(
        text,
        "\n## Side by side\n\nSlowest and fastest case of each pattern, of each device's own roof, or of the case that a \
         column names.\n"
    )?;
    let headings: Vec<String> = overview.columns.iter().map(|column| escaped(column)).collect();
    writeln!(
        text,
        "| device | roof | {} |\n|---|--:|{}",
        headings.join(" | "),
        "--:|".repeat(headings.len())
    )?;
    for (summary, row) in report.runs.iter().zip(&overview.rows) {
        let cells: Vec<String> = row.iter().map(|cell| escaped(&cell.text)).collect();
        writeln!(text, "| {} | {} |", escaped(&summary.name), cells.join(" | "))?;
    }
    for topic in &report.patterns {
        let Some([fraction, absolute]) = &topic.comparison else { continue };
        let file = |figure: &charts::Figure| format!("{DEVICES}/{}.svg", figure.frame().stem);
        writeln!(
            text,
            "\n### {}\n\n{} ([absolute figures]({}))\n\n![{}]({})",
            escaped(&topic.name),
            topic.about,
            file(absolute),
            escaped(&fraction.frame().description),
            file(fraction)
        )?;
    }
    writeln!(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Depth;
    use crate::report::synthetic;

    #[test]
    fn what_is_written_by_hand_is_kept() {
        let first = replaced("# Runs\n\nBy hand.\n", "one\n");
        assert!(first.starts_with("# Runs\n\nBy hand.\n\n<!-- gallery"), "{first}");
        let edited = format!("{first}\nAfter.\n");
        let second = replaced(&edited, "two\n");
        assert!(second.contains("two") && !second.contains("one"), "{second}");
        assert!(second.contains("By hand.") && second.ends_with("\nAfter.\n"), "{second}");
        assert_eq!(replaced(&second, "two\n"), second);
        assert_eq!(replaced("", "one\n"), format!("{}\none\n{}\n", MARKS[0], MARKS[1]));
    }

    #[test]
    fn a_gallery_made_again_is_the_same_and_links_to_what_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let recorded: Vec<(PathBuf, Run)> = ["a", "b"]
            .into_iter()
            .map(|name| {
                let path = folder.path().join(name);
                fs::create_dir(&path).unwrap();
                let mut run = synthetic::run(&format!("<{name}>"), "cpu", Depth::Quick);
                run.rows.retain(|row| row.pattern == "embedding");
                (path, run)
            })
            .collect();
        write(folder.path(), &recorded).unwrap();
        let text = fs::read_to_string(folder.path().join(README)).unwrap();
        assert!(text.contains("&lt;a&gt;") && !text.contains("<a>"), "{text}");
        let links: Vec<&str> = text.split("](").skip(1).filter_map(|rest| rest.split(')').next()).collect();
        assert!(links.len() >= 4, "{text}");
        for link in links {
            assert!(folder.path().join(link).is_file(), "{link}");
        }
        write(folder.path(), &recorded).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join(README)).unwrap(), text);
    }

    #[test]
    fn runs_outside_of_the_folder_are_refused() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let run = synthetic::run("a", "cpu", Depth::Quick);
        let error = write(inside.path(), &[(outside.path().to_owned(), run)]).unwrap_err();
        assert!(error.to_string().contains("--gallery"), "{error}");
    }
}
