//! The `host` device: this machine's CPU in native Rust.
//!
//! It is there so that a machine without an adapter still measures something true, and because the same
//! layouts cost something on a CPU too. The loops in [`loops`] are those that a careful C programmer would
//! write: iterators over slices that the compiler vectorises, all cores, a fixed contiguous share of the
//! work per thread. They are safe Rust for the baseline instruction set of the target. Two things that a C
//! programmer might reach for are out of reach of that: non-temporal stores (the C library's `memcpy`,
//! which a copy calls, may use them for large blocks), and instruction sets picked at run time.

mod cpu;
mod device;
pub mod loops;
mod memory;
mod team;

pub use device::{Host, info, open};

use crate::pattern::{BufferPlan, Content};

/// What the host is called where adapters have a backend.
pub const BACKEND: &str = "host";

/// A case as a CPU program: the same access written as a careful C programmer would write it.
pub struct HostPlan {
    /// Inputs and the one output; the loop addresses them by position in this list.
    pub buffers: Vec<BufferPlan>,
    /// One dispatch: all threads, the whole pattern, outputs fully written.
    pub run: HostLoop,
    /// Bytes that the algorithm asks of the subject in one dispatch.
    pub useful_bytes: u64,
    /// Distinct bytes of the subject that one dispatch touches.
    pub distinct_bytes: u64,
    /// Sizes that were cut to what the machine holds or raised to what the case needs, as text for the row.
    pub clamped: Option<String>,
    /// Further facts for the row's `parameters`.
    pub notes: Vec<(&'static str, String)>,
}

/// One dispatch over the inputs (in plan order, without the output) and the output, as 32-bit words.
pub type HostLoop = Box<dyn Fn(&[&[u32]], &mut [u32]) + Send + Sync>;

impl HostPlan {
    /// A plan that touches each of its useful bytes once, cuts nothing and has nothing to note.
    fn new(buffers: Vec<BufferPlan>, run: HostLoop, useful_bytes: u64) -> HostPlan {
        let distinct_bytes = useful_bytes;
        HostPlan { buffers, run, useful_bytes, distinct_bytes, clamped: None, notes: Vec::new() }
    }

    /// The position of the output among the buffers.
    pub fn output_index(&self) -> Option<usize> {
        self.buffers.iter().position(|buffer| matches!(buffer.content, Content::Output(_)))
    }
}
