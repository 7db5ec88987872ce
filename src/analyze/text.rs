//! An analysis on the terminal: the shader's own lines, marked, the most wasteful first.

use std::collections::BTreeSet;
use std::fmt::Write;

use crate::model::{AccessOp, Space};
use crate::units;

use super::excerpt::{self, Marker};
use super::input::Source;
use super::result::{Analysis, AnalyzedAccess, Finding};

/// Lines without waste that are listed.
const FINE_LINES: usize = 40;

/// The accesses of one line.
struct Line<'a> {
    number: u32,
    column: u32,
    accesses: Vec<&'a AnalyzedAccess>,
    findings: Vec<&'a Finding>,
}

impl Line<'_> {
    fn waste(&self) -> (u64, u64) {
        let sum = |of: fn(&Finding) -> u64| self.findings.iter().map(|finding| of(finding)).sum();
        (sum(|finding| finding.wasted_bytes), sum(|finding| finding.wasted_passes))
    }
}

/// The analysis as text, without colour.
pub fn render(analysis: &Analysis, source: &Source) -> String {
    let mut text = String::new();
    // writing to a string can't fail
    let _ = heading(analysis, &mut text);
    let lines = by_line(analysis);
    let (mut wasteful, others): (Vec<_>, Vec<_>) =
        lines.into_iter().partition(|line| !line.findings.is_empty());
    wasteful.sort_by_key(|line| (std::cmp::Reverse(line.waste()), line.number));
    for finding in analysis.findings.iter().filter(|finding| finding.access.is_none()) {
        let _ = whole(analysis, source, finding, &mut text);
    }
    for line in &wasteful {
        let _ = wasteful_line(analysis, source, line, &mut text);
    }
    let (fine, silent): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|line| line.accesses.iter().any(|access| access.executed()));
    let _ = section("little or no waste", analysis, source, &fine, &mut text);
    let _ = section("never executed by the workgroups above", analysis, source, &silent, &mut text);
    let _ = warnings(analysis, source, &mut text);
    let _ = buffers(analysis, &mut text);
    let _ = assumptions(analysis, &mut text);
    let _ = verdict(analysis, &mut text);
    text.trim_end().to_owned()
}

fn heading(analysis: &Analysis, text: &mut String) -> std::fmt::Result {
    let [x, y, z] = analysis.workgroup_size;
    let [gx, gy, gz] = analysis.grid;
    let all = analysis.workgroups_of_grid();
    let executed = analysis.workgroups_executed;
    writeln!(text, "{}: entry point `{}`", analysis.file, analysis.entry_point)?;
    let origin = match analysis.default_grid {
        true if analysis.spread_grid => {
            " (2²⁰ invocations, spread over another axis: a dispatch has at most 65535 workgroups along one; set \
             it with --grid X,Y,Z)"
        }
        true => " (2²⁰ invocations; set it with --grid X,Y,Z)",
        false => "",
    };
    writeln!(text, "  workgroup {x}×{y}×{z}, grid {gx}×{gy}×{gz}{origin}")?;
    if u128::from(executed) == all {
        writeln!(text, "  executed: all {all} workgroups")?;
    } else if let Some([x, y, z]) = analysis.sampled_start {
        writeln!(
            text,
            "  executed: {executed} of {all} workgroups, spread over the first {x}×{y}×{z} (see the note below; \
             --workgroups N or all)"
        )?;
    } else {
        let which = match executed {
            1 => "the first",
            2 => "the first and the last",
            _ => "the first, the last and evenly spaced ones between",
        };
        writeln!(text, "  executed: {executed} of {all} workgroups, {which} (--workgroups N or all)")?;
    }
    let machine = &analysis.machine;
    writeln!(
        text,
        "  machine {}: subgroups of {}, sectors of {} B, lines of {} B, {} banks of {} B",
        machine.name,
        machine.subgroup_size.value,
        machine.sector_bytes.value,
        machine.line_bytes.value,
        machine.banks.value,
        machine.bank_bytes.value,
    )
}

fn by_line(analysis: &Analysis) -> Vec<Line<'_>> {
    let mut of_access: Vec<Vec<&Finding>> = vec![Vec::new(); analysis.accesses.len()];
    for finding in &analysis.findings {
        if let Some(findings) = finding.access.and_then(|index| of_access.get_mut(index)) {
            findings.push(finding);
        }
    }
    let mut lines: Vec<Line<'_>> = Vec::new();
    for (access, findings) in analysis.accesses.iter().zip(of_access) {
        let at = &access.access.at;
        match lines.last_mut().filter(|line| line.number == at.line) {
            Some(line) => {
                line.accesses.push(access);
                line.findings.extend(findings);
            }
            None => lines.push(Line { number: at.line, column: at.column, accesses: vec![access], findings }),
        }
    }
    lines
}

