//! The patterns as CPU loops, one file per pattern.
//!
//! Each takes the case and sizes apart once, outside of the timed loop, and returns a [`HostPlan`] whose
//! loop is compiled for its element type. A loop that only reads leaves partial sums: their number and
//! order depend on the sizes alone, never on the number of threads, so that every one of them can be
//! checked.
//!
//! [`HostPlan`]: super::HostPlan

mod contiguous;
mod embedding;
mod gather;
mod layout;
mod misalign;
mod pitch;
mod repack;
mod runs;
mod stride;
mod sums;
mod transpose;
mod traversal;
mod working_set;

pub use contiguous::contiguous;
pub use embedding::embedding;
pub use gather::{gather, scatter};
pub use layout::layout;
pub use misalign::misalign;
pub use pitch::pitch;
pub use repack::repack;
pub use stride::stride;
pub use transpose::transpose;
pub use traversal::traversal;
pub use working_set::working_set;

use super::team::{deal, deal_arrays, share};

#[cfg(test)]
mod tests;
