//! A run that was killed goes on where it stopped; one that would not be the same run is refused.

mod common;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use common::{Finished, Lab, assert_clean, runs_below};
use stridemark::record::{CaseRow, RunDir, Status, read_samples};

/// A run of some tenths of a second.
const SELECTED: [&str; 5] = ["--no-charts", "--seed", "7", "--filter", "contiguous/*"];

/// Ends a process at once, as a crash or the system's memory killer would, after a while.
fn run_and_kill(lab: &Lab, args: &[&str], after: Duration) -> bool {
    let mut child =
        lab.command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
    let started = Instant::now();
    while started.elapsed() < after {
        if child.try_wait().expect("its status").is_some() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().expect("it is killed");
    child.wait().expect("it ends");
    false
}

/// The complete lines of a journal.
fn complete_lines(path: &Path) -> Vec<u8> {
    let mut bytes = std::fs::read(path).unwrap_or_default();
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    bytes.truncate(end);
    bytes
}

fn resume(lab: &Lab, device: &str, run: &Path, further: &[&str]) -> Finished {
    let mut args = vec!["run", "--device", device, "--no-charts", "--resume", run.to_str().expect("UTF-8")];
    args.extend(further);
    lab.run(&args)
}

/// Every case has a row, measured, and its samples are those of the journal.
fn assert_complete(run: &RunDir, cases: usize) {
    assert_clean(run);
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    for sample in read_samples(&run.samples_path()).expect("samples.csv").iter().filter(|s| s.accepted) {
        *counts.entry(sample.case.clone()).or_default() += 1;
    }
    let rows = run.cases().expect("cases.csv");
    assert_eq!(rows.len(), cases);
    for row in &rows {
        assert_eq!((row.status, row.verified), (Status::Ok, Some(true)), "{row:?}");
        assert_eq!(row.samples, counts.get(&row.case).copied(), "{row:?}");
        assert!(row.samples >= Some(6) && row.median_ns.is_some() && row.twin_ns.is_some(), "{row:?}");
        assert!(row.dispatches_per_sample.is_some() && row.footprint_bytes.is_some(), "{row:?}");
    }
    let info = run.info().expect("run.json");
    assert_eq!(info.counts.map(|counts| counts.ok), Some(cases as u32));
    assert!(info.ended.is_some());
    let left: Vec<_> = std::fs::read_dir(run.path())
        .expect("the directory")
        .filter_map(|entry| entry.expect("an entry").file_name().into_string().ok())
        .filter(|name| name.starts_with('.'))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// A number in [0, 1), from the low bits of a linear congruential generator (Knuth's MMIX).
fn next_random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 40) as f64 / f64::from(1 << 24)
}

/// Kills runs at random moments, `kills` times, and resumes them until each is complete.
fn kill_and_resume(lab: &Lab, device: &str, selected: &[&str], kills: u32, longest: Duration) {
    let mut start = vec!["run", "--device", device];
    start.extend(selected);
    let mut random = 0x5eed_u64;
    let (mut killed, mut finished) = (0, 0);
    let mut current: Option<(PathBuf, usize)> = None;
    while killed < kills || current.is_some() {
        let before: Vec<PathBuf> = runs_below(&lab.out());
        let journal = current.as_ref().map(|(run, _)| complete_lines(&run.join("samples.csv")));
        let text = current.as_ref().map(|(run, _)| run.display().to_string());
        let resumed = ["run", "--device", device, "--no-charts", "--resume", text.as_deref().unwrap_or("")];
        let args: &[&str] = if text.is_some() { &resumed } else { &start };
        let after = if killed < kills { longest.mul_f64(next_random(&mut random)) } else { Duration::MAX };
        let ended = run_and_kill(lab, args, after);
        killed += u32::from(!ended);
        if let (Some((run, _)), Some(journal)) = (&current, journal) {
            let now = std::fs::read(run.join("samples.csv")).expect("samples.csv");
            assert!(now.starts_with(&journal), "every journalled sample is intact after {killed} kills");
        }
        let new = runs_below(&lab.out()).into_iter().find(|run| !before.contains(run));
        let run = current.take().map(|(run, resumptions)| (run, resumptions + 1)).or(new.map(|run| (run, 0)));
        match run {
            Some((run, _)) if ended => {
                let cases = RunDir::open(&run).and_then(|run| run.cases()).expect("cases.csv").len();
                assert_complete(&RunDir::open(&run).expect("a run"), cases);
                finished += 1;
            }
            // Killed before it had a run.json: nothing was measured, nothing is lost.
            other => current = other,
        }
    }
    assert!(finished > 0);
}

