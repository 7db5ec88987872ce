//! The renderings, and what is said of runs that can't be compared.

use std::fs;
use std::path::{Path, PathBuf};

use crate::compare::{
    Comparison, Options, Run, RunCase, Verdict, compare, compare_directories, json, markdown, text,
    write_charts,
};
use crate::record::tests::info;
use crate::record::{Bound, CaseRow, Flag, REFERENCE_CASE, RunDir, RunInfo, SampleRow, Status, Timer};

/// A measured row with an interval of ±1 %.
fn row(pattern: &str, point: &str, ns: f64) -> CaseRow {
    let mut row = CaseRow::new("fake", "fake", pattern, &format!("{pattern}/{point}"), Status::Ok);
    row.timer = Some(Timer::Timestamp);
    row.footprint_bytes = Some(64 << 20);
    row.median_ns = Some(ns);
    row.ci95_low_ns = Some(ns * 0.99);
    row.ci95_high_ns = Some(ns * 1.01);
    row.roof_fraction = Some(1e5 / ns);
    row
}

fn absent(pattern: &str, point: &str, status: Status, reason: &str) -> CaseRow {
    let mut row = CaseRow::new("fake", "fake", pattern, &format!("{pattern}/{point}"), status);
    row.reason = Some(reason.to_owned());
    row
}

fn issue_bound(mut row: CaseRow) -> CaseRow {
    row.bound = Some(Bound::Issue);
    row
}

fn base_rows() -> Vec<CaseRow> {
    vec![
        row("contiguous", "op=read/type=u32", 1e5),
        row("contiguous", "op=copy/type=u32", 2e5),
        row("stride", "op=read/type=u32/stride_bytes=4", 1e6),
        row("stride", "op=read/type=u32/stride_bytes=8", 2e6),
        row("stride", "op=read/type=u32/stride_bytes=16", 4e6),
        row("stride", "op=read/type=u32/stride_bytes=32", 8e6),
        issue_bound(row("layout", "form=aos/fields=1", 3e6)),
        row("layout", "form=soa/fields=1", 3e6),
        row("layout", "form=soa/fields=2", 3e6),
        absent(
            "bank",
            "stride=1",
            Status::Skipped,
            "needs 64 KiB of workgroup memory, the device has 32 KiB",
        ),
    ]
}

fn new_rows() -> Vec<CaseRow> {
    let mut drifted = row("layout", "form=soa/fields=1", 3.5e6);
    drifted.flags.insert(Flag::Drifted);
    let mut clamped = row("layout", "form=soa/fields=2", 1.5e6);
    clamped.footprint_bytes = Some(32 << 20);
    vec![
        row("contiguous", "op=read/type=u32", 1.001e5),
        row("contiguous", "op=copy/type=u32", 1.999e5),
        row("stride", "op=read/type=u32/stride_bytes=4", 1.1e6),
        row("stride", "op=read/type=u32/stride_bytes=8", 1.8e6),
        row("stride", "op=read/type=u32/stride_bytes=16", 4.1e6),
        absent("stride", "op=read/type=u32/stride_bytes=32", Status::Failed, "word 7: 3 in place of 5"),
        issue_bound(row("layout", "form=aos/fields=1", 6e6)),
        drifted,
        clamped,
        absent(
            "bank",
            "stride=1",
            Status::Skipped,
            "needs 64 KiB of workgroup memory, the device has 32 KiB",
        ),
        row("pitch", "pitch=4100", 5e6),
    ]
}

fn run(label: &str, info: &RunInfo, rows: &[CaseRow]) -> Run {
    Run::new(label, info, rows.iter().map(RunCase::from).collect(), None)
}

fn pair() -> Comparison {
    let (base, new) = (run("results/a", &info(), &base_rows()), run("results/b", &info(), &new_rows()));
    compare(&base, &new, &Options::default())
}

fn verdict(comparison: &Comparison, case: &str) -> (Verdict, Option<String>) {
    let found = comparison.cases.iter().find(|found| found.case.ends_with(case)).unwrap();
    (found.verdict, found.reason.clone())
}

