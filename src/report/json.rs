//! The report as one JSON document: what was recorded, and what the other renderings say of it.

use serde::Serialize;

use crate::record::{CaseRow, RunInfo};

use super::{Overview, Report, ReportError, Run, Summary, Topic};

#[derive(Serialize)]
struct Document<'a> {
    runs: Vec<Entry<'a>>,
    patterns: &'a [Topic],
    overview: &'a Option<Overview>,
    unreadable: &'a [String],
}

#[derive(Serialize)]
struct Entry<'a> {
    /// `run.json`.
    run: &'a RunInfo,
    /// `cases.csv`.
    cases: &'a [CaseRow],
    summary: &'a Summary,
}

/// The report as JSON. `runs` are those that it was made from, in the same order.
///
/// # Errors
/// When a value can't be written as JSON.
pub fn render(report: &Report, runs: &[Run]) -> Result<String, ReportError> {
    let entries = runs.iter().zip(&report.runs);
    let document = Document {
        runs: entries.map(|(run, summary)| Entry { run: &run.info, cases: &run.rows, summary }).collect(),
        patterns: &report.patterns,
        overview: &report.overview,
        unreadable: &report.unreadable,
    };
    serde_json::to_string_pretty(&document).map_err(|error| ReportError::Render(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Depth;
    use crate::report::synthetic;

    #[test]
    fn rows_and_what_is_said_of_them_stand_together() {
        let runs =
            [synthetic::run("<one>", "cpu", Depth::Quick), synthetic::run("two", "discrete", Depth::Quick)];
        let report = Report::new(&runs, vec!["gone".to_owned()]);
        let document: serde_json::Value = serde_json::from_str(&render(&report, &runs).unwrap()).unwrap();
        assert_eq!(document["runs"][0]["cases"].as_array().unwrap().len(), runs[0].rows.len());
        assert_eq!(document["runs"][0]["summary"]["name"], "<one>");
        assert_eq!(document["runs"][1]["run"]["device"]["name"], "two");
        let lines = document["runs"][0]["summary"]["patterns"][0]["lines"].as_array().unwrap();
        assert_eq!(lines[0]["id"], runs[0].rows[0].case);
        assert_eq!(document["unreadable"][0], "gone");
    }
}
