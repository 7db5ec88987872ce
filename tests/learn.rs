//! The learning chapter quotes commands with their output. Those that need no device are run again here, so
//! that the chapter can't fall behind the program. A block quotes commands if its fence says `console`;
//! lines after `$` are run by the shell in the root of the repository, the others are what they print.
//!
//! The chapter's pictures are drawn again too. `UPDATE_LEARN=1 cargo test --test learn` writes all of them anew.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that fails may panic")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Commands that the chapter must at least quote; fewer would mean that the blocks are no longer found.
const LEAST_QUOTED: usize = 10;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = fs::read_dir(root().join("docs/learn"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.sort();
    pages
}

/// What a command of the chapter prints, without trailing blanks.
fn output(command: &str) -> String {
    let program = Path::new(env!("CARGO_BIN_EXE_stridemark"));
    let path = std::env::var("PATH").unwrap_or_default();
    let run = Command::new("sh")
        .args(["-c", command])
        .current_dir(root())
        .env("PATH", format!("{}:{path}", program.parent().unwrap().display()))
        .output()
        .unwrap();
    assert!(run.status.success(), "{command}: {}", String::from_utf8_lossy(&run.stderr));
    let text = String::from_utf8(run.stdout).unwrap();
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// A page with the output of every quoted command as it is now, and how many there are.
fn renewed(page: &str) -> (String, usize) {
    let (mut lines, mut count, mut quoting) = (Vec::new(), 0, false);
    for line in page.lines() {
        match line.strip_prefix("$ ").filter(|_| quoting) {
            Some(command) => {
                count += 1;
                lines.push(line.to_owned());
                lines.extend(output(command).lines().map(str::to_owned));
            }
            None if line.starts_with("```") => {
                quoting = line == "```console";
                lines.push(line.to_owned());
            }
            None if quoting => {}
            None => lines.push(line.to_owned()),
        }
    }
    (lines.join("\n") + "\n", count)
}

/// The pictures of the chapter: each is named after its pattern.
#[test]
fn pictures_are_what_the_program_draws() {
    let folder = tempfile::tempdir().unwrap();
    let mut drawn = 0;
    for entry in fs::read_dir(root().join("docs/learn/pictures")).unwrap() {
        let path = entry.unwrap().path();
        let pattern = path.file_stem().unwrap().to_str().unwrap();
        let new = folder.path().join("picture.svg");
        output(&format!("stridemark explain {pattern} --svg '{}'", new.display()));
        if std::env::var_os("UPDATE_LEARN").is_some() {
            fs::copy(&new, &path).unwrap();
        }
        assert!(fs::read(&new).unwrap() == fs::read(&path).unwrap(), "{} is out of date", path.display());
        drawn += 1;
    }
    assert!(drawn >= 4, "only {drawn} pictures are there");
}

#[test]
fn quoted_outputs_are_what_the_program_prints() {
    let mut quoted = 0;
    for path in pages() {
        let page = fs::read_to_string(&path).unwrap();
        let (renewed, count) = renewed(&page);
        quoted += count;
        if std::env::var_os("UPDATE_LEARN").is_some() {
            fs::write(&path, &renewed).unwrap();
        } else {
            for (line, (is, was)) in renewed.lines().zip(page.lines()).enumerate() {
                assert_eq!(was, is, "{}:{}; see tests/learn.rs", path.display(), line + 1);
            }
            assert_eq!(renewed.lines().count(), page.lines().count(), "{}", path.display());
        }
    }
    assert!(quoted >= LEAST_QUOTED, "only {quoted} commands are quoted");
}
