//! `stridemark analyze` on shaders as people write them, by what it prints and how it ends.

#![expect(clippy::unwrap_used, reason = "a test that fails may panic")]

mod advice;
mod bad_input;
mod json;
mod known_answers;
mod sample;
mod text;

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// What a finished program left.
struct Finished {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// Runs the verb at the root of the repository, so that paths in its output are the same everywhere.
fn analyze(args: &[&str]) -> Finished {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stridemark"));
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).arg("analyze").args(args).output().unwrap();
    Finished {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs the verb on a shader of `tests/shaders`; `line` is the stem, then options separated by blanks.
fn on(line: &str) -> Finished {
    let mut words = line.split(' ');
    let file = format!("tests/shaders/{}.wgsl", words.next().unwrap());
    let args: Vec<&str> = std::iter::once(file.as_str()).chain(words).collect();
    analyze(&args)
}

/// The JSON of a run that ends well.
fn json_of(line: &str) -> Value {
    let finished = on(&format!("{line} --format json"));
    assert_eq!(finished.code, Some(0), "{line}: {}", finished.stderr);
    serde_json::from_str(&finished.stdout).unwrap()
}

/// The accesses of a variable.
fn accesses<'v>(document: &'v Value, variable: &str) -> Vec<&'v Value> {
    document["accesses"].as_array().unwrap().iter().filter(|a| a["variable"] == variable).collect()
}

/// The causes found, in order.
fn causes(document: &Value) -> Vec<&str> {
    document["findings"].as_array().unwrap().iter().map(|f| f["cause"].as_str().unwrap()).collect()
}

/// Runs the verb on a text of its own.
fn on_text(text: impl AsRef<[u8]>, args: &[&str]) -> Finished {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shader.wgsl");
    std::fs::write(&path, text).unwrap();
    let all: Vec<&str> = std::iter::once(path.to_str().unwrap()).chain(args.iter().copied()).collect();
    let finished = analyze(&all);
    let folder = format!("{}/", folder.path().display());
    let plain = |text: String| text.replace(&folder, "");
    Finished { code: finished.code, stdout: plain(finished.stdout), stderr: plain(finished.stderr) }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
