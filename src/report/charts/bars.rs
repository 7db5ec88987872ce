//! The layout of grouped bars. They lie: names of any length then stand beside their bar, in full, and
//! never on one another.

use super::figure::{Bar, Bars, Figure};
use super::font::{shortened, wrapped};
use super::layout::{Canvas, LABEL, MARGIN, TICK, foot, foot_height, foot_lines, head, head_height, widest};
use super::scale::{Scale, label_extent, linear_ticks, nice_end, thinned};
use super::scene::{Anchor, Bounds, Scene, Shape};
use super::style::{GRID, INK, MUTED, PAPER, style};

/// Height of a bar.
const BAR: f64 = 20.0;
/// Space between the bars of a group.
const GAP: f64 = 4.0;
/// Space between groups.
const GROUP_GAP: f64 = 14.0;

/// Width at which the name of a group goes on in another line.
const GROUP_WIDTH: f64 = 220.0;

/// Height of a group's name above its bars.
const HEADING: f64 = 26.0;
/// Below this width the name of a group stands above its bars.
const STACKED_BELOW: f64 = 800.0;

/// A group as it is drawn.
struct Group<'a> {
    /// Its name above the bars.
    heading: Option<String>,
    /// Its name at the left of the bars, in lines.
    lines: Vec<String>,
    bars: Vec<(String, &'a Bar)>,
}

