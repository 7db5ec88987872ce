use super::price::{Answer, reads};
use super::*;
use crate::pattern::Depth;
use crate::record::{Bound, CaseRow, Flag, Status};
use crate::report::synthetic;
use crate::stats::Estimate;

/// Bytes of every made-up case.
const USEFUL: u64 = 1 << 20;

/// A memory-bound row that takes so many nanoseconds for each useful byte, to within 1 %.
fn row(case: &str, ns_per_byte: f64) -> CaseRow {
    let pattern = case.split('/').next().unwrap_or_default();
    let mut row = CaseRow::new("made up", "fake", pattern, case, Status::Ok);
    let median = ns_per_byte * USEFUL as f64;
    row.useful_bytes = Some(USEFUL);
    row.median_ns = Some(median);
    row.ci95_low_ns = Some(0.99 * median);
    row.ci95_high_ns = Some(1.01 * median);
    row.bandwidth_gb_per_s = Some(1.0 / ns_per_byte);
    row.roof_fraction = Some(0.01 / ns_per_byte);
    row.bound = Some(Bound::Memory);
    row
}

fn run_of(rows: Vec<CaseRow>) -> Run {
    Run::new(synthetic::info("made up", "discrete"), rows)
}

fn line<'a>(lines: &'a [Advice], key: &str) -> &'a Advice {
    lines.iter().find(|line| line.key == key).unwrap_or_else(|| panic!("no line `{key}` in {lines:#?}"))
}

/// A reference run of this repository.
fn recorded(name: &str) -> Run {
    let folder = format!("{}/results/reference/{name}", env!("CARGO_MANIFEST_DIR"));
    Run::read(folder.as_ref()).unwrap()
}

#[test]
fn every_question_is_asked_from_the_cheapest_fix_to_the_dearest() {
    let run = synthetic::run("made up", "discrete", Depth::Default);
    let lines = lines(&run);
    assert!(lines.is_sorted_by_key(|line| line.fix));
    let keys: Vec<&str> = lines.iter().map(|line| line.key).collect();
    assert_eq!(
        keys,
        [
            "traversal",
            "sums",
            "stride",
            "wide_loads",
            "slices",
            "rows",
            "tile_padding",
            "tile_size",
            "staging",
            "soa",
            "aosoa32",
            "repack"
        ]
    );
    for figure in lines.iter().flat_map(|line| &line.figures) {
        assert!(figure.cases.iter().all(|case| run.rows.iter().any(|row| row.case == *case)), "{figure:?}");
        let range = figure.low.zip(figure.value).zip(figure.high);
        assert!(range.is_none_or(|((low, value), high)| low <= value && value <= high), "{figure:?}");
    }
}

#[test]
fn a_question_without_cases_has_no_line() {
    assert_eq!(lines(&run_of(Vec::new())), []);
    let mut failed = row("contiguous/op=read/type=u32", 1.0);
    failed.status = Status::Failed;
    assert_eq!(lines(&run_of(vec![failed, row("contiguous/op=read/type=u32x4", 1.0)])), []);
}

const ALONG_COLUMN: &str = "traversal/op=read/type=u32/walk=lanes_along_column/row_elements=4096";
const ALONG_ROW: &str = "traversal/op=read/type=u32/walk=lanes_along_row/row_elements=4096";

fn traversal(change: impl Fn(&mut CaseRow, &mut CaseRow)) -> Advice {
    let (mut before, mut after) = (row(ALONG_COLUMN, 0.08), row(ALONG_ROW, 0.01));
    change(&mut before, &mut after);
    let lines = lines(&run_of(vec![before, after]));
    line(&lines, "traversal").clone()
}

#[test]
fn a_gain_is_advised_with_its_interval() {
    let line = traversal(|_, _| {});
    assert_eq!(line.verdict, Verdict::Do);
    insta::assert_snapshot!(line.text, @"lanes along a row instead of along a column: reads of rows of 4096: 8.00× (7.89–8.11) faster. Changing the traversal is enough: at least 100 % of the roof");
    assert_eq!(line.cases, [ALONG_COLUMN, ALONG_ROW]);
}

