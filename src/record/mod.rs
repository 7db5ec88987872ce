//! Results outlive the process that measured them: this module is the one place that knows how a run
//! lies on disk, so that measuring, resuming, comparing and reporting agree on it.
//!
//! A run is a directory ([`RunDir`]) of three files:
//!
//! | file | row or content | written |
//! |---|---|---|
//! | `samples.csv` | [`SampleRow`] | append-only [`Journal`], flushed row by row |
//! | `cases.csv` | [`CaseRow`] | derived from the journal, atomically replaced |
//! | `run.json` | [`RunInfo`] | at the start, atomically replaced at the end |
//!
//! Times are nanoseconds, sizes bytes, bandwidths 10⁹ bytes a second; what is unknown is absent. The
//! serialisers leave a cell empty rather than write a number that is not finite, or a duration that is
//! not positive.

mod dir;
mod error;
mod flag;
mod info;
mod journal;
pub mod peaks;
mod read;
mod replace;
mod row;

pub use dir::{RunDir, slug};
pub use error::RecordError;
pub use flag::{Flag, Flags};
pub use info::{
    Check, Counts, DeviceInfo, HostInfo, MachineInfo, RooflineInfo, RunInfo, SettingsInfo, SubgroupInfo,
    TimingInfo,
};
pub use journal::Journal;
pub use read::{last_of_each, read_cases, read_info, read_samples};
pub use row::{Bound, CaseRow, REFERENCE_CASE, SampleRow, Status, Timer, WORKGROUP_SECTORS};

pub(crate) use error::remedy;
pub(crate) use read::Table;
pub(crate) use replace::replace;
pub(crate) use row::{count, duration, figure};

/// The version of the columns and of `run.json`; raised when a reader of the old one would misread.
pub const SCHEMA_VERSION: u32 = 1;

#[cfg(test)]
pub(crate) mod tests;
