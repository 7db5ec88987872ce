//! From the rows of a pattern to its few charts.
//!
//! The registry says which axis runs along x, or which axes make groups and bars. What else varies makes
//! the curves of one chart as long as they can be told apart, and otherwise charts of their own.

use std::collections::BTreeSet;

use super::figure::{Axis, Bar, Bars, Curve, Curves, Figure, Frame, Measured, Point};
use super::scale::Unit;
use crate::pattern::{self, Chart};
use crate::record::{Bound, CaseRow, Flag};
use crate::report::key::axis_value;
use crate::report::{CaseKey, Run};
use crate::units;

/// The most curves in a chart that can still be told apart.
const MAX_CURVES: usize = 6;
/// The most bars in a chart.
const MAX_BARS: usize = 36;

type Case<'a> = (CaseKey, &'a CaseRow);

/// The form in which a pattern is drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A curve over an axis.
    Curve { axis: String, log: bool },
    /// Steps over an axis.
    Steps { axis: String },
    /// Groups and bars.
    Bars { group: String, bar: String },
}

impl Form {
    /// The form that the registry names, or bars of whatever varies for a pattern of another version.
    pub(super) fn of(pattern: &str, cases: &[Case<'_>]) -> Form {
        match pattern::find(pattern).map(|row| row.chart) {
            Some(Chart::Curve { axis, log }) => Form::Curve { axis: axis.to_owned(), log },
            Some(Chart::Steps { axis }) => Form::Steps { axis: axis.to_owned() },
            Some(Chart::Bars { group, bar }) => Form::Bars { group: group.to_owned(), bar: bar.to_owned() },
            None => {
                let axes = varying(cases, &[]);
                let axis = |index: usize| axes.get(index).cloned().unwrap_or_default();
                Form::Bars { group: axis(0), bar: axis(1) }
            }
        }
    }

    fn own_axes(&self) -> Vec<&str> {
        match self {
            Form::Curve { axis, .. } | Form::Steps { axis } => vec![axis],
            Form::Bars { group, bar } => vec![group, bar],
        }
    }

    fn capacity(&self) -> usize {
        match self {
            Form::Bars { .. } => MAX_BARS,
            Form::Curve { .. } | Form::Steps { .. } => MAX_CURVES,
        }
    }

    /// How many curves, or bars, some cases make.
    fn weight(&self, cases: &[Case<'_>]) -> usize {
        match self {
            Form::Bars { .. } => cases.len(),
            Form::Curve { .. } | Form::Steps { .. } => lines(cases, &self.own_axes()).len(),
        }
    }
}

/// The charts of a pattern in a run; none where nothing was measured.
pub(super) fn figures(run: &Run, pattern: &str) -> Vec<Figure> {
    let cases = run.measured(pattern);
    if cases.is_empty() {
        return Vec::new();
    }
    let form = Form::of(pattern, &cases);
    split(&form, cases).into_iter().map(|part| figure(run, pattern, &form, &part)).collect()
}

/// Cases that share a chart, with the values that set it apart from the pattern's other charts.
struct Part<'a> {
    apart: Vec<(String, String)>,
    cases: Vec<Case<'a>>,
    omitted: usize,
}

/// Splits cases by one further axis after the other until a chart holds them.
fn split<'a>(form: &Form, cases: Vec<Case<'a>>) -> Vec<Part<'a>> {
    let mut parts = vec![Part { apart: Vec::new(), cases, omitted: 0 }];
    while let Some(index) = parts.iter().position(|part| form.weight(&part.cases) > form.capacity()) {
        let part = parts.remove(index);
        let mut candidates = varying(&part.cases, &form.own_axes());
        // bars that are too many for one chart are split by their groups when nothing else varies
        if let (true, Form::Bars { bar, .. }) = (candidates.is_empty(), form) {
            candidates.extend(varying(&part.cases, &[]).into_iter().filter(|axis| axis == bar));
        }
        let Some(axis) = candidates.first() else {
            parts.insert(index, truncated(form, part));
            continue;
        };
        for (offset, value) in values_of(&part.cases, axis).into_iter().enumerate() {
            let mut apart = part.apart.clone();
            apart.push((axis.clone(), value.clone()));
            let cases = part
                .cases
                .iter()
                .filter(|(key, _)| key.value(axis).unwrap_or("") == value)
                .cloned()
                .collect();
            parts.insert(index + offset, Part { apart, cases, omitted: 0 });
        }
    }
    parts
}

/// The first cases that fit.
fn truncated<'a>(form: &Form, mut part: Part<'a>) -> Part<'a> {
    let before = part.cases.len();
    match form {
        Form::Bars { .. } => part.cases.truncate(MAX_BARS),
        Form::Curve { .. } | Form::Steps { .. } => {
            let kept: BTreeSet<String> =
                lines(&part.cases, &form.own_axes()).into_iter().take(MAX_CURVES).collect();
            let own = form.own_axes();
            part.cases.retain(|(key, _)| kept.contains(&line_of(key, &own)));
        }
    }
    part.omitted = before - part.cases.len();
    part
}

