//! Charts over several devices: the fraction of its own ceiling that each reaches, since absolute figures of a
//! laptop and a server say little about what a layout costs; and the absolute figures, for those who choose
//! between the two. The ceiling is the roof or, in workgroup memory, the case without conflicts.

use super::build::{Form, grain, measured, number_axis};
use super::figure::{Axis, Bar, Bars, Curve, Curves, Figure, Frame, Measured, Point};
use super::layer;
use super::scale::Unit;
use crate::pattern;
use crate::report::run::names;
use crate::report::{CaseKey, Run};

/// The most devices whose marks can be told apart.
const MAX_DEVICES: usize = 12;
/// The most groups of bars in a chart.
const MAX_GROUPS: usize = 10;
/// The most bars in a chart, over all groups, as long as there are two groups.
const MAX_BARS: usize = 60;

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Measure {
    /// Bandwidth over the device's own ceiling.
    Fraction,
    /// Bandwidth.
    Absolute,
}

impl Measure {
    /// The axis of values; `ceiling` says in words what fractions are of.
    fn axis(self, ceiling: &str, log: bool) -> Axis {
        let (label, unit) = match self {
            Measure::Fraction => (format!("fraction of the device's own {ceiling}"), Unit::Fraction),
            Measure::Absolute => ("bandwidth of useful bytes, GB/s".to_owned(), Unit::GbPerS),
        };
        Axis { label, unit, log }
    }

    /// What a run measured of a pattern, in the unit of the axis.
    fn values(self, run: &Run, device: &str, pattern: &str) -> Vec<(CaseKey, Measured)> {
        let plain = |key: CaseKey, row: &crate::record::CaseRow| {
            let absolute = measured(run, &key, row)?;
            let scaled = match self {
                Measure::Absolute => absolute,
                Measure::Fraction => {
                    let ceiling = run.ceiling(row)?;
                    Measured {
                        value: absolute.value / ceiling,
                        interval: absolute.interval.map(|(low, high)| (low / ceiling, high / ceiling)),
                        ..absolute
                    }
                }
            };
            let tip = format!("{device}: {}", scaled.tip);
            Some((key, Measured { predicted: None, perfect_cache: None, tip, ..scaled }))
        };
        run.measured(pattern).into_iter().filter_map(|(key, row)| plain(key, row)).collect()
    }
}

/// A pattern's charts over the runs: fractions, then absolute figures. None where fewer than two runs have
/// measured it, or have a ceiling for it.
pub(super) fn figures(runs: &[Run], pattern: &str) -> Option<[Figure; 2]> {
    Some([figure(runs, pattern, Measure::Fraction)?, figure(runs, pattern, Measure::Absolute)?])
}

fn figure(runs: &[Run], pattern: &str, measure: Measure) -> Option<Figure> {
    let drawn = &runs[..runs.len().min(MAX_DEVICES)];
    let names = names(runs);
    let series: Vec<Vec<(CaseKey, Measured)>> =
        drawn.iter().zip(&names).map(|(run, name)| measure.values(run, name, pattern)).collect();
    if series.iter().filter(|cases| !cases.is_empty()).count() < 2 {
        return None;
    }
    let all: Vec<(CaseKey, &crate::record::CaseRow)> =
        drawn.iter().flat_map(|run| run.measured(pattern)).collect();
    let ceiling = ceiling(runs, pattern);
    let frame = |line: &str, left_out: usize| frame(runs, pattern, (measure, &ceiling), line, left_out);
    Some(match Form::of(pattern, &all) {
        Form::Curve { axis, log } => {
            let line = longest_line(&series, &axis)?;
            Figure::Curves(Curves {
                frame: frame(&line, 0),
                x: number_axis(&axis, log),
                y: measure.axis(&ceiling, log),
                steps: false,
                curves: curves(&series, &names, (&axis, log), &line),
                roof: None,
            })
        }
        Form::Steps { axis } => {
            let line = longest_line(&series, &axis)?;
            Figure::Curves(Curves {
                frame: frame(&line, 0),
                x: number_axis(&axis, false),
                y: measure.axis(&ceiling, false),
                steps: true,
                curves: curves(&series, &names, (&axis, false), &line),
                roof: None,
            })
        }
        Form::Bars { .. } => {
            let (groups, left_out) = groups(&series, &names);
            let value = measure.axis(&ceiling, false);
            Figure::Bars(Bars { frame: frame("", left_out), value, groups, roof: None })
        }
    })
}

