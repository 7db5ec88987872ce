//! `stridemark patterns`: the catalogue.

use std::fmt::Write;

use crate::cli::{Format, FormatArgs};
use crate::pattern::{Depth, Pattern, Value, registry};

use super::{Exit, print};

pub(super) fn run(args: &FormatArgs) -> anyhow::Result<Exit> {
    match args.format {
        Format::Text => print(text()?.trim_end())?,
        Format::Json => print(serde_json::to_string_pretty(&json())?)?,
    }
    Ok(Exit::Done)
}

/// Cases of a pattern in the quick, default and full suites.
fn counts(pattern: &'static Pattern) -> [usize; 3] {
    [Depth::Quick, Depth::Default, Depth::Full].map(|depth| pattern.cases(depth).len())
}

fn text() -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    let mut totals = [0; 3];
    for pattern in registry() {
        let counts = counts(pattern);
        for (total, count) in totals.iter_mut().zip(counts) {
            *total += count;
        }
        let [quick, default, full] = counts;
        writeln!(text, "{}: {}", pattern.name, pattern.summary)?;
        writeln!(text, "    cases: {quick} quick, {default} default, {full} full")?;
        for axis in pattern.axes {
            let values: Vec<String> = axis.values.iter().map(|value| value.to_string()).collect();
            writeln!(text, "    {} = {}  ({})", axis.name, abridge(&values), axis.meaning)?;
        }
        writeln!(text)?;
    }
    let [quick, default, full] = totals;
    writeln!(text, "{} patterns; cases: {quick} quick, {default} default, {full} full", registry().len())?;
    Ok(text)
}

/// Long lists keep their ends: the whole list is in the JSON.
fn abridge(values: &[String]) -> String {
    match values {
        [first @ .., last] if values.len() > 12 => format!("{} … {last}", first[..10].join(" ")),
        _ => values.join(" "),
    }
}

fn json() -> serde_json::Value {
    let patterns: Vec<_> = registry()
        .iter()
        .map(|pattern| {
            let [quick, default, full] = counts(pattern);
            let axes: Vec<_> = pattern
                .axes
                .iter()
                .map(|axis| {
                    let values: Vec<serde_json::Value> = axis
                        .values
                        .iter()
                        .map(|value| match value {
                            Value::Name(name) => name.into(),
                            Value::Int(number) => number.into(),
                        })
                        .collect();
                    serde_json::json!({ "name": axis.name, "meaning": axis.meaning, "values": values })
                })
                .collect();
            serde_json::json!({
                "name": pattern.name, "summary": pattern.summary, "why": pattern.why, "axes": axes,
                "cases": { "quick": quick, "default": default, "full": full },
            })
        })
        .collect();
    serde_json::json!({ "patterns": patterns })
}
