//! Recorded rows are for programs; people need the same facts as charts, tables, sentences and a page.
//! Everything here reads finished runs and measures nothing.
//!
//! A [`Run`] is what was recorded. A [`Summary`] is its content: facts, notes, tables, charts that are not
//! drawn yet, [`advice`] for whoever writes a kernel, and [`findings`], what the curves say of the hardware. A
//! [`Report`] is that of several runs side by side. [`terminal`], [`markdown`], [`json`] and [`html`]
//! render them, and compute nothing.

pub mod advice;
pub mod charts;
mod content;
mod error;
pub mod findings;
pub mod gallery;
pub mod html;
pub mod json;
pub mod key;
pub mod markdown;
mod run;
pub mod summary;
#[cfg(test)]
mod synthetic;
pub mod table;
pub mod terminal;
pub mod text;

pub use content::{Overview, Report, Topic};
pub use error::ReportError;
pub use key::CaseKey;
pub use run::Run;
pub use summary::Summary;
