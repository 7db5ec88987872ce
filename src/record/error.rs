//! What can go wrong with a run's files, each with the path and the next step.

use std::io;
use std::path::{Path, PathBuf};

/// An error of a run directory or one of its files.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// A file or folder can't be written.
    #[error(
        "can't write {}: {source}; {}, or choose another folder with --out",
        path.display(), remedy(source)
    )]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process writes the file.
    #[error("{} is being written by another stridemark; wait for it to end", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// A file that is there can't be read.
    #[error("can't read {}: {source}; make it readable, or give another run", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There are samples, and no table was made of them yet.
    #[error(
        "{} holds samples.csv but no cases.csv: the run was cut off in its first round; \
         go on with it: stridemark run --resume {}",
        dir.display(), dir.display()
    )]
    FirstRound {
        /// The directory of the run.
        dir: PathBuf,
    },
    /// A file of a run directory is not there.
    #[error(
        "{} is not there: give the directory of a run, one that holds cases.csv and run.json",
        path.display()
    )]
    NotARun {
        /// The file that is missing.
        path: PathBuf,
    },
    /// A file is given where the directory of a run is meant.
    #[error(
        "{} is a file: give the directory of a run, one that holds cases.csv and run.json{}",
        path.display(), directory_of(path)
    )]
    AFile {
        /// The file.
        path: PathBuf,
    },
    /// A table has not even a header.
    #[error("{} is empty: copy it again, or measure again", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The table is not one of stridemark's.
    #[error(
        "{}, line 1: not a table of stridemark: the header starts with `{found}`, not with `{expected}`",
        path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Start of its header.
        found: String,
        /// The first column of ours.
        expected: &'static str,
    },
    /// Columns are missing from the header.
    #[error(
        "{}, line 1: missing column{} {}; measure again, or restore the columns",
        path.display(), if columns.len() == 1 { "" } else { "s" }, columns.join(", ")
    )]
    MissingColumns {
        /// The file.
        path: PathBuf,
        /// Their names, in column order.
        columns: Vec<&'static str>,
    },
    /// The file has another schema version.
    #[error(
        "{}, line {line}, column schema_version: the file has schema {found} and this stridemark reads {}; {}",
        path.display(), super::SCHEMA_VERSION,
        if *found < super::SCHEMA_VERSION { "measure again" } else { "update stridemark" }
    )]
    Schema {
        /// The file.
        path: PathBuf,
        /// Line of the row, from 1.
        line: u64,
        /// The version in the file.
        found: u32,
    },
    /// The file ends in the middle of a row.
    #[error(
        "{}, line {line}, column {column}: the file ends in the middle of a row; \
         copy it again, or measure again",
        path.display()
    )]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Line of the row, from 1.
        line: u64,
        /// The last column that has text.
        column: String,
    },
    /// A cell can't be read.
    #[error("{}, line {line}, column {column}: {detail}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Line of the row, from 1.
        line: u64,
        /// Name of the column, or its number where the row has too many.
        column: String,
        /// The value and what was expected.
        detail: String,
    },
    /// `run.json` can't be read.
    #[error("{}, line {line}, column {column}: {detail}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: usize,
        /// Character, from 1.
        column: usize,
        /// What was expected.
        detail: String,
    },
}

/// The directory that is meant where a file of a run is given.
fn directory_of(file: &Path) -> String {
    let is_ours = file.file_name().is_some_and(|name| {
        ["cases.csv", "run.json", "samples.csv", "summary.md"].iter().any(|ours| name == *ours)
    });
    let parent = file.parent().filter(|_| is_ours);
    parent.map_or_else(String::new, |parent| match parent.to_string_lossy().as_ref() {
        "" => ", here `.`".to_owned(),
        parent => format!(", here {parent}"),
    })
}

impl RecordError {
    /// The error of an operation that writes.
    pub(crate) fn writing(path: &Path, source: io::Error) -> RecordError {
        RecordError::Write { path: path.to_owned(), source }
    }

    /// The error of an operation that reads.
    pub(crate) fn reading(path: &Path, source: io::Error) -> RecordError {
        let dir = path.parent().filter(|_| path.file_name().is_some_and(|name| name == "cases.csv"));
        match (source.kind(), dir) {
            (io::ErrorKind::NotFound, Some(dir)) if dir.join("samples.csv").is_file() => {
                RecordError::FirstRound { dir: dir.to_owned() }
            }
            (io::ErrorKind::NotFound | io::ErrorKind::NotADirectory, _) => {
                RecordError::NotARun { path: path.to_owned() }
            }
            _ => RecordError::Read { path: path.to_owned(), source },
        }
    }
}

/// What to do about a file or folder that can't be written, for a sentence that names an alternative.
pub(crate) fn remedy(source: &io::Error) -> &'static str {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    match source.kind() {
        StorageFull | QuotaExceeded | FileTooLarge => "free some space",
        _ => "make it writable",
    }
}
