//! What a run says of the machine that made it: drift, two speeds, coarse clocks, hot and cold, budgets.

mod common;

use common::{Lab, assert_clean};
use stridemark::record::{Bound, CaseRow, Flag, Status};

const STRIDES: [&str; 3] = ["--no-charts", "--filter", "stride/op=read/type=u32/*"];

/// Runs the program on a scripted device and returns the rows that were measured.
fn measured(lab: &Lab, script: &str, args: &[&str]) -> Vec<CaseRow> {
    let finished = lab.run_fake(script, args);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_clean(&lab.only_run());
    let mut rows = lab.rows();
    rows.retain(|row| row.status == Status::Ok);
    assert!(!rows.is_empty());
    rows
}

fn flagged(rows: &[CaseRow], flag: Flag) -> usize {
    rows.iter().filter(|row| row.flags.contains(flag)).count()
}

#[test]
fn a_throttled_stretch_is_said_with_its_ends_and_its_rows_are_flagged() {
    let lab = Lab::new();
    let script = "noise = 0.01\nbandwidth_gb_per_s = 0.1\n[[stretch]]\nfrom_seconds = 2.5\nto_seconds = 4.0\nfactor = 1.136";
    let rows = measured(&lab, script, &STRIDES);
    let info = lab.info();
    let note = info.notes.iter().find(|note| note.starts_with("speed dropped")).expect("a sentence");
    // Its ends are those of the reference samples in it.
    assert!(note.contains(" 12 % between 2."), "{note}");
    assert!(note.contains(" s and 3.9 s") || note.contains(" s and 4.0 s"), "{note}");
    let drifted = flagged(&rows, Flag::Drifted);
    assert!(drifted > 0, "{note}");
    // Those that were sampled then, and no others.
    let samples = lab.samples();
    let expected = |row: &CaseRow| {
        let times = samples.iter().filter(|s| s.case == row.case && s.accepted).filter_map(|s| s.seconds);
        times.clone().any(|second| (2.6..3.9).contains(&second))
    };
    for row in &rows {
        assert!(row.flags.contains(Flag::Drifted) || !expected(row), "{row:?}");
    }
    let summary = std::fs::read_to_string(lab.only_run().path().join("summary.md")).expect("summary.md");
    assert!(summary.contains("speed dropped"), "{summary}");
}

#[test]
fn a_steady_device_has_no_such_flags() {
    let lab = Lab::new();
    let rows = measured(&lab, "noise = 0.01", &STRIDES);
    for flag in
        [Flag::Drifted, Flag::Bimodal, Flag::CoarseTimer, Flag::TwinSlower, Flag::TwinMissing, Flag::Hot]
    {
        assert_eq!(flagged(&rows, flag), 0, "{flag}");
    }
    assert_eq!(lab.info().notes, Vec::<String>::new());
    let info = lab.info();
    let warm_up = info.checks.iter().find(|check| check.name == "warm-up").expect("a warm-up");
    assert!(warm_up.detail.starts_with("steady after"), "{}", warm_up.detail);
}

#[test]
fn a_device_at_two_speeds_is_recognised_seen_at_both_and_figured_at_one() {
    let lab = Lab::new();
    let script = "noise = 0.01\n[second_speed]\nfactor = 1.67\nperiod_seconds = 0.25";
    let rows = measured(&lab, script, &STRIDES);
    assert!(lab.info().notes.iter().any(|note| note.contains("two speeds")), "{:?}", lab.info().notes);
    assert_eq!(flagged(&rows, Flag::Bimodal), rows.len());
    // Every case has the same speed on this device, so the figures of any two differ by noise alone.
    let bandwidths = || rows.iter().filter_map(|row| row.bandwidth_gb_per_s);
    let (low, high) = (bandwidths().fold(f64::INFINITY, f64::min), bandwidths().fold(0.0, f64::max));
    assert!(high / low < 1.05, "{low} to {high} GB/s");
    let noted = |row: &&CaseRow| row.reason.as_deref().is_some_and(|reason| reason.contains("two speeds"));
    assert!(rows.iter().filter(noted).count() > rows.len() / 2);
}

#[test]
fn a_clock_too_coarse_for_a_submission_is_flagged() {
    let lab = Lab::new();
    // 1000 ticks of 1 ms are more than the 100 ms that a submission lasts.
    let rows = measured(&lab, "tick_ns = 1e6\nnoise = 0.0", &STRIDES);
    assert_eq!(flagged(&rows, Flag::CoarseTimer), rows.len());
}