#[test]
fn what_the_measurement_does_not_support_is_not_advised() {
    let issue = traversal(|before, _| before.bound = Some(Bound::Issue));
    let cached = traversal(|_, after| after.flags.insert(Flag::CacheResident));
    let few = traversal(|before, _| before.ci95_low_ns = None);
    let no_twin = traversal(|before, _| {
        before.bound = None;
        before.flags.insert(Flag::TwinSlower);
    });
    for line in [&issue, &cached, &few, &no_twin] {
        assert_eq!(line.verdict, Verdict::CantTell, "{line:?}");
    }
    insta::assert_snapshot!([issue.text, cached.text, few.text, no_twin.text].join("\n"), @"
    lanes along a row instead of along a column: can't tell (issue-bound: the time is that of the instructions)
    lanes along a row instead of along a column: can't tell (served from a cache)
    lanes along a row instead of along a column: can't tell (fewer than six samples, no interval; a larger --budget takes more)
    lanes along a row instead of along a column: can't tell (no usable instruction ceiling)
    ");
    // The faster side may be issue-bound: the time was still waited for.
    assert_eq!(traversal(|_, after| after.bound = Some(Bound::Issue)).verdict, Verdict::Do);
}

#[test]
fn a_narrow_interval_around_one_is_no_difference_and_a_wide_one_tells_nothing() {
    let wide = traversal(|before, after| {
        before.median_ns = after.median_ns.map(|ns| 1.12 * ns);
        (before.ci95_low_ns, before.ci95_high_ns) =
            (after.ci95_low_ns.map(|ns| 0.4 * ns), after.ci95_high_ns.map(|ns| 3.3 * ns));
    });
    assert_eq!(wide.verdict, Verdict::CantTell);
    for (low, high) in [(0.96, 3.3), (0.4, 1.05)] {
        let one_sided = traversal(|before, after| {
            before.median_ns = after.median_ns;
            (before.ci95_low_ns, before.ci95_high_ns) =
                (after.ci95_low_ns.map(|ns| low * ns), after.ci95_high_ns.map(|ns| high * ns));
        });
        assert_eq!(one_sided.verdict, Verdict::CantTell, "{}", one_sided.text);
    }
    let same = traversal(|before, after| {
        before.median_ns = after.median_ns.map(|ns| 1.02 * ns);
        (before.ci95_low_ns, before.ci95_high_ns) =
            (after.ci95_low_ns, after.ci95_high_ns.map(|ns| 1.05 * ns));
    });
    assert_eq!(same.verdict, Verdict::NoDifference);
    let reversed = traversal(|before, after| {
        std::mem::swap(&mut before.median_ns, &mut after.median_ns);
        std::mem::swap(&mut before.ci95_low_ns, &mut after.ci95_low_ns);
        std::mem::swap(&mut before.ci95_high_ns, &mut after.ci95_high_ns);
    });
    assert_eq!(reversed.verdict, Verdict::Dont);
    insta::assert_snapshot!([wide.text, same.text, reversed.text].join("\n"), @"
    lanes along a row instead of along a column: reads of rows of 4096: not sure enough to tell, 1.12× (0.40–3.33)
    lanes along a row instead of along a column: reads of rows of 4096: no difference beyond 10 %, 1.02× (0.99–1.06)
    lanes along a row instead of along a column: reads of rows of 4096: slower, 0.13× (0.12–0.13) the speed
    ");
}

/// A stride curve of a GPU with sectors of 32 bytes, up to 64 KiB.
fn strides() -> Vec<CaseRow> {
    (2..17)
        .map(|power| 1_u64 << power)
        .map(|stride| {
            let again = if stride >= 8192 { 1.3 } else { 1.0 };
            row(&format!("stride/op=read/type=u32/stride_bytes={stride}"), stride.min(32) as f64 * again)
        })
        .collect()
}

#[test]
fn a_doubling_stops_costing_at_the_sector() {
    let text = |rows: Vec<CaseRow>| line(&lines(&run_of(rows)), "stride").text.clone();
    let mut short = strides();
    short.truncate(3);
    let mut hidden = strides();
    hidden[1].bound = Some(Bound::Issue);
    let flat: Vec<CaseRow> = (2..6)
        .map(|power| row(&format!("stride/op=read/type=u32/stride_bytes={}", 1 << power), 1.0))
        .collect();
    insta::assert_snapshot!([text(strides()), text(short), text(hidden), text(flat)].join("\n"), @"
    u32 lanes further apart, where a doubling stops costing: reads at 32 B, where an element costs 8.00× (7.89–8.11) what it does side by side; it costs again at 8 KiB 1.30× (1.28–1.32)
    u32 lanes further apart, where a doubling stops costing: reads not up to 16 B
    u32 lanes further apart, where a doubling stops costing: reads at 32 B, where an element costs 8.00× (7.89–8.11) what it does side by side; it costs again at 8 KiB 1.30× (1.28–1.32); can't tell for reads 4 B apart to their double (issue-bound: the time is that of the instructions)
    u32 lanes further apart, where a doubling stops costing: reads no doubling up to 32 B costs
    ");
}

#[test]
fn a_repack_pays_after_its_price_over_the_saving() {
    let exact = |value: f64| Estimate::new(value, value, value);
    let Answer::After(reads_needed) = reads(exact(10.0), exact(6.0), exact(1.0)) else { panic!() };
    assert!((reads_needed.value - 2.0).abs() < 1e-12 && (reads_needed.high - 2.0).abs() < 1e-12);
    assert_eq!(reads(exact(10.0), exact(1.0), exact(2.0)), Answer::Never);
    // a saving of 1 ± 2: at best 3, at worst none
    let wide = Estimate::new(4.0, 2.0, 6.0);
    let Answer::After(open) = reads(exact(10.0), wide, exact(3.0)) else { panic!() };
    assert_eq!((open.value, open.high), (10.0, f64::INFINITY));
    assert!((open.low - 10.0 / 3.0).abs() < 1e-12);
}

#[test]
fn repacks_are_priced_for_the_same_records() {
    // A read of one field of 64 B records costs 8 units a byte in AoS and 1 in SoA. The repack moves all 16
    // fields, reading and writing, at 0.5 a byte: 16 × 2 × 0.5 / 7 reads.
    let id = |layout: &str| format!("layout/op=read/type=u32/layout={layout}/record_bytes=64/fields=1");
    let rows =
        vec![row(&id("aos"), 8.0), row(&id("soa"), 1.0), row("repack/change=aos64_to_soa/type=u32", 0.5)];
    let lines_of = lines(&run_of(rows.clone()));
    let figure = &line(&lines_of, "repack").figures[0];
    assert!((figure.value.unwrap() - 16.0 / 7.0).abs() < 1e-9, "{figure:?}");
    let mut swapped = rows;
    (swapped[0].case, swapped[1].case) = (id("soa"), id("aos"));
    let never = lines(&run_of(swapped));
    assert_eq!(line(&never, "repack").verdict, Verdict::Dont);
    insta::assert_snapshot!(
        [line(&lines_of, "repack").text.clone(), line(&never, "repack").text.clone()].join("\n"),
        @"
        reads until a repack on the device has paid for itself: AoS of 64 B to SoA, one field read: after 2.3 reads (2.3–2.3)
        reads until a repack on the device has paid for itself: AoS of 64 B to SoA, one field read: never, its reads do not gain
        "
    );
}

#[test]
fn a_transpose_is_held_against_a_copy() {
    let id = |op: &str, tile: u64| {
        format!("transpose/op={op}/type=u32/matrix=2048x2048/tile_elements={tile}/ballast_bytes=0")
    };
    let rows = vec![
        row(&id("copy", 32), 0.71),
        row(&id("naive_coalesced_reads", 32), 5.0),
        row(&id("naive_coalesced_writes", 32), 3.0),
        row(&id("tile", 32), 1.4),
        row(&id("tile_padded", 32), 1.0),
        row(&id("tile_padded", 16), 1.02),
    ];
    let lines = lines(&run_of(rows));
    let texts: Vec<&str> =
        ["tile_padding", "tile_size", "staging"].iter().map(|key| line(&lines, key).text.as_str()).collect();
    insta::assert_snapshot!(texts.join("\n"), @"
    a tile read by columns: padding a tile of 32: 1.40× (1.38–1.42) faster
    the side of a padded tile: 16 instead of 32: no difference beyond 10 %, 0.98× (0.97–0.99)
    a transpose through a padded tile of 32 instead of the faster direct one: 2048x2048: 3.00× (2.96–3.04) faster. Of the speed of a copy the padded tile reaches: 2048x2048 71 % (70 %–72 %)
    ");
}

#[test]
fn changes_are_those_of_meaning() {
    let base = lines(&run_of(vec![row(ALONG_COLUMN, 0.08), row(ALONG_ROW, 0.01)]));
    let same = lines(&run_of(vec![row(ALONG_COLUMN, 0.0805), row(ALONG_ROW, 0.01)]));
    let less = lines(&run_of(vec![row(ALONG_COLUMN, 0.02), row(ALONG_ROW, 0.01)]));
    let none = lines(&run_of(vec![row(ALONG_COLUMN, 0.01), row(ALONG_ROW, 0.01)]));
    let mut hidden = row(ALONG_COLUMN, 0.01);
    hidden.bound = Some(Bound::Issue);
    let unknown = lines(&run_of(vec![hidden, row(ALONG_ROW, 0.01)]));
    assert_eq!(changes(&base, &base), []);
    assert_eq!(changes(&base, &same), []);
    assert_eq!(changes(&base, &unknown), []);
    let texts: Vec<String> =
        [&less, &none].into_iter().flat_map(|new| changes(&base, new)).map(|change| change.text()).collect();
    insta::assert_snapshot!(texts.join("\n"), @"
    change the traversal: reads of rows of 4096: 2.00× (1.97–2.03), was 8.00× (7.89–8.11)
    change the traversal: reads of rows of 4096: 1.00× (0.986–1.01), was 8.00× (7.89–8.11)
    ");
}

#[test]
fn software_adapters_get_no_advice_from_issue_bound_cases() {
    for name in ["gl-llvmpipe-llvm-15-0-6-256-bits", "vulkan-swiftshader-device-subzero"] {
        let run = recorded(name);
        for line in lines(&run).iter().filter(|line| line.fix != Fix::WideLoads) {
            for figure in line.figures.iter().filter(|figure| figure.verdict == Verdict::Do) {
                let slow = figure.cases[figure.cases.len() - 2].as_str();
                let row = run.rows.iter().find(|row| row.case == slow).unwrap();
                assert_eq!(row.bound, Some(Bound::Memory), "{figure:?}");
            }
        }
    }
}

#[test]
fn headlines_quote_what_is_sure() {
    let copy = "transpose/op=copy/type=u32/matrix=2048x2048/tile_elements=32/ballast_bytes=0";
    let padded = "transpose/op=tile_padded/type=u32/matrix=2048x2048/tile_elements=32/ballast_bytes=0";
    let mut rows = vec![row(ALONG_COLUMN, 0.08), row(ALONG_ROW, 0.01), row(copy, 0.71), row(padded, 1.0)];
    rows.extend(strides());
    let quoted = headlines(&run_of(rows.clone()));
    for headline in &quoted {
        assert!(headline.text.contains(&headline.figures[0].shown), "{headline:?}");
    }
    for row in &mut rows {
        row.bound = Some(Bound::Issue);
    }
    let silent = headlines(&run_of(rows));
    let texts: Vec<&str> = quoted.iter().chain(&silent).map(|headline| headline.text.as_str()).collect();
    insta::assert_snapshot!(texts.join("\n"), @"
    a 16-byte stride costs 4.00× (3.94–4.06) here
    lanes down the columns of a row-major matrix cost 8.00× (7.89–8.11) what lanes along its rows do
    a padded tile transposes at 71 % (70 %–72 %) of the speed of a copy
    none of the usual figures of this run is fit to be quoted: issue-bound: the time is that of the instructions
    ");
    // Memory alone would let the faster side take less.
    let mut along_row = row(ALONG_ROW, 0.01);
    along_row.bound = Some(Bound::Issue);
    let bounded = headlines(&run_of(vec![row(ALONG_COLUMN, 0.08), along_row]));
    assert!(bounded[0].text.contains("cost at least 8.00×"), "{bounded:?}");
    let mut unsure = row(ALONG_COLUMN, 0.012);
    (unsure.ci95_low_ns, unsure.ci95_high_ns) =
        (unsure.median_ns.map(|ns| 0.5 * ns), unsure.median_ns.map(|ns| 1.5 * ns));
    let none = headlines(&run_of(vec![unsure, row(ALONG_ROW, 0.01)]));
    assert!(none[0].text.contains("the intervals are too wide"), "{none:?}");
    assert_eq!(headlines(&run_of(Vec::new())), []);
}
