//! Whether something became slower, and how sure that is. People compare two printed figures and see
//! differences that are noise, or a machine that changed its clocks; this module says `slower` or
//! `faster` only where neither explains it.
//!
//! ```text
//! run directories ──read──▶ Run ──join by case id──▶ Effect (ratio, interval, p) ──▶ Verdict
//! ```
//!
//! 1. **Samples.** For a few runs against a base, the accepted samples of the journals are read, each with
//!    the speed of the reference kernel around it ([`Journal`]). For many runs the stored intervals of
//!    `cases.csv` stand in.
//! 2. **Effect.** The ratio of medians, corrected for what the reference kernel says of the machine, with
//!    a 95 % bootstrap interval and the p-value of the rank-sum test ([`Effect`]).
//! 3. **Null.** Where the machine is unsteady, cases scatter between two runs by more than their samples
//!    tell; how much more is learnt from all cases together (`null`).
//! 4. **Verdict.** Over all cases of a pair of runs the false discovery rate is held at 5 % (Benjamini and
//!    Hochberg). A difference must survive that, have an interval without 1, and be beyond 3 %.
//!
//! What the machine could explain is `unclear` and says so; what can't be held side by side is
//! `not comparable` and says why.

mod charts;
mod effect;
mod join;
mod null;
mod read;
mod render;
mod samples;
mod verdict;

pub use charts::{MOST_COMPARISONS, write_charts};
pub use effect::Effect;
pub use join::{Basis, CaseComparison, Comparison, PatternMean, compare};
pub use read::{Comparisons, Run, RunCase, SAMPLES_UP_TO, compare_directories};
pub use render::{json, markdown, text};
pub use samples::{Journal, Point, Reference};
pub use verdict::{Options, Verdict};

#[cfg(test)]
mod tests;