/// A finding about the entry point as a whole.
fn whole(analysis: &Analysis, source: &Source, finding: &Finding, text: &mut String) -> std::fmt::Result {
    writeln!(text, "\nwarning: {}", finding.advice.sentence)?;
    match &finding.at {
        Some(at) => {
            let gutter = excerpt::gutter(at.line);
            writeln!(text, "{:gutter$}--> {}:{}:{}", "", analysis.file, at.line, at.column)?;
            let width = source.line(at.line).len().saturating_sub(at.column as usize - 1);
            write!(text, "{}", excerpt::lines(source, at.line, &[(at.column, width, String::new())]))
        }
        None => Ok(()),
    }
}

fn wasteful_line(
    analysis: &Analysis,
    source: &Source,
    line: &Line<'_>,
    text: &mut String,
) -> std::fmt::Result {
    let gutter = excerpt::gutter(line.number);
    writeln!(text, "\nwarning: {}", headline(line))?;
    writeln!(text, "{:gutter$}--> {}:{}:{}", "", analysis.file, line.number, line.column)?;
    write!(text, "{}", excerpt::lines(source, line.number, &markers(analysis, line, false)))?;
    writeln!(text, "{:gutter$} |", "")?;
    let mut counted = BTreeSet::new();
    for access in line.findings.iter().filter_map(|finding| finding.access) {
        if let Some(access) = analysis.accesses.get(access).filter(|_| counted.insert(access)) {
            writeln!(text, "{:gutter$} = {}: {}", "", name(access, line), counts(access))?;
        }
    }
    let mut said = BTreeSet::new();
    for finding in &line.findings {
        if said.insert(&finding.advice.sentence) {
            writeln!(text, "{:gutter$} = help: {}", "", finding.advice.sentence)?;
        }
    }
    let assumed: BTreeSet<_> = line.accesses.iter().flat_map(|access| &access.assumed).collect();
    for assumption in assumed {
        let (name, assumed, flag) = (&assumption.name, &assumption.assumed, &assumption.flag);
        writeln!(text, "{:gutter$} = assumed: {name} {assumed}; set it with {flag}", "")?;
    }
    Ok(())
}

/// What a line loses, over all its accesses.
fn headline(line: &Line<'_>) -> String {
    let (bytes, passes) = line.waste();
    let mut parts = Vec::new();
    if bytes > 0 {
        let fetched: u64 = line.accesses.iter().map(|access| access.counts.fetched_bytes).sum();
        parts.push(format!("{} of {} fetched in vain", units::bytes(bytes), units::bytes(fetched)));
    }
    if passes > 0 {
        let all: u64 = line.accesses.iter().map(|access| access.counts.passes).sum();
        parts.push(format!("{passes} of {all} passes over the banks lost to conflicts"));
    }
    if parts.is_empty() {
        parts.push("lanes wait for one another".to_owned());
    }
    parts.join(", ")
}

fn section(
    title: &str,
    analysis: &Analysis,
    source: &Source,
    lines: &[Line<'_>],
    text: &mut String,
) -> std::fmt::Result {
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(text, "\n{title}:")?;
    let list: Vec<(u32, Vec<Marker>)> =
        lines.iter().take(FINE_LINES).map(|line| (line.number, markers(analysis, line, true))).collect();
    write!(text, "{}", excerpt::block(source, &list))?;
    if lines.len() > FINE_LINES {
        writeln!(text, "... and {} lines more (--format json has all)", lines.len() - FINE_LINES)?;
    }
    Ok(())
}

fn markers(analysis: &Analysis, line: &Line<'_>, with_assumptions: bool) -> Vec<Marker> {
    let marker = |access: &&AnalyzedAccess| {
        let mut label = label(analysis, access);
        if with_assumptions && !access.assumed.is_empty() {
            let names: Vec<_> = access.assumed.iter().map(|assumption| assumption.name.as_str()).collect();
            let _ = write!(label, "; depends on {}", names.join(", "));
        }
        (access.access.at.column, access.access.span.len(), label)
    };
    line.accesses.iter().map(marker).collect()
}

/// An access in a few words.
fn label(analysis: &Analysis, access: &AnalyzedAccess) -> String {
    let what = format!("{} of {} B", op(access.access.op), access.access.bytes);
    if !access.executed() {
        return format!("{what}: never executed");
    }
    let counts = &access.counts;
    let what = pieces(access).map_or_else(|| what.clone() + ":", |pieces| format!("{what} {pieces}"));
    let mut label = if access.is_workgroup() {
        match counts.conflict_degree {
            0 | 1 => format!("{what} no conflict"),
            degree => format!("{what} {degree}-way conflict"),
        }
    } else if counts.sectors == counts.requests && counts.sectors == counts.ideal_sectors {
        format!("{what} 1 sector")
    } else {
        let sectors = counts.sectors_per_request().unwrap_or_default();
        let excess = counts.excess().unwrap_or_default();
        format!("{what} {} sectors, excess {}", short(sectors), units::ratio(excess))
    };
    if counts.same_address > 1 {
        let _ = write!(label, ", up to {} lanes on one address", counts.same_address);
    }
    let lanes = counts.active_lanes as f64 / counts.requests as f64;
    let full = f64::from(analysis.machine.subgroup_size.value);
    if lanes < full {
        let _ = write!(label, ", {} of {full} lanes", short(lanes));
    }
    label
}

/// The requests that one execution of a wide access is; none where it is one.
fn pieces(access: &AnalyzedAccess) -> Option<String> {
    let piece = access.representative.as_ref()?.bytes;
    let (bytes, counts) = (access.access.bytes, &access.counts);
    if piece >= bytes {
        return None;
    }
    let is_even = bytes % piece == 0 && counts.active_lanes * u64::from(piece) == counts.requested_bytes;
    Some(match is_even {
        true => format!("in {} pieces of {piece} B, each", bytes / piece),
        false => "in pieces, each".to_owned(),
    })
}

/// The sums of an access.
fn counts(access: &AnalyzedAccess) -> String {
    let counts = &access.counts;
    let requests = format!("{} request{}", counts.requests, if counts.requests == 1 { "" } else { "s" });
    if access.is_workgroup() {
        return format!("{requests}, {} passes where {} would do", counts.passes, counts.ideal_passes);
    }
    format!(
        "{requests}, {} sectors where {} would do, {} fetched for {} used",
        counts.sectors,
        counts.ideal_sectors,
        units::bytes(counts.fetched_bytes),
        units::bytes(counts.unique_bytes),
    )
}

/// An access among those of its line.
fn name(access: &AnalyzedAccess, line: &Line<'_>) -> String {
    let (variable, kind) = (&access.access.variable, access.access.op);
    let is_same = |other: &&&AnalyzedAccess| other.access.variable == *variable && other.access.op == kind;
    let same = line.accesses.iter().filter(is_same).count();
    let what = op(kind);
    let space = match access.access.space {
        Space::Storage => "storage",
        Space::Uniform => "uniform",
        Space::Workgroup => "workgroup",
    };
    if same > 1 {
        format!("{what} of {space} `{variable}` (column {})", access.access.at.column)
    } else {
        format!("{what} of {space} `{variable}`")
    }
}

fn op(op: AccessOp) -> &'static str {
    match op {
        AccessOp::Load => "load",
        AccessOp::Store => "store",
        AccessOp::Atomic => "atomic",
    }
}

