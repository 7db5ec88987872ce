//! What is written reads back; what was damaged is named.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

use super::*;

fn row(case: &str, ns: f64) -> SampleRow {
    SampleRow {
        case: case.to_owned(),
        round: 0,
        sample: 1,
        dispatches: 8,
        ticks: Some(81_920),
        ns: Some(ns),
        accepted: true,
        reason: None,
        seconds: Some(1.5),
    }
}

pub(crate) fn case_row() -> CaseRow {
    CaseRow {
        op: "read".to_owned(),
        element_type: "u32".to_owned(),
        parameters: r#"{"stride_bytes":64}"#.to_owned(),
        flags: [Flag::Imprecise, Flag::CacheResident].into_iter().collect(),
        verified: Some(true),
        timer: Some(Timer::Timestamp),
        footprint_bytes: Some(64 << 20),
        samples: Some(12),
        median_ns: Some(1234.5),
        ci95_low_ns: Some(f64::NAN),
        ci95_high_ns: Some(-1.0),
        min_ns: Some(0.0),
        bandwidth_gb_per_s: Some(f64::INFINITY),
        requests: Some(8192.0),
        sectors: Some(32_768.25),
        over_fetch: Some(0.0),
        bound: Some(Bound::Memory),
        conflict_degree: Some(2),
        ..CaseRow::new(
            "Radeon \"Ω\", 780M",
            "vulkan",
            "stride",
            "stride/op=read/type=u32/stride_bytes=64",
            Status::Ok,
        )
    }
}

fn run() -> (tempfile::TempDir, RunDir) {
    let folder = tempfile::tempdir().unwrap();
    let start = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    let run = RunDir::create(folder.path(), "fake-device", start).unwrap();
    (folder, run)
}

/// The message without the temporary folder.
fn message(error: &RecordError, folder: &Path) -> String {
    error.to_string().replace(&folder.display().to_string(), "RESULTS")
}

#[test]
fn a_run_is_never_overwritten() {
    let (folder, first) = run();
    assert!(first.path().ends_with("fake-device/2027-01-15T08-00-00Z"), "{first:?}");
    let start = SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000);
    let second = RunDir::create(folder.path(), "fake-device", start).unwrap();
    assert!(second.path().ends_with("fake-device/2027-01-15T08-00-00Z-2"), "{second:?}");
}

#[test]
fn cases_are_written_as_designed() {
    let (_folder, run) = run();
    let mut skipped = CaseRow::new("fake", "fake", "bank", "bank/stride=1", Status::Skipped);
    skipped.reason = Some("needs 64 KiB of workgroup memory, the device has 32 KiB".to_owned());
    run.write_cases(&[case_row(), skipped]).unwrap();
    insta::assert_snapshot!(fs::read_to_string(run.cases_path()).unwrap());
}

#[test]
fn figures_that_are_none_become_absent() {
    let (_folder, run) = run();
    run.write_cases(&[case_row()]).unwrap();
    let expected = CaseRow {
        ci95_low_ns: None,
        ci95_high_ns: None,
        min_ns: None,
        bandwidth_gb_per_s: None,
        sectors: Some(32_768.0),
        ..case_row()
    };
    assert_eq!(run.cases().unwrap(), [expected]);
    let left: Vec<_> = fs::read_dir(run.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["cases.csv"]);
}

#[test]
fn counts_are_whole_and_those_of_the_first_versions_still_read() {
    let (_folder, run) = run();
    run.write_cases(&[case_row()]).unwrap();
    let text = fs::read_to_string(run.cases_path()).unwrap();
    assert!(text.contains(",8192,32768,"), "{text}");
    fs::write(run.cases_path(), text.replace(",8192,32768,", ",8192.0,32768.25,")).unwrap();
    let [read] = &run.cases().unwrap()[..] else { panic!("one row") };
    assert_eq!((read.requests, read.sectors), (Some(8192.0), Some(32_768.25)));
    let json = serde_json::to_value(read).unwrap();
    assert_eq!((&json["requests"], &json["sectors"]), (&8192.into(), &32_768.into()));
}

#[test]
fn the_journal_reads_back_and_drops_a_torn_line() {
    let (_folder, run) = run();
    let mut journal = run.start_journal().unwrap();
    let rows = [
        row("reference", 10.0),
        row("stride/op=read", 20.25),
        SampleRow {
            ticks: None,
            ns: Some(f64::NAN),
            accepted: false,
            reason: Some("wrong at 7,\nexpected \"3\"".to_owned()),
            ..row("stride/op=read", 0.0)
        },
    ];
    for row in &rows {
        journal.append(row).unwrap();
    }
    drop(journal);
    let whole = fs::read(run.samples_path()).unwrap();
    insta::assert_snapshot!(String::from_utf8(whole.clone()).unwrap());

    for cut in 0..=whole.len() {
        fs::write(run.samples_path(), &whole[..cut]).unwrap();
        let (kept, mut journal) = run.resume_journal().unwrap();
        let complete = whole[..cut].iter().filter(|&&byte| byte == b'\n').count().saturating_sub(1);
        assert_eq!(kept.len(), complete, "cut at {cut}");
        journal.append(&rows[0]).unwrap();
        let again = read_samples(&run.samples_path()).unwrap();
        assert_eq!(again.len(), complete + 1);
        assert_eq!(again.last(), Some(&rows[0]));
    }
}

