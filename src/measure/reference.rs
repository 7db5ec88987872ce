//! The series of the reference kernel: what it says of the machine while cases were measured.
//!
//! A contiguous read runs every few samples. Where its time changes, the machine has changed: a clock dropped,
//! a neighbour took the memory bus, a virtual machine flipped to its other speed. Cases that were measured
//! then look slower through no fault of their own, so the change is said in words, their rows are flagged, and
//! between two speeds figures are made of samples at one of them.

use crate::stats::{self, Modes};

/// An accepted sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Taken {
    /// Nanoseconds of a dispatch; positive and finite.
    pub ns: f64,
    /// When its pass ended, in seconds since the start of the run.
    pub seconds: f64,
}

/// The times of samples.
pub fn times(samples: &[Taken]) -> Vec<f64> {
    samples.iter().map(|sample| sample.ns).collect()
}

/// A stretch of the run at another speed than the rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The first sample of the reference kernel at the other speed, in seconds.
    pub from: f64,
    /// The last one.
    pub to: f64,
    /// Time in the stretch over time outside; of a gradual change, its end over its start.
    pub ratio: f64,
    /// Whether the speed went from one to the other over the whole stretch.
    pub gradual: bool,
    /// What was sampled after this second, and before the next, may have been at the other speed.
    affected: (f64, f64),
}

/// What the series of the reference kernel says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Findings {
    /// Stretches at another speed, in order of time.
    pub changes: Vec<Change>,
    /// The two speeds that the machine flips between; there are no `changes` then.
    pub speeds: Option<Modes>,
    series: Vec<Taken>,
}

/// A series that crosses from one speed to the other more often than this flips between two; one that does so
/// once or twice has a stretch at another speed.
const CROSSINGS_OF_A_STRETCH: usize = 2;
/// Stretches that are looked for.
const MOST_CHANGES: usize = 4;
/// A gradual change of less than 3 % is no matter (as in [`stats::episode`]).
const LEAST_TREND: f64 = 1.03;
/// The most points a line is fitted through: the number of slopes grows with the square.
const POINTS_OF_A_LINE: usize = 400;
/// Fewest samples at the faster speed that make a row's figures.
const ENOUGH: usize = stats::LEAST_FOR_INTERVAL;
/// Fewest samples at the slower speed after which it counts as seen.
const SEEN: usize = 3;

impl Findings {
    /// What a series says, which is in order of time.
    pub fn of(series: &[Taken]) -> Findings {
        let ns = times(series);
        let flips = |modes: &Modes| crossings(&ns, modes.boundary) > CROSSINGS_OF_A_STRETCH;
        let speeds = stats::modes(&ns).filter(flips);
        let changes = if speeds.is_some() { Vec::new() } else { changes(series) };
        Findings { changes, speeds, series: series.to_vec() }
    }

    /// Whether some of the samples were taken while the machine ran at another speed than before or after.
    pub fn drifted(&self, samples: &[Taken]) -> bool {
        let within = |change: &Change, sample: &Taken| {
            change.affected.0 < sample.seconds && sample.seconds < change.affected.1
        };
        samples.iter().any(|sample| self.changes.iter().any(|change| within(change, sample)))
    }

    /// Whether the machine was at the slower of its two speeds at a moment; `None` where it has one speed, or
    /// where the reference samples before and after disagree.
    fn is_slow_at(&self, seconds: f64) -> Option<bool> {
        let boundary = self.speeds?.boundary;
        let next = self.series.partition_point(|reference| reference.seconds < seconds);
        let slow = |index: usize| self.series.get(index).map(|reference| reference.ns >= boundary);
        match (next.checked_sub(1).and_then(slow), slow(next)) {
            (Some(before), Some(after)) => (before == after).then_some(before),
            (one, other) => one.or(other),
        }
    }

    /// Whether a case was sampled at both speeds often enough; `true` where the machine has one.
    pub fn has_seen_both(&self, samples: &[Taken]) -> bool {
        let at = |slow| samples.iter().filter(|s| self.is_slow_at(s.seconds) == Some(slow)).count();
        self.speeds.is_none() || (at(false) >= ENOUGH && at(true) >= SEEN)
    }

