//! The layout of curves and steps: plot at the left, legend at its right, nothing written into the plot.

use super::figure::{Curve, Curves, Figure, Point};
use super::font::shortened;
use super::layout::{Canvas, LABEL, MARGIN, TICK, foot, foot_height, foot_lines, head, widest};
use super::legend::Legend;
use super::scale::{
    Scale, decade_ticks, decades_around, label_extent, linear_ticks, nice_end, power_ticks,
    powers_of_two_around, thinned, whole_ticks,
};
use super::scene::{Anchor, Bounds, Scene, Shape, Text};
use super::style::{Dash, GRID, INK, MUTED, Style, style};

/// Half the length of the stroke that says what is predicted for a point without a line.
const STROKE: f64 = 8.0;
/// Lines of what is predicted without caches, and for perfect ones.
const PREDICTED: Dash = (8.0, 6.0);
const PERFECT_CACHE: Dash = (2.0, 5.0);
/// Half the size of the place that reacts around a point.
const REACH: f64 = 9.0;

/// Lays out a chart.
pub(super) fn layout(figure: &Figure, chart: &Curves, canvas: Canvas) -> Scene {
    let foot_text = foot_lines(figure, canvas);
    let legend = Legend::new(chart);
    let height = canvas.height.max(150.0 + legend.height() + 80.0);
    let mut scene =
        Scene::new(canvas.width as u32, height as u32, &chart.frame.title, &chart.frame.description);
    let top = head(&mut scene, &chart.frame, canvas);

    let (y_values, y_ticks) = y_range(chart);
    let tick_texts: Vec<String> = y_ticks.iter().map(|tick| chart.y.unit.tick(*tick)).collect();
    let plot = Bounds {
        left: MARGIN + LABEL + 10.0 + widest(tick_texts.iter().map(String::as_str), TICK, 200.0) + 10.0,
        top,
        right: canvas.width - MARGIN - legend.width() - 24.0,
        bottom: height - MARGIN / 2.0 - foot_height(&foot_text) - LABEL - TICK - 24.0,
    };
    let (x_values, x_ticks) = x_range(chart);
    let x = Scale { values: x_values, pixels: (plot.left + 10.0, plot.right - 10.0), log: chart.x.log };
    let y = Scale { values: y_values, pixels: (plot.bottom, plot.top), log: chart.y.log };

    axes(&mut scene, chart, &plot, (&x, &x_ticks), (&y, &y_ticks));
    if let Some((_, roof)) = &chart.roof {
        scene.dashed(&[(plot.left, y.at(*roof)), (plot.right, y.at(*roof))], MUTED, 2, Style::ROOF);
    }
    for curve in &chart.curves {
        scene.enter_layer(curve.layer.as_deref());
        draw_curve(&mut scene, curve, chart.steps, &x, &y);
    }
    legend.draw(&mut scene, plot.right + 24.0, plot.top);
    foot(&mut scene, &foot_text);
    scene
}

/// Everything that the y axis must hold.
fn extent(chart: &Curves) -> (f64, f64) {
    let mut values: Vec<f64> = Vec::new();
    for point in chart.curves.iter().flat_map(|curve| &curve.points) {
        let measured = &point.measured;
        values.push(measured.value);
        values.extend(measured.predicted);
        values.extend(measured.perfect_cache);
        values.extend(measured.interval.into_iter().flat_map(|(low, high)| [low, high]));
    }
    values.extend(chart.roof.iter().map(|(_, roof)| *roof));
    let positive = || values.iter().copied().filter(|value| value.is_finite() && *value > 0.0);
    let (low, high) = (positive().fold(f64::INFINITY, f64::min), positive().fold(0.0, f64::max));
    if low.is_finite() { (low, high) } else { (1.0, 1.0) }
}

fn y_range(chart: &Curves) -> ((f64, f64), Vec<f64>) {
    let (low, high) = extent(chart);
    if chart.y.log {
        let ends = decades_around(low, high);
        (ends, decade_ticks(ends))
    } else {
        let end = nice_end(high);
        ((0.0, end), linear_ticks(end))
    }
}

fn x_range(chart: &Curves) -> ((f64, f64), Vec<f64>) {
    let xs = || chart.curves.iter().flat_map(|curve| &curve.points).map(|point| point.x);
    let (low, high) = (xs().fold(f64::INFINITY, f64::min), xs().fold(f64::NEG_INFINITY, f64::max));
    let (low, high) = if low.is_finite() { (low, high) } else { (1.0, 2.0) };
    if chart.x.log {
        // the first and last point keep their distance from the border; a power of two more would be empty
        let ends = powers_of_two_around(low, low.max(high / 1.05));
        let ends = (ends.0, ends.1.max(high));
        (ends, power_ticks(ends))
    } else {
        let ends = if low < high { (low, high) } else { (low, low + 1.0) };
        (ends, whole_ticks(ends))
    }
}

