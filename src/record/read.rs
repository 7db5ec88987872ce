//! Reading the files of a run back: by header name, so that tables of later versions with more columns
//! still read; every complaint has the file, the line and the column.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use csv::ByteRecord;
use serde::de::{self, DeserializeOwned, Deserializer, Visitor, value};

use super::{CaseRow, RecordError, RunInfo, SCHEMA_VERSION, SampleRow};

/// Cases with several rows that are named before the rest is counted.
const REPEATED_NAMED: usize = 5;

/// Reads a `cases.csv`.
///
/// # Errors
/// When it is missing, foreign, of another schema, truncated or malformed.
pub fn read_cases(path: &Path) -> Result<Vec<CaseRow>, RecordError> {
    let mut table = Table::read::<CaseRow>(path)?;
    let mut rows = Vec::new();
    while let Some(row) = table.next()? {
        rows.push(row);
    }
    Ok(rows)
}

/// Reads a `samples.csv` that is complete; [`super::RunDir::resume_journal`] reads one that may be torn.
///
/// # Errors
/// When it is missing, foreign, truncated or malformed.
pub fn read_samples(path: &Path) -> Result<Vec<SampleRow>, RecordError> {
    let bytes = std::fs::read(path).map_err(|source| RecordError::reading(path, source))?;
    parse_samples(path, bytes)
}

/// Reads a `run.json`.
///
/// # Errors
/// When it is missing, of another schema or malformed.
pub fn read_info(path: &Path) -> Result<RunInfo, RecordError> {
    #[derive(serde::Deserialize)]
    struct Version {
        schema_version: u32,
    }

    let bytes = std::fs::read(path).map_err(|source| RecordError::reading(path, source))?;
    let malformed = |error: serde_json::Error| RecordError::Json {
        path: path.to_owned(),
        line: error.line(),
        column: error.column(),
        detail: error.to_string(),
    };
    // The version first: a file of another schema should say so, and not which field it lacks.
    let version: Version = serde_json::from_slice(&bytes).map_err(malformed)?;
    if version.schema_version != SCHEMA_VERSION {
        let line = bytes.split(|&b| b == b'\n').position(|l| contains(l, b"schema_version")).unwrap_or(0);
        return Err(RecordError::Schema {
            path: path.to_owned(),
            line: line as u64 + 1,
            found: version.schema_version,
        });
    }
    serde_json::from_slice(&bytes).map_err(malformed)
}

/// Keeps the last of several rows of one case, and says in words which cases have several. A table that was
/// put together from two runs counts no case twice, and nobody is left to guess which row counts.
pub fn last_of_each<T>(rows: Vec<T>, case: impl Fn(&T) -> &str) -> (Vec<T>, Option<String>) {
    let mut last: HashMap<&str, usize> = HashMap::with_capacity(rows.len());
    let (mut repeated, mut told): (Vec<&str>, HashSet<&str>) = (Vec::new(), HashSet::new());
    for (index, row) in rows.iter().enumerate() {
        if last.insert(case(row), index).is_some() && told.insert(case(row)) {
            repeated.push(case(row));
        }
    }
    if repeated.is_empty() {
        return (rows, None);
    }
    let (named, more) = repeated.split_at(repeated.len().min(REPEATED_NAMED));
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    let told =
        format!("cases.csv has several rows of a case, of which the last counts: {}{more}", named.join(", "));
    let kept: Vec<bool> = rows.iter().enumerate().map(|(index, row)| last[case(row)] == index).collect();
    let rows = rows.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(row, _)| row).collect();
    (rows, Some(told))
}

fn contains(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|window| window == word)
}

/// The rows of a journal whose last line is complete.
pub(super) fn parse_samples(path: &Path, bytes: Vec<u8>) -> Result<Vec<SampleRow>, RecordError> {
    let mut table = Table::parse::<SampleRow>(path, bytes)?;
    let mut rows = Vec::new();
    while let Some(row) = table.next()? {
        rows.push(row);
    }
    Ok(rows)
}

/// A table being read, a row at a time.
pub(crate) struct Table {
    path: PathBuf,
    headers: ByteRecord,
    record: ByteRecord,
    reader: csv::Reader<std::io::Cursor<Vec<u8>>>,
    /// Index of `schema_version`, in tables that have it.
    schema: Option<usize>,
}

impl Table {
    /// Opens a table that must have the columns which `T` has fields for.
    pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<Table, RecordError> {
        let bytes = std::fs::read(path).map_err(|source| RecordError::reading(path, source))?;
        Table::parse::<T>(path, bytes)
    }

    /// The same from the content of the file.
    pub(crate) fn parse<T: DeserializeOwned>(path: &Path, bytes: Vec<u8>) -> Result<Table, RecordError> {
        if bytes.is_empty() {
            return Err(RecordError::Empty { path: path.to_owned() });
        }
        let expected = columns::<T>();
        let ends_in_row = bytes.last().is_some_and(|&byte| byte != b'\n');
        let mut reader = csv::Reader::from_reader(std::io::Cursor::new(bytes));
        let headers =
            reader.byte_headers().cloned().map_err(|error| csv_error(path, &ByteRecord::new(), error))?;
        let position = |name: &str| headers.iter().position(|header| header == name.as_bytes());
        let missing: Vec<_> = expected
            .iter()
            .copied()
            .filter(|name| position(name).is_none() && !SampleRow::LATER_COLUMNS.contains(name))
            .collect();
        // A table of ours has at least its first column and most of the others.
        if expected.first().is_some_and(|first| position(first).is_none())
            && missing.len() * 2 > expected.len()
        {
            let start = headers.get(0).unwrap_or_default();
            return Err(RecordError::Foreign {
                path: path.to_owned(),
                found: String::from_utf8_lossy(start).chars().take(40).collect(),
                expected: expected.first().copied().unwrap_or_default(),
            });
        }
        let schema = position("schema_version");
        let mut table = Table { path: path.to_owned(), headers, record: ByteRecord::new(), reader, schema };
        if ends_in_row {
            return Err(table.truncated());
        }
        if !missing.is_empty() {
            // An older schema explains missing columns better than their names do.
            if let Ok(true) = table.advance() {
                table.check_schema()?;
            }
            return Err(RecordError::MissingColumns { path: path.to_owned(), columns: missing });
        }
        Ok(table)
    }

