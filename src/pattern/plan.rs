//! A plan: everything a device needs to run one case, and everything a check needs to judge the result.

use std::fmt;
use std::sync::Arc;

use super::Element;

/// What a device allows and the sizes chosen for it; all sizes in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes over all buffers of a case.
    pub footprint: u64,
    /// The same for patterns with random addresses (smaller on CPU adapters, which pay for each miss).
    pub random_footprint: u64,
    /// Largest storage binding: min(max_buffer_size, max_storage_buffer_binding_size).
    pub max_binding: u64,
    /// Workgroup memory a workgroup may declare.
    pub max_workgroup_memory: u64,
    /// Invocations a workgroup may have (in total and along x).
    pub max_invocations: u32,
    /// Last-level cache, where known.
    pub last_level_cache: Option<u64>,
}

/// Why a case can't run on a device; the text stands in the row's `reason`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Skip(pub String);

impl Skip {
    /// A skip with that reason.
    pub fn because(reason: impl fmt::Display) -> Skip {
        Skip(reason.to_string())
    }
}

/// What a buffer is in a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// What the pattern is about: useful, distinct and predicted bytes are counted here.
    Subject,
    /// A stream of indices.
    Index,
    /// Where results go so that loads stay alive.
    Sink,
}

/// The expected element at an index of the output buffer, as words (the first [`Element::words`] of
/// the array count). An element that the kernel leaves alone is expected to be zero: outputs are
/// cleared before they are checked.
pub type Expected = Arc<dyn Fn(&Fill, u64) -> [u32; 4] + Send + Sync>;

/// The words of a buffer computed from their index.
pub type WordAt = Arc<dyn Fn(u64) -> u32 + Send + Sync>;

/// What a buffer holds before a dispatch.
#[derive(Clone)]
pub enum Content {
    /// Pseudo-random words of a [`Fill`] stream; never written.
    Random {
        /// The stream: two inputs of one kernel use two.
        stream: u32,
    },
    /// Words computed from their index, such as an index stream; never written.
    Words(WordAt),
    /// Written by the kernel and checked against this.
    Output(Expected),
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Content::Random { stream } => write!(f, "Random({stream})"),
            Content::Words(_) => f.write_str("Words"),
            Content::Output(_) => f.write_str("Output"),
        }
    }
}

/// One storage buffer of a kernel.
#[derive(Clone, Debug)]
pub struct BufferPlan {
    /// The name of the WGSL variable; its binding is read from the module.
    pub name: &'static str,
    /// What it is in the pattern.
    pub role: Role,
    /// Size in bytes, a multiple of 16.
    pub bytes: u64,
    /// What it holds.
    pub content: Content,
}

impl BufferPlan {
    /// An input of pseudo-random words.
    pub fn random(name: &'static str, role: Role, bytes: u64, stream: u32) -> BufferPlan {
        BufferPlan { name, role, bytes, content: Content::Random { stream } }
    }

    /// An input whose words are computed from their index.
    pub fn words(name: &'static str, role: Role, bytes: u64, word_at: WordAt) -> BufferPlan {
        BufferPlan { name, role, bytes, content: Content::Words(word_at) }
    }

    /// The buffer that the kernel writes.
    pub fn output(name: &'static str, role: Role, bytes: u64, expected: Expected) -> BufferPlan {
        BufferPlan { name, role, bytes, content: Content::Output(expected) }
    }
}

/// A buffer size that fits a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sizing {
    /// The size in bytes: a power of two times nothing less than one `granule`.
    pub bytes: u64,
    /// What was cut or raised, as text for the row.
    pub clamped: Option<String>,
}

impl Sizing {
    /// The largest power-of-two multiple of `granule` bytes that is within `wanted` and `max_binding`, at
    /// least one granule. Powers of two let kernels index with masks and shifts.
    pub fn new(wanted: u64, max_binding: u64, granule: u64) -> Sizing {
        let bytes = granule * super::power_of_two_below((wanted.min(max_binding) / granule).max(1));
        let clamped = match wanted {
            _ if wanted > max_binding => {
                Some(format!("buffer of {wanted} bytes cut to {bytes}: the device binds {max_binding} bytes"))
            }
            _ if wanted < granule => {
                Some(format!("buffer of {wanted} bytes raised to {bytes}: the least that this case needs"))
            }
            _ => None,
        };
        Sizing { bytes, clamped }
    }
}