    /// The samples that figures are made of: all of them, or in a run at two speeds those next to a reference
    /// kernel at the faster one, where there are enough.
    pub fn counted(&self, samples: &[Taken]) -> Vec<f64> {
        let fast: Vec<f64> = samples
            .iter()
            .filter(|sample| self.is_slow_at(sample.seconds) == Some(false))
            .map(|sample| sample.ns)
            .collect();
        if self.speeds.is_some() && fast.len() >= ENOUGH { fast } else { times(samples) }
    }

    /// The findings in words, one sentence each.
    pub fn sentences(&self) -> Vec<String> {
        let two_speeds = self.speeds.iter().map(|modes| {
            format!(
                "the machine flips between two speeds: {:.0} % of the reference samples take {:.2} times as long \
                 as the others; figures are of samples at the faster speed where there are {ENOUGH} of them, and \
                 every row is flagged bimodal",
                100.0 * modes.high_share,
                modes.high / modes.low
            )
        });
        two_speeds.chain(self.changes.iter().map(Change::sentence)).collect()
    }
}

impl Change {
    fn sentence(&self) -> String {
        let (verb, speed) = if self.ratio > 1.0 {
            ("dropped", 1.0 - self.ratio.recip())
        } else {
            ("rose", self.ratio.recip() - 1.0)
        };
        // Tenths where whole seconds would make a short stretch look like none.
        let digits = usize::from(self.to - self.from < 5.0);
        format!(
            "speed {verb} {:.0} % {}between {:.digits$} s and {:.digits$} s, as the reference kernel shows; \
             rows sampled then are flagged drifted",
            100.0 * speed,
            if self.gradual { "gradually " } else { "" },
            self.from,
            self.to
        )
    }
}

/// How often a series goes from one side of a boundary to the other; the median of three neighbours decides on
/// which side a sample is, so that an outlier is no crossing.
fn crossings(ns: &[f64], boundary: f64) -> usize {
    let sides: Vec<bool> = ns.windows(3).filter_map(stats::median).map(|middle| middle >= boundary).collect();
    sides.windows(2).filter(|pair| pair[0] != pair[1]).count()
}

/// The stretches at another speed, or the one gradual change, whichever explains the series better.
fn changes(series: &[Taken]) -> Vec<Change> {
    let mut level = times(series);
    let mut found: Vec<Change> = Vec::new();
    let mut taken = vec![false; level.len()];
    while let Some(episode) = stats::episode(&level) {
        // A second stretch across the first would only correct its level: too unsteady to be put in words.
        if taken[episode.start..episode.end].contains(&true) {
            break;
        }
        taken[episode.start..episode.end].fill(true);
        // The first and the last sample of the stretch, and the ones outside it.
        let second = |index: Option<usize>| index.and_then(|i| series.get(i)).map(|taken| taken.seconds);
        let (Some(from), Some(to)) = (second(Some(episode.start)), second(episode.end.checked_sub(1))) else {
            break;
        };
        let affected = (
            second(episode.start.checked_sub(1)).unwrap_or(f64::NEG_INFINITY),
            second(Some(episode.end)).unwrap_or(f64::INFINITY),
        );
        found.push(Change { from, to, ratio: episode.ratio, gradual: false, affected });
        if found.len() == MOST_CHANGES {
            break;
        }
        level[episode.start..episode.end].iter_mut().for_each(|ns| *ns /= episode.ratio);
    }
    if !found.is_empty()
        && let Some((trend, residual)) = trend(series)
        && residual < spread(&level)
    {
        return vec![trend];
    }
    found.sort_by(|a, b| a.from.total_cmp(&b.from));
    found
}

/// A straight line through the logarithms of a series, and how far its samples lie from it.
fn trend(series: &[Taken]) -> Option<(Change, f64)> {
    let step = series.len().div_ceil(POINTS_OF_A_LINE).max(1);
    let points: Vec<(f64, f64)> =
        series.iter().step_by(step).map(|taken| (taken.seconds, taken.ns.ln())).collect();
    let line = stats::theil_sen(&points)?;
    let rest: Vec<f64> =
        series.iter().map(|taken| (taken.ns.ln() - line.slope * taken.seconds).exp()).collect();
    let (from, to) = (series.first()?.seconds, series.last()?.seconds);
    let ratio = (line.slope * (to - from)).exp();
    let affected = (f64::NEG_INFINITY, f64::INFINITY);
    (ratio.max(ratio.recip()) >= LEAST_TREND)
        .then(|| (Change { from, to, ratio, gradual: true, affected }, spread(&rest)))
}

