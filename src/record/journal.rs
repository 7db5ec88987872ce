//! The append-only journal `samples.csv`: whatever happens to the process, every sample that was
//! finished is in the file.

#[cfg(unix)]
use std::fs::TryLockError;
use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::read::parse_samples;
use super::{RecordError, SampleRow};

/// Appends rows to `samples.csv`, each in one write that reaches the file before the call returns.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// Bytes of complete rows; a write that fails half-way is cut back to here.
    length: u64,
}

impl Journal {
    /// Starts a journal that must not exist yet.
    ///
    /// # Errors
    /// When the file exists or can't be created.
    pub(super) fn create(path: &Path) -> Result<Journal, RecordError> {
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(path)
            .map_err(|source| RecordError::writing(path, source))?;
        lock(path, &file)?;
        let mut journal = Journal { path: path.to_owned(), file, length: 0 };
        journal.write(&header()?)?;
        Ok(journal)
    }

    /// Opens a journal again. A last line that was cut off is removed from the file and not returned.
    ///
    /// # Errors
    /// When the file can't be read or written, or a complete row in it is malformed.
    pub(super) fn resume(path: &Path) -> Result<(Vec<SampleRow>, Journal), RecordError> {
        let failed = |source| RecordError::writing(path, source);
        let mut file = OpenOptions::new().write(true).open(path).map_err(failed)?;
        lock(path, &file)?;
        let mut bytes = std::fs::read(path).map_err(|source| RecordError::reading(path, source))?;
        let complete = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
        bytes.truncate(complete);
        let length = complete as u64;

        file.set_len(length).map_err(failed)?;
        file.seek(SeekFrom::Start(length)).map_err(failed)?;
        let mut journal = Journal { path: path.to_owned(), file, length };
        if bytes.is_empty() {
            journal.write(&header()?)?;
            return Ok((Vec::new(), journal));
        }
        Ok((parse_samples(path, bytes)?, journal))
    }

    /// Appends a row and hands it to the system.
    ///
    /// # Errors
    /// When the row can't be written; the file then still ends with the row before.
    pub fn append(&mut self, row: &SampleRow) -> Result<(), RecordError> {
        let line = encode(row, false).map_err(|source| RecordError::writing(&self.path, source))?;
        self.write(&line)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), RecordError> {
        match self.file.write_all(bytes).and_then(|()| self.file.flush()) {
            Ok(()) => {
                self.length += bytes.len() as u64;
                Ok(())
            }
            Err(source) => {
                // Best effort: a torn tail that stays is dropped by `resume`.
                let _ = self.file.set_len(self.length);
                let _ = self.file.seek(SeekFrom::Start(self.length));
                Err(RecordError::writing(&self.path, source))
            }
        }
    }
}

/// Keeps a second process from writing the same journal; the system lets go of it when this one ends, however
/// that comes. Only where a lock keeps nobody from reading.
#[cfg(unix)]
fn lock(path: &Path, file: &File) -> Result<(), RecordError> {
    match file.try_lock() {
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(RecordError::Busy { path: path.to_owned() }),
    }
}

#[cfg(not(unix))]
fn lock(_: &Path, _: &File) -> Result<(), RecordError> {
    Ok(())
}

/// A row as one line. Line breaks in texts become spaces, so that a line break always ends a row.
fn encode(row: &SampleRow, header: bool) -> std::io::Result<Vec<u8>> {
    let has_break = |text: &str| text.contains(['\n', '\r']);
    let flat;
    let row = match &row.reason {
        Some(reason) if has_break(reason) => {
            flat = SampleRow { reason: Some(reason.replace(['\n', '\r'], " ")), ..row.clone() };
            &flat
        }
        _ => row,
    };
    let mut writer = csv::WriterBuilder::new().has_headers(header).from_writer(Vec::with_capacity(128));
    writer.serialize(row).map_err(std::io::Error::other)?;
    writer.into_inner().map_err(|error| std::io::Error::other(error.to_string()))
}

/// The header line.
fn header() -> Result<Vec<u8>, RecordError> {
    let mut line = super::read::columns::<SampleRow>().join(",").into_bytes();
    line.push(b'\n');
    Ok(line)
}
