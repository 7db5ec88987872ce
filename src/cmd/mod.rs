//! One file per verb: parse, call the library, print.

mod analyze;
mod compare;
mod explain;
mod list;
mod machine;
mod patterns;
mod progress;
mod report;
mod run;
mod select_cases;
mod summary;

pub use analyze::AnalyzeArgs;
pub use compare::{CompareArgs, CompareFormat, FailOn};
pub use explain::ExplainArgs;

use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context;

use crate::cli::{Cli, Command};
use crate::device::select::SelectError;
use crate::picture::Picture;
use crate::report::ReportError;
use crate::report::terminal::Room;

/// How the program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Everything was done.
    Done,
    /// Something failed or an input could not be read; results so far are kept.
    Failed,
    /// The command line can't be followed.
    Usage,
    /// A gate that the caller set has tripped.
    Gate,
    /// Ctrl-C; finished samples are kept.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Gate => 3,
            Exit::Interrupted => 130,
        })
    }
}

impl Exit {
    /// The exit of an error: usage where the command line was at fault.
    pub fn of_error(error: &anyhow::Error) -> Exit {
        if error.is::<Usage>() || error.is::<SelectError>() { Exit::Usage } else { Exit::Failed }
    }
}

/// A command line that can't be followed.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// Runs the verb of a command line.
///
/// # Errors
/// The one error that ends the program.
pub fn dispatch(cli: Cli) -> anyhow::Result<Exit> {
    match cli.command {
        None => run::run(&cli.run),
        Some(Command::Run(args)) => run::run(&args),
        Some(Command::List(args)) => list::run(&args),
        Some(Command::Patterns(args)) => patterns::run(&args),
        Some(Command::Explain(args)) => explain::run(&args),
        Some(Command::Analyze(args)) => analyze::run(&args),
        Some(Command::Compare(args)) => compare::run(&args),
        Some(Command::Report(args)) => report::run(&args),
    }
}

/// Prints an error and its causes on one line of standard error.
pub fn complain(error: &anyhow::Error) {
    note(format_args!("error: {}", in_words(error)));
}

/// An error and its causes; a cause that the error itself tells is not said twice.
fn in_words(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |told, cause| match told {
        _ if told.is_empty() => cause,
        _ if told.contains(&cause) => told,
        _ => format!("{told}: {cause}"),
    })
}

/// Prints to standard output. A reader who has seen enough (`| head`) is no error: what else there is to do, to
/// tell on standard error and to say by the exit code stays the same.
///
/// # Errors
/// When it can't be written.
fn print(text: impl Display) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{text}").and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        printed => printed.context("can't write to standard output"),
    }
}

/// The room that a text has on standard output.
fn room() -> Room {
    terminal_size::terminal_size_of(std::io::stdout())
        .map_or(Room::FILE, |(width, _)| Room::terminal(usize::from(width.0)))
}

/// Writes a picture to a file.
///
/// # Errors
/// When the name is one of another format, or the file can't be written.
fn write_picture(path: &Path, picture: &Picture) -> anyhow::Result<()> {
    if path.extension().is_some_and(|extension| !extension.eq_ignore_ascii_case("svg")) {
        let path = path.display();
        return Err(Usage(format!("--svg {path}: a picture is SVG; end the name in .svg")).into());
    }
    std::fs::write(path, picture.standalone()).map_err(|source| ReportError::writing(path, source))?;
    note(format_args!("picture in {}", path.display()));
    Ok(())
}

/// Prints a line to standard error; nobody can be told if that fails.
fn note(text: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

/// The likest of some names, where one is like enough to be meant.
fn nearest<'a>(name: &str, names: &[&'a str]) -> Option<&'a str> {
    const NEAR: f64 = 0.75;
    let likeness = |other: &str| strsim::jaro_winkler(&name.to_ascii_lowercase(), other);
    let likest = names.iter().copied().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    likest.filter(|likest| likeness(likest) >= NEAR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_said_once() {
        let cause = || std::io::Error::other("no room");
        let plain = anyhow::Error::from(cause()).context("can't write x");
        assert_eq!(in_words(&plain), "can't write x: no room");
        let telling = crate::report::ReportError::Write { path: "x".into(), source: cause() };
        let told = in_words(&telling.into());
        assert_eq!(told.matches("no room").count(), 1, "{told}");
    }
}