/// The median distance of logarithms from their median.
fn spread(ns: &[f64]) -> f64 {
    let logs: Vec<f64> = ns.iter().map(|ns| ns.ln()).collect();
    stats::mad(&logs).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A series at one sample a second; the noise is a fixed pattern of ±1 %.
    fn series(seconds: usize, factor: impl Fn(usize) -> f64) -> Vec<Taken> {
        let noise = [0.0, 0.008, -0.005, 0.01, -0.01, 0.003, -0.007];
        (0..seconds)
            .map(|second| Taken {
                ns: 1e6 * factor(second) * (1.0 + noise[second % 7]),
                seconds: second as f64,
            })
            .collect()
    }

    fn at(seconds: f64) -> Vec<Taken> {
        vec![Taken { ns: 5.0, seconds }]
    }

    #[test]
    fn a_steady_machine_has_nothing_to_say() {
        for findings in [Findings::of(&[]), Findings::of(&series(60, |_| 1.0))] {
            assert_eq!((findings.sentences(), findings.speeds), (Vec::new(), None));
            assert!(!findings.drifted(&at(3.0)) && findings.has_seen_both(&[]));
        }
    }

    #[test]
    fn a_slow_stretch_is_said_with_its_ends_and_flags_what_was_sampled_then() {
        let findings = Findings::of(&series(60, |s| if (14..32).contains(&s) { 1.0 / 0.88 } else { 1.0 }));
        let sentences = findings.sentences();
        assert_eq!(sentences.len(), 1, "{sentences:?}");
        assert!(sentences[0].starts_with("speed dropped 12 % between 14 s and 31 s"), "{sentences:?}");
        assert!(findings.drifted(&at(20.5)) && findings.drifted(&at(13.5)) && findings.drifted(&at(31.5)));
        assert!(!findings.drifted(&at(12.5)) && !findings.drifted(&at(40.0)));
        assert_eq!(findings.speeds, None);
    }

    #[test]
    fn two_stretches_are_two_sentences() {
        let slow = |s: usize| if (10..20).contains(&s) || (70..85).contains(&s) { 1.2 } else { 1.0 };
        let findings = Findings { speeds: None, ..Findings::of(&series(100, slow)) };
        let changes = changes(&findings.series);
        assert_eq!(changes.iter().map(|c| (c.from, c.to)).collect::<Vec<_>>(), [(10.0, 19.0), (70.0, 84.0)]);
    }

    #[test]
    fn a_gradual_change_is_told_from_a_step() {
        let sentences = Findings::of(&series(80, |s| 1.0 + 0.0015 * s as f64)).sentences();
        assert_eq!(sentences.len(), 1);
        assert!(
            sentences[0].starts_with("speed dropped 11 % gradually between 0 s and 79 s"),
            "{sentences:?}"
        );
        let step = Findings::of(&series(80, |s| if s < 40 { 1.0 } else { 0.9 })).sentences();
        assert!(step[0].starts_with("speed rose 11 % between 40 s and 79 s"), "{step:?}");
    }

    #[test]
    fn a_machine_that_flips_has_two_speeds_and_figures_come_from_the_faster() {
        let findings = Findings::of(&series(60, |s| if s / 5 % 2 == 1 { 1.67 } else { 1.0 }));
        let modes = findings.speeds.expect("two speeds");
        assert!((modes.high / modes.low - 1.67).abs() < 0.03 && findings.changes.is_empty());
        assert!(findings.sentences()[0].contains("two speeds"));

        let sample = |seconds: f64| Taken { ns: if seconds % 10.0 > 5.0 { 9.0 } else { 4.0 }, seconds };
        let both: Vec<Taken> = (0..40).map(|i| sample(f64::from(i) * 1.4 + 0.2)).collect();
        assert!(findings.has_seen_both(&both));
        assert!(findings.counted(&both).iter().all(|ns| *ns == 4.0));
        let slow_only: Vec<Taken> = both.iter().copied().filter(|s| s.ns == 9.0).collect();
        assert!(!findings.has_seen_both(&slow_only));
        assert_eq!(findings.counted(&slow_only).len(), slow_only.len());
    }

    #[test]
    fn one_outlier_is_neither_a_speed_nor_a_change() {
        let findings = Findings::of(&series(60, |s| if s == 30 { 4.0 } else { 1.0 }));
        assert_eq!(findings.sentences(), Vec::<String>::new());
    }
}
