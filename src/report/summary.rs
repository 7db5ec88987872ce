//! The content of a summary: what was measured on what, pattern by pattern. Text and Markdown are its
//! renderings.

use crate::pattern;
use crate::record::{Bound, CaseRow, Flag, Status};
use crate::units;

use super::text::printable;
use super::{CaseKey, Run};

/// A summary of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Facts about the device and the run: name and value.
    pub facts: Vec<(&'static str, String)>,
    /// What a reader must know before believing any figure.
    pub cautions: Vec<String>,
    /// The patterns in the order of the run.
    pub patterns: Vec<PatternSummary>,
    /// Cases that were skipped or failed: id, status, reason.
    pub missing: Vec<(String, Status, String)>,
}

/// The table of one pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternSummary {
    /// Its name.
    pub name: String,
    /// One line on it.
    pub about: &'static str,
    /// Its cases.
    pub lines: Vec<Line>,
}

/// One measured case, every cell as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The axis values.
    pub case: String,
    /// Useful bytes over time.
    pub bandwidth: String,
    /// Half-width of the 95 % interval.
    pub interval: String,
    /// Bandwidth over the roof; empty for workgroup memory.
    pub of_roof: String,
    /// Bandwidth over that of the pattern's first case.
    pub ratio: String,
    /// `issue` where the instruction ceiling hides memory's cost.
    pub bound: &'static str,
    /// Reservations.
    pub flags: String,
}

/// The headings of a [`Line`].
pub const HEADINGS: [&str; 7] = ["case", "GB/s", "± 95 %", "of roof", "ratio", "bound", "flags"];

impl Line {
    /// The cells in the order of [`HEADINGS`].
    pub fn cells(&self) -> [&str; 7] {
        [&self.case, &self.bandwidth, &self.interval, &self.of_roof, &self.ratio, self.bound, &self.flags]
    }
}

impl Summary {
    /// Summarises a run.
    pub fn new(run: &Run) -> Summary {
        Summary {
            facts: facts(run),
            cautions: cautions(run),
            patterns: run.patterns().into_iter().filter_map(|name| pattern_summary(run, name)).collect(),
            missing: run
                .rows
                .iter()
                .filter(|row| row.status != Status::Ok)
                .map(|row| {
                    (row.case.clone(), row.status, printable(row.reason.as_deref().unwrap_or("no reason")))
                })
                .collect(),
        }
    }
}

fn facts(run: &Run) -> Vec<(&'static str, String)> {
    let info = &run.info;
    let mut facts = vec![
        ("device", printable(&run.device_line())),
        (
            "driver",
            printable(
                &[info.device.driver.as_deref(), info.device.driver_info.as_deref()]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>()
                    .join(", "),
            ),
        ),
    ];
    if let Some(compiler) = &info.shader_compiler {
        facts.push(("shader compiler", printable(compiler)));
    }
    facts.push((
        "subgroup",
        match info.subgroup.size {
            Some(size) => format!("{size} lanes ({})", info.subgroup.source),
            None => info.subgroup.source.clone(),
        },
    ));
    facts.push((
        "roof",
        match (&run.roof(), &info.roofline.roof_case) {
            (Some(roof), Some(case)) => format!("{} ({case})", units::gb_per_s(*roof)),
            _ => "not measured: no contiguous case ran outside the caches".to_owned(),
        },
    ));
    if let Some(peak) = info.roofline.peak_gb_per_s {
        let source = info.roofline.peak_source.as_deref().unwrap_or("unknown source");
        facts.push(("data-sheet peak", format!("{} ({})", units::gb_per_s(peak), printable(source))));
    }
    if let Some(counts) = info.counts {
        facts.push((
            "cases",
            format!("{} measured, {} skipped, {} failed", counts.ok, counts.skipped, counts.failed),
        ));
    }
    facts.retain(|(_, value)| !value.is_empty());
    facts
}

fn cautions(run: &Run) -> Vec<String> {
    let mut cautions: Vec<String> = run.caution().map(str::to_owned).into_iter().collect();
    if run.info.runtime_checks {
        cautions.push("shaders ran with bounds checks and loop bounds (--runtime-checks)".to_owned());
    }
    for check in run.info.checks.iter().filter(|check| check.passed == Some(false)) {
        cautions.push(format!("self-check failed: {}: {}", check.name, check.detail));
    }
    let measured = run.rows.iter().filter(|row| row.status == Status::Ok).count();
    let issue = run.rows.iter().filter(|row| row.bound == Some(Bound::Issue)).count();
    if measured > 0 && 2 * issue > measured {
        cautions.push(format!(
            "{issue} of {measured} cases are issue-bound: what memory costs is invisible in them on this device"
        ));
    }
    cautions.extend(run.info.notes.iter().map(|note| printable(note)));
    cautions
}

fn pattern_summary(run: &Run, name: &str) -> Option<PatternSummary> {
    let rows: Vec<&CaseRow> = run
        .of_pattern(name)
        .filter(|row| row.status == Status::Ok && row.bandwidth_gb_per_s.is_some())
        .collect();
    let first = rows.first()?.bandwidth_gb_per_s?;
    Some(PatternSummary {
        name: name.to_owned(),
        about: pattern::find(name).map_or("", |row| row.summary),
        lines: rows.into_iter().filter_map(|row| line(row, first)).collect(),
    })
}

fn line(row: &CaseRow, first: f64) -> Option<Line> {
    let bandwidth = row.bandwidth_gb_per_s?;
    let half_width = row.ci95_low_ns.zip(row.ci95_high_ns).zip(row.median_ns);
    let flags: Vec<String> =
        row.flags.iter().filter(|flag| *flag != Flag::Software).map(|flag| flag.to_string()).collect();
    Some(Line {
        case: CaseKey::parse(&row.case).short(),
        bandwidth: units::significant(bandwidth, 3),
        interval: half_width
            .map(|((low, high), median)| units::percent((high - low) / 2.0 / median))
            .unwrap_or_default(),
        of_roof: row.roof_fraction.map(units::percent).unwrap_or_default(),
        ratio: units::ratio(bandwidth / first),
        bound: match row.bound {
            Some(Bound::Issue) => "issue",
            Some(Bound::Memory) => "memory",
            None => "",
        },
        flags: flags.join(" "),
    })
}
