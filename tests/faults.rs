//! What goes wrong on devices, scripted on the fake one and followed to the files.

mod common;

use common::{Lab, assert_clean, assert_clean_text, runs_below};
use stridemark::record::{Flag, RunDir, Status};

const QUICK: &[&str] = &["--quick", "--no-charts"];

/// The patterns of the scripted cases.
const SOME: &[&str] = &["--quick", "--no-charts", "--filter", "stride/*", "--filter", "contiguous/*"];

/// Runs a part of the quick suite with one event on one case; the case's row, its reason, and the exit code.
fn with_event(event: &str) -> (Lab, Option<i32>, Status, String) {
    let lab = Lab::new();
    let script = format!("[[event]]\ncase = \"stride/*stride_bytes=16\"\n{event}\n");
    let finished = lab.run_fake(&script, SOME);
    let run = lab.only_run();
    assert_clean(&run);
    assert_clean_text(&finished.stdout);
    assert_clean_text(&finished.stderr);
    let rows = lab.rows();
    let row = rows.iter().find(|row| row.case.ends_with("u32/stride_bytes=16")).expect("the row");
    let (status, reason) = (row.status, row.reason.clone().unwrap_or_default());
    let others = rows.iter().filter(|row| row.status == Status::Failed).count();
    assert!(others <= 1, "only the scripted case fails: {}", finished.stderr);
    (lab, finished.code, status, reason)
}

#[test]
fn a_healthy_device_measures_every_case() {
    let lab = Lab::new();
    let finished = lab.run_fake("", QUICK);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_clean(&lab.only_run());
    for row in lab.rows() {
        assert_ne!(row.status, Status::Failed, "{row:?}");
        if row.status == Status::Ok {
            assert_eq!(row.verified, Some(true), "{row:?}");
            assert!(row.samples >= Some(10), "{row:?}");
            assert!(row.median_ns.is_some() && row.bandwidth_gb_per_s.is_some(), "{row:?}");
        }
    }
    let info = lab.info();
    assert!(info.roofline.roof_gb_per_s.is_some() && info.ended.is_some() && info.counts.is_some());
    assert!(info.checks.iter().all(|check| check.passed != Some(false)), "{:?}", info.checks);
}

#[test]
fn faulty_timestamps_at_every_pass_fail_the_case_with_the_reason() {
    for (fails, reason) in [
        ("zero", "timestamps are zero"),
        ("equal", "shorter than a tick"),
        ("reversed", "reversed"),
        ("unwritten", "not written"),
        ("wrapped", "further apart than the wall time"),
        ("too-long", "further apart than the wall time"),
        ("unresolved", "was not resolved"),
    ] {
        let (lab, code, status, text) = with_event(&format!("fails = \"{fails}\""));
        assert_eq!((code, status), (Some(1), Status::Failed), "{fails}");
        assert!(text.contains(reason), "{fails}: {text}");
        let rejected =
            lab.samples().iter().filter(|sample| !sample.accepted && sample.dispatches > 0).count();
        assert!(rejected > 0, "{fails}: rejected samples are journalled");
    }
}

#[test]
fn one_faulty_timestamp_is_rejected_and_counted() {
    // Calibration and the warm-up take the first passes; the eighth is a sample.
    let (lab, code, status, _) = with_event("fails = \"reversed\"\nat = 12");
    assert_eq!((code, status), (Some(0), Status::Ok));
    let row = lab.rows().into_iter().find(|row| row.case.ends_with("u32/stride_bytes=16")).expect("the row");
    assert_eq!(row.rejected_samples, Some(1));
}

#[test]
fn a_wrong_result_fails_the_case() {
    // Once is enough: a result that is right the next time is not to be trusted either.
    for fails in ["wrong-result", "swapped-result", "wrong-result\"\nat = 0 #"] {
        let (lab, code, status, reason) = with_event(&format!("fails = \"{fails}\""));
        assert_eq!((code, status), (Some(1), Status::Failed), "{fails}");
        assert!(reason.contains("wrong result: element") && reason.contains("expected"), "{reason}");
        let row =
            lab.rows().into_iter().find(|row| row.case.ends_with("u32/stride_bytes=16")).expect("the row");
        assert_eq!((row.verified, row.median_ns), (Some(false), None));
    }
}

#[test]
fn out_of_memory_and_rejected_shaders_are_rows() {
    let (_, code, status, reason) = with_event("fails = \"out-of-memory\"");
    assert_eq!((code, status), (Some(1), Status::Failed));
    assert!(reason.contains("out of memory") && reason.contains("--footprint"), "{reason}");
    let (lab, code, status, reason) = with_event("fails = \"out-of-memory-later\"\nat = 12");
    assert_eq!((code, status), (Some(1), Status::Failed));
    assert!(reason.contains("out of memory"), "{reason}");
    assert!(
        lab.samples().iter().any(|sample| sample.reason.as_deref().is_some_and(|r| r.starts_with("failed")))
    );
    let (_, code, status, reason) = with_event("fails = \"compile\"");
    assert_eq!((code, status), (Some(1), Status::Failed));
    assert!(reason.contains("rejected the shader"), "{reason}");
}

#[test]
fn a_lost_device_ends_the_run_and_keeps_what_was_measured() {
    for (fails, text) in [("device-lost", "device was lost"), ("timeout", "did not finish")] {
        let (lab, code, status, reason) = with_event(&format!("fails = \"{fails}\"\nat = 14"));
        assert_eq!((code, status), (Some(1), Status::Failed), "{fails}");
        assert!(reason.contains(text), "{reason}");
        assert!(lab.rows().iter().any(|row| row.status == Status::Ok), "{fails}: others were measured");
        assert!(lab.info().notes.iter().any(|note| note.contains(text)), "{:?}", lab.info().notes);
    }
}

