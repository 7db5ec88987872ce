//! The content of a report on one run: what was measured on what, pattern by pattern. The terminal, Markdown,
//! the page and the JSON are renderings of it.

use serde::Serialize;

use crate::record::{Bound, Status};
use crate::units;

use super::Run;
use super::advice::{self, Advice, Headline};
use super::findings::{self, Finding};
use super::table::{Missing, PatternSummary};
use super::text::printable;

/// A summary of one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The device, so named that it differs from the others of a report.
    pub name: String,
    /// Facts about the device and the run.
    pub facts: Vec<Fact>,
    /// Limits of the device that the run depended on: name and value.
    pub limits: Vec<(String, String)>,
    /// Self-checks made before the first case.
    pub checks: Vec<CheckLine>,
    /// Whether the figures are of a processor rather than of a GPU.
    pub software: bool,
    /// What a reader must know before believing any figure.
    pub cautions: Vec<String>,
    /// What people remember of the device.
    pub headlines: Vec<Headline>,
    /// What changing a kernel would bring on it, the cheapest change first.
    pub advice: Vec<Advice>,
    /// What its curves say of its hardware.
    pub findings: Vec<Finding>,
    /// The patterns in the order of the run.
    pub patterns: Vec<PatternSummary>,
}

/// A fact about the device or the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// What it is about.
    pub name: &'static str,
    /// What is known.
    pub value: String,
    /// The case that it comes from, if it comes from one.
    pub case: Option<String>,
}

impl Fact {
    fn new(name: &'static str, value: &str) -> Fact {
        Fact { name, value: printable(value), case: None }
    }
}

/// A self-check and how it went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckLine {
    /// What was checked.
    pub name: String,
    /// The verdict; absent for what is only recorded.
    pub passed: Option<bool>,
    /// The figures behind it.
    pub detail: String,
}

impl CheckLine {
    /// The verdict in a word.
    pub fn verdict(&self) -> &'static str {
        match self.passed {
            Some(true) => "passed",
            Some(false) => "failed",
            None => "recorded",
        }
    }
}

impl Summary {
    /// Summarises a run.
    pub fn new(run: &Run) -> Summary {
        Summary {
            name: printable(&run.device_line()),
            facts: facts(run),
            limits: limits(run),
            checks: checks(run),
            software: run.is_software(),
            cautions: cautions(run),
            headlines: advice::headlines(run),
            advice: advice::lines(run),
            findings: findings::of(run),
            patterns: run.patterns().into_iter().map(|name| PatternSummary::new(run, name)).collect(),
        }
    }

    /// The cases without a figure, of all patterns.
    pub fn missing(&self) -> impl Iterator<Item = &Missing> {
        self.patterns.iter().flat_map(|pattern| &pattern.missing)
    }
}

fn checks(run: &Run) -> Vec<CheckLine> {
    let line = |check: &crate::record::Check| CheckLine {
        name: printable(&check.name),
        passed: check.passed,
        detail: printable(&check.detail),
    };
    run.info.checks.iter().map(line).collect()
}

/// Sizes in words, other limits as they are.
fn limits(run: &Run) -> Vec<(String, String)> {
    let value = |name: &str, value: u64| {
        if name.ends_with("_bytes") { units::bytes(value) } else { value.to_string() }
    };
    let name = |name: &str| printable(name.strip_suffix("_bytes").unwrap_or(name)).replace('_', " ");
    run.info.limits.iter().map(|(limit, number)| (name(limit), value(limit, *number))).collect()
}

fn facts(run: &Run) -> Vec<Fact> {
    let info = &run.info;
    let driver = [info.device.driver.as_deref(), info.device.driver_info.as_deref()];
    let driver: Vec<&str> = driver.into_iter().flatten().filter(|word| !word.is_empty()).collect();
    let subgroup = match info.subgroup.size {
        Some(size) => format!("{size} lanes ({})", info.subgroup.source),
        None => info.subgroup.source.clone(),
    };
    let mut facts = vec![
        Fact::new("device", &run.device_line()),
        Fact::new("driver", &driver.join(", ")),
        Fact::new("shader compiler", info.shader_compiler.as_deref().unwrap_or_default()),
        Fact::new("subgroup", &subgroup),
        roof(run),
    ];
    if let Some(peak) = info.roofline.peak_gb_per_s {
        let source = info.roofline.peak_source.as_deref().unwrap_or("unknown source");
        facts.push(Fact::new("data-sheet peak", &format!("{} ({source})", units::gb_per_s(peak))));
    }
    if let Some(counts) = info.counts {
        let counts = format!("{} measured, {} skipped, {} failed", counts.ok, counts.skipped, counts.failed);
        facts.push(Fact::new("cases", &counts));
    }
    let revision = info.git_revision.as_deref().map(|revision| format!(" at {revision}")).unwrap_or_default();
    let recorded = format!("{} by stridemark {}{revision}", info.started, info.tool_version);
    facts.push(Fact::new("recorded", &recorded));
    facts.push(Fact::new("command", &info.command));
    facts.retain(|fact| !fact.value.is_empty());
    facts
}

