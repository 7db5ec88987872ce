//! Files that are there as a whole or not at all.

use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Start of the names of files that are to replace others.
pub(super) const TEMPORARY: &str = ".stridemark-";

/// Writes or replaces a file: a reader sees the old content or the new one, and where that fails the old one stays.
pub(crate) fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    persist(beside(path, content)?, path)
}

/// The same, on the disk when the call returns.
pub(super) fn replace_durably(path: &Path, content: &[u8]) -> io::Result<()> {
    let file = beside(path, content)?;
    file.as_file().sync_data()?;
    persist(file, path)
}

/// The content in a file of the same folder, which is removed unless it becomes the one that is meant.
fn beside(path: &Path, content: &[u8]) -> io::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = tempfile::Builder::new()
        .prefix(TEMPORARY)
        .permissions_like_a_new_file()
        .tempfile_in(folder)
        // Without the name of a file that nobody has asked for.
        .map_err(|error| io::Error::from(error.kind()))?;
    file.as_file().write_all(content)?;
    Ok(file)
}

fn persist(file: NamedTempFile, path: &Path) -> io::Result<()> {
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// `tempfile` makes files only their owner can read; results are for everyone whom the umask allows.
trait NewFilePermissions {
    fn permissions_like_a_new_file(&mut self) -> &mut Self;
}

impl NewFilePermissions for tempfile::Builder<'_, '_> {
    #[cfg(unix)]
    fn permissions_like_a_new_file(&mut self) -> &mut Self {
        use std::os::unix::fs::PermissionsExt;
        self.permissions(std::fs::Permissions::from_mode(0o666))
    }

    #[cfg(not(unix))]
    fn permissions_like_a_new_file(&mut self) -> &mut Self {
        self
    }
}