#[test]
fn of_several_rows_of_a_case_the_last_counts_and_a_note_says_so() {
    let mut rows = base_rows();
    rows.insert(0, row("contiguous", "op=copy/type=u32", 9e5));
    let twice = run("results/a", &info(), &rows);
    let comparison = compare(&twice, &run("results/b", &info(), &new_rows()), &Options::default());
    assert_eq!(comparison.cases, pair().cases);
    let told = "the base: cases.csv has several rows of a case, of which the last counts: \
                contiguous/op=copy/type=u32";
    assert_eq!(comparison.notes, [told]);
    let mut many: Vec<CaseRow> = (0..7).map(|index| row("x", &format!("a={index}"), 1.0)).collect();
    many.extend(many.clone());
    let told = run("results/c", &info(), &many).repeated.unwrap();
    assert!(told.ends_with("x/a=4 and 2 more"), "{told}");
}

#[test]
fn a_pair_as_text() {
    insta::assert_snapshot!(text(&[pair()], &[]));
}

#[test]
fn a_pair_as_markdown() {
    insta::assert_snapshot!(markdown(&[pair()], &[]));
}

#[test]
fn a_pair_as_json() {
    insta::assert_snapshot!(json(&[pair()]));
}

#[test]
fn charts_show_every_ratio_with_its_interval_and_nothing_overlaps() {
    let comparison = pair();
    let figures = super::super::charts::figures(&comparison, &Options::default(), "");
    let shown: usize = figures.iter().map(|figure| figure.values().len()).sum();
    assert_eq!(shown, comparison.cases.iter().filter(|case| case.effect.is_some()).count());
    for figure in &figures {
        assert!(figure.values().iter().all(|value| value.interval.is_some_and(|(low, high)| low <= high)));
        let scene = crate::report::charts::scene(figure, crate::report::charts::Canvas::FILE);
        assert_eq!(scene.collisions(), Vec::<String>::new(), "{}", figure.frame().stem);
        let svg = crate::report::charts::svg(figure, "chart", &|_, _| None).unwrap();
        assert!(svg.contains("×") && roxmltree::Document::parse(&svg).is_ok());
    }
    // Only what has a ratio has a chart; what has none is counted in the foot.
    let stems: Vec<&str> = figures.iter().map(|figure| figure.frame().stem.as_str()).collect();
    assert_eq!(stems, ["ratio-stride", "ratio-layout", "ratio-contiguous"]);
    assert!(figures[0].reading().contains("Without a ratio: 1 cases"), "{}", figures[0].reading());

    let folder = tempfile::tempdir().unwrap();
    let two = [pair(), Comparison { new: "results/c".to_owned(), ..pair() }];
    let files = write_charts(&two, &Options::default(), folder.path()).unwrap();
    assert_eq!(files.len(), 2 * 2 * figures.len());
    assert!(files.iter().all(|file| fs::metadata(file).is_ok_and(|data| data.len() > 1000)));
}

#[test]
fn several_runs_share_a_base() {
    let other = Comparison { new: "results/c".to_owned(), ..pair() };
    insta::assert_snapshot!(text(&[pair(), other], &[]));
    let many: Vec<Comparison> =
        (0..8).map(|index| Comparison { new: format!("results/{index}"), ..pair() }).collect();
    insta::assert_snapshot!(text(&many, &[]));
    let document: serde_json::Value = serde_json::from_str(&json(&many)).unwrap();
    assert_eq!(document.as_array().map(Vec::len), Some(8));
}

