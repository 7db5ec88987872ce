//! The buffers a program runs against: fixed ones that can be read back, and sparse ones that grow.
//!
//! The suite gives every buffer its bytes. The analyser starts without any: a buffer it knows nothing of is
//! sparse, its contents are a function of the address, and what that assumes has a name that travels with
//! every value read from it.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::error::ModelError;
use super::program::{Binding, Program};
use super::sources::{Sources, bit};

/// Names an assumption of a [`Buffers`]. After the 64th, further ones share the last id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AssumptionId(pub u8);

/// The largest buffer, in bytes: addresses are 32 bits wide.
pub const MAX_BUFFER_BYTES: u64 = u32::MAX as u64 - 3;

/// What a byte range of a buffer holds before the first store.
#[derive(Clone)]
pub enum Fill {
    /// Zeros.
    Zero,
    /// The same 32-bit word throughout.
    Constant(u32),
    /// Each 32-bit word holds its index.
    Iota,
    /// Each 32-bit word is a function of its index.
    Words(Arc<dyn Fn(u32) -> u32 + Send + Sync>),
}

impl fmt::Debug for Fill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zero => f.write_str("Zero"),
            Self::Constant(value) => write!(f, "Constant({value})"),
            Self::Iota => f.write_str("Iota"),
            Self::Words(_) => f.write_str("Words(..)"),
        }
    }
}

impl Fill {
    fn word(&self, index: u32) -> u32 {
        match self {
            Self::Zero => 0,
            Self::Constant(value) => *value,
            Self::Iota => index,
            Self::Words(function) => function(index),
        }
    }
}

/// What a buffer is given.
#[derive(Clone, Debug)]
pub enum Contents {
    /// Exactly these bytes.
    Bytes(Vec<u8>),
    /// So many bytes, filled; a multiple of 4 is allocated.
    Filled {
        /// The size.
        bytes: u64,
        /// What it holds.
        fill: Fill,
    },
    /// So many bytes, filled, of which only what is stored takes memory.
    Bounded {
        /// The size.
        bytes: u64,
        /// What it holds before the first store.
        fill: Fill,
    },
    /// As large as indices reach; nothing is clamped below 4 GiB. Only what is stored takes memory.
    Sparse {
        /// What it holds before the first store.
        fill: Fill,
        /// What `arrayLength` says.
        length: u32,
        /// The assumption behind `arrayLength`.
        length_assumption: Option<AssumptionId>,
    },
}

/// The buffers of one program, in the order of [`Program::bindings`].
#[derive(Debug)]
pub struct Buffers {
    names: Vec<String>,
    needed: Vec<u64>,
    slots: Vec<Option<Buffer>>,
    assumptions: Vec<String>,
    /// By position in [`Program::sources`].
    sources: Vec<Option<AssumptionId>>,
}

/// One buffer and what is assumed of its contents.
#[derive(Debug)]
pub(super) struct Buffer {
    pub(super) store: Store,
    /// Byte ranges whose contents are assumed.
    pub(super) assumed: Vec<(Range<u32>, AssumptionId)>,
    pub(super) length: Option<(u32, Option<AssumptionId>)>,
    pub(super) bytes: u64,
}

/// Words of a buffer. Dense words are atomic so that workgroups can run in parallel without `unsafe`; the
/// model runs them in parallel only where no workgroup reads what another one writes.
#[derive(Debug)]
pub(super) enum Store {
    Dense(Vec<AtomicU32>),
    Sparse(Sparse),
}

/// Words that exist only once they are written, in pages.
#[derive(Debug)]
pub(super) struct Sparse {
    fill: Fill,
    pages: Mutex<Pages>,
}

/// Written pages of a sparse buffer.
pub(super) type Pages = BTreeMap<u32, Box<[u32]>>;

/// Words of a page.
pub(super) const PAGE_WORDS: u32 = 1024;

impl Sparse {
    pub(super) fn lock(&self) -> MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn load(&self, pages: &Pages, word: u32) -> u32 {
        match pages.get(&(word / PAGE_WORDS)) {
            Some(page) => page[(word % PAGE_WORDS) as usize],
            None => self.fill.word(word),
        }
    }

    /// Stores a word; true where that made a new page.
    pub(super) fn store(&self, pages: &mut Pages, word: u32, value: u32) -> bool {
        let mut new = false;
        let first = word / PAGE_WORDS * PAGE_WORDS;
        let page = pages.entry(word / PAGE_WORDS).or_insert_with(|| {
            new = true;
            (first..first + PAGE_WORDS).map(|index| self.fill.word(index)).collect()
        });
        page[(word - first) as usize] = value;
        new
    }
}

impl Buffers {
    /// No contents yet: every binding of `program` needs some before a run.
    pub fn new(program: &Program) -> Self {
        let bindings = program.bindings();
        Self {
            names: bindings.iter().map(|binding| binding.name.clone()).collect(),
            needed: bindings.iter().map(Binding::least_bytes).collect(),
            slots: bindings.iter().map(|_| None).collect(),
            assumptions: Vec::new(),
            sources: vec![None; program.sources().len()],
        }
    }

