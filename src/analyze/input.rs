//! Reads a shader from disk as it comes out of other people's projects.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::model::Location;

use super::error::AnalyzeError;
use super::template;

/// The largest shader, in bytes: far above what people write, and what naga parses within seconds.
pub const MAX_SHADER_BYTES: u64 = 4 << 20;

/// A shader's name and text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The path as given, for messages.
    pub name: String,
    /// The text, without byte-order mark and with `\n` at line ends.
    pub text: String,
    /// Byte offsets at which lines start.
    starts: Vec<usize>,
}

impl Source {
    /// Reads a file.
    ///
    /// # Errors
    /// A file that can't be read, is larger than [`MAX_SHADER_BYTES`] or is no UTF-8.
    pub fn read(path: &Path) -> Result<Source, AnalyzeError> {
        let name = path.display().to_string();
        let unreadable = |reason: std::io::Error| AnalyzeError::Read { file: name.clone(), reason };
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|file| file.take(MAX_SHADER_BYTES + 1).read_to_end(&mut bytes))
            .map_err(unreadable)?;
        if bytes.len() as u64 > MAX_SHADER_BYTES {
            return Err(AnalyzeError::TooLong { file: name, limit: MAX_SHADER_BYTES });
        }
        Source::new(name, &bytes)
    }

    /// Takes the bytes of a file. Line ends become `\n`; WGSL takes `\r\n` and `\r` for the same thing, and
    /// neither moves a line or column.
    ///
    /// # Errors
    /// Bytes that are no UTF-8.
    pub fn new(name: impl Into<String>, bytes: &[u8]) -> Result<Source, AnalyzeError> {
        let name = name.into();
        let not_text = |what: String| AnalyzeError::NotText { file: name.clone(), what };
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            return Err(not_text("starts with the byte-order mark of UTF-16".to_owned()));
        }
        let bytes = bytes.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(bytes);
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let line = bytes[..error.valid_up_to()].iter().filter(|&&byte| byte == b'\n').count() + 1;
            not_text(format!("has a byte that is no UTF-8 in line {line}"))
        })?;
        let text = if text.contains('\r') {
            text.replace("\r\n", "\n").replace('\r', "\n")
        } else {
            text.to_owned()
        };
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Ok(Source { name, text, starts })
    }

    /// The text of a line, from 1; empty outside of the text.
    pub fn line(&self, line: u32) -> &str {
        let start = (line as usize).checked_sub(1).and_then(|index| self.starts.get(index));
        let rest = start.and_then(|&start| self.text.get(start..)).unwrap_or("");
        rest.split('\n').next().unwrap_or("")
    }

    /// Where an entry point is declared, for excerpts; found in the text, since naga keeps no place for it.
    pub(super) fn entry_place(&self, entry: &str) -> Option<Location> {
        let is_end = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let declared = self.text.match_indices("fn ").find_map(|(at, _)| {
            let rest = self.text[at + 3..].trim_start().strip_prefix(entry)?;
            is_end(rest).then_some(at)
        })?;
        let at = self.text[..declared].rfind("@workgroup_size").unwrap_or(declared);
        let line = self.starts.partition_point(|&start| start <= at);
        let column = at - self.starts[line - 1] + 1;
        Some(Location { file: self.name.clone(), line: line as u32, column: column as u32 })
    }

    /// Why naga can't parse the text, where that is because it is no WGSL yet.
    pub(super) fn template(&self) -> Option<AnalyzeError> {
        let found = template::find(&self.text)?;
        Some(AnalyzeError::Template {
            file: self.name.clone(),
            line: found.line,
            column: found.column,
            what: found.what,
            excerpt: self.line(found.line).trim().to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_and_line_ends_are_taken_off() {
        let source = Source::new("a", b"\xef\xbb\xbffn a() {}\r\nfn b() {}\rfn c() {}\n").unwrap();
        assert_eq!(source.text, "fn a() {}\nfn b() {}\nfn c() {}\n");
        assert_eq!((source.line(2), source.line(0), source.line(99)), ("fn b() {}", "", ""));
    }

    #[test]
    fn what_is_no_utf_8_is_named_by_its_line() {
        let error = Source::new("a.wgsl", b"// one\n// \xe9t\xe9\n").unwrap_err().to_string();
        assert!(error.contains("a.wgsl") && error.contains("line 2"), "{error}");
        let error = Source::new("a.wgsl", b"\xff\xfef\0n\0").unwrap_err().to_string();
        assert!(error.contains("UTF-16"), "{error}");
    }
}