#[test]
fn devices_compare_by_their_roofs() {
    let mut other = info();
    other.device.name = "another".to_owned();
    let rows: Vec<CaseRow> = base_rows()
        .into_iter()
        .map(|mut row| {
            // Ten times as fast with a roof ten times as high; one pattern falls behind.
            let loss = if row.case.ends_with("stride_bytes=8") { 1.2 } else { 1.0 };
            for ns in [&mut row.median_ns, &mut row.ci95_low_ns, &mut row.ci95_high_ns] {
                *ns = ns.map(|ns| ns / 10.0 * loss);
            }
            row.roof_fraction = row.roof_fraction.map(|fraction| fraction / loss);
            row.footprint_bytes = Some(1 << 30);
            row
        })
        .collect();
    let (base, new) = (run("results/a", &info(), &base_rows()), run("results/b", &other, &rows));
    let comparison = compare(&base, &new, &Options::default());
    assert_eq!(verdict(&comparison, "stride_bytes=8").0, Verdict::Slower);
    assert_eq!(verdict(&comparison, "stride_bytes=4").0, Verdict::Same);
    insta::assert_snapshot!(text(&[comparison], &[]));
}

#[test]
fn runtime_checks_on_one_side_compare_nothing() {
    let mut checked = info();
    checked.runtime_checks = true;
    let (base, new) = (run("a", &info(), &base_rows()), run("b", &checked, &base_rows()));
    let comparison = compare(&base, &new, &Options::default());
    assert_eq!(
        verdict(&comparison, "stride_bytes=4"),
        (Verdict::NotComparable, Some("only the new run has runtime checks".to_owned()))
    );
    assert_eq!(comparison.count(Verdict::Same), 0);
}

#[test]
fn a_run_is_the_same_as_itself_and_empty_runs_compare() {
    let base = run("a", &info(), &base_rows());
    let comparison = compare(&base, &base, &Options::default());
    assert_eq!(comparison.count(Verdict::Slower) + comparison.count(Verdict::Faster), 0);
    assert_eq!(comparison.count(Verdict::Same), 8);
    let empty = run("b", &info(), &[]);
    assert_eq!(compare(&base, &empty, &Options::default()).count(Verdict::Missing), 10);
    assert_eq!(text(&[compare(&empty, &empty, &Options::default())], &[]).lines().last(), Some("no cases"));
    let unread = ["b_c: gone".to_owned()];
    assert_eq!(text(&[], &unread), "not read: b_c: gone\nnothing to compare");
    assert_eq!(
        markdown(&[], &unread),
        "### stridemark compare: nothing to compare\n\n- **not read**: b\\_c: gone"
    );
    assert!(
        markdown(&[pair()], &unread).starts_with("- **not read**: b\\_c: gone\n\n### stridemark compare: ")
    );
}

fn write(folder: &Path, name: &str, rows: &[CaseRow]) -> PathBuf {
    let dir = RunDir::create(folder, name, std::time::SystemTime::UNIX_EPOCH).unwrap();
    dir.write_cases(rows).unwrap();
    dir.write_info(&info()).unwrap();
    dir.path().to_owned()
}

#[test]
fn directories_are_read_and_damaged_ones_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let base = write(folder.path(), "base", &base_rows());
    let good = write(folder.path(), "good", &new_rows());
    let damaged = write(folder.path(), "damaged", &new_rows());
    let table = damaged.join("cases.csv");
    let content = fs::read_to_string(&table).unwrap();
    fs::write(&table, &content[..content.len() - 9]).unwrap();
    let nowhere = folder.path().join("nowhere");
    let new = [damaged.clone(), good, nowhere.clone()];

    let options = Options::default();
    let stopped = compare_directories(&base, &new, false, &options).unwrap_err();
    let all = compare_directories(&base, &new, true, &options).unwrap();
    assert_eq!(all.comparisons.len(), 1);
    assert_eq!(all.comparisons[0].cases, pair().cases);
    let mut messages = vec![stopped.to_string()];
    messages.extend(all.unread.iter().map(ToString::to_string));
    messages.push(compare_directories(&nowhere, &new, true, &options).unwrap_err().to_string());
    let messages = messages.join("\n").replace(&folder.path().display().to_string(), "RESULTS");
    insta::assert_snapshot!(messages);
}

