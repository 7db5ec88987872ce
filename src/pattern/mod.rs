//! Patterns: families of memory accesses, as data.
//!
//! A row of the registry names a pattern, its axes and the functions that turn one point of those axes
//! into a [`Plan`]. Listing, measuring, the model, charts, tests and docs iterate [`registry`]; nothing
//! else names a pattern, except the advice of a report.

mod axis;
mod bank;
mod case;
mod contiguous;
mod embedding;
mod gather;
mod indices;
mod layout;
mod misalign;
mod pitch;
mod plan;
mod repack;
mod scatter;
mod stride;
#[cfg(test)]
mod testing;
mod transpose;
mod traversal;
mod working_set;

pub use axis::{Axis, Element, Value, Values};
pub use case::Case;
pub(crate) use embedding::Table as EmbeddingTable;
pub(crate) use gather::Stream;
pub use plan::{BufferPlan, Content, Expected, Fill, Limits, Plan, Role, Sizing, Skip, WordAt};
pub(crate) use plan::{fold, splat};
pub(crate) use working_set::admit;

use crate::device::host::HostPlan;

/// Plans the same access on the CPU, or says why the CPU can't run it.
pub type HostPlanner = fn(&Case, &Limits) -> Result<HostPlan, Skip>;

/// How much of the suite a run measures. A depth contains the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Depth {
    /// Every pattern, each curve with its shape.
    Quick,
    /// The cases chosen for insight.
    Default,
    /// Every point of every axis.
    Full,
}

/// The form of chart that suits a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chart {
    /// A curve over an axis of whole numbers; `log` makes the x axis logarithmic. One line per
    /// combination of the other axes.
    Curve {
        /// The axis along x.
        axis: &'static str,
        /// Whether x is logarithmic.
        log: bool,
    },
    /// Steps over an axis of whole numbers.
    Steps {
        /// The axis along x.
        axis: &'static str,
    },
    /// Grouped bars: one group per value of `group`, one bar per value of `bar`.
    Bars {
        /// The axis whose values are groups.
        group: &'static str,
        /// The axis whose values are bars in a group.
        bar: &'static str,
    },
}

/// What a case is for, beside being measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A point of its pattern.
    Plain,
    /// Its bandwidth counts for the device's roof; measured also when a filter excludes it.
    Roof,
    /// What the other cases of its pattern are held against (such as a copy beside the transposes).
    Ceiling,
}

/// One row of the registry. `shaders/<name>.wgsl` holds its kernels.
pub struct Pattern {
    /// The name in case ids, and the stem of its WGSL file.
    pub name: &'static str,
    /// One line for the catalogue.
    pub summary: &'static str,
    /// A paragraph: what the pattern is, why it costs what it costs.
    pub why: &'static str,
    /// The text of its WGSL file.
    pub wgsl: &'static str,
    /// The axes, in the order of case ids.
    pub axes: &'static [Axis],
    /// The smallest suite that holds a point, or `None` where the axes name no case (a distance that is no
    /// multiple of the element size).
    pub depth: fn(&Case) -> Option<Depth>,
    /// The kernel of a case on a device.
    ///
    /// # Errors
    /// The reason why that device can't run it.
    pub plan: fn(&Case, &Limits) -> Result<Plan, Skip>,
    /// The same access on the CPU, or none where a pattern is about workgroup memory.
    pub host: Option<HostPlanner>,
    /// What a case is for.
    pub purpose: fn(&Case) -> Purpose,
    /// The form of its chart.
    pub chart: Chart,
    /// The cases that `explain` tells the pattern by, in the order of its table.
    pub examples: &'static [Example],
}

/// A case that `explain` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// The id of the case, without the name of the pattern and the `/` after it.
    pub case: &'static str,
    /// Whether its first requests are drawn, beside being counted.
    pub drawn: bool,
}

impl Example {
    /// An example that is a row of the table.
    const fn counted(case: &'static str) -> Example {
        Example { case, drawn: false }
    }

    /// An example that is drawn too.
    const fn drawn(case: &'static str) -> Example {
        Example { case, drawn: true }
    }
}

/// Every pattern, in the order of lists, charts and reports.
pub fn registry() -> &'static [Pattern] {
    static REGISTRY: &[Pattern] = &[
        contiguous::PATTERN,
        stride::PATTERN,
        misalign::PATTERN,
        pitch::PATTERN,
        traversal::PATTERN,
        transpose::PATTERN,
        bank::PATTERN,
        layout::PATTERN,
        gather::PATTERN,
        scatter::PATTERN,
        embedding::PATTERN,
        working_set::PATTERN,
        repack::PATTERN,
    ];
    REGISTRY
}

/// The pattern of that name.
pub fn find(name: &str) -> Option<&'static Pattern> {
    registry().iter().find(|pattern| pattern.name == name)
}

impl Pattern {
    /// The cases of a depth, in the order of the axes (the last axis varies fastest).
    pub fn cases(&'static self, depth: Depth) -> Vec<Case> {
        let mut points: Vec<Vec<Value>> = vec![Vec::new()];
        for axis in self.axes {
            points = points
                .into_iter()
                .flat_map(|point| {
                    axis.values.iter().map(move |value| {
                        let mut longer = point.clone();
                        longer.push(value);
                        longer
                    })
                })
                .collect();
        }
        points
            .into_iter()
            .map(|values| Case { pattern: self, values })
            .filter(|case| (self.depth)(case).is_some_and(|smallest| smallest <= depth))
            .collect()
    }
}

/// The cases of every pattern at a depth, in registry order.
pub fn cases(depth: Depth) -> Vec<Case> {
    registry().iter().flat_map(|pattern| pattern.cases(depth)).collect()
}

/// Lanes of a workgroup, in every kernel that does not say otherwise: the largest that every adapter
/// known to us allows (SwiftShader stops at 256).
pub const WORKGROUP: u64 = 256;

/// Accesses that a lane has in flight, the same for every streaming kernel. `docs/methodology.md` says
/// how it was chosen.
pub const ACCESSES: u64 = 16;

/// The largest power of two not above a number; 0 for 0.
pub(crate) const fn power_of_two_below(number: u64) -> u64 {
    if number == 0 { 0 } else { 1 << number.ilog2() }
}

/// The twin's mask in elements for a window of that many bytes.
pub(crate) const fn window_mask(bytes: u64, element: Element) -> u32 {
    (bytes / element.bytes() - 1) as u32
}

/// Loads fold into 4 KiB: first-level cache on every device.
pub(crate) const LOAD_WINDOW: u64 = 4 << 10;

/// Stores fold into 64 KiB: below that, unrelated workgroups would queue for the same few lines and the
/// twin would be slower than what it bounds.
pub(crate) const STORE_WINDOW: u64 = 64 << 10;