fn axes(scene: &mut Scene, chart: &Curves, plot: &Bounds, x: (&Scale, &[f64]), y: (&Scale, &[f64])) {
    let (x, x_ticks) = x;
    let (y, y_ticks) = y;
    for tick in thinned(y_ticks, y, |_| TICK + 6.0) {
        let at = y.at(tick);
        scene.line(&[(plot.left, at), (plot.right, at)], GRID, 1);
        scene.text((plot.left - 10.0, at), &chart.y.unit.tick(tick), TICK, INK, Anchor::End);
    }
    for tick in thinned(x_ticks, x, label_extent(chart.x.unit, TICK)) {
        let at = x.at(tick);
        scene.line(&[(at, plot.top), (at, plot.bottom)], GRID, 1);
        scene.line(&[(at, plot.bottom), (at, plot.bottom + 6.0)], INK, 1);
        let text = chart.x.unit.tick(tick);
        scene.text((at, plot.bottom + 11.0 + TICK / 2.0), &text, TICK, INK, Anchor::Middle);
    }
    scene.line(&[(plot.left, plot.top), (plot.left, plot.bottom), (plot.right, plot.bottom)], INK, 2);
    let (middle_x, middle_y) = ((plot.left + plot.right) / 2.0, (plot.top + plot.bottom) / 2.0);
    let x_label = shortened(&chart.x.label, LABEL, plot.right - plot.left);
    scene.text((middle_x, plot.bottom + TICK + 16.0 + LABEL / 2.0), &x_label, LABEL, INK, Anchor::Middle);
    scene.push(Shape::Text(Text {
        at: (MARGIN + LABEL / 2.0, middle_y),
        text: shortened(&chart.y.label, LABEL, plot.bottom - plot.top),
        size: LABEL,
        colour: INK,
        anchor: Anchor::Middle,
        upwards: true,
    }));
}

fn draw_curve(scene: &mut Scene, curve: &Curve, steps: bool, x: &Scale, y: &Scale) {
    let look = style(curve.style);
    let (lines, alone): (Vec<_>, Vec<_>) =
        curve.stretches().into_iter().partition(|stretch| stretch.len() > 1);
    let paths = |value: &dyn Fn(&Point) -> Option<f64>| -> Vec<Vec<(f64, f64)>> {
        let path = |stretch: &Vec<&Point>| {
            let known = stretch.iter().filter_map(|point| Some((x.at(point.x), y.at(value(point)?))));
            let points: Vec<(f64, f64)> = known.collect();
            if steps { stairs(&points) } else { points }
        };
        lines.iter().map(path).collect()
    };
    for path in paths(&|point| point.measured.perfect_cache) {
        scene.dashed(&path, look.colour, 2, PERFECT_CACHE);
    }
    for path in paths(&|point| point.measured.predicted) {
        scene.dashed(&path, look.colour, 2, PREDICTED);
    }
    let apart = curve.points.iter().filter(|point| !point.joined);
    for point in apart.chain(alone.into_iter().flatten()) {
        let stroke = |value: f64| [-STROKE, STROKE].map(|reach| (x.at(point.x) + reach, y.at(value)));
        if let Some(bound) = point.measured.perfect_cache.filter(|_| point.joined) {
            scene.dashed(&stroke(bound), look.colour, 2, PERFECT_CACHE);
        }
        if let Some(predicted) = point.measured.predicted {
            scene.line(&stroke(predicted), look.colour, 1);
        }
    }
    for path in paths(&|point| Some(point.measured.value)) {
        scene.line(&path, look.colour, 2);
    }
    for point in &curve.points {
        let measured = &point.measured;
        let (at_x, at_y) = (x.at(point.x), y.at(measured.value));
        if let Some((low, high)) = measured.interval {
            let (low, high) = (y.at(low), y.at(high));
            scene.line(&[(at_x, low), (at_x, high)], look.colour, 1);
            for end in [low, high] {
                scene.line(&[(at_x - 4.0, end), (at_x + 4.0, end)], look.colour, 1);
            }
        }
        scene.push(Shape::Mark {
            at: (at_x, at_y),
            marker: look.marker,
            radius: if point.joined { Style::RADIUS } else { Style::RADIUS_APART },
            colour: look.colour,
            hollow: measured.issue_bound,
        });
        let bounds =
            Bounds { left: at_x - REACH, top: at_y - REACH, right: at_x + REACH, bottom: at_y + REACH };
        scene.hotspot(bounds, &measured.tip, Some(&measured.case));
    }
}

/// A line that keeps each value until half-way to the next point.
fn stairs(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut path: Vec<(f64, f64)> = points.first().copied().into_iter().collect();
    for pair in points.windows(2) {
        let middle = (pair[0].0 + pair[1].0) / 2.0;
        path.extend([(middle, pair[0].1), (middle, pair[1].1)]);
    }
    path.extend(points.last());
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_change_half_way() {
        let path = stairs(&[(0.0, 1.0), (10.0, 2.0)]);
        assert_eq!(path, [(0.0, 1.0), (5.0, 1.0), (5.0, 2.0), (10.0, 2.0)]);
    }
}
