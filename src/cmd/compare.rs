//! `stridemark compare`: recorded runs held against a base.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::compare::{self, Comparison, Options, Verdict};
use crate::record::RecordError;
use crate::report::{Run, advice};

use super::{Exit, note, print};

/// Options of `compare`.
#[derive(Clone, Debug, Args)]
pub struct CompareArgs {
    /// Run directory that the others are held against
    #[arg(value_name = "BASE")]
    pub base: PathBuf,
    /// Run directories to compare with it
    #[arg(required = true, value_name = "NEW")]
    pub new: Vec<PathBuf>,
    /// Exit with 3 when a case has this verdict; several with commas
    #[arg(long, value_enum, value_name = "VERDICT", value_delimiter = ',')]
    pub fail_on: Vec<FailOn>,
    /// Compare the runs that can be read, though others can't; the exit is then 1
    #[arg(long)]
    pub keep_going: bool,
    /// Write charts of the ratios with their intervals into this folder, SVG and PNG
    #[arg(long, value_name = "DIR")]
    pub charts: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: CompareFormat,
}

/// The gates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// a case became slower
    Slower,
    /// a case that the base measured has no figure in the new run: it failed, was skipped or is not there
    Missing,
}

impl FailOn {
    fn trips(self, comparison: &Comparison) -> bool {
        match self {
            FailOn::Slower => comparison.count(Verdict::Slower) > 0,
            FailOn::Missing => comparison.lost() > 0,
        }
    }
}

/// The renderings of a comparison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum CompareFormat {
    /// for the terminal
    #[default]
    Text,
    /// for a comment of a pull request
    Markdown,
    /// for programs
    Json,
}

/// Runs the verb.
///
/// # Errors
/// When the base can't be read, or another run without `--keep-going`.
pub(super) fn run(args: &CompareArgs) -> anyhow::Result<Exit> {
    let options = Options::default();
    let mut all = compare::compare_directories(&args.base, &args.new, args.keep_going, &options)?;
    if all.comparisons.len() <= compare::SAMPLES_UP_TO {
        note_advice(args, &mut all.comparisons)?;
    }
    let unread: Vec<String> = all.unread.iter().map(ToString::to_string).collect();
    for error in &unread {
        note(format_args!("error: {error}"));
    }
    if let Some(folder) = &args.charts {
        let files = compare::write_charts(&all.comparisons, &options, folder)?;
        note(format_args!("{} charts in {}", files.len() / 2, folder.display()));
        if all.comparisons.len() > compare::MOST_COMPARISONS {
            note(format_args!("only the first {} comparisons have charts", compare::MOST_COMPARISONS));
        }
    }
    print(match args.format {
        CompareFormat::Text => compare::text(&all.comparisons, &unread),
        CompareFormat::Markdown => compare::markdown(&all.comparisons, &unread),
        CompareFormat::Json => compare::json(&all.comparisons),
    })?;
    Ok(exit(&args.fail_on, &all.comparisons, all.unread.is_empty()))
}

/// Changes of advice that are noted; more are counted.
const NOTED: usize = 10;

/// Adds to each comparison which decisions of an author come out otherwise than in the base.
fn note_advice(args: &CompareArgs, comparisons: &mut [Comparison]) -> Result<(), RecordError> {
    let base = advice::lines(&Run::read(&args.base)?);
    for comparison in comparisons {
        let is_it = |path: &&PathBuf| path.display().to_string() == comparison.new;
        let Some(path) = args.new.iter().find(is_it) else { continue };
        let new = advice::lines(&Run::read(path)?);
        let changes = advice::changes(&base, &new);
        let noted = changes.iter().take(NOTED).map(|change| format!("advice: {}", change.text()));
        comparison.notes.extend(noted);
        if changes.len() > NOTED {
            comparison.notes.push(format!("advice: {} more figures differ", changes.len() - NOTED));
        }
    }
    Ok(())
}

/// A tripped gate outweighs a run that could not be read: what is known is already too slow.
fn exit(gates: &[FailOn], comparisons: &[Comparison], all_read: bool) -> Exit {
    if comparisons.iter().any(|comparison| gates.iter().any(|gate| gate.trips(comparison))) {
        return Exit::Gate;
    }
    // A gate must not pass because nothing was measured.
    let is_empty = |c: &&Comparison| c.cases.iter().all(|case| case.verdict == Verdict::Missing);
    if !gates.is_empty() {
        if let Some(Comparison { base, new, .. }) = comparisons.iter().find(is_empty) {
            note(format_args!("error: {new} has no figure for any case of {base}: --fail-on can't tell"));
            return Exit::Failed;
        }
        for comparison in comparisons.iter().filter(|comparison| comparison.lost() > 0) {
            note(format_args!(
                "note: {} cases of {} have no figure in {}; --fail-on slower,missing fails on them",
                comparison.lost(),
                comparison.base,
                comparison.new
            ));
        }
    }
    if all_read { Exit::Done } else { Exit::Failed }
}
