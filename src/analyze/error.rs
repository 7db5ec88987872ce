//! What can go wrong between a file and its analysis.

use thiserror::Error;

use crate::model::ModelError;

/// Why a shader could not be analysed.
#[derive(Debug, Error)]
pub enum AnalyzeError {
    /// The file can't be read.
    #[error("{file} can't be read: {reason}")]
    Read {
        /// The path.
        file: String,
        /// The operating system's reason.
        reason: std::io::Error,
    },
    /// The file is larger than a shader.
    #[error("{file} has more than {limit} bytes; a shader of that size is not analysed")]
    TooLong {
        /// The path.
        file: String,
        /// The limit in bytes.
        limit: u64,
    },
    /// The file is no text.
    #[error("{file} {what}; WGSL is UTF-8, save it as that")]
    NotText {
        /// The path.
        file: String,
        /// What was found.
        what: String,
    },
    /// The file still has to go through a preprocessor or template engine.
    #[error(
        "{file}:{line}:{column}: {what} is not WGSL\n  | {excerpt}\n\
         run the tool that replaces it first, and analyse what comes out"
    )]
    Template {
        /// The path.
        file: String,
        /// Line, from 1.
        line: u32,
        /// Column in bytes, from 1.
        column: u32,
        /// What stands there.
        what: String,
        /// The line.
        excerpt: String,
    },
    /// naga's parser or validator refused the shader: its message, with an excerpt of the source.
    #[error("{0}")]
    Wgsl(String),
    /// The shader has nothing that can be executed.
    #[error("{file} has no compute entry point; {instead}")]
    NoCompute {
        /// The path.
        file: String,
        /// What it has instead.
        instead: String,
    },
    /// The shader has several compute entry points and none was chosen.
    #[error("{file} has {count} compute entry points:\n{list}\nchoose one with --entry NAME")]
    SeveralEntries {
        /// The path.
        file: String,
        /// How many.
        count: usize,
        /// One line each.
        list: String,
    },
    /// An option names something that the shader does not have, or gives it what it can't take.
    #[error("{0}")]
    Option(String),
    /// The override constants can't have these values.
    #[error("override constants of `{entry}`{values}: {reason}; set them with --override NAME=V")]
    Overrides {
        /// The entry point.
        entry: String,
        /// The values given and assumed, in parentheses; nothing where the shader's own were used.
        values: String,
        /// naga's reason.
        reason: String,
    },
    /// The model can't execute the shader.
    #[error("{error}{excerpt}")]
    Model {
        /// The model's reason, with its place.
        error: ModelError,
        /// The line it points at, or nothing.
        excerpt: String,
        /// Whether the sizes in the shader were chosen by `--override`.
        overridden: bool,
    },
    /// A file for results can't be written.
    #[error("can't write {file}: {reason}")]
    Write {
        /// The path.
        file: String,
        /// The operating system's reason.
        reason: std::io::Error,
    },
    /// A part of the program failed that should not have.
    #[error("the analysis of {file} failed inside naga or the model: {what}; please report the shader")]
    Internal {
        /// The path.
        file: String,
        /// The message of the failure.
        what: String,
    },
}

impl AnalyzeError {
    /// Whether the command line was at fault, rather than the shader.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::SeveralEntries { .. } | Self::Option(_) => true,
            Self::Overrides { values, .. } => !values.is_empty(),
            Self::Model { error: ModelError::TooLarge { .. }, overridden, .. } => *overridden,
            Self::Model { error, .. } => matches!(
                error,
                ModelError::NoEntryPoint { .. }
                    | ModelError::NoSuchBuffer { .. }
                    | ModelError::BufferTooSmall { .. }
                    | ModelError::BufferTooLarge { .. }
                    | ModelError::Machine { .. }
                    | ModelError::Grid(_)
            ),
            Self::Read { .. }
            | Self::TooLong { .. }
            | Self::NotText { .. }
            | Self::Template { .. }
            | Self::Wgsl(_)
            | Self::NoCompute { .. }
            | Self::Write { .. }
            | Self::Internal { .. } => false,
        }
    }
}