/// The axes on which some cases differ, in the order of case ids, without those given.
pub(super) fn varying(cases: &[Case<'_>], without: &[&str]) -> Vec<String> {
    let mut axes: Vec<String> = Vec::new();
    for (key, _) in cases {
        for (axis, _) in &key.axes {
            if !axes.contains(axis) && !without.contains(&axis.as_str()) {
                axes.push(axis.clone());
            }
        }
    }
    axes.retain(|axis| values_of(cases, axis).len() > 1);
    axes
}

/// The values on an axis in the order of their first appearance; a missing one is empty.
fn values_of(cases: &[Case<'_>], axis: &str) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    for (key, _) in cases {
        let value = key.value(axis).unwrap_or("").to_owned();
        if !values.contains(&value) {
            values.push(value);
        }
    }
    values
}

/// What a case shares with the others of its curve.
fn line_of(key: &CaseKey, own: &[&str]) -> String {
    key.words(|axis| !own.contains(&axis))
}

fn lines(cases: &[Case<'_>], own: &[&str]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (key, _) in cases {
        let name = line_of(key, own);
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn figure(run: &Run, pattern: &str, form: &Form, part: &Part<'_>) -> Figure {
    let frame = frame(run, pattern, form, part);
    let value = Axis { label: "bandwidth of useful bytes, GB/s".to_owned(), unit: Unit::GbPerS, log: false };
    // Workgroup memory has no roof.
    let has_roof = part.cases.iter().any(|(_, row)| row.roof_fraction.is_some());
    let roof = run.roof().filter(|_| has_roof).map(|roof| (format!("roof {}", units::gb_per_s(roof)), roof));
    match form {
        Form::Curve { axis, log } => {
            let y = Axis { log: *log, ..value };
            let curves = curves(run, part, axis, *log);
            Figure::Curves(Curves { frame, x: number_axis(axis, *log), y, steps: false, curves, roof })
        }
        Form::Steps { axis } => {
            let curves = curves(run, part, axis, false);
            Figure::Curves(Curves { frame, x: number_axis(axis, false), y: value, steps: true, curves, roof })
        }
        Form::Bars { group, bar } => {
            Figure::Bars(Bars { frame, value, groups: groups(run, part, group, bar), roof })
        }
    }
}

/// The distance of neighbouring values on an axis on which whole numbers are equally far apart: an element.
pub(super) fn grain(key: &CaseKey, axis: &str) -> Option<f64> {
    let element = key.case()?.element();
    Some(if axis.ends_with("_bytes") { element.bytes() as f64 } else { 1.0 })
}

/// An axis of a pattern's numbers, labelled with its name and its unit.
pub(super) fn number_axis(axis: &str, log: bool) -> Axis {
    let unit = if axis.ends_with("_bytes") { Unit::Bytes } else { Unit::Count };
    let (name, of) = axis.rsplit_once('_').unwrap_or((axis, ""));
    let label = if of.is_empty() { name.to_owned() } else { format!("{}, {of}", name.replace('_', " ")) };
    Axis { label, unit, log }
}

fn frame(run: &Run, pattern: &str, form: &Form, part: &Part<'_>) -> Frame {
    let mut stem = pattern.to_owned();
    for (_, value) in &part.apart {
        stem.push('-');
        stem.push_str(&slug(value));
    }
    let apart: Vec<String> = part.apart.iter().map(|(axis, value)| axis_value(axis, value)).collect();
    let summary = pattern::find(pattern).map_or(String::new(), |row| format!(": {}", row.summary));
    let suffix = if apart.is_empty() { String::new() } else { format!(" ({})", apart.join(", ")) };
    let title = format!("{pattern}{suffix}{summary}");
    let subtitle = subtitle(run, form, part);
    let description = description(run, &part.cases);
    let omitted = (part.omitted > 0).then(|| format!("{} more cases are in cases.csv.", part.omitted));
    let caption = [apart.join(", "), shared(form, part)].join(" ").trim().to_owned();
    Frame { stem, title, caption, subtitle, caution: run.caution().map(str::to_owned), description, omitted }
}

/// The device, then what all cases of the chart share.
fn subtitle(run: &Run, form: &Form, part: &Part<'_>) -> String {
    let shared = shared(form, part);
    let separator = if shared.is_empty() { "" } else { ", " };
    format!("{}{separator}{shared}", run.device_line())
}

/// What all cases of a chart share, beyond what sets it apart from the pattern's other charts.
fn shared(form: &Form, part: &Part<'_>) -> String {
    let own = form.own_axes();
    let varying = varying(&part.cases, &[]);
    let apart = |axis: &str| part.apart.iter().any(|(name, _)| name == axis);
    part.cases.first().map_or(String::new(), |(key, _)| {
        key.words(|axis| !own.contains(&axis) && !varying.iter().any(|v| v == axis) && !apart(axis))
    })
}

fn description(run: &Run, cases: &[Case<'_>]) -> String {
    let bandwidth = |row: &CaseRow| row.bandwidth_gb_per_s.unwrap_or_default();
    let by_speed = |a: &&Case<'_>, b: &&Case<'_>| bandwidth(a.1).total_cmp(&bandwidth(b.1));
    let told = |case: Option<&Case<'_>>| {
        case.map_or(String::new(), |(key, row)| {
            format!("{} at {}", key.short(), units::gb_per_s(bandwidth(row)))
        })
    };
    format!(
        "{} cases on {}. Slowest: {}. Fastest: {}.",
        cases.len(),
        run.device_line(),
        told(cases.iter().min_by(by_speed)),
        told(cases.iter().max_by(by_speed)),
    )
}

fn curves(run: &Run, part: &Part<'_>, axis: &str, log: bool) -> Vec<Curve> {
    let varying = varying(&part.cases, &[axis]);
    lines(&part.cases, &[axis])
        .into_iter()
        .enumerate()
        .filter_map(|(style, line)| {
            let cases: Vec<&Case<'_>> =
                part.cases.iter().filter(|(key, _)| line_of(key, &[axis]) == line).collect();
            let points = cases
                .iter()
                .filter_map(|(key, row)| Some((key.number(axis)? as f64, measured(run, key, row)?)));
            let points = Point::series(points.collect(), log);
            let (key, _) = cases.first()?;
            let name = key.words(|axis| varying.iter().any(|v| v == axis));
            let name = if name.is_empty() { "measured".to_owned() } else { name };
            let grain = if log { None } else { grain(key, axis) };
            (!points.is_empty()).then_some(Curve { name, style, layer: None, grain, points })
        })
        .collect()
}

fn groups(run: &Run, part: &Part<'_>, group: &str, bar: &str) -> Vec<(String, Vec<Bar>)> {
    let bar_values = values_of(&part.cases, bar);
    let further = varying(&part.cases, &[group, bar]);
    values_of(&part.cases, group)
        .into_iter()
        .map(|value| {
            let cases: Vec<Case<'_>> = part
                .cases
                .iter()
                .filter(|(key, _)| key.value(group).unwrap_or("") == value)
                .cloned()
                .collect();
            // What differs between groups but not within one goes into the group's name.
            let within = varying(&cases, &[group, bar]);
            let names =
                |axis: &str| (axis == bar && bar_values.len() > 1) || within.iter().any(|v| v == axis);
            let bars = cases
                .iter()
                .filter_map(|(key, row)| {
                    let own = key.value(bar).unwrap_or("");
                    let style = bar_values.iter().position(|v| v == own).unwrap_or(0);
                    let measured = measured(run, key, row)?;
                    Some(Bar { name: key.words(names), style, layer: None, measured })
                })
                .collect();
            let shared = |axis: &str| further.iter().any(|v| v == axis) && !names(axis);
            let mut name = if value.is_empty() { part_name(part) } else { axis_value(group, &value) };
            if let Some(words) = cases.first().map(|(key, _)| key.words(shared)).filter(|w| !w.is_empty()) {
                name.push(' ');
                name.push_str(&words);
            }
            (name, bars)
        })
        .collect()
}

fn part_name(part: &Part<'_>) -> String {
    part.cases.first().map_or(String::new(), |(key, _)| key.pattern.clone())
}

/// What a chart shows of a row.
pub(super) fn measured(run: &Run, key: &CaseKey, row: &CaseRow) -> Option<Measured> {
    let value = row.bandwidth_gb_per_s?;
    let predicted = run.predicted(row);
    let mut tip = format!("{}: {}", key.short(), units::gb_per_s(value));
    if let Some((low, high)) = Run::interval(row) {
        tip.push_str(&format!(" ({} to {})", units::significant(low, 3), units::significant(high, 3)));
    }
    if let Some(fraction) = row.roof_fraction {
        tip.push_str(&format!(", {} of the roof", units::percent(fraction)));
    }
    if let Some(predicted) = predicted {
        tip.push_str(&format!(", predicted {}", units::gb_per_s(predicted)));
    }
    if row.bound == Some(Bound::Issue) {
        tip.push_str(", issue-bound");
    }
    for flag in row.flags.iter().filter(|flag| *flag != Flag::Software) {
        tip.push_str(&format!(", {flag}"));
    }
    Some(Measured {
        value,
        interval: Run::interval(row),
        issue_bound: row.bound == Some(Bound::Issue),
        predicted,
        perfect_cache: run.predicted_perfect_cache(row),
        tip,
        case: row.case.clone(),
    })
}

/// A word that is safe in a file name.
pub(super) fn slug(word: &str) -> String {
    let safe: String =
        word.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    safe.trim_matches('-').to_owned()
}