    /// Gives the buffer of `binding` (a position in [`Program::bindings`]) its contents.
    ///
    /// # Errors
    /// A position that does not exist, or contents smaller than the type or above [`MAX_BUFFER_BYTES`].
    pub fn set(&mut self, binding: usize, contents: Contents) -> Result<(), ModelError> {
        let Some(slot) = self.slots.get_mut(binding) else {
            return Err(self.no_such(&format!("#{binding}")));
        };
        let (bytes, length) = match &contents {
            Contents::Bytes(bytes) => (bytes.len() as u64, None),
            Contents::Filled { bytes, .. } | Contents::Bounded { bytes, .. } => (*bytes, None),
            Contents::Sparse { length, length_assumption, .. } => {
                (MAX_BUFFER_BYTES, Some((*length, *length_assumption)))
            }
        };
        let (name, needed) = (self.names[binding].clone(), self.needed[binding]);
        if bytes < needed {
            return Err(ModelError::BufferTooSmall { name, bytes, needed });
        }
        if bytes > MAX_BUFFER_BYTES {
            return Err(ModelError::BufferTooLarge { name, bytes, limit: MAX_BUFFER_BYTES });
        }
        let store = match contents {
            Contents::Bytes(bytes) => Store::Dense(bytes.chunks(4).map(little_endian).collect()),
            Contents::Filled { bytes, fill } => {
                Store::Dense((0..bytes.div_ceil(4) as u32).map(|i| AtomicU32::new(fill.word(i))).collect())
            }
            Contents::Bounded { fill, .. } | Contents::Sparse { fill, .. } => {
                Store::Sparse(Sparse { fill, pages: Mutex::default() })
            }
        };
        *slot = Some(Buffer { store, assumed: Vec::new(), length, bytes });
        Ok(())
    }

    /// [`set`](Self::set) by the name of the variable.
    ///
    /// # Errors
    /// As [`set`](Self::set), or no binding of that name.
    pub fn set_named(&mut self, name: &str, contents: Contents) -> Result<(), ModelError> {
        match self.names.iter().position(|n| n == name) {
            Some(binding) => self.set(binding, contents),
            None => Err(self.no_such(name)),
        }
    }

    /// Records an assumption, so that reports can name it.
    pub fn assume(&mut self, text: impl Into<String>) -> AssumptionId {
        let id = self.assumptions.len().min(63) as u8;
        self.assumptions.push(text.into());
        AssumptionId(id)
    }

    /// Marks a byte range of a buffer that has contents as assumed: values read from it carry `id`.
    ///
    /// # Errors
    /// A position that does not exist or has no contents.
    pub fn mark_assumed(
        &mut self,
        binding: usize,
        range: Range<u32>,
        id: AssumptionId,
    ) -> Result<(), ModelError> {
        match self.slots.get_mut(binding) {
            Some(Some(buffer)) => {
                buffer.assumed.push((range, id));
                Ok(())
            }
            Some(None) => Err(ModelError::MissingBuffer { name: self.names[binding].clone() }),
            None => Err(self.no_such(&format!("#{binding}"))),
        }
    }

    /// Values that depend on what is at a position in [`Program::sources`] carry `id`.
    pub fn mark_source(&mut self, position: usize, id: AssumptionId) {
        if let Some(source) = self.sources.get_mut(position) {
            *source = Some(id);
        }
    }

    /// The assumptions behind some sources, as bits.
    pub(super) fn assumptions_of(&self, sources: Sources) -> u64 {
        let marked = self.sources.iter().enumerate();
        let depends = marked.filter(|&(position, _)| sources & bit(position) != 0);
        depends.filter_map(|(_, id)| *id).fold(0, |bits, id| bits | 1 << id.0)
    }

    /// The text of an assumption; the last id stands for all from the 64th on.
    pub fn assumption(&self, id: AssumptionId) -> &str {
        self.assumptions.get(usize::from(id.0)).map_or("", String::as_str)
    }

    /// The bytes of a buffer with fixed size, rounded up to a multiple of 4. None for sparse or unset ones.
    pub fn bytes(&self, binding: usize) -> Option<Vec<u8>> {
        match &self.slots.get(binding)?.as_ref()?.store {
            Store::Dense(words) => {
                Some(words.iter().flat_map(|word| word.load(Relaxed).to_le_bytes()).collect())
            }
            Store::Sparse(_) => None,
        }
    }

    /// The words of a buffer with fixed size. None for sparse or unset ones.
    pub fn words(&self, binding: usize) -> Option<Vec<u32>> {
        match &self.slots.get(binding)?.as_ref()?.store {
            Store::Dense(words) => Some(words.iter().map(|word| word.load(Relaxed)).collect()),
            Store::Sparse(_) => None,
        }
    }

    /// [`words`](Self::words) by the name of the variable.
    pub fn words_named(&self, name: &str) -> Option<Vec<u32>> {
        self.words(self.names.iter().position(|n| n == name)?)
    }

    /// All buffers, once each has contents.
    pub(super) fn complete(&self) -> Result<Vec<&Buffer>, ModelError> {
        let missing = |name: &String| ModelError::MissingBuffer { name: name.clone() };
        self.names
            .iter()
            .zip(&self.slots)
            .map(|(name, slot)| slot.as_ref().ok_or_else(|| missing(name)))
            .collect()
    }

    fn no_such(&self, name: &str) -> ModelError {
        ModelError::NoSuchBuffer { name: name.into(), available: self.names.join(", ") }
    }
}

fn little_endian(chunk: &[u8]) -> AtomicU32 {
    let mut word = [0; 4];
    word[..chunk.len()].copy_from_slice(chunk);
    AtomicU32::new(u32::from_le_bytes(word))
}
