//! The patterns as CPU loops, one file per pattern.
//!
//! Each takes the case and sizes apart once, outside of the timed loop, and returns a [`HostPlan`] whose
//! loop is compiled for its element type. A loop that only reads leaves partial sums: their number and
//! order depend on the sizes alone, never on the number of threads, so that every one of them can be
//! checked.
//!
//! [`HostPlan`]: super::HostPlan

mod contiguous;
mod stride;
mod sums;

pub use contiguous::contiguous;
pub use stride::stride;

use super::team::deal;

#[cfg(test)]
mod tests;
