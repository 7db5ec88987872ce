//! Saves what a run knows after every round and at its end.

use std::time::{Duration, SystemTime};

use crate::device::DeviceInfo;
use crate::measure::progress::{Roofline, Standard, roof};
use crate::measure::selfcheck::SelfCheck;
use crate::measure::stop::StoppingRule;
use crate::measure::{CaseProgress, Findings, Observer, Outcome};
use crate::record::{CaseRow, Counts, RecordError, RunDir, RunInfo, Status};

use super::{Progress, note};

/// The observer that keeps `cases.csv` and `run.json` up to date.
pub(super) struct Recorder<'a> {
    dir: &'a RunDir,
    device: DeviceInfo,
    info: RunInfo,
    rule: StoppingRule,
    progress: Progress,
}

impl Recorder<'_> {
    pub(super) fn new(
        dir: &RunDir,
        device: DeviceInfo,
        info: RunInfo,
        rule: StoppingRule,
        progress: Progress,
    ) -> Recorder<'_> {
        Recorder { dir, device, info, rule, progress }
    }

    /// Writes the final table and `run.json`, which it returns.
    pub(super) fn finish(mut self, outcome: &Outcome, wall: Duration) -> Result<RunInfo, RecordError> {
        self.progress.finish();
        if let Some(selfcheck) = &outcome.selfcheck {
            self.learn(selfcheck);
        }
        let findings = Findings::of(&outcome.references);
        let rows = self.write_cases(&outcome.cases, &findings)?;
        let count = |status| rows.iter().filter(|row| row.status == status).count() as u32;
        self.info.counts = Some(Counts {
            ok: count(Status::Ok),
            skipped: count(Status::Skipped),
            failed: count(Status::Failed),
        });
        self.info.timed_share = Some(outcome.busy.as_secs_f64() / wall.as_secs_f64());
        self.info.ended = Some(humantime::format_rfc3339_seconds(SystemTime::now()).to_string());
        self.info.notes.extend(findings.sentences());
        self.info.notes.extend(outcome.unpredicted.iter().cloned());
        self.info.notes.extend(outcome.ended_by.as_ref().map(|fault| format!("ended early: {fault}")));
        self.dir.write_info(&self.info)?;
        Ok(self.info)
    }

    fn learn(&mut self, selfcheck: &SelfCheck) {
        let timing = &mut self.info.timing;
        timing.calibrated_period_ns = selfcheck.calibrated_period_ns;
        timing.tick_ns = Some(selfcheck.clock.tick_ns);
        timing.empty_pass_ns = (selfcheck.clock.empty_pass_ns > 0.0).then_some(selfcheck.clock.empty_pass_ns);
        self.info.checks = selfcheck.checks.clone();
    }

    fn write_cases(
        &mut self,
        cases: &[CaseProgress],
        findings: &Findings,
    ) -> Result<Vec<CaseRow>, RecordError> {
        let tick_ns = self.info.timing.tick_ns;
        let facts = &mut self.info.roofline;
        let roofline = Roofline {
            roof: roof(cases, facts.last_level_cache_bytes, findings),
            peak_gb_per_s: facts.peak_gb_per_s,
            last_level_cache: facts.last_level_cache_bytes,
        };
        (facts.roof_gb_per_s, facts.roof_case) = roofline.roof.clone().unzip();
        let standard = Standard { roofline: &roofline, rule: &self.rule, findings, tick_ns };
        let rows: Vec<CaseRow> = cases.iter().map(|case| case.row(&self.device, &standard)).collect();
        self.dir.write_cases(&rows)?;
        Ok(rows)
    }
}

impl Observer for Recorder<'_> {
    fn checked(&mut self, selfcheck: &SelfCheck, seconds: f64) {
        self.learn(selfcheck);
        self.info.timing.estimated_seconds = Some(seconds);
        note(format_args!(
            "about {seconds:.0} s; the first round checks every result, and a case is told when it is done"
        ));
        for check in selfcheck.checks.iter().filter(|check| check.passed == Some(false)) {
            note(format_args!("self-check failed: {}: {}", check.name, check.detail));
        }
    }

    fn visiting(&mut self, progress: &CaseProgress, _: u32) {
        self.progress.visiting(&progress.id);
    }

    fn visited(&mut self, progress: &CaseProgress, _: usize) {
        self.progress.visited(progress);
    }

    fn round_ended(&mut self, cases: &[CaseProgress], findings: &Findings) -> Result<(), RecordError> {
        self.write_cases(cases, findings)?;
        self.dir.write_info(&self.info)
    }
}