#[test]
fn a_run_killed_at_a_hundred_random_moments_keeps_every_sample() {
    let lab = Lab::new();
    let device = lab.fake("noise = 0.004");
    kill_and_resume(&lab, &device, &SELECTED, 100, Duration::from_millis(120));
}

#[test]
fn runs_on_an_adapter_survive_being_killed() {
    let lab = Lab::new();
    let listed = lab.run(&["list", "--format", "json"]);
    if !listed.stdout.contains("llvmpipe") || !listed.stdout.contains("\"vulkan\"") {
        // Only where lavapipe is installed.
        return;
    }
    let selected = ["--no-charts", "--footprint", "1MiB", "--filter", "contiguous/op=[rc]*/type=u32"];
    kill_and_resume(&lab, "vulkan:llvmpipe", &selected, 6, Duration::from_millis(1500));
}

/// A run that was interrupted by a device that was lost in the middle.
fn cut_off(lab: &Lab) -> PathBuf {
    let lost = "[[event]]\ncase = \"contiguous/op=[!r]*\"\nfails = \"device-lost\"\nat = 6";
    let finished = lab.run_fake(lost, &SELECTED);
    assert_eq!(finished.code, Some(1), "{}", finished.stderr);
    assert!(finished.stderr.contains("--resume"), "{}", finished.stderr);
    runs_below(&lab.out()).remove(0)
}

#[test]
fn after_a_lost_device_the_other_cases_go_on() {
    let lab = Lab::new();
    let run = cut_off(&lab);
    let before = RunDir::open(&run).expect("a run").cases().expect("cases.csv");
    let finished = resume(&lab, &lab.fake(""), &run, &[]);
    // The case that lost the device stays failed, so the exit is 1.
    assert_eq!(finished.code, Some(1), "{}", finished.stderr);
    let rows = RunDir::open(&run).expect("a run").cases().expect("cases.csv");
    let count = |rows: &[CaseRow], status| rows.iter().filter(|row| row.status == status).count();
    assert!(count(&before, Status::Ok) < count(&rows, Status::Ok));
    assert_eq!((count(&rows, Status::Failed), count(&rows, Status::Skipped)), (1, 0), "{}", finished.stderr);
    let info = RunDir::open(&run).and_then(|run| run.info()).expect("run.json");
    assert!(info.notes.iter().any(|note| note.starts_with("resumed at ")), "{:?}", info.notes);
    assert!(!info.notes.iter().any(|note| note.contains("ended early")), "{:?}", info.notes);
}

