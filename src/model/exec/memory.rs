//! Indexing, loads and stores.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::super::buffers::{PAGE_WORDS, Store};
use super::super::error::ModelError;
use super::super::ir::{Address, IndexOp, Length, LoadOp, Memory, Reg, StoreOp, WordMove};
use super::super::report::OutOfBounds;
use super::Executor;
use super::counting::Kind;

/// A half word of a word, in the low bits.
fn half_of(word: u32, address: u32) -> u32 {
    word >> (8 * (address & 2)) & 0xffff
}

/// A word with one half replaced.
fn with_half(word: u32, address: u32, half: u32) -> u32 {
    let shift = 8 * (address & 2);
    word & !(0xffff << shift) | (half & 0xffff) << shift
}

impl Executor<'_> {
    /// The number of elements of an array.
    fn length(&self, length: Length) -> u32 {
        match length {
            Length::Fixed(length) => length,
            Length::Runtime { binding, offset, stride } => {
                let bytes = self.context.buffers[binding].bytes.saturating_sub(u64::from(offset));
                (bytes / u64::from(stride.max(1))).min(u64::from(u32::MAX)) as u32
            }
        }
    }

    pub(super) fn array_length(&mut self, to: Reg, binding: usize, offset: u32, stride: u32) {
        let (length, taint) = match self.context.buffers[binding].length {
            Some((length, assumption)) => (length, assumption.map_or(0, |id| 1 << id.0)),
            None => (self.length(Length::Runtime { binding, offset, stride }), 0),
        };
        self.set_word(to, 0, length);
        self.set_taint(to, taint);
    }

    pub(super) fn index(&mut self, op: &IndexOp) {
        let length = self.length(op.length);
        let last = length.saturating_sub(1);
        let step = |index: u32| index.min(last).wrapping_mul(op.stride);
        let lanes = self.lanes;
        let mut outside = false;
        if op.to.is_uniform() {
            let index = self.word(op.index, 0);
            let base = op.base.map_or(0, |base| self.word(base, 0));
            outside = index >= length;
            self.set_word(op.to, 0, base.wrapping_add(step(index)));
        } else {
            let (below, above) = self.registers.split_at_mut(op.to.index() * lanes);
            let to = &mut above[..lanes];
            if op.index.is_uniform() {
                let index = self.uniform[op.index.index()];
                outside = index >= length;
                to.fill(step(index));
            } else {
                let mut most = 0;
                let index = &below[op.index.index() * lanes..][..lanes];
                for ((to, &index), &mask) in to.iter_mut().zip(index).zip(&self.mask) {
                    most = (index & mask).max(most);
                    *to = step(index);
                }
                outside |= most >= length;
            }
            match op.base {
                Some(base) if base.is_uniform() => {
                    let base = self.uniform[base.index()];
                    to.iter_mut().for_each(|to| *to = to.wrapping_add(base));
                }
                Some(base) => {
                    let base = &below[base.index() * lanes..][..lanes];
                    to.iter_mut().zip(base).for_each(|(to, base)| *to = to.wrapping_add(*base));
                }
                None => {}
            }
        }
        if outside {
            self.report_outside(op, length);
        }
        let taint = self.taint(op.index) | op.base.map_or(0, |base| self.taint(base));
        self.set_taint(op.to, taint);
    }

    #[cold]
    fn report_outside(&mut self, op: &IndexOp, length: u32) {
        for lane in 0..self.lanes {
            let index = self.word(op.index, lane);
            if !self.is_active(lane) || index < length {
                continue;
            }
            let site = &self.program.sites[op.site];
            let workgroup = self.workgroup;
            self.totals.out_of_bounds[op.site]
                .get_or_insert_with(|| OutOfBounds {
                    at: site.at.clone(),
                    variable: site.variable.clone(),
                    lanes: 0,
                    workgroup,
                    lane: lane as u32,
                    index: if op.signed { i64::from(index as i32) } else { i64::from(index) },
                    length: u64::from(length),
                })
                .lanes += 1;
        }
    }

    pub(super) fn load(&mut self, op: &LoadOp) {
        self.count(op.access, &op.address, &op.pieces, Kind::Load);
        let context = self.context;
        let taint = self.address_taint(&op.address) | self.contents_taint(&op.address, &op.words);
        match op.address.memory {
            Memory::Buffer(binding) => match &context.buffers[binding].store {
                Store::Dense(words) => {
                    let get = |word: u32| words.get(word as usize).map_or(0, |word| word.load(Relaxed));
                    self.load_words(op, get, false);
                }
                Store::Sparse(sparse) => {
                    let pages = sparse.lock();
                    self.load_words(op, |word| sparse.load(&pages, word), true);
                }
            },
            Memory::Workgroup(var) => {
                let words = std::mem::take(&mut self.workgroup_memory[var]);
                self.load_words(op, |word| words.get(word as usize).copied().unwrap_or(0), false);
                self.workgroup_memory[var] = words;
            }
        }
        for word in &op.words {
            self.set_taint(word.reg, taint);
        }
    }

    /// Loads each word of an access by `get`; where that is dear, in the active lanes only.
    fn load_words(&mut self, op: &LoadOp, get: impl Fn(u32) -> u32, dear: bool) {
        let lanes = self.lanes;
        for word in &op.words {
            let read = |address: u32| {
                let value = get(address / 4);
                if word.half { half_of(value, address) } else { value }
            };
            let offset = op.address.offset.wrapping_add(word.offset);
            match op.address.dynamic {
                Some(reg) if !reg.is_uniform() => {
                    let (below, above) = self.registers.split_at_mut(word.reg.index() * lanes);
                    let addresses = &below[reg.index() * lanes..][..lanes];
                    for ((to, &address), &mask) in above[..lanes].iter_mut().zip(addresses).zip(&self.mask) {
                        if !dear || mask != 0 {
                            *to = read(address.wrapping_add(offset));
                        }
                    }
                }
                Some(_) | None => {
                    let value = read(self.address(&op.address, 0).wrapping_add(word.offset));
                    self.uniform[word.reg.index()] = value;
                }
            }
        }
    }

    /// What is assumed of the memory that an access reads.
    pub(super) fn contents_taint(&self, address: &Address, words: &[WordMove]) -> u64 {
        match address.memory {
            Memory::Workgroup(var) => self.workgroup_taint[var],
            Memory::Buffer(binding) => {
                let mut taint = self.buffer_taint[binding];
                let assumed = &self.context.buffers[binding].assumed;
                if assumed.is_empty() {
                    return taint;
                }
                let (mut low, mut high) = (u32::MAX, 0);
                for lane in (0..self.lanes).filter(|&lane| self.is_active(lane)) {
                    let at = self.address(address, lane);
                    low = low.min(at);
                    high = high.max(at);
                }
                let first = words.first().map_or(0, |word| word.offset);
                let end = words.last().map_or(4, |word| word.offset + 4);
                let (low, high) = (low.saturating_add(first), high.saturating_add(end));
                for (range, id) in assumed {
                    if range.start < high && low < range.end {
                        taint |= 1 << id.0;
                    }
                }
                taint
            }
        }
    }

    /// Marks a memory as changed with a value, or at an address, that is assumed. What the active lanes
    /// depend on is assumed too: without it the words would still hold what they held before.
    ///
    /// Memory has one set of assumptions, not one for each word: that names too many rather than too few,
    /// and costs an instruction for each store.
    pub(super) fn taint_memory(&mut self, memory: Memory, taint: u64) {
        match memory {
            Memory::Buffer(binding) => self.buffer_taint[binding] |= taint | self.mask_taint,
            Memory::Workgroup(var) => self.workgroup_taint[var] |= taint | self.mask_taint,
        }
    }

    pub(super) fn store(&mut self, op: &StoreOp) -> Result<(), ModelError> {
        self.count(op.access, &op.address, &op.pieces, Kind::Store);
        let context = self.context;
        let taint = op.words.iter().fold(0, |taint, word| taint | self.taint(word.reg));
        self.taint_memory(op.address.memory, taint | self.address_taint(&op.address));
        match op.address.memory {
            Memory::Buffer(binding) => {
                match &context.buffers[binding].store {
                    Store::Dense(words) => self.store_dense(op, words),
                    // nobody can read what a write-only sparse buffer holds
                    Store::Sparse(_) if !self.program.bindings[binding].read => {}
                    Store::Sparse(sparse) => {
                        let mut pages = sparse.lock();
                        for word in &op.words {
                            for lane in (0..self.lanes).filter(|&lane| self.is_active(lane)) {
                                let at = self.address(&op.address, lane).wrapping_add(word.offset);
                                let mut value = self.word(word.reg, lane);
                                if word.half {
                                    value = with_half(sparse.load(&pages, at / 4), at, value);
                                }
                                sparse.store(&mut pages, at / 4, value);
                            }
                        }
                        let bytes = pages.len() as u64 * u64::from(PAGE_WORDS) * 4;
                        self.check_sparse(op.access, bytes)?;
                    }
                }
            }
            Memory::Workgroup(var) => {
                let mut words = std::mem::take(&mut self.workgroup_memory[var]);
                for word in &op.words {
                    for lane in (0..self.lanes).filter(|&lane| self.is_active(lane)) {
                        let at = self.address(&op.address, lane).wrapping_add(word.offset);
                        let value = self.word(word.reg, lane);
                        if let Some(to) = words.get_mut(at as usize / 4) {
                            *to = if word.half { with_half(*to, at, value) } else { value };
                        }
                    }
                }
                self.workgroup_memory[var] = words;
            }
        }
        Ok(())
    }

    fn store_dense(&self, op: &StoreOp, words: &[AtomicU32]) {
        for word in &op.words {
            for lane in (0..self.lanes).filter(|&lane| self.is_active(lane)) {
                let at = self.address(&op.address, lane).wrapping_add(word.offset);
                let value = self.word(word.reg, lane);
                let Some(to) = words.get(at as usize / 4) else { continue };
                if word.half {
                    // another workgroup may store the other half
                    let update = |old| Some(with_half(old, at, value));
                    let _ = to.fetch_update(Relaxed, Relaxed, update);
                } else {
                    to.store(value, Relaxed);
                }
            }
        }
    }

    /// Fails once sparse buffers have grown past the limit.
    pub(super) fn check_sparse(&self, access: usize, bytes: u64) -> Result<(), ModelError> {
        let limit = self.context.limits.sparse_bytes;
        if bytes > limit {
            let at = self.program.accesses[access].at.clone();
            return Err(ModelError::SparseMemory { at, limit });
        }
        Ok(())
    }
}