/// What fractions are of, in words.
fn ceiling(runs: &[Run], pattern: &str) -> String {
    runs.iter()
        .find_map(|run| run.ceiling_in_words(pattern))
        .map_or("roof".to_owned(), |case| format!("bandwidth at {case}"))
}

/// The values off the x axis that most points of all runs share.
fn longest_line(series: &[Vec<(CaseKey, Measured)>], axis: &str) -> Option<String> {
    let mut counts: Vec<(String, usize)> = Vec::new();
    for (key, _) in series.iter().flatten() {
        let line = key.words(|name| name != axis);
        match counts.iter_mut().find(|(known, _)| *known == line) {
            Some((_, count)) => *count += 1,
            None => counts.push((line, 1)),
        }
    }
    // The first of the longest: the registry lists the plainest case first.
    let most = counts.iter().map(|(_, count)| *count).max()?;
    counts.into_iter().find(|(_, count)| *count == most).map(|(line, _)| line)
}

fn curves(
    series: &[Vec<(CaseKey, Measured)>],
    names: &[String],
    (axis, log): (&str, bool),
    line: &str,
) -> Vec<Curve> {
    series
        .iter()
        .zip(names)
        .enumerate()
        .map(|(style, (cases, name))| {
            let own = || cases.iter().filter(|(key, _)| key.words(|other| other != axis) == line);
            let points =
                own().filter_map(|(key, measured)| Some((key.number(axis)? as f64, measured.clone())));
            let points = Point::series(points.collect(), log);
            let grain = own().next().filter(|_| !log).and_then(|(key, _)| grain(key, axis));
            Curve { name: name.clone(), style, layer: Some(layer(style)), grain, points }
        })
        .filter(|curve| !curve.points.is_empty())
        .collect()
}

/// Groups of bars, one for each case that several runs share, and how many such cases are left out.
fn groups(series: &[Vec<(CaseKey, Measured)>], names: &[String]) -> (Vec<(String, Vec<Bar>)>, usize) {
    let mut groups: Vec<(&CaseKey, Vec<Bar>)> = Vec::new();
    for (style, (cases, name)) in series.iter().zip(names).enumerate() {
        for (key, measured) in cases {
            let bar =
                Bar { name: name.clone(), style, layer: Some(layer(style)), measured: measured.clone() };
            match groups.iter_mut().find(|(group, _)| *group == key) {
                Some((_, bars)) => bars.push(bar),
                None => groups.push((key, vec![bar])),
            }
        }
    }
    groups.retain(|(_, bars)| bars.len() > 1);
    let shared = groups.len();
    groups.truncate((MAX_BARS / series.len().max(1)).clamp(2, MAX_GROUPS));
    let left_out = shared - groups.len();
    // What all groups share would only lengthen their names.
    let first: Option<&CaseKey> = groups.first().map(|(key, _)| *key);
    let differs =
        |axis: &str| groups.iter().any(|(key, _)| key.value(axis) != first.and_then(|f| f.value(axis)));
    (groups.iter().map(|(key, bars)| (key.words(differs), bars.clone())).collect(), left_out)
}

fn frame(
    runs: &[Run],
    pattern: &str,
    (measure, ceiling): (Measure, &str),
    line: &str,
    left_out: usize,
) -> Frame {
    let summary = pattern::find(pattern).map_or("", |row| row.summary);
    let devices: Vec<String> = names(runs);
    let (suffix, shown) = match measure {
        Measure::Fraction => ("", format!("Fraction of each device's own {ceiling}")),
        Measure::Absolute => ("-absolute", "Bandwidth of useful bytes".to_owned()),
    };
    let mut omitted = Vec::new();
    if left_out > 0 {
        omitted.push(format!("{left_out} more cases that these devices share are in their tables."));
    }
    if runs.len() > MAX_DEVICES {
        omitted.push(format!("The first {MAX_DEVICES} of {} devices are drawn.", runs.len()));
    }
    Frame {
        stem: format!("compare-{pattern}{suffix}"),
        title: format!("{pattern}: {summary}"),
        caption: line.to_owned(),
        subtitle: if line.is_empty() { format!("{} devices", runs.len()) } else { line.to_owned() },
        caution: runs
            .iter()
            .any(Run::is_software)
            .then(|| "CPU and software adapters among the devices: not GPU figures".to_owned()),
        description: format!("{shown} for {pattern} on {}.", devices.join(", ")),
        omitted: (!omitted.is_empty()).then(|| omitted.join(" ")),
    }
}
