//! The buffers that all cases of a run share.
//!
//! Inputs of random words are filled once and never written; a case uses a prefix. A stream of indices
//! stays until another case wants its own. One output serves every case. Buffers that a case doesn't use
//! stay while there is room beside those it does: those that were not used for longest are given back first.

use std::sync::Arc;
use std::time::Instant;

use memmap2::{MmapMut, MmapOptions};

use super::HostPlan;
use super::team::deal;
use crate::device::{Cancel, Fault};
use crate::pattern::{BufferPlan, Content, Fill, WordAt};

/// Buffers start at a multiple of this many bytes, and Linux is asked to back them with pages of that size: with
/// pages of 4 KiB, walking the page tables costs up to half of the bandwidth, and how much differs from run to run.
pub(super) const HUGE_PAGE: usize = 2 << 20;

/// Sizes of buffers are multiples of this many words.
const UNIT: usize = 4;

/// Words that a thread fills between two looks at whether to go on: less than a millisecond's work.
const CHUNK: usize = 64 << 10;

/// The shared buffers.
pub(super) struct Memory {
    fill: Fill,
    held: Vec<Held>,
}

struct Held {
    content: Kind,
    words: AlignedWords,
}

enum Kind {
    Random(u32),
    Words(WordAt),
    Output,
}

impl Kind {
    fn of(content: &Content) -> Kind {
        match content {
            Content::Random { stream } => Kind::Random(*stream),
            Content::Words(word_at) => Kind::Words(word_at.clone()),
            Content::Output(_) => Kind::Output,
        }
    }

    fn is(&self, content: &Content) -> bool {
        match (self, content) {
            (Kind::Random(held), Content::Random { stream }) => held == stream,
            (Kind::Words(held), Content::Words(word_at)) => Arc::ptr_eq(held, word_at),
            (Kind::Output, Content::Output(_)) => true,
            _ => false,
        }
    }
}

impl Memory {
    pub(super) fn new(fill: Fill) -> Memory {
        Memory { fill, held: Vec::new() }
    }

    /// Makes every buffer of a plan large enough and holding what the plan says. All that is held then is at most
    /// `most` bytes, or just the plan's buffers.
    ///
    /// # Errors
    /// Out of memory, or called off.
    pub(super) fn hold(&mut self, plan: &HostPlan, most: u64, cancel: &Cancel) -> Result<(), Fault> {
        let is_used = |held: &Held| plan.buffers.iter().any(|buffer| held.content.is(&buffer.content));
        // Indices of another case are of no use to a later one.
        self.held.retain(|held| is_used(held) || !matches!(held.content, Kind::Words(_)));
        // In order of their last use.
        self.held.sort_by_key(is_used);
        while self.bytes_with(plan) > most {
            let unused = self.held.iter().position(|held| !is_used(held));
            let Some(victim) = unused.or_else(|| self.oversized(plan)) else { break };
            self.held.remove(victim);
        }
        for buffer in &plan.buffers {
            self.hold_one(buffer, cancel)?;
        }
        Ok(())
    }

    /// Bytes that are held once the buffers of a plan are, too.
    fn bytes_with(&self, plan: &HostPlan) -> u64 {
        let held: u64 = self.held.iter().map(|held| held.words.bytes()).sum();
        let growth = |buffer: &BufferPlan| {
            let held = self.held.iter().find(|held| held.content.is(&buffer.content));
            buffer.bytes.saturating_sub(held.map_or(0, |held| held.words.bytes()))
        };
        held + plan.buffers.iter().map(growth).sum::<u64>()
    }

    /// A buffer that a plan uses only a part of; the output first, which is filled with less work.
    fn oversized(&self, plan: &HostPlan) -> Option<usize> {
        let is_oversized = |held: &Held| {
            let used = plan.buffers.iter().find(|buffer| held.content.is(&buffer.content));
            used.is_some_and(|buffer| held.words.bytes() > buffer.bytes)
        };
        let oversized = self.held.iter().enumerate().filter(|(_, held)| is_oversized(held));
        oversized.min_by_key(|(_, held)| !matches!(held.content, Kind::Output)).map(|(index, _)| index)
    }

    fn hold_one(&mut self, buffer: &BufferPlan, cancel: &Cancel) -> Result<(), Fault> {
        let held = self.held.iter().position(|held| held.content.is(&buffer.content));
        if let Some(index) = held {
            if self.held[index].words.bytes() >= buffer.bytes {
                return Ok(());
            }
            self.held.remove(index);
        }
        let mut words = AlignedWords::zeroed(buffer)?;
        match &buffer.content {
            Content::Random { stream } => words.set(cancel, |index| self.fill.word(*stream, index))?,
            Content::Words(word_at) => words.set(cancel, |index| word_at(index))?,
            Content::Output(_) => words.set(cancel, |_| 0)?,
        }
        self.held.push(Held { content: Kind::of(&buffer.content), words });
        Ok(())
    }

