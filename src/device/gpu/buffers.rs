//! The buffers that all cases of a run share.
//!
//! Inputs are filled once with pseudo-random words and never written; every case binds a prefix of them.
//! One output buffer serves every case. Memory therefore stays near the footprint of the largest case.

use std::sync::Arc;
use std::time::Instant;

use rayon::prelude::*;

use crate::device::{Cancel, Fault, OutputVisitor};
use crate::pattern::{Content, Fill, Plan, WordAt};
use crate::shader::Params;

use super::TIMEOUT;
use super::faults::Faults;

/// Bytes written or read in one piece: a few pieces are on the host at a time.
const CHUNK: u64 = 2 << 20;

/// The shared buffers, each as large as the largest case so far asked for.
pub(super) struct Buffers {
    device: wgpu::Device,
    queue: wgpu::Queue,
    faults: Faults,
    cancel: Cancel,
    fill: Fill,
    params: wgpu::Buffer,
    /// By [`slot`].
    held: [Option<wgpu::Buffer>; OUTPUT + 1],
    words_held: Option<WordAt>,
    staging: Option<wgpu::Buffer>,
    generation: u64,
}

/// The place of the computed words, after the two inputs of random ones.
const WORDS: usize = 2;
/// The place of the output.
const OUTPUT: usize = 3;

/// The place of the buffer that serves a content.
fn slot(content: &Content) -> usize {
    match content {
        Content::Random { stream } => *stream as usize % WORDS,
        Content::Words(_) => WORDS,
        Content::Output(_) => OUTPUT,
    }
}

impl Buffers {
    pub(super) fn new(device: &wgpu::Device, queue: &wgpu::Queue, faults: &Faults, fill: Fill) -> Buffers {
        let params = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("params"),
            size: size_of::<Params>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Buffers {
            device: device.clone(),
            queue: queue.clone(),
            faults: faults.clone(),
            cancel: Cancel::default(),
            fill,
            params,
            held: [const { None }; OUTPUT + 1],
            words_held: None,
            staging: None,
            generation: 0,
        }
    }

    /// Ends filling and reading early where `cancel` says so.
    pub(super) fn cancel_on(&mut self, cancel: Cancel) {
        self.cancel = cancel;
    }

    /// Changes whenever a buffer was replaced.
    pub(super) fn generation(&self) -> u64 {
        self.generation
    }

    pub(super) fn params(&self) -> &wgpu::Buffer {
        &self.params
    }

    /// The buffer that holds a content; the parameters where it is not held, which binding then rejects.
    pub(super) fn of(&self, content: &Content) -> &wgpu::Buffer {
        self.held[slot(content)].as_ref().unwrap_or(&self.params)
    }

    /// Makes every buffer of a plan large enough and holding what the plan says. Where memory runs out, what
    /// other cases have left behind is given back, and all of it is there for this one.
    ///
    /// # Errors
    /// Out of memory all the same, or another fault. No buffer is held then, as far as the device is still there.
    pub(super) fn hold(&mut self, plan: &Plan) -> Result<(), Fault> {
        let mut held = self.hold_beside_others(plan);
        if matches!(held, Err(Fault::OutOfMemory(_))) {
            self.give_back()?;
            held = self.hold_beside_others(plan);
        }
        if held.as_ref().is_err_and(|fault| !fault.is_fatal()) {
            self.give_back()?;
        }
        held.map_err(|fault| match fault {
            Fault::OutOfMemory(_) => Fault::OutOfMemory(format!(
                "the device has no room for the {} bytes of the case's buffers",
                plan.footprint_bytes()
            )),
            other => other,
        })
    }

    fn hold_beside_others(&mut self, plan: &Plan) -> Result<(), Fault> {
        for planned in &plan.buffers {
            let (slot, bytes, fill) = (slot(&planned.content), planned.bytes, self.fill);
            let grown = self.grow(slot, bytes)?;
            match &planned.content {
                Content::Random { stream } if grown => self.write(slot, bytes, |i| fill.word(*stream, i))?,
                Content::Words(word_at) if grown || !self.holds(word_at) => {
                    self.write(slot, bytes, |i| word_at(i))?;
                    self.words_held = Some(word_at.clone());
                }
                Content::Random { .. } | Content::Words(_) | Content::Output(_) => {}
            }
        }
        Ok(())
    }

    fn holds(&self, word_at: &WordAt) -> bool {
        self.words_held.as_ref().is_some_and(|held| Arc::ptr_eq(held, word_at))
    }

    /// Replaces a buffer that is too small; says whether it did.
    fn grow(&mut self, slot: usize, bytes: u64) -> Result<bool, Fault> {
        if self.held[slot].as_ref().is_some_and(|buffer| buffer.size() >= bytes) {
            return Ok(false);
        }
        if let Some(small) = self.held[slot].take() {
            small.destroy();
        }
        self.generation += 1;
        self.held[slot] = Some(self.faults.catch(&self.device, || storage(&self.device, bytes))?);
        Ok(true)
    }

    /// Frees every buffer that a case may bind.
    fn give_back(&mut self) -> Result<(), Fault> {
        self.held.iter_mut().filter_map(Option::take).for_each(|buffer| buffer.destroy());
        self.words_held = None;
        self.generation += 1;
        self.faults.wait(&self.device, TIMEOUT)
    }

    /// Fills a buffer with words computed from their index.
    fn write(&self, slot: usize, bytes: u64, word_at: impl Fn(u64) -> u32 + Sync) -> Result<(), Fault> {
        let Some(buffer) = &self.held[slot] else { return Ok(()) };
        for start in (0..bytes).step_by(CHUNK as usize) {
            self.cancel.check(Instant::now())?;
            let size = CHUNK.min(bytes - start);
            let words: Vec<u32> = (start / 4..(start + size) / 4).into_par_iter().map(&word_at).collect();
            self.queue.write_buffer(buffer, start, bytemuck::cast_slice(&words));
            // Without a submission the queue would keep every chunk on the host until the end.
            self.queue.submit([]);
            self.faults.wait(&self.device, TIMEOUT)?;
        }
        Ok(())
    }

    pub(super) fn clear_output(&self, bytes: u64) {
        if let Some(output) = &self.held[OUTPUT] {
            let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            encoder.clear_buffer(output, 0, Some(bytes));
            self.queue.submit([encoder.finish()]);
        }
    }

    /// Shows the first `bytes` of the output, chunk by chunk, until the visitor has seen enough.
    pub(super) fn read_output(&mut self, bytes: u64, visit: OutputVisitor<'_>) -> Result<(), Fault> {
        let Buffers { device, queue, faults, cancel, .. } = self;
        let Some(output) = &self.held[OUTPUT] else { return Ok(()) };
        let staging = self.staging.get_or_insert_with(|| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("staging"),
                size: CHUNK,
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        });
        for start in (0..bytes).step_by(CHUNK as usize) {
            cancel.check(Instant::now())?;
            let size = CHUNK.min(bytes - start);
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            encoder.copy_buffer_to_buffer(output, start, staging, 0, size);
            queue.submit([encoder.finish()]);
            let slice = staging.slice(..size);
            slice.map_async(wgpu::MapMode::Read, |_| ());
            faults.wait(device, TIMEOUT)?;
            let go_on = {
                let view = slice.get_mapped_range().map_err(|error| Fault::Rejected(error.to_string()))?;
                visit(start / 4, bytemuck::cast_slice(&view))
            };
            staging.unmap();
            if !go_on {
                break;
            }
        }
        Ok(())
    }
}

/// A buffer such as cases bind.
pub(super) fn storage(device: &wgpu::Device, bytes: u64) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: bytes,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    })
}
