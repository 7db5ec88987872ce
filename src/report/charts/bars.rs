//! The layout of grouped bars. They lie: names of any length then stand beside their bar, in full, and
//! never on one another.

use super::figure::{Bar, Bars, Figure};
use super::font::{shortened, width, wrapped};
use super::layout::{Canvas, LABEL, MARGIN, TICK, foot, foot_height, foot_lines, head, head_height, widest};
use super::scale::{Scale, label_extent, linear_ticks, nice_end, thinned};
use super::scene::{Anchor, Bounds, Scene, Shape};
use super::style::{GRID, INK, MUTED, PAPER, Style, style};

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

/// Height of a bar's name above it.
const NAME: f64 = 24.0;

/// Where the names of bars stand.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Names {
    /// At their left, cut at a width.
    Left(f64),
    /// Above them, where there is no room for them at the left.
    Above,
}

impl Names {
    fn of(chart: &Bars, width: f64) -> Names {
        if width >= STACKED_BELOW {
            return Names::Left(width / 3.0);
        }
        let limits = [width / 3.0, width * 0.45].into_iter();
        let whole = |names: &Names| {
            let mut bars = chart.groups.iter().flat_map(|(_, bars)| bars);
            bars.all(|bar| names.cut(&bar.name, 0.0) == bar.name)
        };
        limits.map(Names::Left).find(whole).unwrap_or(Names::Above)
    }

    /// A name as it is shown; `room` is the width above a bar.
    fn cut(self, name: &str, room: f64) -> String {
        match self {
            Names::Left(limit) => shortened(name, LABEL, limit),
            Names::Above => shortened(name, LABEL, room),
        }
    }

    /// From one bar to the next.
    fn pitch(self) -> f64 {
        match self {
            Names::Left(_) => BAR + GAP,
            Names::Above => NAME + BAR + 2.0 * GAP,
        }
    }
}

/// A group as it is drawn.
struct Group<'a> {
    /// Its name above the bars.
    heading: Option<String>,
    /// Its name at the left of the bars, in lines.
    lines: Vec<String>,
    bars: Vec<(String, &'a Bar)>,
    height: f64,
}

impl<'a> Group<'a> {
    fn new((name, bars): &'a (String, Vec<Bar>), width: f64, names: Names) -> Group<'a> {
        let room = width - 2.0 * MARGIN;
        let own = || bars.iter().map(|bar| (names.cut(&bar.name, room), bar)).collect();
        // A bar alone in its group takes the group's name where that would stand above it.
        let (heading, lines, own) = match &bars[..] {
            _ if width >= STACKED_BELOW => (None, name_lines(name, bars.len(), width / 3.0), own()),
            [only] if only.name.is_empty() => (None, Vec::new(), vec![(names.cut(name, room), only)]),
            _ => (Some(shortened(name, LABEL, room)), Vec::new(), own()),
        };
        let height = heading.as_ref().map_or(0.0, |_| HEADING) + bars.len() as f64 * names.pitch() - GAP;
        Group { heading, lines, bars: own, height: height + GROUP_GAP }
    }

    fn draw(&self, scene: &mut Scene, at: &Place<'_>, group_names: f64, top: f64) {
        let mut y = top;
        if let Some(heading) = &self.heading {
            at.paper(scene, heading, y);
            scene.text((MARGIN, y + LABEL / 2.0), heading, LABEL, INK, Anchor::Start);
            y += HEADING;
        }
        let middle = y + (self.bars.len() as f64 * at.names.pitch() - GAP) / 2.0;
        let first = middle - (self.lines.len() as f64 - 1.0) / 2.0 * (BAR + GAP);
        for (index, line) in self.lines.iter().enumerate() {
            let left = (MARGIN + group_names, first + index as f64 * (BAR + GAP));
            scene.text(left, line, LABEL, INK, Anchor::End);
        }
        for (name, bar) in &self.bars {
            scene.enter_layer(bar.layer.as_deref());
            match at.names {
                Names::Left(_) => {
                    let place = (at.plot.left - 12.0, y + BAR / 2.0);
                    if !name.is_empty() {
                        scene.text(place, name, LABEL, MUTED, Anchor::End);
                    }
                    draw_bar(scene, at, bar, y);
                }
                Names::Above => {
                    at.paper(scene, name, y - 2.0);
                    scene.text((MARGIN, y + LABEL / 2.0), name, LABEL, MUTED, Anchor::Start);
                    draw_bar(scene, at, bar, y + NAME);
                }
            }
            scene.enter_layer(None);
            y += at.names.pitch();
        }
    }
}

/// Where bars are drawn.
struct Place<'a> {
    chart: &'a Bars,
    names: Names,
    plot: &'a Bounds,
    scale: &'a Scale,
}

