//! What the tests of the program share: running it on a scripted device and reading its run back.
#![allow(dead_code, unreachable_pub, reason = "each test binary is a crate of its own and uses a part")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use stridemark::record::{CaseRow, RunDir, RunInfo, SampleRow, read_samples};

/// A folder with a script of the fake device and the runs made in it.
pub struct Lab {
    folder: tempfile::TempDir,
}

/// What a finished program left.
pub struct Finished {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Lab {
    pub fn new() -> Lab {
        Lab { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    pub fn out(&self) -> PathBuf {
        self.path().join("results")
    }

    /// The selector of a fake device with that script.
    pub fn fake(&self, script: &str) -> String {
        let file = self.path().join("script.toml");
        std::fs::write(&file, script).expect("the script is written");
        format!("fake:{}", file.display())
    }

    /// Runs the program on a fake device.
    pub fn run_fake(&self, script: &str, args: &[&str]) -> Finished {
        let device = self.fake(script);
        let mut all = vec!["run", "--device", &device];
        all.extend(args);
        self.run(&all)
    }

    /// Runs the program; `run` writes below [`Lab::out`].
    pub fn run(&self, args: &[&str]) -> Finished {
        finish(self.command(args).output().expect("the program starts"))
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stridemark"));
        command.current_dir(self.path()).args(args);
        command
    }

    /// The one run below [`Lab::out`].
    pub fn only_run(&self) -> RunDir {
        let runs = runs_below(&self.out());
        assert_eq!(runs.len(), 1, "one run: {runs:?}");
        RunDir::open(&runs[0]).expect("a run directory")
    }

    pub fn rows(&self) -> Vec<CaseRow> {
        self.only_run().cases().expect("cases.csv")
    }

    pub fn info(&self) -> RunInfo {
        self.only_run().info().expect("run.json")
    }

    pub fn samples(&self) -> Vec<SampleRow> {
        read_samples(&self.only_run().samples_path()).expect("samples.csv")
    }
}

pub fn finish(output: Output) -> Finished {
    Finished {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Every run directory below a folder, in order.
pub fn runs_below(folder: &Path) -> Vec<PathBuf> {
    let list = |folder: &Path| -> Vec<PathBuf> {
        std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.expect("an entry").path()).collect()
    };
    let mut runs: Vec<PathBuf> = list(folder)
        .iter()
        .flat_map(|device| list(device))
        .filter(|path| path.join("run.json").exists())
        .collect();
    runs.sort();
    runs
}

/// No text for people or programs may hold an infinite figure, or one that is not a number.
pub fn assert_clean_text(text: &str) {
    for cell in text.split([',', '\n', ':', ' ', '|']) {
        let cell = cell.trim_matches('"').to_ascii_lowercase();
        assert!(!["inf", "-inf", "nan", "infinity"].contains(&cell.as_str()), "{cell} in {text}");
    }
}

/// No figure in any file of a run may be infinite, not a number, negative or a zero duration.
pub fn assert_clean(run: &RunDir) {
    let summary = run.path().join("summary.md");
    for path in [run.samples_path(), run.cases_path(), run.info_path(), summary] {
        assert_clean_text(&std::fs::read_to_string(&path).expect("a file of the run"));
    }
    for sample in read_samples(&run.samples_path()).expect("samples.csv") {
        assert!(sample.ns.is_none_or(|ns| ns.is_finite() && ns > 0.0), "{sample:?}");
        assert!(sample.accepted == sample.ns.is_some(), "{sample:?}");
        assert!(sample.accepted || sample.reason.is_some(), "{sample:?}");
    }
}
