//! `stridemark compare` over runs of the whole pipeline on a scripted device, and its exit codes.

mod common;

use std::path::PathBuf;

use common::{Finished, Lab, runs_below};

/// A device with the faults of real ones: noise, outliers, drift.
const UNSTEADY: &str = "noise = 0.01\noutliers = 0.02\noutlier_factor = 1.5\ndrift_per_second = 0.002\n";
/// Two speeds, as on virtual machines.
const TWO_SPEEDS: &str = "noise = 0.01\n[second_speed]\nfactor = 1.67\nperiod_seconds = 2.0\n";
const SELECTED: [&str; 4] = ["--no-charts", "--filter", "stride/op=read/*", "--full"];

/// Measures with a script and returns the directory of the run.
fn measure(lab: &Lab, script: &str, noise_seed: u32) -> PathBuf {
    let before = runs_below(&lab.out());
    let finished = lab.run_fake(&format!("noise_seed = {noise_seed}\n{script}"), &SELECTED);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    runs_below(&lab.out()).into_iter().find(|run| !before.contains(run)).expect("a new run")
}

fn compare(lab: &Lab, runs: &[&PathBuf], options: &[&str]) -> Finished {
    let mut args = vec!["compare"];
    args.extend(runs.iter().map(|run| run.to_str().expect("a path in UTF-8")));
    args.extend(options);
    lab.run(&args)
}

/// Case ids with a verdict.
fn with_verdict(json: &str, verdict: &str) -> Vec<String> {
    let document: serde_json::Value = serde_json::from_str(json).expect("JSON");
    let cases = document["cases"].as_array().expect("cases");
    let found = cases.iter().filter(|case| case["verdict"] == verdict);
    found.filter_map(|case| Some(case["case"].as_str()?.to_owned())).collect()
}

#[test]
fn repeated_runs_of_an_unsteady_device_are_not_called_different() {
    for script in [UNSTEADY, TWO_SPEEDS] {
        let lab = Lab::new();
        let (base, new) = (measure(&lab, script, 1), measure(&lab, script, 2));
        let finished = compare(&lab, &[&base, &new], &["--format", "json", "--fail-on", "slower"]);
        assert_eq!(finished.code, Some(0), "{}{}", finished.stdout, finished.stderr);
        assert_eq!(with_verdict(&finished.stdout, "faster"), Vec::<String>::new());
        assert!(with_verdict(&finished.stdout, "same").len() > 10, "{}", finished.stdout);
    }
}

#[test]
fn slower_cases_are_found_and_trip_the_gate() {
    let lab = Lab::new();
    let slower = "[[slower]]\ncase = \"*stride_bytes=64\"\nfactor = 1.06\n";
    let (base, new) = (measure(&lab, UNSTEADY, 1), measure(&lab, &format!("{UNSTEADY}{slower}"), 2));
    let finished = compare(&lab, &[&base, &new], &["--format", "json", "--fail-on", "slower"]);
    assert_eq!(finished.code, Some(3), "{}", finished.stderr);
    let found = with_verdict(&finished.stdout, "slower");
    assert!(!found.is_empty() && found.iter().all(|case| case.ends_with("stride_bytes=64")), "{found:?}");
    assert_eq!(compare(&lab, &[&base, &new], &[]).code, Some(0));
    let markdown = compare(&lab, &[&base, &new], &["--format", "markdown"]);
    assert!(markdown.stdout.contains("| slower |"), "{}", markdown.stdout);
}

#[test]
fn a_run_that_can_t_be_read_is_named_and_the_others_compared_on_request() {
    let lab = Lab::new();
    let base = measure(&lab, "", 1);
    let nowhere = lab.path().join("nowhere");
    let stopped = compare(&lab, &[&base, &nowhere, &base], &[]);
    assert_eq!((stopped.code, stopped.stdout.as_str()), (Some(1), ""));
    assert!(stopped.stderr.contains("nowhere"), "{}", stopped.stderr);
    let went_on = compare(&lab, &[&base, &nowhere, &base], &["--keep-going"]);
    assert_eq!(went_on.code, Some(1));
    assert!(went_on.stderr.contains("nowhere") && went_on.stdout.contains("same"), "{}", went_on.stdout);
    let nothing = compare(&lab, &[&base, &nowhere], &["--keep-going", "--format", "markdown"]);
    assert_eq!(nothing.code, Some(1));
    let told = &nothing.stdout;
    assert!(
        told.contains("nothing to compare") && told.contains("not read") && told.contains("nowhere"),
        "{told}"
    );
    assert_eq!(lab.run(&["compare"]).code, Some(2));
}

#[test]
fn a_gate_does_not_pass_where_nothing_was_measured() {
    let lab = Lab::new();
    let (base, new) = (measure(&lab, "", 1), measure(&lab, "", 2));
    let table = new.join("cases.csv");
    let text = std::fs::read_to_string(&table).expect("cases.csv");
    let header = text.lines().next().expect("a header");
    std::fs::write(&table, format!("{header}\n")).expect("it is written");
    let finished = compare(&lab, &[&base, &new], &["--fail-on", "slower"]);
    assert_eq!(finished.code, Some(1), "{}", finished.stdout);
    assert!(finished.stderr.contains("no figure for any case"), "{}", finished.stderr);
    assert_eq!(compare(&lab, &[&base, &new], &[]).code, Some(0));
}

#[test]
fn a_case_that_the_new_run_lacks_is_said_and_trips_its_own_gate() {
    let lab = Lab::new();
    let (base, new) = (measure(&lab, "", 1), measure(&lab, "", 2));
    let table = new.join("cases.csv");
    let text = std::fs::read_to_string(&table).expect("cases.csv");
    let fewer: Vec<&str> = text.lines().filter(|line| !line.contains("stride_bytes=64,")).collect();
    assert!(fewer.len() < text.lines().count());
    std::fs::write(&table, fewer.join("\n") + "\n").expect("it is written");
    let passed = compare(&lab, &[&base, &new], &["--fail-on", "slower"]);
    assert_eq!(passed.code, Some(0), "{}", passed.stderr);
    assert!(passed.stderr.contains("--fail-on slower,missing"), "{}", passed.stderr);
    assert_eq!(compare(&lab, &[&base, &new], &["--fail-on", "slower,missing"]).code, Some(3));
    assert_eq!(compare(&lab, &[&base, &base], &["--fail-on", "slower,missing"]).code, Some(0));
    assert_eq!(compare(&lab, &[&base, &base], &["--fail-on", "nothing"]).code, Some(2));
}