impl Place<'_> {
    /// Ground behind a name that stands in the plot, so that no axis crosses it.
    fn paper(&self, scene: &mut Scene, name: &str, top: f64) {
        let right = MARGIN + width(name, LABEL) + 4.0;
        if right > self.plot.left {
            scene.push(Shape::Rect {
                bounds: Bounds { left: MARGIN - 4.0, top: top - 2.0, right, bottom: top + HEADING },
                fill: Some(PAPER),
                stroke: None,
                hatch: None,
            });
        }
    }
}

/// Lays out a chart.
pub(super) fn layout(figure: &Figure, chart: &Bars, canvas: Canvas) -> Scene {
    let foot_text = foot_lines(figure, canvas);
    let names = Names::of(chart, canvas.width);
    let groups: Vec<Group<'_>> =
        chart.groups.iter().map(|group| Group::new(group, canvas.width, names)).collect();
    let body: f64 = groups.iter().map(|group| group.height).sum();
    let axis_height = TICK + LABEL + 34.0;
    let height =
        head_height(&chart.frame, canvas) + LABEL + body + axis_height + foot_height(&foot_text) + MARGIN;
    let mut scene =
        Scene::new(canvas.width as u32, height.ceil() as u32, &chart.frame.title, &chart.frame.description);
    let top = head(&mut scene, &chart.frame, canvas);

    let (group_limit, bar_limit) = match names {
        Names::Left(limit) => (canvas.width / 3.0, limit),
        Names::Above => (0.0, 0.0),
    };
    let group_names =
        widest(groups.iter().flat_map(|group| &group.lines).map(String::as_str), LABEL, group_limit);
    let bar_names =
        widest(groups.iter().flat_map(|group| &group.bars).map(|bar| bar.0.as_str()), LABEL, bar_limit);
    let bars = || chart.groups.iter().flat_map(|(_, bars)| bars);
    let value_texts: Vec<String> = bars().map(|bar| value_text(chart, bar)).collect();
    let value_room = widest(value_texts.iter().map(String::as_str), LABEL, 300.0) + 20.0;
    let name_gap = if bar_names > 0.0 && group_names > 0.0 { 16.0 } else { 0.0 };
    let plot = Bounds {
        left: MARGIN + group_names + name_gap + bar_names + if bar_limit > 0.0 { 12.0 } else { 0.0 },
        top: top + if chart.roof.is_some() { LABEL } else { 0.0 },
        right: canvas.width - MARGIN - value_room,
        bottom: top + if chart.roof.is_some() { LABEL } else { 0.0 } + body,
    };
    let end = nice_end(extent(chart));
    let scale = Scale { values: (0.0, end), pixels: (plot.left, plot.right), log: false };
    axis(&mut scene, chart, &plot, &scale, end);

    let place = Place { chart, names, plot: &plot, scale: &scale };
    let mut y = plot.top + GROUP_GAP / 2.0;
    for group in &groups {
        group.draw(&mut scene, &place, group_names, y);
        y += group.height;
    }
    foot(&mut scene, &foot_text);
    scene
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
        scene.dashed(&[(at, plot.top - 6.0), (at, plot.bottom)], MUTED, 2, Style::ROOF);
        let name = shortened(name, LABEL, at - MARGIN);
        scene.text((at, plot.top - 6.0 - LABEL / 2.0), &name, LABEL, MUTED, Anchor::End);
    }
}

fn draw_bar(scene: &mut Scene, place: &Place<'_>, bar: &Bar, top: f64) {
    let Place { chart, plot, scale, .. } = place;
    let (look, measured) = (style(bar.style), &bar.measured);
    let (middle, bottom) = (top + BAR / 2.0, top + BAR);
    let end = scale.at(measured.value).max(plot.left + 1.0);
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
