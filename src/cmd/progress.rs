//! Progress on standard error: a bar on a terminal, plain lines elsewhere.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::measure::stop::StoppingRule;
use crate::measure::{CaseProgress, Findings};
use crate::units;

use super::note;

/// Steps of the bar.
const STEPS: u64 = 1000;

/// What the visits so far came to, and below it the case that runs: one visit begins microseconds after the
/// last ended, so that neither may take the place of the other.
const TEMPLATE: &str = "{bar:24} {percent:>3} %  {prefix}\n{msg}";

/// What a person sees while a device is measured.
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    rule: StoppingRule,
    start: Instant,
    /// How far each visited case is, 0 to 1.
    shares: BTreeMap<String, f64>,
    /// Cases that were finished before.
    before: usize,
    total: usize,
}

impl Progress {
    /// Progress of some cases, of which an earlier process may have finished a part.
    pub(super) fn new(cases: &[CaseProgress], rule: StoppingRule) -> Progress {
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
        Progress { bar, rule, start: Instant::now(), shares, before, total: cases.len() }
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
        let left = pace * (self.total as f64 - sum);
        let figure = progress
            .bandwidth(&Findings::default())
            .map_or_else(|| format!("{:?}", progress.state).to_lowercase(), units::gb_per_s);
        match &self.bar {
            Some(bar) => {
                bar.set_position((done * STEPS as f64) as u64);
                bar.set_prefix(format!("{left:.0} s left, last {figure}"));
            }
            None if !progress.is_open() => {
                note(format_args!("{:3.0} %  {}  {figure}  {left:.0} s left", 100.0 * done, progress.id));
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::measure::State;
    use crate::pattern::{self, Depth};

    #[test]
    fn the_last_figure_and_the_time_left_stay_while_the_next_case_runs() {
        let mut cases: Vec<CaseProgress> =
            pattern::cases(Depth::Quick).into_iter().take(2).map(CaseProgress::new).collect();
        let rule = StoppingRule { precision: 0.01, min_samples: 10, budget: Duration::from_secs(1) };
        let bar = ProgressBar::hidden();
        let mut progress = Progress { bar: Some(bar.clone()), ..Progress::new(&cases, rule) };
        progress.visiting(&cases[0].id);
        cases[0].state = State::Failed("a reason".to_owned());
        progress.visited(&cases[0]);
        progress.visiting(&cases[1].id);
        assert_eq!(bar.message(), cases[1].id);
        let prefix = bar.prefix();
        assert!(prefix.contains(" s left, last "), "{prefix}");
    }
}