#[test]
fn a_twin_that_is_slower_than_its_case_bounds_nothing() {
    let lab = Lab::new();
    let rows = measured(&lab, "twin_speedup = 0.7", &STRIDES);
    assert!(rows.iter().all(|row| row.flags.contains(Flag::TwinSlower) && row.bound.is_none()));
    let lab = Lab::new();
    let rows = measured(&lab, "twin_speedup = 0.95", &STRIDES);
    assert!(rows.iter().all(|row| row.bound == Some(Bound::Issue) && !row.flags.contains(Flag::TwinSlower)));
}

#[test]
fn a_set_that_fits_the_cache_is_measured_hot_and_cold() {
    let lab = Lab::new();
    let script = "footprint = 67108864\nlast_level_cache = 25165824\ncold_factor = 3.0";
    let filter = ["--no-charts", "--full", "--filter", "working_set/type=u32x4/*"];
    let rows = measured(&lab, script, &filter);
    let bandwidth = |set: u64, cache: &str| {
        let id = format!("working_set/type=u32x4/footprint_bytes={set}{cache}");
        rows.iter().find(|row| row.case == id).unwrap_or_else(|| panic!("{id}"))
    };
    let (hot, cold) = (bandwidth(16 << 20, ""), bandwidth(16 << 20, "/cache=cold"));
    let ratio = hot.bandwidth_gb_per_s.expect("hot") / cold.bandwidth_gb_per_s.expect("cold");
    assert!((2.7..3.3).contains(&ratio), "{ratio}");
    assert!(hot.flags.contains(Flag::Hot) && hot.flags.contains(Flag::CacheResident));
    assert!(!cold.flags.contains(Flag::Hot) && !cold.flags.contains(Flag::CacheResident));
    let all = lab.rows();
    let too_large = all.iter().find(|row| row.case.ends_with("=33554432/cache=cold")).expect("the row");
    assert!(too_large.reason.as_deref().is_some_and(|reason| reason.contains("never hot")), "{too_large:?}");
}

#[test]
fn a_spent_budget_still_leaves_enough_samples_for_an_interval() {
    let lab = Lab::new();
    let rows = measured(&lab, "noise = 0.2", &["--no-charts", "--budget", "0.001", "--filter", "stride/*"]);
    for row in &rows {
        assert!(row.samples >= Some(6) && row.ci95_low_ns.is_some(), "{row:?}");
        assert!(row.flags.contains(Flag::Imprecise), "{row:?}");
    }
    let lab = Lab::new();
    let rows = measured(&lab, "noise = 0.0", &["--no-charts", "--filter", "stride/*"]);
    assert!(rows.iter().all(|row| row.samples >= Some(10) && !row.flags.contains(Flag::Imprecise)));
}

#[test]
fn max_time_bounds_the_run_and_the_rest_is_rows() {
    let lab = Lab::new();
    let args = ["--no-charts", "--max-time", "2", "--filter", "stride/*"];
    let finished = lab.run_fake("noise = 0.2", &args);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(finished.stderr.contains("--max-time reached"), "{}", finished.stderr);
    let last = lab.samples().iter().filter_map(|sample| sample.seconds).fold(0.0, f64::max);
    assert!(last < 2.6, "{last} s of simulated time");
    let rows = lab.rows();
    assert!(rows.iter().any(|row| row.status == Status::Ok));
    assert!(rows.iter().all(|row| row.status != Status::Ok || row.requests.is_some()), "{rows:?}");
    let missing = rows.iter().filter(|row| row.status == Status::Skipped);
    assert!(missing.clone().all(|row| row.reason.is_some()), "{rows:?}");
}

#[test]
fn a_run_without_time_for_a_sample_has_failed_and_says_what_to_raise() {
    let lab = Lab::new();
    // Warming up alone takes longer.
    let finished = lab.run_fake("", &["--no-charts", "--max-time", "0.1", "--filter", "stride/*"]);
    assert_eq!(finished.code, Some(1), "{}", finished.stderr);
    let errors: Vec<&str> = finished.stderr.lines().filter(|line| line.starts_with("error: ")).collect();
    assert!(
        matches!(errors[..], [error] if error.contains("--max-time") && error.contains("raise it")),
        "{errors:?}"
    );
    assert!(lab.rows().iter().all(|row| row.status == Status::Skipped && row.reason.is_some()));
    assert!(lab.info().notes.iter().any(|note| note.contains("--max-time")), "{:?}", lab.info().notes);
}
