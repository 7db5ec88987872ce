//! Charts over several devices: the fraction of its own roof that each reaches, since absolute figures of a
//! laptop and a server say little about what a layout costs.

use super::build::{Form, measured, number_axis};
use super::figure::{Axis, Bar, Bars, Curve, Curves, Figure, Frame, Measured, Point};
use super::scale::Unit;
use crate::pattern;
use crate::report::{CaseKey, Run};
use crate::units;

/// The most devices whose marks can be told apart.
const MAX_DEVICES: usize = 6;
/// The most groups of bars in a chart.
const MAX_GROUPS: usize = 10;

/// One chart per pattern that at least two runs have measured.
pub(super) fn figures(runs: &[Run]) -> Vec<Figure> {
    let runs = &runs[..runs.len().min(MAX_DEVICES)];
    pattern::registry().iter().filter_map(|row| figure(runs, row.name)).collect()
}

fn figure(runs: &[Run], pattern: &str) -> Option<Figure> {
    let names = names(runs);
    let series: Vec<Vec<(CaseKey, Measured)>> =
        runs.iter().zip(&names).map(|(run, name)| fractions(run, name, pattern)).collect();
    if series.iter().filter(|cases| !cases.is_empty()).count() < 2 {
        return None;
    }
    let value =
        Axis { label: "fraction of the device's own roof".to_owned(), unit: Unit::Fraction, log: false };
    let all: Vec<(CaseKey, &crate::record::CaseRow)> =
        runs.iter().flat_map(|run| run.measured(pattern)).collect();
    Some(match Form::of(pattern, &all) {
        Form::Curve { axis, log } => {
            let line = longest_line(&series, &axis)?;
            Figure::Curves(Curves {
                frame: frame(runs, pattern, &line),
                x: number_axis(&axis, log),
                y: value,
                steps: false,
                curves: curves(&series, &names, &axis, &line),
                roof: None,
            })
        }
        Form::Steps { axis } => {
            let line = longest_line(&series, &axis)?;
            Figure::Curves(Curves {
                frame: frame(runs, pattern, &line),
                x: number_axis(&axis, false),
                y: value,
                steps: true,
                curves: curves(&series, &names, &axis, &line),
                roof: None,
            })
        }
        Form::Bars { .. } => Figure::Bars(Bars {
            frame: frame(runs, pattern, ""),
            value,
            groups: groups(&series, &names),
            roof: None,
        }),
    })
}

/// Device names; where two devices share one, the backend stands before it, since a legend cuts long names at
/// their end.
fn names(runs: &[Run]) -> Vec<String> {
    let same = |name: &str| runs.iter().filter(|run| run.info.device.name == name).count() > 1;
    runs.iter()
        .map(|run| {
            let name = &run.info.device.name;
            if same(name) { format!("{}: {name}", run.info.backend) } else { name.clone() }
        })
        .collect()
}

/// What a run measured of a pattern, over its roof.
fn fractions(run: &Run, device: &str, pattern: &str) -> Vec<(CaseKey, Measured)> {
    let Some(roof) = run.roof() else { return Vec::new() };
    run.measured(pattern)
        .into_iter()
        .filter(|(_, row)| row.roof_fraction.is_some())
        .filter_map(|(key, row)| {
            let absolute = measured(run, &key, row)?;
            let fraction = Measured {
                value: absolute.value / roof,
                interval: absolute.interval.map(|(low, high)| (low / roof, high / roof)),
                predicted: None,
                perfect_cache: None,
                tip: format!("{device}: {}, {}", units::percent(absolute.value / roof), absolute.tip),
                ..absolute
            };
            Some((key, fraction))
        })
        .collect()
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

fn curves(series: &[Vec<(CaseKey, Measured)>], names: &[String], axis: &str, line: &str) -> Vec<Curve> {
    series
        .iter()
        .zip(names)
        .enumerate()
        .map(|(style, (cases, name))| {
            let mut points: Vec<Point> = cases
                .iter()
                .filter(|(key, _)| key.words(|other| other != axis) == line)
                .filter_map(|(key, measured)| {
                    Some(Point { x: key.number(axis)? as f64, measured: measured.clone() })
                })
                .collect();
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
            Curve { name: name.clone(), style, layer: Some(name.clone()), points }
        })
        .filter(|curve| !curve.points.is_empty())
        .collect()
}

fn groups(series: &[Vec<(CaseKey, Measured)>], names: &[String]) -> Vec<(String, Vec<Bar>)> {
    let mut groups: Vec<(&CaseKey, Vec<Bar>)> = Vec::new();
    for (style, (cases, name)) in series.iter().zip(names).enumerate() {
        for (key, measured) in cases {
            let bar =
                Bar { name: name.clone(), style, layer: Some(name.clone()), measured: measured.clone() };
            match groups.iter_mut().find(|(group, _)| *group == key) {
                Some((_, bars)) => bars.push(bar),
                None => groups.push((key, vec![bar])),
            }
        }
    }
    groups.retain(|(_, bars)| bars.len() > 1);
    groups.truncate(MAX_GROUPS);
    // What all groups share would only lengthen their names.
    let first: Option<&CaseKey> = groups.first().map(|(key, _)| *key);
    let differs =
        |axis: &str| groups.iter().any(|(key, _)| key.value(axis) != first.and_then(|f| f.value(axis)));
    groups.iter().map(|(key, bars)| (key.words(differs), bars.clone())).collect()
}

fn frame(runs: &[Run], pattern: &str, line: &str) -> Frame {
    let summary = pattern::find(pattern).map_or("", |row| row.summary);
    let devices: Vec<String> = names(runs);
    Frame {
        stem: format!("compare-{pattern}"),
        title: format!("{pattern}: {summary}"),
        subtitle: if line.is_empty() { format!("{} devices", runs.len()) } else { line.to_owned() },
        caution: runs
            .iter()
            .any(Run::is_software)
            .then(|| "CPU and software adapters among the devices: not GPU figures".to_owned()),
        description: format!("Fraction of each device's own roof for {pattern} on {}.", devices.join(", ")),
        omitted: None,
    }
}

#[cfg(test)]
mod tests {
    use super::names;
    use crate::pattern::Depth;
    use crate::report::synthetic;

    #[test]
    fn devices_of_one_name_differ_at_the_start() {
        let run = |backend: &str| {
            let mut run = synthetic::run("llvmpipe (LLVM 15.0.6, 256 bits)", "cpu", Depth::Quick);
            run.info.backend = backend.to_owned();
            run
        };
        let names = names(&[run("vulkan"), run("gl")]);
        assert!(names[0].starts_with("vulkan: ") && names[1].starts_with("gl: "), "{names:?}");
    }
}
