//! What a chart shows, before it has a size: the part that tests and screen readers can check.

use super::scale::Unit;

/// What stands around a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// File stem, unique in a run.
    pub stem: String,
    /// What is shown.
    pub title: String,
    /// What is the same for all of it and sets it apart from the pattern's other charts.
    pub caption: String,
    /// On what, and what is the same for all of it.
    pub subtitle: String,
    /// What a reader must know before believing it.
    pub caution: Option<String>,
    /// What it shows, for those who can't see it.
    pub description: String,
    /// What is left out.
    pub omitted: Option<String>,
}

/// An axis of numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What is measured along it, with its unit.
    pub label: String,
    /// What the numbers are.
    pub unit: Unit,
    /// Whether it is logarithmic.
    pub log: bool,
}

/// A measured value.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The value.
    pub value: f64,
    /// Its 95 % interval.
    pub interval: Option<(f64, f64)>,
    /// Whether memory's cost is invisible in it.
    pub issue_bound: bool,
    /// What the model predicts.
    pub predicted: Option<f64>,
    /// What the model predicts for perfect caches.
    pub perfect_cache: Option<f64>,
    /// What it says when pointed at.
    pub tip: String,
    /// Its case.
    pub case: String,
}

/// A point of a curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Where it is along x.
    pub x: f64,
    /// What was measured there.
    pub measured: Measured,
    /// Whether the line goes through it; a point beside it stands alone.
    pub joined: bool,
}

impl Point {
    /// The points of a curve. Over a logarithmic axis, the line joins the powers of two where there are
    /// several: their neighbours use other partitions of the memory and would make a zigzag of it, in which
    /// neither can be seen.
    pub fn series(mut points: Vec<(f64, Measured)>, log: bool) -> Vec<Point> {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let is_power = |x: f64| (x as u64).is_power_of_two();
        let apart = log && points.iter().filter(|(x, _)| is_power(*x)).count() > 1;
        let point = |(x, measured)| Point { x, measured, joined: !apart || is_power(x) };
        points.into_iter().map(point).collect()
    }
}

/// A curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name in the legend.
    pub name: String,
    /// The number of its look.
    pub style: usize,
    /// The layer that it can be hidden with.
    pub layer: Option<String>,
    /// The distance of neighbouring values on x: beyond it the line would tell of values that nobody measured,
    /// and ends. Absent where it may join any two points.
    pub grain: Option<f64>,
    /// Its points, sorted by x.
    pub points: Vec<Point>,
}

impl Curve {
    /// The points that one line joins, in stretches without a gap.
    pub fn stretches(&self) -> Vec<Vec<&Point>> {
        let joined: Vec<&Point> = self.points.iter().filter(|point| point.joined).collect();
        let neighbours = |a: &&Point, b: &&Point| self.grain.is_none_or(|grain| b.x - a.x <= grain);
        joined.chunk_by(neighbours).map(<[_]>::to_vec).collect()
    }
}

/// A chart of curves or steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// What stands around it.
    pub frame: Frame,
    /// The axis along x.
    pub x: Axis,
    /// The axis along y.
    pub y: Axis,
    /// Whether values jump between points.
    pub steps: bool,
    /// The curves.
    pub curves: Vec<Curve>,
    /// A horizontal line and its name.
    pub roof: Option<(String, f64)>,
}

impl Curves {
    /// Whether lines end where the next value was not measured.
    pub fn has_gaps(&self) -> bool {
        self.curves.iter().any(|curve| curve.stretches().len() > 1)
    }

    /// Whether points stand beside the lines.
    pub fn has_points_apart(&self) -> bool {
        self.curves.iter().flat_map(|curve| &curve.points).any(|point| !point.joined)
    }
}

/// A bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// Its name within the group; empty where a group has one bar.
    pub name: String,
    /// The number of its look.
    pub style: usize,
    /// The layer that it can be hidden with.
    pub layer: Option<String>,
    /// What was measured.
    pub measured: Measured,
}

/// A chart of grouped bars.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// What stands around it.
    pub frame: Frame,
    /// The axis along the bars.
    pub value: Axis,
    /// Name and bars of each group.
    pub groups: Vec<(String, Vec<Bar>)>,
    /// A line across the bars and its name.
    pub roof: Option<(String, f64)>,
}