impl<'a> Group<'a> {
    fn new((name, bars): &'a (String, Vec<Bar>), width: f64) -> Group<'a> {
        let limit = name_limit(width);
        let named = |name: &str, bar: &'a Bar| (shortened(name, LABEL, limit), bar);
        let own = || bars.iter().map(|bar| named(&bar.name, bar)).collect();
        if width >= STACKED_BELOW {
            return Group { heading: None, lines: name_lines(name, bars.len(), limit), bars: own() };
        }
        // A bar alone in its group takes the group's name.
        match &bars[..] {
            [only] if only.name.is_empty() => {
                Group { heading: None, lines: Vec::new(), bars: vec![named(name, only)] }
            }
            _ => {
                let heading = shortened(name, LABEL, width - 2.0 * MARGIN);
                Group { heading: Some(heading), lines: Vec::new(), bars: own() }
            }
        }
    }

    fn height(&self) -> f64 {
        let heading = if self.heading.is_some() { HEADING } else { 0.0 };
        heading + self.bars.len() as f64 * (BAR + GAP) - GAP + GROUP_GAP
    }
}

/// Lays out a chart.
pub(super) fn layout(figure: &Figure, chart: &Bars, canvas: Canvas) -> Scene {
    let foot_text = foot_lines(figure, canvas);
    let groups: Vec<Group<'_>> = chart.groups.iter().map(|group| Group::new(group, canvas.width)).collect();
    let body: f64 = groups.iter().map(Group::height).sum();
    let axis_height = TICK + LABEL + 34.0;
    let height =
        head_height(&chart.frame, canvas) + LABEL + body + axis_height + foot_height(&foot_text) + MARGIN;
    let mut scene =
        Scene::new(canvas.width as u32, height.ceil() as u32, &chart.frame.title, &chart.frame.description);
    let top = head(&mut scene, &chart.frame, canvas);
    let name_limit = name_limit(canvas.width);

    let group_names =
        widest(groups.iter().flat_map(|group| &group.lines).map(String::as_str), LABEL, name_limit);
    let bar_names =
        widest(groups.iter().flat_map(|group| &group.bars).map(|bar| bar.0.as_str()), LABEL, name_limit);
    let bars = || chart.groups.iter().flat_map(|(_, bars)| bars);
    let value_texts: Vec<String> = bars().map(|bar| value_text(chart, bar)).collect();
    let value_room = widest(value_texts.iter().map(String::as_str), LABEL, 300.0) + 20.0;
    let name_gap = if bar_names > 0.0 && group_names > 0.0 { 16.0 } else { 0.0 };
    let plot = Bounds {
        left: MARGIN + group_names + name_gap + bar_names + 12.0,
        top: top + if chart.roof.is_some() { LABEL } else { 0.0 },
        right: canvas.width - MARGIN - value_room,
        bottom: top + if chart.roof.is_some() { LABEL } else { 0.0 } + body,
    };
    let end = nice_end(extent(chart));
    let scale = Scale { values: (0.0, end), pixels: (plot.left, plot.right), log: false };
    axis(&mut scene, chart, &plot, &scale, end);

    let mut y = plot.top + GROUP_GAP / 2.0;
    for group in &groups {
        if let Some(heading) = &group.heading {
            scene.text((MARGIN, y + LABEL / 2.0), heading, LABEL, INK, Anchor::Start);
            y += HEADING;
        }
        let middle = y + (group.bars.len() as f64 * (BAR + GAP) - GAP) / 2.0;
        let first = middle - (group.lines.len() as f64 - 1.0) / 2.0 * (BAR + GAP);
        for (index, line) in group.lines.iter().enumerate() {
            let at = (MARGIN + group_names, first + index as f64 * (BAR + GAP));
            scene.text(at, line, LABEL, INK, Anchor::End);
        }
        for (name, bar) in &group.bars {
            scene.enter_layer(bar.layer.as_deref());
            draw_bar(&mut scene, chart, (name, bar), &plot, &scale, y);
            scene.enter_layer(None);
            y += BAR + GAP;
        }
        y += GROUP_GAP - GAP;
    }
    foot(&mut scene, &foot_text);
    scene
}

/// The widest name of a group, and of a bar.
fn name_limit(width: f64) -> f64 {
    width / 3.0
}

/// The name of a group in as many lines as it has bars at most.
fn name_lines(name: &str, bars: usize, limit: f64) -> Vec<String> {
    let lines = wrapped(name, LABEL, GROUP_WIDTH);
    if lines.len() <= bars { lines } else { vec![shortened(name, LABEL, limit)] }
}

fn value_text(chart: &Bars, bar: &Bar) -> String {
    chart.value.unit.value(bar.measured.value)
}

/// The longest thing along the axis.
fn extent(chart: &Bars) -> f64 {
    let bars = chart.groups.iter().flat_map(|(_, bars)| bars).map(|bar| &bar.measured);
    bars.flat_map(|m| [Some(m.value), m.predicted, m.perfect_cache, m.interval.map(|(_, high)| high)])
        .chain(chart.roof.iter().map(|(_, roof)| Some(*roof)))
        .flatten()
        .filter(|value| value.is_finite())
        .fold(0.0, f64::max)
}

fn axis(scene: &mut Scene, chart: &Bars, plot: &Bounds, scale: &Scale, end: f64) {
    for tick in thinned(&linear_ticks(end), scale, label_extent(chart.value.unit, TICK)) {
        let at = scale.at(tick);
        scene.line(&[(at, plot.top), (at, plot.bottom)], GRID, 1);
        let text = chart.value.unit.tick(tick);
        scene.text((at, plot.bottom + 8.0 + TICK / 2.0), &text, TICK, INK, Anchor::Middle);
    }
    scene.line(&[(plot.left, plot.top), (plot.left, plot.bottom), (plot.right, plot.bottom)], INK, 2);
    let label = shortened(&chart.value.label, LABEL, f64::from(scene.width) - plot.left - MARGIN);
    scene.text((plot.left, plot.bottom + TICK + 16.0 + LABEL / 2.0), &label, LABEL, INK, Anchor::Start);
    if let Some((name, roof)) = &chart.roof {
        let at = scale.at(*roof);
        scene.dashed(&[(at, plot.top - 6.0), (at, plot.bottom)], MUTED, 2, (12.0, 4.0));
        let name = shortened(name, LABEL, at - MARGIN);
        scene.text((at, plot.top - 6.0 - LABEL / 2.0), &name, LABEL, MUTED, Anchor::End);
    }
}

fn draw_bar(
    scene: &mut Scene,
    chart: &Bars,
    (name, bar): (&str, &Bar),
    plot: &Bounds,
    scale: &Scale,
    top: f64,
) {
    let (look, measured) = (style(bar.style), &bar.measured);
    let (middle, bottom) = (top + BAR / 2.0, top + BAR);
    let end = scale.at(measured.value).max(plot.left + 1.0);
    if !name.is_empty() {
        scene.text((plot.left - 12.0, middle), name, LABEL, MUTED, Anchor::End);
    }
    scene.push(Shape::Rect {
        bounds: Bounds { left: plot.left + 1.0, top, right: end, bottom },
        fill: Some(if measured.issue_bound { PAPER } else { look.colour }),
        stroke: measured.issue_bound.then_some(look.colour),
        hatch: None,
    });
    if let Some((low, high)) = measured.interval {
        let (low, high) = (scale.at(low), scale.at(high));
        scene.line(&[(low, middle), (high, middle)], INK, 1);
        for end in [low, high] {
            scene.line(&[(end, middle - 5.0), (end, middle + 5.0)], INK, 1);
        }
    }
    if let Some(predicted) = measured.predicted {
        let at = scale.at(predicted);
        scene.line(&[(at, top - 2.0), (at, bottom + 2.0)], INK, 3);
    }
    if let Some(bound) = measured.perfect_cache {
        let at = scale.at(bound);
        scene.dashed(&[(at, top - 2.0), (at, bottom + 2.0)], INK, 2, (3.0, 3.0));
    }
    // In a column of its own: beside the bar it could be read as the figure of a predicted stroke.
    let edge = f64::from(scene.width) - MARGIN;
    scene.text((edge, middle), &value_text(chart, bar), LABEL, INK, Anchor::End);
    let bounds = Bounds { left: plot.left, top, right: edge, bottom };
    scene.hotspot(bounds, &measured.tip, Some(&measured.case));
}
