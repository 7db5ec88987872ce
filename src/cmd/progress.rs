//! Progress on standard error: a bar on a terminal, plain lines elsewhere.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::device::Cancel;
use crate::measure::stop::StoppingRule;
use crate::measure::{CaseProgress, Findings, State};
use crate::units;

use super::note;

/// Steps of the bar.
const STEPS: u64 = 1000;

/// Without a bar, the longest silence while cases are visited: the first round finishes hardly any.
const SILENCE: Duration = Duration::from_secs(10);

/// What the visits so far came to, and below it the case that runs: one visit begins microseconds after the
/// last ended, so that neither may take the place of the other.
const TEMPLATE: &str = "{bar:24} {percent:>3} %  {prefix}\n{msg}";

/// What a person sees while a device is measured.
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    rule: StoppingRule,
    cancel: Cancel,
    start: Instant,
    /// When the last line was written.
    told: Instant,
    /// How far each visited case is, 0 to 1.
    shares: BTreeMap<String, f64>,
    /// Cases that were finished before.
    before: usize,
    total: usize,
}

impl Progress {
    /// Progress of some cases, of which an earlier process may have finished a part.
    pub(super) fn new(cases: &[CaseProgress], rule: StoppingRule, cancel: Cancel) -> Progress {
        let finished = cases.iter().filter(|case| !case.is_open());
        let shares: BTreeMap<String, f64> = finished.map(|case| (case.id.clone(), 1.0)).collect();
        let before = shares.len();
        let terminal = std::io::stderr().is_terminal();
        let bar = terminal.then(|| {
            let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr());
            let style = ProgressStyle::with_template(TEMPLATE);
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            bar
        });
        let now = Instant::now();
        Progress { bar, rule, cancel, start: now, told: now, shares, before, total: cases.len() }
    }

    /// A visit begins.
    pub(super) fn visiting(&self, id: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(id.to_owned());
        }
    }

    /// A visit ended.
    pub(super) fn visited(&mut self, progress: &CaseProgress) {
        let share = if progress.is_open() {
            let samples = progress.samples.len() as f64 / self.rule.min_samples as f64;
            let budget = progress.spent.as_secs_f64() / self.rule.budget.as_secs_f64();
            samples.max(budget).min(0.95)
        } else {
            1.0
        };
        self.shares.insert(progress.id.clone(), share);
        let sum = self.shares.values().sum::<f64>();
        let done = sum / self.total.max(1) as f64;
        let pace = self.start.elapsed().as_secs_f64() / (sum - self.before as f64).max(1e-6);
        let most = self.cancel.time_left(Instant::now()).map_or(f64::INFINITY, |left| left.as_secs_f64());
        let left = most.min(pace * (self.total as f64 - sum));
        let standing = standing(progress);
        match &self.bar {
            Some(bar) => {
                bar.set_position((done * STEPS as f64) as u64);
                bar.set_prefix(format!("{left:.0} s left, last {standing}"));
            }
            None if !progress.is_open() || self.told.elapsed() >= SILENCE => {
                note(format_args!("{:3.0} %  {}  {standing}  {left:.0} s left", 100.0 * done, progress.id));
                self.told = Instant::now();
            }
            None => {}
        }
    }

    /// Takes the bar away.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// How a case stands, in a few words: what it reaches, or why it reaches nothing.
fn standing(progress: &CaseProgress) -> String {
    match &progress.state {
        State::Skipped(reason) => format!("skipped: {reason}"),
        State::Failed(reason) => format!("failed: {reason}"),
        state => match (progress.bandwidth(&Findings::default()), state) {
            (Some(bandwidth), State::Done) => units::gb_per_s(bandwidth),
            (Some(bandwidth), _) => format!("{} so far", units::gb_per_s(bandwidth)),
            (None, State::Done) => "no usable sample".to_owned(),
            (None, _) => "no sample yet".to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Taken;
    use crate::pattern::{self, Depth};

    #[test]
    fn reasons_are_told_as_they_are() {
        let mut progress = CaseProgress::new(pattern::cases(Depth::Quick).remove(0));
        assert_eq!(standing(&progress), "no sample yet");
        progress.state = State::Skipped("the two matrices have 5 \"GiB\"".to_owned());
        assert_eq!(standing(&progress), "skipped: the two matrices have 5 \"GiB\"");
        // What it had reached before is not what became of it.
        progress.samples.push(Taken { ns: 1.0, seconds: 0.0 });
        progress.state = State::Failed("wrong result: element 0".to_owned());
        assert_eq!(standing(&progress), "failed: wrong result: element 0");
    }

    #[test]
    fn the_last_figure_and_the_time_left_stay_while_the_next_case_runs() {
        let mut cases: Vec<CaseProgress> =
            pattern::cases(Depth::Quick).into_iter().take(2).map(CaseProgress::new).collect();
        let rule = StoppingRule { precision: 0.01, min_samples: 10, budget: Duration::from_secs(1) };
        let bar = ProgressBar::hidden();
        let mut progress =
            Progress { bar: Some(bar.clone()), ..Progress::new(&cases, rule, Cancel::default()) };
        progress.visiting(&cases[0].id);
        cases[0].state = State::Failed("a reason".to_owned());
        progress.visited(&cases[0]);
        progress.visiting(&cases[1].id);
        assert_eq!(bar.message(), cases[1].id);
        let prefix = bar.prefix();
        assert!(prefix.contains(" s left, last "), "{prefix}");
    }
}