/// A figure without decimals where it has none.
fn short(figure: f64) -> String {
    if figure.fract() == 0.0 { format!("{figure}") } else { format!("{figure:.1}") }
}

fn warnings(analysis: &Analysis, source: &Source, text: &mut String) -> std::fmt::Result {
    for warning in &analysis.warnings {
        writeln!(text, "\nnote: {}", warning.message)?;
        if let Some(at) = warning.at.as_ref().filter(|at| at.line > 0) {
            let gutter = excerpt::gutter(at.line);
            writeln!(text, "{:gutter$}--> {}:{}:{}", "", analysis.file, at.line, at.column)?;
            write!(text, "{}", excerpt::lines(source, at.line, &[(at.column, 1, String::new())]))?;
        }
    }
    Ok(())
}

/// The two bounds on the traffic of each buffer.
fn buffers(analysis: &Analysis, text: &mut String) -> std::fmt::Result {
    let touched: Vec<_> = analysis.buffers.iter().filter(|buffer| buffer.sectors > 0).collect();
    if touched.is_empty() {
        return Ok(());
    }
    writeln!(
        text,
        "\nsectors of each buffer, over all requests and with caches that are perfect within a workgroup:"
    )?;
    let width = touched.iter().map(|buffer| buffer.variable.chars().count()).max().unwrap_or(0);
    for buffer in touched {
        let share = units::percent(buffer.distinct_sectors as f64 / buffer.sectors as f64);
        writeln!(
            text,
            "  {:width$}  {:>10} requested  {:>10} distinct ({share})",
            buffer.variable, buffer.sectors, buffer.distinct_sectors
        )?;
    }
    Ok(())
}

fn assumptions(analysis: &Analysis, text: &mut String) -> std::fmt::Result {
    let all: BTreeSet<_> = analysis.accesses.iter().flat_map(|access| &access.assumed).collect();
    if all.is_empty() {
        return Ok(());
    }
    writeln!(text, "\nassumed where it matters:")?;
    for assumption in all {
        writeln!(text, "  {} {}; set it with {}", assumption.name, assumption.assumed, assumption.flag)?;
    }
    Ok(())
}

fn verdict(analysis: &Analysis, text: &mut String) -> std::fmt::Result {
    let bytes: u64 = analysis.accesses.iter().map(|access| access.wasted_bytes(&analysis.machine)).sum();
    let fetched: u64 = analysis.accesses.iter().map(|access| access.counts.fetched_bytes).sum();
    let passes: u64 = analysis.accesses.iter().map(AnalyzedAccess::wasted_passes).sum();
    let all: u64 = analysis.accesses.iter().map(|access| access.counts.passes).sum();
    let accesses = analysis.accesses.len();
    let silent = analysis.accesses.iter().filter(|access| !access.executed()).count();
    writeln!(
        text,
        "\n{accesses} access{}{}: {} of {} fetched in vain, {passes} of {all} passes lost to conflicts",
        if accesses == 1 { "" } else { "es" },
        if silent > 0 { format!(", {silent} never executed") } else { String::new() },
        units::bytes(bytes),
        units::bytes(fetched),
    )
}
