//! What a case should cost: the model executes the very module, constants and contents that a device
//! measures, so that what is predicted and what is measured cannot drift apart.
//!
//! ```text
//! Case ─plan─▶ Kernel (program, buffers, grid) ─▶ Sampled (counts of some workgroups) ─▶ Prediction
//!                                              └─▶ Trace (the requests themselves, for pictures)
//! ```
//!
//! Buffers are computed word by word as they are read ([`Keep::Nothing`]), so that a prediction takes no
//! memory to speak of whatever the footprint.

mod kernel;
mod machine;
mod sample;
mod trace;

use crate::model::{Machine, ModelError};
use crate::pattern::{Case, Fill, Limits, Skip};
use crate::shader::ShaderError;

pub use kernel::{Keep, Kernel};
pub use machine::{describe, of_device};
pub use sample::{Prediction, Sampled};
pub use trace::{Trace, TracedRequest};

/// Why a case has no prediction.
#[derive(Debug, thiserror::Error)]
pub enum NoPrediction {
    /// The case does not run with these limits.
    #[error(transparent)]
    Skip(#[from] Skip),
    /// The kernel is no valid shader: a mistake in this program.
    #[error(transparent)]
    Shader(#[from] ShaderError),
    /// The model does not execute it.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The kernel left a buffer: a mistake in this program, and its counts are worth nothing.
    #[error("the kernel reaches index {index} of `{variable}`, which has {length}")]
    OutOfBounds {
        /// The variable.
        variable: String,
        /// The first index outside.
        index: i64,
        /// Elements of the variable.
        length: u64,
    },
}

/// Predicts one case on a device of those limits.
///
/// # Errors
/// [`NoPrediction`].
pub fn predict(
    case: &Case,
    limits: &Limits,
    fill: Fill,
    machine: &Machine,
) -> Result<Prediction, NoPrediction> {
    let kernel = Kernel::new(case, limits, fill, Keep::Nothing)?;
    Ok(Sampled::new(&kernel, machine)?.prediction())
}

#[cfg(test)]
mod tests;
