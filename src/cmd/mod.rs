//! One file per verb: parse, call the library, print.

mod analyze;
mod compare;
mod explain;
mod list;
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
    /// The exit of an error: usage where the command line was at fault, success where the reader of standard
    /// output went away.
    pub fn of_error(error: &anyhow::Error) -> Exit {
        if is_closed_pipe(error) {
            Exit::Done
        } else if error.is::<Usage>() || error.is::<SelectError>() {
            Exit::Usage
        } else {
            Exit::Failed
        }
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
    if !is_closed_pipe(error) {
        note(format_args!("error: {error:#}"));
    }
}

/// Prints to standard output.
///
/// # Errors
/// When nobody reads it any more, or it can't be written.
fn print(text: impl Display) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()?;
    Ok(())
}

/// Writes a picture to a file.
///
/// # Errors
/// When the file can't be written.
fn write_picture(path: &Path, picture: &Picture) -> anyhow::Result<()> {
    std::fs::write(path, picture.standalone()).with_context(|| format!("can't write {}", path.display()))?;
    note(format_args!("picture in {}", path.display()));
    Ok(())
}

/// Prints a line to standard error; nobody can be told if that fails.
fn note(text: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}
