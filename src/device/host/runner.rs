//! From a [`HostPlan`] to times and a verdict: buffers, dispatches, and the check of the output.

use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::team::deal;
use super::{HostLoop, HostPlan};
use crate::pattern::{BufferPlan, Content, Element, Expected, Fill};

/// Buffers start at a multiple of this many bytes, as bindings on a GPU do.
const ALIGNMENT: usize = 256;

/// The first element of an output that is not what the reference says.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("element {index} of the output is {found:?}, the scalar reference says {expected:?}")]
pub struct Mismatch {
    /// Its index in elements.
    pub index: u64,
    /// What the reference says.
    pub expected: Vec<u32>,
    /// What the loop left there.
    pub found: Vec<u32>,
}

/// A plan with its buffers in memory.
pub struct HostRunner {
    element: Element,
    fill: Fill,
    inputs: Vec<HostBuffer>,
    output: HostBuffer,
    expected: Expected,
    run: HostLoop,
}

impl HostRunner {
    /// Allocates and fills the buffers of a plan whose output is made of that element.
    ///
    /// Returns `None` for a plan without an output, which the patterns' tests exclude.
    pub fn new(plan: HostPlan, element: Element, fill: Fill) -> Option<HostRunner> {
        let output_index = plan.output_index()?;
        let Content::Output(expected) = &plan.buffers[output_index].content else { return None };
        Some(HostRunner {
            element,
            fill,
            expected: expected.clone(),
            output: HostBuffer::new(&plan.buffers[output_index], fill),
            inputs: plan
                .buffers
                .iter()
                .enumerate()
                .filter(|(index, _)| *index != output_index)
                .map(|(_, buffer)| HostBuffer::new(buffer, fill))
                .collect(),
            run: plan.run,
        })
    }

    /// Runs so many dispatches one after the other; the wall-clock time of all of them.
    pub fn run(&mut self, dispatches: u64) -> Duration {
        let inputs: Vec<&[u32]> = self.inputs.iter().map(HostBuffer::words).collect();
        let output = self.output.words_mut();
        let start = Instant::now();
        for _ in 0..dispatches {
            (self.run)(&inputs, output);
        }
        start.elapsed()
    }

    /// Clears the output, runs one dispatch and checks every element against the scalar reference.
    ///
    /// # Errors
    /// The first element that differs.
    pub fn verify(&mut self) -> Result<(), Mismatch> {
        deal(self.output.words_mut(), 4, |_, part| part.fill(0));
        self.run(1);
        self.check()
    }

    /// Checks the output as it stands, element by element.
    fn check(&self) -> Result<(), Mismatch> {
        let words = self.element.words() as usize;
        let wrong = self.output.words().par_chunks(words).enumerate().find_map_first(|(index, found)| {
            let expected = (self.expected)(&self.fill, index as u64);
            (found != &expected[..found.len()]).then(|| Mismatch {
                index: index as u64,
                expected: expected[..words].to_vec(),
                found: found.to_vec(),
            })
        });
        wrong.map_or(Ok(()), Err)
    }
}

#[cfg(test)]
impl HostRunner {
    /// Flips the lowest bit of the first word of an input.
    pub(super) fn corrupt_input(&mut self, input: usize) -> bool {
        self.inputs.get_mut(input).is_some_and(|buffer| {
            buffer.words_mut()[0] ^= 1;
            true
        })
    }

    /// Flips a bit of a word of the output; what the check says of it.
    pub(super) fn check_with_corrupt_output(&mut self, word: usize) -> Result<(), Mismatch> {
        self.output.words_mut()[word] ^= 0x100;
        let verdict = self.check();
        self.output.words_mut()[word] ^= 0x100;
        verdict
    }

    /// Swaps two elements of an input.
    pub(super) fn swap_input(&mut self, input: usize, a: usize, b: usize) {
        let words = self.element.words() as usize;
        for word in 0..words {
            self.inputs[input].words_mut().swap(a * words + word, b * words + word);
        }
    }

    /// Words of the output.
    pub(super) fn output_words(&self) -> usize {
        self.output.len
    }
}

/// Words at an aligned place in an allocation of their own.
struct HostBuffer {
    allocation: Vec<u32>,
    start: usize,
    len: usize,
}

impl HostBuffer {
    /// Allocates a buffer and fills it; each thread touches the part first that loops will deal to it.
    fn new(plan: &BufferPlan, fill: Fill) -> HostBuffer {
        let len = (plan.bytes / 4) as usize;
        let allocation = vec![0u32; len + ALIGNMENT / 4];
        let start = allocation.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT / 4);
        let mut buffer = HostBuffer { allocation, start, len };
        match &plan.content {
            Content::Random { stream } => buffer.set(|index| fill.word(*stream, index)),
            Content::Words(word_at) => buffer.set(|index| word_at(index)),
            Content::Output(_) => buffer.set(|_| 0),
        }
        buffer
    }

    fn set(&mut self, word_at: impl Fn(u64) -> u32 + Sync) {
        // The buffers' sizes are multiples of 16 bytes.
        deal(self.words_mut(), 4, |units, part| {
            let first = units.start as u64 * 4;
            part.iter_mut().zip(first..).for_each(|(word, index)| *word = word_at(index));
        });
    }

    fn words(&self) -> &[u32] {
        &self.allocation[self.start..self.start + self.len]
    }

    fn words_mut(&mut self) -> &mut [u32] {
        &mut self.allocation[self.start..self.start + self.len]
    }
}
