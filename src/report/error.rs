//! What can go wrong between a recorded run and its report.

use std::io;
use std::path::{Path, PathBuf};

use crate::record::{RecordError, remedy};

/// An error of a report or one of its charts.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A run can't be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A file of the report can't be written.
    #[error("can't write {}: {source}; {}, or give another place", path.display(), remedy(source))]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file or folder of a gallery can't be read.
    #[error("can't read {}: {source}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A gallery links to its runs, so they must lie in it.
    #[error(
        "{} is not below {}: give --gallery a folder that holds all the runs",
        run.display(), gallery.display()
    )]
    OutsideGallery {
        /// The run.
        run: PathBuf,
        /// The folder given.
        gallery: PathBuf,
    },
    /// A chart can't be drawn.
    #[error("can't draw the chart `{chart}`: {detail}; leave charts out with --no-charts and report this")]
    Draw {
        /// File stem of the chart.
        chart: String,
        /// What the drawing library said.
        detail: String,
    },
    /// The page or the JSON can't be put together.
    #[error("can't render the report: {0}; please report this")]
    Render(String),
    /// Not one of the given runs can be read.
    #[error("none of the {0} given runs can be read; give directories that hold cases.csv and run.json")]
    NothingToShow(usize),
}

impl ReportError {
    /// The error of writing a file.
    pub(crate) fn writing(path: &Path, source: io::Error) -> ReportError {
        ReportError::Write { path: path.to_owned(), source }
    }
}