#[test]
fn a_finished_run_has_nothing_to_do() {
    let lab = Lab::new();
    assert_eq!(lab.run_fake("", &SELECTED).code, Some(0));
    let run = lab.only_run();
    let files =
        || [run.samples_path(), run.cases_path(), run.info_path()].map(|path| std::fs::read(path).ok());
    let before = files();
    let finished = resume(&lab, &lab.fake(""), run.path(), &[]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(finished.stderr.contains("nothing to do"), "{}", finished.stderr);
    assert!(files() == before, "no file changes");
}

#[test]
fn a_torn_last_line_is_dropped() {
    let lab = Lab::new();
    let run = cut_off(&lab);
    let journal = run.join("samples.csv");
    let whole = std::fs::read(&journal).expect("samples.csv");
    std::fs::write(&journal, &whole[..whole.len() - 7]).expect("it is torn");
    let kept = complete_lines(&journal);
    let finished = resume(&lab, &lab.fake(""), &run, &[]);
    // The torn line was the failure of the case that lost the device: it is measured again.
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(std::fs::read(&journal).expect("samples.csv").starts_with(&kept));
    let run = RunDir::open(&run).expect("a run");
    assert_complete(&run, run.cases().expect("cases.csv").len());
}

#[test]
fn another_device_driver_version_or_setting_is_refused_by_name() {
    let lab = Lab::new();
    let run = cut_off(&lab);
    let refused = |finished: Finished, words: &[&str]| {
        assert_eq!(finished.code, Some(2), "{}", finished.stderr);
        for word in words.iter().chain(&["can't resume", "differs", "without --resume"]) {
            assert!(finished.stderr.contains(word), "{word}: {}", finished.stderr);
        }
    };
    refused(
        resume(&lab, &lab.fake("name = \"Other GPU\""), &run, &[]),
        &["the device", "`Fake GPU`", "`Other GPU`"],
    );
    let driver = resume(&lab, &lab.fake("driver = \"2.0\""), &run, &[]);
    refused(driver, &["identity", "00fa:00ce:1.0", "00fa:00ce:2.0"]);
    refused(resume(&lab, "host", &run, &[]), &["the backend", "`fake`", "`host`"]);

    let device = lab.fake("");
    for (option, value, then) in [
        ("--budget", "9", "`0.2`"),
        ("--precision", "3", "`1`"),
        ("--seed", "8", "`7`"),
        ("--footprint", "1MiB", "none"),
        ("--filter", "bank/*", "`contiguous/*`"),
        ("--peak-gbps", "70", "none"),
    ] {
        refused(resume(&lab, &device, &run, &[option, value]), &[option, then]);
    }
    refused(resume(&lab, &device, &run, &["--runtime-checks"]), &["--runtime-checks", "`false`"]);
    refused(resume(&lab, &device, &run, &["--quick"]), &["the depth", "`default`", "`quick`"]);
    let same = ["--seed", "7", "--filter", "contiguous/*"];
    let info = run.join("run.json");
    let text = std::fs::read_to_string(&info).expect("run.json");
    let version = format!("\"tool_version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    std::fs::write(&info, text.replace(&version, "\"tool_version\": \"0.0.1\"")).expect("written");
    refused(resume(&lab, &device, &run, &same), &["the version", "`0.0.1`"]);
    std::fs::write(&info, text).expect("written");
    // The same settings, said again, are no difference; the lost case stays failed.
    assert_eq!(resume(&lab, &device, &run, &same).code, Some(1));
}

#[test]
fn what_is_no_run_can_t_be_resumed() {
    let lab = Lab::new();
    let finished = lab.run(&["run", "--resume", "nowhere"]);
    assert_eq!(finished.code, Some(1));
    assert!(
        finished.stderr.contains("nowhere") && finished.stderr.contains("run.json"),
        "{}",
        finished.stderr
    );
    let run = cut_off(&lab);
    let unnamed = lab.run(&["run", "--resume", run.to_str().expect("UTF-8")]);
    assert_eq!(unnamed.code, Some(2), "{}", unnamed.stderr);
    assert!(unnamed.stderr.contains("--device fake:FILE"), "{}", unnamed.stderr);
    let journal = run.join("samples.csv");
    let mut text = std::fs::read_to_string(&journal).expect("samples.csv");
    text.push_str("bank/stride=1,0,0,1,5,5.0,true,,1.0\n");
    std::fs::write(&journal, text).expect("written");
    let foreign = resume(&lab, &lab.fake(""), &run, &[]);
    assert_eq!(foreign.code, Some(2), "{}", foreign.stderr);
    assert!(foreign.stderr.contains("`bank/stride=1`"), "{}", foreign.stderr);
}
