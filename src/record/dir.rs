//! The directory of one run: `results/<device-slug>/<UTC time>/`, never overwritten.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::replace::{TEMPORARY, replace_durably};
use super::{CaseRow, Journal, RecordError, RunInfo, SampleRow, read_cases, read_info};

/// The directory of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunDir {
    path: PathBuf,
}

impl RunDir {
    /// Makes `<results>/<slug>/<UTC time>/`. Where that time is taken, `-2`, `-3`, … is appended.
    ///
    /// # Errors
    /// When a folder can't be made.
    pub fn create(results: &Path, slug: &str, start: SystemTime) -> Result<RunDir, RecordError> {
        let parent = results.join(slug);
        fs::create_dir_all(&parent).map_err(|source| RecordError::writing(&parent, source))?;
        let name = humantime::format_rfc3339_seconds(start).to_string().replace(':', "-");
        let mut path = parent.join(&name);
        let mut next = 2_u32;
        loop {
            match fs::create_dir(&path) {
                Ok(()) => return Ok(RunDir { path }),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    path = parent.join(format!("{name}-{next}"));
                    next += 1;
                }
                Err(source) => return Err(RecordError::writing(&path, source)),
            }
        }
    }

    /// The directory of an earlier run.
    ///
    /// # Errors
    /// When it is a file, or holds no `run.json`.
    pub fn open(path: &Path) -> Result<RunDir, RecordError> {
        if path.is_file() {
            return Err(RecordError::AFile { path: path.to_owned() });
        }
        let info = path.join("run.json");
        match info.try_exists() {
            Ok(true) => Ok(RunDir { path: path.to_owned() }),
            Ok(false) => Err(RecordError::NotARun { path: info }),
            Err(source) => Err(RecordError::reading(&info, source)),
        }
    }

    /// The directory itself.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The journal.
    pub fn samples_path(&self) -> PathBuf {
        self.path.join("samples.csv")
    }

    /// The table of cases.
    pub fn cases_path(&self) -> PathBuf {
        self.path.join("cases.csv")
    }

    /// The facts about the run.
    pub fn info_path(&self) -> PathBuf {
        self.path.join("run.json")
    }

    /// Starts the journal of a new run.
    ///
    /// # Errors
    /// When it exists or can't be created.
    pub fn start_journal(&self) -> Result<Journal, RecordError> {
        Journal::create(&self.samples_path())
    }

    /// Replays the journal of an interrupted run and goes on with it; a torn last line is dropped.
    /// A run that was cut off before its journal was made gets a new one.
    ///
    /// # Errors
    /// When it can't be read or written, or a complete row is malformed.
    pub fn resume_journal(&self) -> Result<(Vec<SampleRow>, Journal), RecordError> {
        let path = self.samples_path();
        let resumed = match path.try_exists() {
            Ok(true) => Journal::resume(&path)?,
            Ok(false) => (Vec::new(), Journal::create(&path)?),
            Err(source) => return Err(RecordError::reading(&path, source)),
        };
        self.remove_leftovers();
        Ok(resumed)
    }

    /// Removes files that were to replace others when the process was killed; one that stays does no harm.
    fn remove_leftovers(&self) {
        for entry in fs::read_dir(&self.path).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(TEMPORARY) {
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// Replaces `cases.csv`; a reader sees the old table or the new one, never a part.
    ///
    /// # Errors
    /// When it can't be written; the old table then stays.
    pub fn write_cases(&self, rows: &[CaseRow]) -> Result<(), RecordError> {
        let path = self.cases_path();
        let table = encode_cases(rows);
        table
            .and_then(|table| replace_durably(&path, &table))
            .map_err(|source| RecordError::writing(&path, source))
    }

    /// Replaces `run.json` in the same way.
    ///
    /// # Errors
    /// When it can't be written; the old file then stays.
    pub fn write_info(&self, info: &RunInfo) -> Result<(), RecordError> {
        let path = self.info_path();
        let text = serde_json::to_string_pretty(info).map_err(io::Error::other);
        text.and_then(|text| replace_durably(&path, (text + "\n").as_bytes()))
            .map_err(|source| RecordError::writing(&path, source))
    }

    /// Reads `cases.csv`.
    ///
    /// # Errors
    /// When it is missing or not a table of this schema.
    pub fn cases(&self) -> Result<Vec<CaseRow>, RecordError> {
        read_cases(&self.cases_path())
    }

    /// Reads `run.json`.
    ///
    /// # Errors
    /// When it is missing or can't be understood.
    pub fn info(&self) -> Result<RunInfo, RecordError> {
        read_info(&self.info_path())
    }
}

/// The table as bytes; a table without rows still has its header.
fn encode_cases(rows: &[CaseRow]) -> io::Result<Vec<u8>> {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    writer.write_record(super::read::columns::<CaseRow>())?;
    for row in rows {
        writer.serialize(row).map_err(io::Error::other)?;
    }
    writer.into_inner().map_err(|error| io::Error::other(error.to_string()))
}

/// The folder name of a device: backend, name and, where names repeat, what tells them apart (PCI id or
/// index); lower-case ASCII letters and digits with single dashes, at most 100 characters.
pub fn slug(backend: &str, name: &str, distinction: Option<&str>) -> String {
    let mut slug = String::new();
    for part in [backend, name, distinction.unwrap_or_default()] {
        for word in part.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
            if !slug.is_empty() {
                slug.push('-');
            }
            slug.push_str(&word.to_ascii_lowercase());
        }
    }
    slug.truncate(100);
    match slug.trim_end_matches('-') {
        "" => "device".to_owned(),
        trimmed => trimmed.to_owned(),
    }
}
