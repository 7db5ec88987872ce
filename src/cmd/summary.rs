//! What a run shows when it is over.

use crate::cli::RunArgs;
use crate::record::{RunDir, RunInfo};

use super::print;

pub(super) fn show(_: &RunArgs, dir: &RunDir, info: &RunInfo) -> anyhow::Result<()> {
    for row in dir.cases()? {
        print(format_args!(
            "{} {:?} {:?} {:?} {:?}",
            row.case, row.status, row.bandwidth_gb_per_s, row.bound, row.samples
        ))?;
    }
    print(format_args!("{:?} {:?} {:?}", info.timed_share, info.roofline, info.checks))
}
