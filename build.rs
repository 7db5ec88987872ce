//! Tells the program which git revision it is built from, where there is one.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if let Some(head) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
        println!("cargo:rerun-if-changed={head}");
    }
    if let Some(revision) = git(&["rev-parse", "--short=12", "HEAD"]) {
        println!("cargo:rustc-env=STRIDEMARK_REVISION={revision}");
    }
}

fn git(args: &[&str]) -> Option<String> {
    let output = Command::new("git").args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