fn roof(run: &Run) -> Fact {
    match (run.roof(), &run.info.roofline.roof_case) {
        (Some(roof), Some(case)) => Fact {
            case: Some(printable(case)),
            ..Fact::new("roof", &format!("{} ({case})", units::gb_per_s(roof)))
        },
        _ => Fact::new("roof", "not measured: no contiguous case ran outside the caches"),
    }
}

fn cautions(run: &Run) -> Vec<String> {
    let mut cautions: Vec<String> = run.caution().map(str::to_owned).into_iter().collect();
    if run.info.runtime_checks {
        cautions.push("shaders ran with bounds checks and loop bounds (--runtime-checks)".to_owned());
    }
    for check in run.info.checks.iter().filter(|check| check.passed == Some(false)) {
        cautions.push(printable(&format!("self-check failed: {}: {}", check.name, check.detail)));
    }
    let measured = run.rows.iter().filter(|row| row.status == Status::Ok).count();
    if measured == 0 {
        cautions.push(match run.rows.len() {
            0 => "the run has no cases: it was interrupted before the first round ended".to_owned(),
            count => format!("none of the {count} cases could be measured; each says why"),
        });
    }
    cautions.extend(run.repeated.as_deref().map(printable));
    let count = |status| run.rows.iter().filter(|row| row.status == status).count();
    let found = [Status::Ok, Status::Skipped, Status::Failed].map(count);
    if let Some(counts) = run.info.counts
        && [counts.ok, counts.skipped, counts.failed].map(|count| count as usize) != found
    {
        let [ok, skipped, failed] = found;
        cautions.push(format!(
            "cases.csv holds {ok} measured, {skipped} skipped and {failed} failed cases, and run.json counts \
             others: the table was cut or changed after the run"
        ));
    }
    let issue = run.rows.iter().filter(|row| row.bound == Some(Bound::Issue)).count();
    if measured > 0 && 2 * issue > measured {
        cautions.push(format!(
            "{issue} of {measured} cases are issue-bound: what memory costs is invisible in them on this device"
        ));
    }
    cautions.extend(run.info.notes.iter().map(|note| printable(note)));
    cautions
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Depth;
    use crate::report::synthetic;

    #[test]
    fn a_run_without_cases_says_so() {
        let mut run = synthetic::run("device", "discrete", Depth::Quick);
        run.rows.iter_mut().for_each(|row| row.status = Status::Failed);
        assert!(Summary::new(&run).cautions.iter().any(|caution| caution.contains("none of the")));
        run.rows.clear();
        let summary = Summary::new(&run);
        assert!(summary.cautions.iter().any(|caution| caution.contains("no cases")));
        assert!(summary.patterns.is_empty());
    }

    #[test]
    fn of_several_rows_of_a_case_the_last_counts_and_it_is_said() {
        let mut run = synthetic::run("device", "discrete", Depth::Quick);
        let whole = Summary::new(&run);
        let mut rows = run.rows.clone();
        rows.insert(0, crate::record::CaseRow { median_ns: Some(1.0), ..run.rows[1].clone() });
        run = Run::new(run.info, rows);
        let summary = Summary::new(&run);
        let told: Vec<&String> =
            summary.cautions.iter().filter(|caution| caution.contains("several rows")).collect();
        assert!(told.len() == 1 && told[0].contains(&run.rows[1].case), "{told:?}");
        assert_eq!(summary.patterns, whole.patterns);
    }

    #[test]
    fn control_characters_of_a_driver_reach_no_rendering() {
        let mut run = synthetic::run("a\u{1b}[31m<b>", "discrete", Depth::Quick);
        run.info.notes = vec!["\u{7}".to_owned()];
        run.info.command = "\u{0}".to_owned();
        let summary = Summary::new(&run);
        let told = format!("{:?}{:?}{}", summary.facts, summary.cautions, summary.name);
        assert!(!told.contains("\\u{") || told.contains('\u{fffd}'), "{told}");
        assert!(!told.contains("\\u{1b}") && !told.contains("\\u{7}") && !told.contains("\\0"), "{told}");
    }
}