/// A chart of ratios around 1; the layer of a row is what is concluded from it.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratios {
    /// What stands around it.
    pub frame: Frame,
    /// The axis along the ratios.
    pub value: Axis,
    /// The relative difference within which nobody should act.
    pub threshold: f64,
    /// The rows, from top to bottom.
    pub rows: Vec<Bar>,
}

/// A chart.
#[derive(Clone, Debug, PartialEq)]
pub enum Figure {
    /// Curves or steps over numbers.
    Curves(Curves),
    /// Grouped bars.
    Bars(Bars),
    /// Ratios around 1.
    Ratios(Ratios),
}

impl Figure {
    /// What stands around it.
    pub fn frame(&self) -> &Frame {
        match self {
            Figure::Curves(curves) => &curves.frame,
            Figure::Bars(bars) => &bars.frame,
            Figure::Ratios(ratios) => &ratios.frame,
        }
    }

    /// What is shown, in words for a place where the pattern and the device are known.
    pub fn caption(&self) -> String {
        let (value, over) = match self {
            Figure::Curves(chart) => (&chart.y.label, format!(" over {}", chart.x.label)),
            Figure::Bars(chart) => (&chart.value.label, String::new()),
            Figure::Ratios(chart) => (&chart.value.label, String::new()),
        };
        let caption = &self.frame().caption;
        let separator = if caption.is_empty() { "" } else { ": " };
        format!("{value}{over}{separator}{caption}")
    }

    /// Every value shown.
    pub fn values(&self) -> Vec<&Measured> {
        match self {
            Figure::Curves(chart) => {
                chart.curves.iter().flat_map(|curve| &curve.points).map(|point| &point.measured).collect()
            }
            Figure::Bars(chart) => {
                chart.groups.iter().flat_map(|(_, bars)| bars).map(|bar| &bar.measured).collect()
            }
            Figure::Ratios(chart) => chart.rows.iter().map(|row| &row.measured).collect(),
        }
    }

    /// How the marks read: one sentence for each kind of mark that occurs.
    pub fn reading(&self) -> String {
        let values = self.values();
        let mut sentences = Vec::new();
        let has_interval = values.iter().any(|value| value.interval.is_some());
        match self {
            Figure::Ratios(_) => sentences.push(
                "Lines: 95 % interval of the ratio. Grey band: differences below the threshold, on which nobody \
                 should act.",
            ),
            Figure::Curves(_) | Figure::Bars(_) if has_interval => {
                sentences.push("Error bars: 95 % interval of the median.");
            }
            Figure::Curves(_) | Figure::Bars(_) => {}
        }
        if values.iter().any(|value| value.issue_bound) {
            sentences.push("Hollow: issue-bound, what memory costs is invisible on this device.");
        }
        let has_prediction = values.iter().any(|value| value.predicted.is_some());
        if has_prediction {
            sentences.push(match self {
                Figure::Curves(_) => "Dashed: predicted by the model without caches.",
                Figure::Bars(_) | Figure::Ratios(_) => {
                    "Vertical stroke: predicted by the model without caches."
                }
            });
        }
        if values.iter().any(|value| value.perfect_cache.is_some()) {
            sentences.push(match self {
                Figure::Curves(_) => "Dotted: predicted for perfect caches.",
                Figure::Bars(_) | Figure::Ratios(_) => "Dotted stroke: predicted for perfect caches.",
            });
        }
        let mut text = sentences.join(" ");
        if let Figure::Curves(chart) = self {
            text.push_str(match (chart.has_points_apart(), has_prediction) {
                (false, _) => "",
                (true, false) => " Lines join the powers of two; small marks stand for values in between.",
                (true, true) => {
                    " Lines join the powers of two; small marks stand for values in between, short strokes for \
                     what is predicted there."
                }
            });
            text.push_str(match (chart.has_gaps(), has_prediction) {
                (false, _) => "",
                (true, false) => " Lines join neighbours: between other marks nothing was measured.",
                (true, true) => {
                    " Lines join neighbours: between other marks nothing was measured; short strokes are what is \
                     predicted at those marks."
                }
            });
        }
        if let Some(omitted) = &self.frame().omitted {
            text.push(' ');
            text.push_str(omitted);
        }
        text.trim().to_owned()
    }
}
