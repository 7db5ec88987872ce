//! Every request as a row of a CSV file, for those who want to count for themselves.

use std::fs::File;
use std::io::{BufWriter, Error};
use std::path::Path;

use crate::model::Request;

use super::error::AnalyzeError;

/// The columns. `access` is the position in the list of accesses (as in JSON, from 0), `lanes` the number
/// of active lanes; sectors and lines are empty in workgroup memory, degree and passes outside of it.
pub const COLUMNS: [&str; 9] =
    ["access", "workgroup", "subgroup", "sequence", "lanes", "sectors", "lines", "degree", "passes"];

/// Writes rows while the model runs.
pub(super) struct Rows {
    file: String,
    writer: csv::Writer<BufWriter<File>>,
    failed: Option<Error>,
}

impl Rows {
    /// Creates or replaces a file.
    ///
    /// # Errors
    /// A file that can't be created.
    pub(super) fn create(path: &Path) -> Result<Rows, AnalyzeError> {
        let file = path.display().to_string();
        let handle =
            File::create(path).map_err(|reason| AnalyzeError::Write { file: file.clone(), reason })?;
        let mut rows = Rows { file, writer: csv::Writer::from_writer(BufWriter::new(handle)), failed: None };
        rows.write(&COLUMNS.map(str::to_owned));
        Ok(rows)
    }

    /// Adds the row of a request.
    pub(super) fn add(&mut self, request: &Request<'_>) {
        let [x, y, z] = request.workgroup;
        let or_empty = |figure: Option<u64>| figure.map_or_else(String::new, |figure| figure.to_string());
        self.write(&[
            request.access.to_string(),
            format!("{x},{y},{z}"),
            request.subgroup.to_string(),
            request.sequence.to_string(),
            request.lanes.len().to_string(),
            or_empty(request.memory.map(|count| count.sectors)),
            or_empty(request.memory.map(|count| count.lines)),
            or_empty(request.banks.map(|count| count.degree)),
            or_empty(request.banks.map(|count| count.passes)),
        ]);
    }

    /// Writes what is buffered.
    ///
    /// # Errors
    /// The first failure since the file was created.
    pub(super) fn finish(mut self) -> Result<(), AnalyzeError> {
        let flushed = self.writer.flush();
        match self.failed.map_or(flushed, Err) {
            Ok(()) => Ok(()),
            Err(reason) => Err(AnalyzeError::Write { file: self.file, reason }),
        }
    }

    fn write(&mut self, row: &[String; 9]) {
        // after a failure the rest would be a file with a hole
        if self.failed.is_none()
            && let Err(error) = self.writer.write_record(row)
        {
            self.failed = Some(error.into());
        }
    }
}