    /// The next row.
    pub(crate) fn next<T: DeserializeOwned>(&mut self) -> Result<Option<T>, RecordError> {
        if !self.advance()? {
            return Ok(None);
        }
        self.check_schema()?;
        match self.record.deserialize(Some(&self.headers)) {
            Ok(row) => Ok(Some(row)),
            Err(error) => {
                let message = detail(&error);
                let index = culprit::<T>(&self.headers, &self.record, &message);
                let cell = index.and_then(|index| self.record.get(index)).unwrap_or_default();
                Err(RecordError::Malformed {
                    path: self.path.clone(),
                    line: self.record.position().map_or(0, csv::Position::line),
                    column: index.map_or_else(|| "?".to_owned(), |index| column(&self.headers, index)),
                    detail: format!("can't read `{}`: {message}", String::from_utf8_lossy(cell)),
                })
            }
        }
    }

    fn advance(&mut self) -> Result<bool, RecordError> {
        self.reader
            .read_byte_record(&mut self.record)
            .map_err(|error| csv_error(&self.path, &self.headers, error))
    }

    fn check_schema(&self) -> Result<(), RecordError> {
        let Some(index) = self.schema else { return Ok(()) };
        let cell = self.record.get(index).unwrap_or_default();
        let line = self.record.position().map_or(0, csv::Position::line);
        let text = String::from_utf8_lossy(cell);
        match text.parse::<u32>() {
            Ok(SCHEMA_VERSION) => Ok(()),
            Ok(found) => Err(RecordError::Schema { path: self.path.clone(), line, found }),
            Err(_) => Err(RecordError::Malformed {
                path: self.path.clone(),
                line,
                column: "schema_version".to_owned(),
                detail: format!("`{text}` is no version number"),
            }),
        }
    }

    /// The error of a file whose last row has no end; where another row is malformed before, that.
    fn truncated(&mut self) -> RecordError {
        let (mut line, mut cells) = (1, self.headers.len());
        loop {
            match self.reader.read_byte_record(&mut self.record) {
                Ok(true) => {
                    (line, cells) =
                        (self.record.position().map_or(line, csv::Position::line), self.record.len())
                }
                Ok(false) => break,
                Err(error) => {
                    if let csv::ErrorKind::UnequalLengths { pos: Some(position), len, .. } = error.kind() {
                        (line, cells) = (position.line(), *len as usize);
                    }
                    break;
                }
            }
        }
        RecordError::Truncated {
            path: self.path.clone(),
            line,
            column: column(&self.headers, cells.saturating_sub(1)),
        }
    }
}

/// The name of a column, or its number where the header has none.
fn column(headers: &ByteRecord, index: usize) -> String {
    headers
        .get(index)
        .map_or_else(|| (index + 1).to_string(), |name| String::from_utf8_lossy(name).into_owned())
}

/// The first column at which reading a row fails as the whole row did: with one column less, the error is
/// another, of a column that is missing.
fn culprit<T: DeserializeOwned>(headers: &ByteRecord, record: &ByteRecord, message: &str) -> Option<usize> {
    (0..record.len()).find(|&last| {
        let cells: ByteRecord = record.iter().take(last + 1).collect();
        let names: ByteRecord = headers.iter().take(last + 1).collect();
        cells.deserialize::<T>(Some(&names)).is_err_and(|error| detail(&error) == message)
    })
}

/// What is wrong with a cell, without its place.
fn detail(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::Deserialize { err, .. } => err.kind().to_string(),
        _ => error.to_string(),
    }
}

fn csv_error(path: &Path, headers: &ByteRecord, error: csv::Error) -> RecordError {
    let line = error.position().map_or(1, csv::Position::line);
    let text = error.to_string();
    match error.into_kind() {
        csv::ErrorKind::Io(source) => RecordError::reading(path, source),
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => RecordError::Malformed {
            path: path.to_owned(),
            line,
            column: column(headers, len.min(expected_len) as usize),
            detail: format!("the row has {len} cells and the header {expected_len}"),
        },
        _ => RecordError::Malformed { path: path.to_owned(), line, column: "?".to_owned(), detail: text },
    }
}

/// The column names of a row type: its fields, in order.
pub(super) fn columns<T: DeserializeOwned>() -> &'static [&'static str] {
    let mut names = FieldNames(&[]);
    // Always an error: the names are known before the first value is asked for.
    let _ = T::deserialize(&mut names);
    names.0
}

/// Asks a `Deserialize` for its field names and gives it no values.
struct FieldNames(&'static [&'static str]);

impl<'de> Deserializer<'de> for &mut FieldNames {
    type Error = value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, value::Error> {
        Err(de::Error::custom("only field names"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, value::Error> {
        self.0 = fields;
        self.deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