#[test]
fn a_set_up_that_fails_blames_no_case() {
    for fails in ["out-of-memory", "compile", "rejected", "device-lost"] {
        let lab = Lab::new();
        let script = format!("[[event]]\ncase = \"contiguous/op=read/type=u32x4\"\nfails = \"{fails}\"");
        let finished = lab.run_fake(&script, SOME);
        assert_eq!(finished.code, Some(1), "{}", finished.stderr);
        let error = finished.stderr.lines().find(|line| line.starts_with("error: ")).expect("an error");
        for word in ["reference kernel", "--footprint", "--device"] {
            assert!(error.contains(word), "{word}: {error}");
        }
        assert!(!error.contains("--resume"), "{error}");
        assert!(lab.rows().iter().all(|row| row.status == Status::Skipped), "{fails}");
    }
}

#[test]
fn what_goes_on_is_told_from_the_start_and_reasons_as_they_are() {
    let lab = Lab::new();
    let script = "[[event]]\ncase = \"transpose/op=tile/*\"\nfails = \"wrong-result\"";
    let finished = lab.run_fake(script, &["--no-charts", "--filter", "transpose/*", "--footprint", "1MiB"]);
    let lines: Vec<&str> = finished.stderr.lines().collect();
    let cases = lab.rows().len();
    assert!(lines[0].starts_with(&format!("fake:Fake GPU: {cases} cases into ")), "{}", lines[0]);
    assert!(lines[1].starts_with("about ") && lines[1].contains("first round"), "{}", lines[1]);
    for told in ["  skipped: the two matrices have ", "  failed: wrong result: element 0 "] {
        assert!(lines.iter().any(|line| line.contains(told)), "{told}: {}", finished.stderr);
    }
}

#[test]
fn quantised_timestamps_make_longer_passes() {
    let lab = Lab::new();
    let finished = lab.run_fake("tick_ns = 65536.0", &["--quick", "--no-charts", "--filter", "stride/*"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_clean(&lab.only_run());
    for sample in lab.samples().iter().filter(|sample| sample.accepted && !sample.case.starts_with("twin:")) {
        let ticks = sample.ticks.expect("ticks");
        assert!(ticks >= 900, "a pass of {ticks} ticks rests on too few: {sample:?}");
    }
}

#[test]
fn a_device_without_timestamps_is_timed_by_the_wall_clock() {
    let lab = Lab::new();
    let finished = lab.run_fake("timestamps = false", SOME);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let info = std::fs::read_to_string(lab.only_run().info_path()).expect("run.json");
    assert!(info.contains("\"timer\": \"wall\""), "{info}");
}

#[test]
fn a_dispatch_that_would_outlast_a_watchdog_is_split() {
    let lab = Lab::new();
    // Any submission of a second or more would lose this device.
    let script = "bandwidth_gb_per_s = 0.001\nfootprint = 16777216\nwatchdog_seconds = 1.0";
    let finished = lab.run_fake(script, &["--no-charts", "--filter", "contiguous/op=read/type=u32"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let row = &lab.rows()[0];
    assert_eq!((row.status, row.dispatches_per_sample), (Status::Ok, Some(1)));
    // 16 MiB at 0.001 GB/s are 16 s a dispatch: far over the 100 ms a submission should take.
    assert!(row.median_ns.expect("a time") > 1e10);
}

#[test]
fn names_with_commas_quotes_and_foreign_letters_survive() {
    let name = "Fäke, \"GPU\" <script>\u{4e2d}";
    let lab = Lab::new();
    let script = format!("name = {name:?}").replace("\\u{4e2d}", "\u{4e2d}");
    let finished = lab.run_fake(&script, SOME);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(lab.rows().iter().all(|row| row.device == name));
    assert_eq!(lab.info().device.name, name);
}

#[test]
fn two_devices_of_one_name_get_a_run_each() {
    let lab = Lab::new();
    let one = lab.fake("name = \"Twin\"\nbandwidth_gb_per_s = 100.0");
    let file = lab.path().join("other.toml");
    std::fs::write(&file, "name = \"Twin\"\nbandwidth_gb_per_s = 200.0").expect("the script is written");
    let other = format!("fake:{}", file.display());
    let out = lab.out().display().to_string();
    let mut args = vec!["run", "--device", &one, "--device", &other, "--out", &out];
    args.extend(SOME);
    let finished = lab.run(&args);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let roofs: Vec<f64> = runs_below(&lab.out())
        .iter()
        .map(|path| RunDir::open(path).expect("a run directory").info().expect("run.json"))
        .map(|info| info.roofline.roof_gb_per_s.expect("a roof").round())
        .collect();
    assert!(roofs.len() == 2 && roofs[1] > 1.5 * roofs[0], "{roofs:?}");
}

#[test]
fn a_case_that_touches_less_than_the_caches_hold_is_flagged_and_is_no_roof() {
    let lab = Lab::new();
    // 512 rows of 8 KiB out of a table many times their size; the contiguous read touches all it binds.
    let script = "footprint = 67108864\nlast_level_cache = 25165824";
    let filters =
        ["--no-charts", "--filter", "embedding/type=u32/*", "--filter", "contiguous/op=read/type=u32"];
    let finished = lab.run_fake(script, &filters);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let mut seen = 0;
    for row in lab.rows().iter().filter(|row| row.status == Status::Ok) {
        let resident = row.flags.contains(Flag::CacheResident);
        assert_eq!(resident, row.pattern == "embedding", "{row:?}");
        seen += usize::from(resident);
    }
    assert!(seen > 0, "an embedding case was measured");
    assert!(lab.info().roofline.roof_case.is_some_and(|case| case.starts_with("contiguous/")));
}
