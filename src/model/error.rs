//! What can go wrong between a shader's text and its counts.
//!
//! The model refuses what it cannot execute faithfully: a wrong number is worse than none. Each error
//! names the place in the source and what to do next.

use std::fmt;

use thiserror::Error;

/// A place in a shader: file, line and column, both from one; columns count UTF-8 bytes as naga does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The name the shader was loaded under.
    pub file: String,
    /// Line, from 1; 0 where naga records no place.
    pub line: u32,
    /// Column, from 1; 0 where naga records no place.
    pub column: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line == 0 {
            return f.write_str(&self.file);
        }
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// Why a shader could not be executed by the model.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ModelError {
    /// No compute entry point of that name.
    #[error("{file} has no compute entry point `{name}`; it has: {available}")]
    NoEntryPoint {
        /// The shader.
        file: String,
        /// The name asked for.
        name: String,
        /// The names there are, separated by commas.
        available: String,
    },
    /// The module still has override constants without a value.
    #[error("{at}: override constant `{name}` has no value; give it one")]
    UnresolvedOverride {
        /// Where it is used.
        at: Location,
        /// Its name.
        name: String,
    },
    /// Something that a compute shader can say and the model does not execute.
    #[error("{at}: the model does not execute {what}; remove it or analyse an entry point without it")]
    Unsupported {
        /// Where.
        at: Location,
        /// What, in words.
        what: String,
    },
    /// The shader needs more registers, code or memory than the model allows itself.
    #[error("{at}: {what} is {size}, the model's limit is {limit}; make it smaller")]
    TooLarge {
        /// Where.
        at: Location,
        /// What is too large.
        what: String,
        /// How large it is.
        size: u64,
        /// The limit.
        limit: u64,
    },
    /// A workgroup executed more steps than the limit.
    #[error(
        "{at}: workgroup {workgroup:?} still runs after {limit} steps; the loop may wait for another \
         workgroup or never end; raise the step limit or set the inputs that its bound depends on"
    )]
    StepLimit {
        /// The loop it was in.
        at: Location,
        /// The workgroup.
        workgroup: [u32; 3],
        /// The limit, in lane-array instructions per workgroup.
        limit: u64,
    },
    /// A buffer that the entry point uses was given no contents.
    #[error("buffer `{name}` has no contents; set them before the run")]
    MissingBuffer {
        /// The variable.
        name: String,
    },
    /// No buffer variable of that name.
    #[error("the entry point uses no buffer `{name}`; it uses: {available}")]
    NoSuchBuffer {
        /// The name asked for.
        name: String,
        /// The names there are.
        available: String,
    },
    /// A buffer is smaller than its type.
    #[error("buffer `{name}` has {bytes} bytes, its type needs at least {needed}")]
    BufferTooSmall {
        /// The variable.
        name: String,
        /// Its size.
        bytes: u64,
        /// The least size of its type.
        needed: u64,
    },
    /// A buffer is larger than addresses of the model reach.
    #[error("buffer `{name}` has {bytes} bytes, the model addresses at most {limit}")]
    BufferTooLarge {
        /// The variable.
        name: String,
        /// Its size.
        bytes: u64,
        /// The largest size.
        limit: u64,
    },
    /// Sparse buffers grew past the limit.
    #[error("{at}: sparse buffers grew past {limit} bytes of written data; sample fewer workgroups")]
    SparseMemory {
        /// The access that needed more.
        at: Location,
        /// The limit in bytes.
        limit: u64,
    },
    /// The machine's numbers cannot be used.
    #[error("machine `{machine}`: {reason}")]
    Machine {
        /// Its name.
        machine: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The grid or the workgroups chosen of it cannot be executed.
    #[error("{0}")]
    Grid(String),
}
