//! The legend of curves: a sample of each look, and beside it what it stands for.

use super::figure::Curves;
use super::font::wrapped_within;
use super::layout::{LABEL, widest};
use super::scene::{Anchor, Scene, Shape};
use super::style::{INK, MUTED, Marker, Style, style};

/// Height of a line of an entry.
const LINE: f64 = 24.0;
/// Space between entries.
const GAP: f64 = 4.0;
/// Length of the sample in an entry.
const SAMPLE: f64 = 44.0;
/// Where a name goes on in another line.
const NAME_WIDTH: f64 = 270.0;
/// The most lines of a name.
const NAME_LINES: usize = 2;
/// The name of the points beside the lines.
const APART: &str = "in between";

/// What an entry explains.
#[derive(Clone, Copy, Debug)]
enum Sample {
    /// A curve and its points.
    Curve(Style),
    /// A point beside the lines, of any curve.
    Apart,
    /// The roof.
    Roof,
}

/// An entry of the legend.
struct Entry<'a> {
    sample: Sample,
    lines: Vec<String>,
    layer: Option<&'a str>,
}

/// The legend of a chart.
pub(super) struct Legend<'a> {
    entries: Vec<Entry<'a>>,
}

impl<'a> Legend<'a> {
    pub(super) fn new(chart: &'a Curves) -> Legend<'a> {
        let entry = |sample, name: &str, layer| {
            let lines = wrapped_within(name, LABEL, NAME_WIDTH, NAME_LINES);
            Entry { sample, lines, layer }
        };
        let curves = chart.curves.iter();
        let curves =
            curves.map(|curve| entry(Sample::Curve(style(curve.style)), &curve.name, curve.layer.as_deref()));
        let apart = chart.has_points_apart().then(|| entry(Sample::Apart, APART, None));
        let roof = chart.roof.iter().map(|(name, _)| entry(Sample::Roof, name, None));
        Legend { entries: curves.chain(apart).chain(roof).collect() }
    }

    pub(super) fn width(&self) -> f64 {
        let lines = self.entries.iter().flat_map(|entry| &entry.lines);
        SAMPLE + 10.0 + widest(lines.map(String::as_str), LABEL, NAME_WIDTH)
    }

    pub(super) fn height(&self) -> f64 {
        self.entries.iter().map(Entry::height).sum()
    }

    pub(super) fn draw(&self, scene: &mut Scene, left: f64, top: f64) {
        let mut y = top;
        for entry in &self.entries {
            scene.enter_layer(entry.layer);
            entry.draw(scene, left, y);
            y += entry.height();
        }
        scene.enter_layer(None);
    }
}

impl Entry<'_> {
    fn height(&self) -> f64 {
        self.lines.len() as f64 * LINE + GAP
    }

    /// Draws the entry, the sample beside its first line.
    fn draw(&self, scene: &mut Scene, left: f64, top: f64) {
        let first = top + (LINE + GAP) / 2.0;
        let (at, ends) = ((left + SAMPLE / 2.0, first), [(left, first), (left + SAMPLE, first)]);
        let mark = |marker, radius, colour| Shape::Mark { at, marker, radius, colour, hollow: false };
        match self.sample {
            Sample::Curve(look) => {
                scene.line(&ends, look.colour, 2);
                scene.push(mark(look.marker, Style::RADIUS, look.colour));
            }
            Sample::Apart => scene.push(mark(Marker::Circle, Style::RADIUS_APART, MUTED)),
            Sample::Roof => scene.dashed(&ends, MUTED, 2, Style::ROOF),
        }
        for (index, line) in self.lines.iter().enumerate() {
            let place = (left + SAMPLE + 10.0, first + index as f64 * LINE);
            scene.text(place, line, LABEL, INK, Anchor::Start);
        }
    }
}
