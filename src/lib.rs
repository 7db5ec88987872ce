//! stridemark answers what a memory layout costs on a GPU.
//!
//! A [`pattern::Pattern`] is one row of the registry and one WGSL file. Its axes span
//! [`pattern::Case`]s; a case and the [`pattern::Limits`] of a device give a [`pattern::Plan`]: the
//! constants, buffers, grid and expected results of one kernel. From there the data flows:
//!
//! ```text
//! registry ──axes──▶ Case ──▶ Plan ──▶ Specialized (WGSL + override constants, one naga module)
//!                               │                              │
//!                device: run + timestamps, verification    model: lock-step execution
//!                               │                              │
//!                            samples                        counts
//!                               └──────────────┬───────────────┘
//!                                            rows
//!                                              │
//!                          record: samples.csv, cases.csv, run.json
//!                                              │
//!                                     charts · summaries
//! ```
//!
//! [`analyze`] puts the same [`model`] before any shader, with no device and no set-up.
//!
//! Vocabulary, method and limits: `docs/methodology.md`.

pub mod analyze;
pub mod cli;
pub mod cmd;
pub mod compare;
pub mod device;
pub mod explain;
pub mod measure;
pub mod model;
pub mod pattern;
pub mod picture;
pub mod predict;
pub mod record;
pub mod report;
pub mod shader;
pub mod stats;
pub mod units;
