//! What runs a case: a wgpu adapter, this machine's CPU, or a script for tests.

pub mod host;
