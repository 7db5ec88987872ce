//! The layout of ratios: a dot with its interval for each case, around a line at 1. The axis is logarithmic, so
//! that twice as slow lies as far from the line as twice as fast.

use super::figure::{Bar, Figure, Ratios};
use super::font::shortened;
use super::layout::{Canvas, LABEL, MARGIN, TICK, foot, foot_height, foot_lines, head, head_height, widest};
use super::scale::{Scale, Unit, label_extent};
use super::scene::{Anchor, Bounds, Scene, Shape};
use super::style::{GRID, INK, style};

/// Height of a row.
const ROW: f64 = 26.0;
/// The widest name.
const NAME_LIMIT: f64 = 430.0;
/// Half the size of a dot.
const RADIUS: f64 = 5.0;
/// The axis reaches at least this far to either side.
const LEAST_REACH: f64 = 1.1;
/// And at most this far; what lies beyond is drawn at the end.
const MOST_REACH: f64 = 100.0;
/// Ticks, those that matter most first; one that has no room is left out.
const TICKS: [f64; 21] = [
    1.0, 1.1, 0.9, 1.25, 0.8, 1.5, 0.67, 2.0, 0.5, 1.05, 0.95, 4.0, 0.25, 10.0, 0.1, 30.0, 0.03, 100.0, 0.01,
    1.03, 0.97,
];

/// Lays out a chart.
pub(super) fn layout(figure: &Figure, chart: &Ratios, canvas: Canvas) -> Scene {
    let foot_text = foot_lines(figure, canvas);
    let body = chart.rows.len() as f64 * ROW;
    let height = head_height(&chart.frame, canvas)
        + LABEL
        + body
        + TICK
        + LABEL
        + 34.0
        + foot_height(&foot_text)
        + MARGIN;
    let mut scene =
        Scene::new(canvas.width as u32, height.ceil() as u32, &chart.frame.title, &chart.frame.description);
    let top = head(&mut scene, &chart.frame, canvas);

    let names = widest(chart.rows.iter().map(|row| row.name.as_str()), LABEL, NAME_LIMIT);
    let texts: Vec<String> = chart.rows.iter().map(value_text).collect();
    let text_room = widest(texts.iter().map(String::as_str), LABEL, 300.0) + 20.0;
    let plot = Bounds {
        left: MARGIN + names + 12.0,
        top,
        right: canvas.width - MARGIN - text_room,
        bottom: top + body,
    };
    let reach = reach(chart);
    let scale = Scale {
        values: (reach.recip(), reach),
        pixels: (plot.left + RADIUS, plot.right - RADIUS),
        log: true,
    };
    axis(&mut scene, chart, &plot, &scale, reach);
    for (index, (row, text)) in chart.rows.iter().zip(&texts).enumerate() {
        let middle = plot.top + (index as f64 + 0.5) * ROW;
        scene.enter_layer(row.layer.as_deref());
        draw_row(&mut scene, row, text, &plot, &scale, middle);
        scene.enter_layer(None);
    }
    foot(&mut scene, &foot_text);
    scene
}

/// How far the axis reaches to either side of 1, as a ratio.
fn reach(chart: &Ratios) -> f64 {
    let all = chart.rows.iter().map(|row| &row.measured);
    all.flat_map(|m| [Some(m.value), m.interval.map(|(low, _)| low), m.interval.map(|(_, high)| high)])
        .flatten()
        .filter(|ratio| ratio.is_finite() && *ratio > 0.0)
        .map(|ratio| ratio.max(ratio.recip()))
        .fold(LEAST_REACH, f64::max)
        .min(MOST_REACH)
}

fn value_text(row: &Bar) -> String {
    let layer = row.layer.as_deref().unwrap_or_default();
    format!("{} {layer}", Unit::Ratio.value(row.measured.value))
}

fn axis(scene: &mut Scene, chart: &Ratios, plot: &Bounds, scale: &Scale, reach: f64) {
    let band = (scale.at((1.0 + chart.threshold).recip()), scale.at(1.0 + chart.threshold));
    scene.push(Shape::Rect {
        bounds: Bounds { left: band.0, top: plot.top, right: band.1, bottom: plot.bottom },
        fill: Some(GRID),
        stroke: None,
        hatch: None,
    });
    let extent = label_extent(Unit::Ratio, TICK);
    let mut placed: Vec<f64> = Vec::new();
    for tick in TICKS.into_iter().filter(|tick| tick.max(tick.recip()) <= reach * 1.001) {
        let at = scale.at(tick);
        let touches = |other: &f64| (at - scale.at(*other)).abs() < (extent(tick) + extent(*other)) / 2.0;
        if placed.iter().any(touches) {
            continue;
        }
        placed.push(tick);
        let (colour, width) = if tick == 1.0 { (INK, 2) } else { (GRID, 1) };
        scene.line(&[(at, plot.top), (at, plot.bottom)], colour, width);
        let text = Unit::Ratio.tick(tick);
        scene.text((at, plot.bottom + 8.0 + TICK / 2.0), &text, TICK, INK, Anchor::Middle);
    }
    scene.line(&[(plot.left, plot.bottom), (plot.right, plot.bottom)], INK, 2);
    let label = shortened(&chart.value.label, LABEL, f64::from(scene.width) - plot.left - MARGIN);
    scene.text((plot.left, plot.bottom + TICK + 16.0 + LABEL / 2.0), &label, LABEL, INK, Anchor::Start);
}

fn draw_row(scene: &mut Scene, row: &Bar, text: &str, plot: &Bounds, scale: &Scale, middle: f64) {
    let (look, measured) = (style(row.style), &row.measured);
    let at = |ratio: f64| scale.at(ratio.clamp(scale.values.0, scale.values.1));
    let name = shortened(&row.name, LABEL, NAME_LIMIT);
    scene.text((plot.left - 12.0, middle), &name, LABEL, INK, Anchor::End);
    if let Some((low, high)) = measured.interval {
        let (low, high) = (at(low), at(high));
        scene.line(&[(low, middle), (high, middle)], look.colour, 2);
        for end in [low, high] {
            scene.line(&[(end, middle - 5.0), (end, middle + 5.0)], look.colour, 2);
        }
    }
    scene.push(Shape::Mark {
        at: (at(measured.value), middle),
        marker: look.marker,
        radius: RADIUS,
        colour: look.colour,
        hollow: false,
    });
    let edge = f64::from(scene.width) - MARGIN;
    scene.text((edge, middle), text, LABEL, INK, Anchor::End);
    let bounds = Bounds { left: plot.left, top: middle - ROW / 2.0, right: edge, bottom: middle + ROW / 2.0 };
    scene.hotspot(bounds, &measured.tip, Some(&measured.case));
}
