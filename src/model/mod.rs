//! The access model: what a kernel asks of the memory, counted by executing it.
//!
//! No compiler will say how many sectors an access touches, because that depends on the values of its
//! index. So the model runs the very WGSL that is measured: naga's IR is compiled once into a compact form
//! ([`Program`]), whole workgroups execute it with all lanes in lock-step under an active mask, and every
//! memory instruction of every subgroup is held against the numbers of a [`Machine`].
//!
//! ```text
//! WGSL ─naga─▶ module ─resolve─▶ module without overrides ─Program::new─▶ Program
//!                                                                           │
//!                    Buffers (contents, assumptions) ──┐                    ▼
//!                    Machine (subgroup, sectors, banks) ┴──────────────▶  run ──▶ Report
//! ```
//!
//! [`count`] holds the arithmetic and knows nothing of shaders; [`machine`] the numbers with their sources.
//! What is counted, how, and what the model cannot see: `docs/model.md`.

mod buffers;
mod compile;
pub mod count;
mod error;
mod exec;
mod ir;
mod lanes;
mod layout;
pub mod machine;
mod presets;
mod program;
mod report;
mod run;
mod sources;
mod unreached;

pub use buffers::{AssumptionId, Buffers, Contents, Fill, MAX_BUFFER_BYTES};
pub use error::{Location, ModelError};
pub use layout::{Leaf, Num};
pub use machine::{Machine, Phases};
pub use program::{Binding, Element, Program};
pub use report::{
    Access, AccessOp, AccessReport, AtomicFun, BufferReport, Counts, Note, OutOfBounds, Report, Request,
    Space,
};
pub use run::{
    Dispatch, Limits, REQUEST_OPERATIONS, ResolveError, Resolved, Workgroups, resolve, run, run_observed,
    spread,
};
pub use sources::{AssumedConstants, Source};