/// An element with the same word in every component.
pub(crate) fn splat(element: Element, word: u32) -> [u32; 4] {
    std::array::from_fn(|w| if (w as u64) < element.words() { word } else { 0 })
}

/// What a kernel's lane holds after folding values in order: `sum = sum * 5 + value`, component by
/// component. The factor makes the result depend on the order, so that two swapped addresses show; being
/// odd it loses no bit of any value.
pub(crate) fn fold(element: Element, values: impl Iterator<Item = [u32; 4]>) -> [u32; 4] {
    let mut sum = [0u32; 4];
    for value in values {
        for w in 0..element.words() as usize {
            sum[w] = sum[w].wrapping_mul(5).wrapping_add(value[w]);
        }
    }
    sum
}

/// A kernel with all its numbers: what the device runs, what the model executes, what the check expects.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The entry point of the pattern's WGSL file.
    pub entry: &'static str,
    /// The element type substituted for `E`.
    pub element: Element,
    /// Values of the shader's `override` constants.
    pub constants: Vec<(&'static str, f64)>,
    /// The storage buffers, each named as in the WGSL. Exactly one is [`Content::Output`].
    pub buffers: Vec<BufferPlan>,
    /// Workgroups of the linear grid; a device folds or splits them as it must.
    pub groups: u64,
    /// The twin's address mask in elements (a power of two less one), or no twin.
    pub twin_mask: Option<u32>,
    /// Loads or stores of the subject that a lane makes.
    pub accesses_per_lane: u64,
    /// Bytes that the algorithm asks of the subject in one dispatch.
    pub useful_bytes: u64,
    /// Distinct bytes of the subject that one dispatch touches.
    pub distinct_bytes: u64,
    /// Bytes of workgroup memory, when the subject is workgroup memory.
    pub workgroup_subject: bool,
    /// Sizes that were cut to what the device allows or raised to what the case needs, as text for the row; the
    /// row gets the flag `clamped`.
    pub clamped: Option<String>,
    /// Further facts for the row's `parameters`, such as the scale of a table.
    pub notes: Vec<(&'static str, String)>,
}

impl Plan {
    /// Bytes over all buffers.
    pub fn footprint_bytes(&self) -> u64 {
        self.buffers.iter().map(|buffer| buffer.bytes).sum()
    }

    /// The output buffer and what it must hold after a dispatch.
    ///
    /// # Panics
    /// When a plan has no output: a mistake in the pattern's own code, covered by its tests.
    pub fn output(&self) -> (&BufferPlan, &Expected) {
        self.buffers
            .iter()
            .find_map(|buffer| match &buffer.content {
                Content::Output(expected) => Some((buffer, expected)),
                _ => None,
            })
            .expect("every plan has one output buffer")
    }
}

/// The pseudo-random words that buffers are filled with: a pure function of seed, stream and index, so
/// that a check can ask for any word without keeping a copy of the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill {
    seed: u64,
}

impl Fill {
    /// The fill of a run's seed.
    pub const fn new(seed: u64) -> Fill {
        Fill { seed }
    }

    /// The word at an index of a stream.
    ///
    /// The finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
    /// OOPSLA 2014) over a Weyl sequence; the upper half is taken.
    pub const fn word(self, stream: u32, index: u64) -> u32 {
        let mut z = (self.seed ^ ((stream as u64) << 56))
            .wrapping_add((index.wrapping_add(1)).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 32) as u32
    }

    /// The element at an index of a stream, unused words zero.
    pub fn element(self, element: Element, stream: u32, index: u64) -> [u32; 4] {
        let words = element.words();
        std::array::from_fn(
            |w| if (w as u64) < words { self.word(stream, index * words + w as u64) } else { 0 },
        )
    }
}
