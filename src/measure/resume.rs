//! What a journal says of a run that was cut off: every case as far as it had come.

use std::collections::HashMap;
use std::time::Duration;

use crate::record::{REFERENCE_CASE, SampleRow};

use super::TWIN_PREFIX;
use super::journal::{FAILED, SKIPPED, VERIFIED};
use super::progress::{CaseProgress, State};
use super::reference::Taken;
use super::stop::{StoppingRule, Verdict};
use super::verify::WRONG;

/// What was measured before a process began: nothing, or what a journal holds.
#[derive(Clone, Debug)]
pub struct Past {
    /// Every case, in the order of the run.
    pub cases: Vec<CaseProgress>,
    /// The accepted samples of the reference kernel.
    pub references: Vec<Taken>,
    /// All samples of the reference kernel.
    pub reference_samples: u32,
    /// The round to go on with.
    pub round: u32,
    /// How long the run had lasted, in seconds.
    pub seconds: f64,
}

/// A journal that is not of these cases.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("samples.csv has samples of `{case}`, which is no case of this run; measure anew without --resume")]
pub struct Foreign {
    /// The case.
    pub case: String,
}

impl Past {
    /// The past of a new run.
    pub fn none(cases: Vec<CaseProgress>) -> Past {
        Past { cases, references: Vec::new(), reference_samples: 0, round: 0, seconds: 0.0 }
    }

    /// Replays a journal. Cases that were finished, skipped or failed stay so; the others are open, with the
    /// samples they have.
    ///
    /// # Errors
    /// When a row is of a case that is not among these.
    pub fn replay(
        cases: Vec<CaseProgress>,
        rows: &[SampleRow],
        rule: &StoppingRule,
    ) -> Result<Past, Foreign> {
        let index: HashMap<String, usize> =
            cases.iter().enumerate().map(|(index, case)| (case.id.clone(), index)).collect();
        let mut past = Past::none(cases);
        for row in rows {
            past.seconds = past.seconds.max(row.seconds.unwrap_or(0.0));
            let taken = row.ns.filter(|_| row.accepted).map(|ns| Taken { ns, seconds: past.seconds });
            if row.case == REFERENCE_CASE {
                past.references.extend(taken);
                past.reference_samples += 1;
                continue;
            }
            past.round = past.round.max(row.round + 1);
            let twin = row.case.strip_prefix(TWIN_PREFIX);
            let id = twin.unwrap_or(&row.case);
            let Some(case) = index.get(id).and_then(|index| past.cases.get_mut(*index)) else {
                return Err(Foreign { case: id.to_owned() });
            };
            case.spent += Duration::from_nanos((row.ns.unwrap_or(0.0) * row.dispatches as f64) as u64);
            match twin {
                Some(_) => case.twin_samples.extend(taken),
                None => case.restore(row, taken),
            }
        }
        for case in past.cases.iter_mut().filter(|case| case.is_open()) {
            if rule.verdict(&case.times(), case.spent) != Verdict::More || case.is_hopeless() {
                case.state = State::Done;
            }
        }
        Ok(past)
    }

    /// Whether no case wants more.
    pub fn is_complete(&self) -> bool {
        !self.cases.iter().any(CaseProgress::is_open)
    }
}

impl CaseProgress {
    /// Takes in a row of the journal.
    fn restore(&mut self, row: &SampleRow, taken: Option<Taken>) {
        let reason = row.reason.as_deref().unwrap_or_default();
        if row.dispatches > 0 {
            self.dispatches = Some(row.dispatches);
            match taken {
                Some(taken) => self.samples.push(taken),
                None => {
                    self.rejected += 1;
                    self.last_rejection = Some(reason.to_owned());
                }
            }
        } else if reason == VERIFIED {
            self.verified = Some(true);
        } else if let Some(why) = reason.strip_prefix(SKIPPED) {
            self.state = State::Skipped(why.to_owned());
        } else if let Some(why) = reason.strip_prefix(FAILED) {
            if why.starts_with(WRONG) {
                self.verified = Some(false);
            }
            self.state = State::Failed(why.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::{self, Depth};

    const RULE: StoppingRule =
        StoppingRule { precision: 0.01, min_samples: 10, budget: Duration::from_millis(100) };

    fn cases() -> Vec<CaseProgress> {
        pattern::cases(Depth::Quick).into_iter().take(4).map(CaseProgress::new).collect()
    }

    fn row(case: &str, round: u32, ns: Option<f64>, reason: Option<&str>) -> SampleRow {
        SampleRow {
            case: case.to_owned(),
            round,
            sample: 0,
            dispatches: u64::from(ns.is_some() || reason == Some("timestamps are zero")),
            ticks: None,
            ns,
            accepted: ns.is_some(),
            reason: reason.map(str::to_owned),
            seconds: Some(2.5),
        }
    }

    #[test]
    fn an_empty_journal_is_no_past() {
        let past = Past::replay(cases(), &[], &RULE).expect("a past");
        assert_eq!((past.round, past.seconds, past.is_complete()), (0, 0.0, false));
        assert!(past.cases.iter().all(|case| case.state == State::Pending));
    }

    #[test]
    fn cases_are_as_far_as_the_journal_says() {
        let ids: Vec<String> = cases().iter().map(|case| case.id.clone()).collect();
        let mut rows = vec![row("reference", 0, Some(7.0), None)];
        rows.extend((0..12).map(|_| row(&ids[0], 0, Some(100.0), None)));
        rows.push(row(&ids[1], 1, None, Some("verified")));
        rows.push(row(&format!("{TWIN_PREFIX}{}", ids[1]), 1, Some(30.0), None));
        rows.push(row(&ids[1], 1, Some(120.0), None));
        rows.push(row(&ids[1], 1, None, Some("timestamps are zero")));
        rows.push(row(&ids[2], 1, None, Some("skipped: too large")));
        rows.push(row(&ids[3], 1, None, Some("failed: wrong result: element 3 of the output is …")));
        let past = Past::replay(cases(), &rows, &RULE).expect("a past");
        let states: Vec<&State> = past.cases.iter().map(|case| &case.state).collect();
        let wrong = State::Failed("wrong result: element 3 of the output is …".to_owned());
        assert_eq!(states, [&State::Done, &State::Pending, &State::Skipped("too large".to_owned()), &wrong]);
        let open = &past.cases[1];
        assert_eq!((open.samples.len(), open.twin_samples.len(), open.rejected), (1, 1, 1));
        assert_eq!((open.verified, past.cases[3].verified), (Some(true), Some(false)));
        assert_eq!((past.round, past.seconds, past.references.len()), (2, 2.5, 1));
        assert!(!past.is_complete());
    }

    #[test]
    fn rows_of_other_cases_are_refused() {
        let error = Past::replay(cases(), &[row("stride/op=read/x=1", 0, Some(1.0), None)], &RULE);
        assert!(error.is_err_and(|error| error.to_string().contains("stride/op=read/x=1")));
    }
}
