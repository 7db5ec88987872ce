//! Advice computed from a run: what the decisions that every author of a kernel faces would bring *on this
//! device*.
//!
//! A line never goes beyond its measurement. It says "no difference" only where the whole interval of the
//! ratio lies within [`NEGLIGIBLE`]; where the interval is wider than that and holds 1, or where the slower side of a comparison is issue-bound (its time is that of its instructions), served from a
//! cache, or has too few samples for an interval, it says that it can't tell, and why. A gain counts from
//! [`THRESHOLD`] on.
//!
//! This is the one part of the crate, beside the patterns themselves, that names patterns.

mod changes;
mod dense;
mod headline;
mod layout;
mod line;
mod matrix;
mod pair;
mod price;
#[cfg(test)]
mod tests;

use serde::Serialize;

pub use changes::{Change, changes};
pub use headline::{Headline, headlines};
pub use line::{Advice, Figure};

use super::Run;

/// A ratio has to leave out 1 by this much before anything is advised: 3 %, as in `compare`.
pub const THRESHOLD: f64 = 0.03;

/// An interval within 10 % of 1 is no difference that an author should act on.
pub const NEGLIGIBLE: f64 = 0.10;

/// What can be changed, in the order of what it costs: from an edit of an index expression to a pass over
/// all data (`docs/learn/fixes.md`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fix {
    /// Another index runs along the lanes.
    Traversal,
    /// Lanes touch neighbouring elements instead of distant ones.
    Stride,
    /// One load of 16 bytes instead of four.
    WideLoads,
    /// Slices and rows start on a boundary.
    Alignment,
    /// Another shape of a tile that is there already.
    TileShape,
    /// A tile in workgroup memory where there was none.
    Staging,
    /// Data is produced in another layout.
    Layout,
    /// Data is repacked before it is read.
    Repack,
}

impl Fix {
    /// A heading.
    pub const fn title(self) -> &'static str {
        match self {
            Fix::Traversal => "change the traversal",
            Fix::Stride => "bring lanes closer together",
            Fix::WideLoads => "use wider loads",
            Fix::Alignment => "align slices and rows",
            Fix::TileShape => "reshape the tile",
            Fix::Staging => "stage through workgroup memory",
            Fix::Layout => "produce another layout",
            Fix::Repack => "repack before reading",
        }
    }
}

/// What a comparison supports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It gains.
    Do,
    /// It loses.
    Dont,
    /// No difference that matters: the whole interval lies within [`NEGLIGIBLE`].
    NoDifference,
    /// The measurement doesn't support a conclusion.
    CantTell,
}

impl Verdict {
    /// In words.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Do => "do",
            Verdict::NoDifference => "no difference",
            Verdict::Dont => "don't",
            Verdict::CantTell => "can't tell",
        }
    }
}

/// The advice of a run, from the cheapest fix to the dearest. A question of which the run measured no case
/// has no line.
pub fn lines(run: &Run) -> Vec<Advice> {
    let mut lines = Vec::new();
    lines.extend(matrix::traversal(run));
    lines.extend(matrix::sums(run));
    lines.extend(dense::stride(run));
    lines.extend(dense::wide_loads(run));
    lines.extend(dense::slices(run));
    lines.extend(dense::rows(run));
    lines.extend(matrix::tile_padding(run));
    lines.extend(matrix::tile_size(run));
    lines.extend(matrix::staging(run));
    lines.extend(layout::at_the_source(run));
    lines.extend(price::repack(run));
    lines.sort_by_key(|line: &Advice| line.fix);
    lines
}