#[test]
fn a_second_journal_is_refused() {
    let (_folder, run) = run();
    run.start_journal().unwrap();
    assert!(run.start_journal().is_err());
}

#[test]
fn further_columns_are_ignored_and_order_does_not_matter() {
    let (_folder, run) = run();
    run.write_cases(&[case_row()]).unwrap();
    let text = fs::read_to_string(run.cases_path()).unwrap();
    let before = run.cases().unwrap();
    let wider: String = text.lines().map(|line| format!("x,{line}\n")).collect();
    fs::write(run.cases_path(), wider).unwrap();
    assert_eq!(run.cases().unwrap(), before);
}

#[test]
fn damage_is_named_with_file_line_and_column() {
    let (folder, run) = run();
    run.write_cases(&[case_row(), case_row()]).unwrap();
    let good = fs::read_to_string(run.cases_path()).unwrap();
    let damaged = [
        good[..good.len() - 1].to_owned(),
        good[..good.len() - 40].to_owned(),
        good.replace("over_fetch,", "").replace("median_ns,", ""),
        good.replacen("\n1,", "\n0,", 2),
        good.replacen("\n1,", "\n7,", 1),
        good.replacen("\n1,", "\none,", 1),
        good.replacen("1234.5", "fast", 1),
        good.replacen("1234.5", "inf", 1),
        good.replacen("1234.5", "-3", 1),
        good.replacen("67108864", "64MiB", 1),
        good.replacen(",ok,", ",fine,", 1),
        good.replacen("cache-resident;", "cosy;", 1),
        format!("{good}1,2,3\n"),
        "name,iterations,real_time\na,1,2\n".to_owned(),
        String::new(),
    ];
    let mut messages: Vec<String> = Vec::new();
    for text in &damaged {
        fs::write(run.cases_path(), text).unwrap();
        messages.push(match run.cases() {
            Ok(rows) => format!("read {} rows", rows.len()),
            Err(error) => message(&error, folder.path()),
        });
    }
    fs::remove_file(run.cases_path()).unwrap();
    messages.push(message(&run.cases().unwrap_err(), folder.path()));
    let mut bytes = good.clone().into_bytes();
    bytes[good.find("Radeon").unwrap()] = 0xff;
    fs::write(run.cases_path(), bytes).unwrap();
    messages.push(message(&run.cases().unwrap_err(), folder.path()));
    insta::assert_snapshot!(messages.join("\n"));
}

pub(crate) fn info() -> RunInfo {
    RunInfo {
        schema_version: SCHEMA_VERSION,
        tool_version: "0.1.0".to_owned(),
        git_revision: None,
        command: "stridemark --device fake:script.toml".to_owned(),
        seed: 1,
        settings: None,
        host: HostInfo::default(),
        device: DeviceInfo {
            name: "fake".to_owned(),
            identity: "fake:0:1".to_owned(),
            ..DeviceInfo::default()
        },
        backend: "fake".to_owned(),
        shader_compiler: None,
        features: Vec::new(),
        limits: [("max_buffer_size".to_owned(), 1 << 30)].into_iter().collect(),
        timing: TimingInfo { tick_ns: Some(f64::NAN), ..TimingInfo::default() },
        subgroup: SubgroupInfo::default(),
        runtime_checks: false,
        machine: None,
        roofline: RooflineInfo::default(),
        checks: Vec::new(),
        notes: Vec::new(),
        started: "2027-01-15T08:00:00Z".to_owned(),
        ended: None,
        timed_share: None,
        counts: None,
    }
}

#[test]
fn facts_of_the_run_read_back() {
    let (folder, run) = run();
    assert!(RunDir::open(run.path()).is_err());
    run.write_info(&info()).unwrap();
    let read = RunDir::open(run.path()).unwrap().info().unwrap();
    assert_eq!(read.timing.tick_ns, None);
    assert_eq!(read.limits, info().limits);

    let text = fs::read_to_string(run.info_path()).unwrap();
    let mut messages = Vec::new();
    for damaged in [
        &text[..text.len() / 2],
        &text.replace("\"schema_version\": 1", "\"schema_version\": 0"),
        &text.replace("\"seed\": 1", "\"seed\": \"one\""),
    ] {
        fs::write(run.info_path(), damaged).unwrap();
        messages.push(message(&run.info().unwrap_err(), folder.path()));
    }
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn a_folder_that_is_a_file_is_not_writable() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("taken");
    fs::write(&file, "").unwrap();
    let error = RunDir::create(&file, "x", SystemTime::UNIX_EPOCH).unwrap_err();
    assert!(message(&error, folder.path()).contains("RESULTS/taken"), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told_as_such() {
    let error =
        fs::write("/dev/full", "x").map_err(|source| RecordError::writing(Path::new("samples.csv"), source));
    insta::assert_snapshot!(error.unwrap_err());
}

#[test]
fn slugs_are_fit_for_any_file_system() {
    assert_eq!(slug("vulkan", "NVIDIA GeForce RTX 4090", None), "vulkan-nvidia-geforce-rtx-4090");
    assert_eq!(
        slug("gl", "llvmpipe (LLVM 15.0.6, 256 bits)", Some("1")),
        "gl-llvmpipe-llvm-15-0-6-256-bits-1"
    );
    assert_eq!(slug("vulkan", "显卡 ../..", Some("10de:2684")), "vulkan-10de-2684");
    assert_eq!(slug("", "显卡", None), "device");
    assert_eq!(slug("v", &"x".repeat(300), None).len(), 100);
}
