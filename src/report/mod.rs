//! Recorded rows are for programs; people need the same facts as charts, tables, sentences and a page.
//! Everything here reads finished runs and measures nothing.
//!
//! A [`Run`] is what was recorded. [`charts`] draws it; [`summary`] is its content in words, which
//! [`terminal`] and [`markdown`] render. [`advice`] says what follows for whoever
//! writes a kernel, [`findings`] what the curves say of the hardware.

pub mod advice;
pub mod charts;
mod error;
pub mod findings;
pub mod key;
pub mod markdown;
mod run;
pub mod summary;
#[cfg(test)]
mod synthetic;
pub mod terminal;
pub mod text;

pub use error::ReportError;
pub use key::CaseKey;
pub use run::Run;
pub use summary::Summary;
