//! The report as one HTML page that needs nothing but itself: no network, no other file, and to be read no
//! script either. It is well-formed XML too, so that any XML reader can check or search it.
//!
//! What is shown or hidden is decided by CSS from the controls (`:has`); the script only sorts and filters
//! tables and moves a tip over the charts. Its text is `page.js`, the look `style.css`, the parts
//! `*.html`.

mod anchors;
mod pictures;
mod prose;
#[cfg(test)]
mod tests;

use askama::Template;
use rayon::prelude::*;

use super::charts::{self, Figure};
use super::summary::Fact;
use super::table::{Cell, Column, Line, Missing, PatternSummary};
use super::{Report, ReportError, Summary, Topic};
use anchors::Anchors;
use prose::{Place, Remark};

/// The report as a page.
///
/// # Errors
/// When a chart can't be drawn.
pub fn render(report: &Report) -> Result<String, ReportError> {
    let anchors = Anchors::new(report);
    let devices: Vec<Device<'_>> = report
        .runs
        .iter()
        .enumerate()
        .map(|(index, summary)| Device::new(index, summary, &anchors))
        .collect();
    let topics: Vec<TopicView<'_>> = report
        .patterns
        .par_iter()
        .enumerate()
        .map(|(index, topic)| topic_view(&anchors, &devices, index, topic))
        .collect::<Result<_, _>>()?;
    let page = Page {
        report,
        devices: &devices,
        topics: &topics,
        version: env!("CARGO_PKG_VERSION"),
        style: include_str!("style.css"),
        script: include_str!("page.js"),
    };
    page.render().map_err(|error| ReportError::Render(error.to_string()))
}

#[derive(Template)]
#[template(path = "page.html")]
struct Page<'a> {
    report: &'a Report,
    devices: &'a [Device<'a>],
    topics: &'a [TopicView<'a>],
    version: &'a str,
    style: &'a str,
    script: &'a str,
}

/// A run with its place in the page.
struct Device<'a> {
    /// Also the layer of its marks in charts over the devices.
    id: String,
    index: usize,
    /// The number of its colour, the one that it has in charts over the devices.
    colour: usize,
    summary: &'a Summary,
    headlines: Vec<Remark>,
    advice: Vec<Remark>,
    findings: Vec<Remark>,
    anchors: &'a Anchors,
}

/// A pattern with its charts drawn.
struct TopicView<'a> {
    id: String,
    topic: &'a Topic,
    picture: Option<PictureView>,
    comparison: Vec<Chart>,
    blocks: Vec<Block<'a>>,
}

/// A picture as the page shows it.
struct PictureView {
    title: String,
    svg: String,
}

/// A chart as the page shows it.
struct Chart {
    /// `fraction` or `absolute` in a comparison.
    class: &'static str,
    is_bars: bool,
    caption: String,
    label: String,
    svg: String,
}

/// What one run has of a pattern.
struct Block<'a> {
    device: &'a Device<'a>,
    pattern: &'a PatternSummary,
    charts: Vec<Chart>,
    rows: Vec<Row<'a>>,
    missing: Vec<(&'a str, &'a Missing)>,
}

/// A row of the table of cases.
struct Row<'a> {
    anchor: &'a str,
    line: &'a Line,
    columns: &'a [Column],
}

impl<'a> Device<'a> {
    fn new(index: usize, summary: &'a Summary, anchors: &'a Anchors) -> Device<'a> {
        let place = Place { anchors, run: index };
        Device {
            id: anchors::device(index),
            index,
            colour: charts::colour_class(index),
            summary,
            headlines: summary.headlines.iter().map(|headline| place.headline(headline)).collect(),
            advice: summary.advice.iter().map(|advice| place.advice(advice)).collect(),
            findings: summary.findings.iter().map(|finding| place.finding(finding)).collect(),
            anchors,
        }
    }

    fn has_remarks(&self) -> bool {
        !self.advice.is_empty() || !self.findings.is_empty()
    }

    /// Where the case of a fact stands.
    fn anchor(&self, fact: &Fact) -> Option<&str> {
        self.anchors.of(self.index, fact.case.as_deref()?)
    }

    fn checks_in_short(&self) -> String {
        let count = |passed| self.summary.checks.iter().filter(|check| check.passed == Some(passed)).count();
        match count(false) {
            0 => format!("{} passed", count(true)),
            failed => format!("{} passed, {failed} failed", count(true)),
        }
    }
}

impl Row<'_> {
    fn cells(&self) -> impl Iterator<Item = (&Cell, &Column)> {
        self.line.cells.iter().zip(self.columns)
    }
}

impl Block<'_> {
    /// The columns beside the case.
    fn span(&self) -> usize {
        self.pattern.columns.len().saturating_sub(1).max(1)
    }
}

fn topic_view<'a>(
    anchors: &'a Anchors,
    devices: &'a [Device<'a>],
    index: usize,
    topic: &'a Topic,
) -> Result<TopicView<'a>, ReportError> {
    let compared = topic.comparison.iter().flatten().zip(["fraction", "absolute"]);
    let comparison = compared.map(|(figure, class)| {
        let link = |layer: Option<&str>, case: &str| {
            Some(format!("#{}", anchors.of(layer?.strip_prefix('d')?.parse().ok()?, case)?))
        };
        chart(figure, class, &format!("c{index}-{class}"), "all devices", &link)
    });
    let comparison = comparison.collect::<Result<_, _>>()?;
    let blocks: Vec<Block<'a>> = devices
        .par_iter()
        .filter_map(|device| {
            let pattern = device.summary.patterns.iter().find(|pattern| pattern.name == topic.name)?;
            Some(block(anchors, device, index, pattern))
        })
        .collect::<Result<_, _>>()?;
    let picture = pictures::of(&topic.name)
        .map(|picture| PictureView { svg: picture.svg(&format!("picture-{index}")), title: picture.title });
    Ok(TopicView { id: anchors::topic(index, &topic.name), topic, picture, comparison, blocks })
}

fn block<'a>(
    anchors: &'a Anchors,
    device: &'a Device<'a>,
    topic: usize,
    pattern: &'a PatternSummary,
) -> Result<Block<'a>, ReportError> {
    let anchor = |case: &str| anchors.of(device.index, case);
    let link = |_: Option<&str>, case: &str| Some(format!("#{}", anchor(case)?));
    let charts = pattern.figures.iter().enumerate().map(|(index, figure)| {
        let id = format!("{}-c{topic}-{index}", device.id);
        chart(figure, "", &id, &device.summary.name, &link)
    });
    Ok(Block {
        device,
        pattern,
        charts: charts.collect::<Result<_, _>>()?,
        rows: pattern
            .lines
            .iter()
            .zip(anchors.lines(device.index, &pattern.name))
            .map(|(line, anchor)| Row { anchor, line, columns: &pattern.columns })
            .collect(),
        missing: anchors.missing(device.index, &pattern.name).zip(&pattern.missing).collect(),
    })
}

fn chart(
    figure: &Figure,
    class: &'static str,
    id: &str,
    on: &str,
    link: &dyn Fn(Option<&str>, &str) -> Option<String>,
) -> Result<Chart, ReportError> {
    Ok(Chart {
        class,
        is_bars: matches!(figure, Figure::Bars(_)),
        caption: figure.caption(),
        label: format!(
            "Chart on {on}: {}. Arrow keys move through its points, Enter leads to the table.",
            figure.caption()
        ),
        svg: charts::svg(figure, id, link)?,
    })
}