#[test]
fn a_row_without_an_interval_has_none_in_any_rendering() {
    let mut rows = base_rows();
    (rows[2].ci95_low_ns, rows[2].ci95_high_ns) = (None, None);
    let comparison = compare(
        &run("results/a", &info(), &rows),
        &run("results/b", &info(), &new_rows()),
        &Options::default(),
    );
    let (found, reason) = verdict(&comparison, "stride_bytes=4");
    assert_eq!(found, Verdict::Unclear);
    assert_eq!(reason.as_deref(), Some("a run has too few samples for an interval"));
    let document: serde_json::Value = serde_json::from_str(&json(std::slice::from_ref(&comparison))).unwrap();
    let cases = document["cases"].as_array().unwrap();
    let case = cases.iter().find(|case| case["case"] == "stride/op=read/type=u32/stride_bytes=4").unwrap();
    assert!(case["ratio"].is_number() && case["ratio_low"].is_null() && case["ratio_high"].is_null());
    assert!(!text(&[comparison], &[]).contains("inf"));
}

/// A journal whose reference kernel strays by so much.
fn journal(spread: f64) -> Vec<SampleRow> {
    let row = |number: u32| SampleRow {
        case: REFERENCE_CASE.to_owned(),
        round: 0,
        sample: number,
        dispatches: 1,
        ticks: None,
        ns: Some(if number < 20 { 1e6 } else { 1e6 * spread }),
        accepted: true,
        reason: None,
        seconds: Some(f64::from(number)),
    };
    (0..40).map(row).collect()
}

#[test]
fn across_devices_drift_counts_for_what_it_explains_and_no_more() {
    let mut other = info();
    other.device.name = "another".to_owned();
    let mut rows = base_rows();
    for (row, loss) in rows[2..4].iter_mut().zip([1.2, 9.0]) {
        row.flags.insert(Flag::Drifted);
        row.roof_fraction = row.roof_fraction.map(|fraction| fraction / loss);
    }
    let cases = |rows: &[CaseRow]| rows.iter().map(RunCase::from).collect();
    let samples = journal(1.25);
    let base = Run::new("a", &info(), cases(&base_rows()), Some(&samples));
    let new = Run::new("b", &other, cases(&rows), Some(&samples));
    let comparison = compare(&base, &new, &Options::default());
    assert_eq!(verdict(&comparison, "stride_bytes=4").0, Verdict::Unclear);
    let (found, reason) = verdict(&comparison, "stride_bytes=8");
    assert_eq!(found, Verdict::Slower, "{reason:?}");
    assert_eq!(reason.as_deref(), Some("25 % allowed for the machine's changes of speed"));
    // Without samples nothing is known of the drift.
    let blind = compare(
        &run("a", &info(), &base_rows()),
        &Run::new("b", &other, cases(&rows), None),
        &Options::default(),
    );
    assert_eq!(verdict(&blind, "stride_bytes=8").0, Verdict::Unclear);
}

#[test]
fn what_the_base_measured_and_the_new_run_did_not_is_told_from_what_neither_did() {
    assert!(text(&[pair()], &[]).contains("3 missing (1 measured in the base)"), "{}", text(&[pair()], &[]));
    // A failed row may still hold figures.
    let mut rows = new_rows();
    rows[5].median_ns = Some(8e6);
    let comparison =
        compare(&run("a", &info(), &base_rows()), &run("b", &info(), &rows), &Options::default());
    assert_eq!(comparison.lost(), 1);
}

#[test]
fn names_of_devices_can_t_steer_a_terminal() {
    let mut hostile = info();
    hostile.device.name = "a\u{1b}[31m\n# b\u{202e}".to_owned();
    let comparison =
        compare(&run("a", &info(), &base_rows()), &run("b", &hostile, &base_rows()), &Options::default());
    for rendered in [text(std::slice::from_ref(&comparison), &[]), markdown(&[comparison], &[])] {
        assert!(!rendered.contains(['\u{1b}', '\u{202e}']) && !rendered.contains("\n# b"), "{rendered}");
    }
}