    /// The inputs of a plan in its order, and its output; `None` where [`Memory::hold`] was not called.
    pub(super) fn parts(&mut self, plan: &HostPlan) -> Option<(Vec<&[u32]>, &mut [u32])> {
        let bytes = plan.buffers[plan.output_index()?].bytes;
        let (outputs, inputs): (Vec<&mut Held>, Vec<&mut Held>) =
            self.held.iter_mut().partition(|held| matches!(held.content, Kind::Output));
        let inputs: Vec<&Held> = inputs.into_iter().map(|held| &*held).collect();
        let output = outputs.into_iter().next()?.words.prefix_mut(bytes)?;
        let of = |buffer: &BufferPlan| {
            inputs.iter().find(|held| held.content.is(&buffer.content))?.words.prefix(buffer.bytes)
        };
        let wanted = plan.buffers.iter().filter(|buffer| !matches!(buffer.content, Content::Output(_)));
        Some((wanted.map(of).collect::<Option<_>>()?, output))
    }
}

/// Words that start at a huge page, in a mapping of their own.
struct AlignedWords {
    mapping: MmapMut,
    start: usize,
    bytes: usize,
}

impl AlignedWords {
    /// Reserves zero words for a buffer without touching them.
    fn zeroed(buffer: &BufferPlan) -> Result<AlignedWords, Fault> {
        let bytes = buffer.bytes as usize;
        let mapping =
            MmapOptions::new().len(bytes.next_multiple_of(HUGE_PAGE) + HUGE_PAGE).map_anon().map_err(
                |error| Fault::OutOfMemory(format!("buffer {} of {bytes} bytes: {error}", buffer.name)),
            )?;
        // Advice: a system that has none to give goes on with small ones.
        #[cfg(target_os = "linux")]
        let _ = mapping.advise(memmap2::Advice::HugePage);
        let start = mapping.as_ptr().align_offset(HUGE_PAGE).min(HUGE_PAGE);
        Ok(AlignedWords { mapping, start, bytes })
    }

    /// Sets every word, unless that is called off; each thread touches the part first that loops will deal to it.
    fn set(&mut self, cancel: &Cancel, word_at: impl Fn(u64) -> u32 + Sync) -> Result<(), Fault> {
        deal(self.words_mut(), UNIT, |units, part| {
            let firsts = ((units.start * UNIT) as u64..).step_by(CHUNK);
            for (chunk, first) in part.chunks_mut(CHUNK).zip(firsts) {
                if cancel.check(Instant::now()).is_err() {
                    return;
                }
                chunk.iter_mut().zip(first..).for_each(|(word, index)| *word = word_at(index));
            }
        });
        cancel.check(Instant::now())
    }

    fn bytes(&self) -> u64 {
        self.bytes as u64
    }

    fn words(&self) -> &[u32] {
        bytemuck::cast_slice(&self.mapping[self.start..self.start + self.bytes])
    }

    fn words_mut(&mut self) -> &mut [u32] {
        bytemuck::cast_slice_mut(&mut self.mapping[self.start..self.start + self.bytes])
    }

    fn prefix(&self, bytes: u64) -> Option<&[u32]> {
        self.words().get(..(bytes / 4) as usize)
    }

    fn prefix_mut(&mut self, bytes: u64) -> Option<&mut [u32]> {
        self.words_mut().get_mut(..(bytes / 4) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Role;

    const MIB: u64 = 1 << 20;

    /// A plan of inputs of so many MiB, stream by stream, and of an output.
    fn plan(inputs: &[u64], output: u64) -> HostPlan {
        let input = |(stream, mib): (u32, &u64)| BufferPlan::random("src", Role::Subject, mib * MIB, stream);
        let mut buffers: Vec<BufferPlan> = (0..).zip(inputs).map(input).collect();
        buffers.push(BufferPlan::output("dst", Role::Subject, output * MIB, Arc::new(|_, _| [0; 4])));
        HostPlan::new(buffers, Box::new(|_, _| {}), 0)
    }

    /// Read, write, dot, copy and triad over 8 MiB, one after the other in every rotation.
    #[test]
    fn what_is_held_stays_within_the_bound() {
        let plans = [plan(&[8], 1), plan(&[], 8), plan(&[4, 4], 1), plan(&[4], 4), plan(&[2, 2], 2)];
        let most = 12 * MIB;
        for first in 0..plans.len() {
            let mut memory = Memory::new(Fill::new(7));
            for plan in plans.iter().cycle().skip(first).take(2 * plans.len()) {
                memory.hold(plan, most, &Cancel::default()).unwrap();
                let held: u64 = memory.held.iter().map(|held| held.words.bytes()).sum();
                assert!(held <= most, "{held} bytes are held");
                let (inputs, output) = memory.parts(plan).unwrap();
                let sizes = inputs.iter().map(|words| words.len()).chain([output.len()]);
                assert!(
                    sizes.map(|words| 4 * words as u64).eq(plan.buffers.iter().map(|buffer| buffer.bytes))
                );
                let fill = Fill::new(7);
                for (stream, words) in (0..).zip(inputs) {
                    assert_eq!(words.last(), Some(&fill.word(stream, words.len() as u64 - 1)));
                }
            }
        }
    }

    #[test]
    fn a_plan_larger_than_the_bound_is_all_that_is_held() {
        let mut memory = Memory::new(Fill::new(7));
        for plan in [plan(&[], 8), plan(&[16], 4)] {
            memory.hold(&plan, 8 * MIB, &Cancel::default()).unwrap();
            let held: u64 = memory.held.iter().map(|held| held.words.bytes()).sum();
            assert_eq!(held, plan.buffers.iter().map(|buffer| buffer.bytes).sum::<u64>());
        }
    }
}
