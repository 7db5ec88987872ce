//! The buffers that all cases of a run share.
//!
//! Inputs are filled once with pseudo-random words and never written; every case binds a prefix of them.
//! One output buffer serves every case. Memory therefore stays near the footprint of the largest case.

use std::time::Duration;

use rayon::prelude::*;

use crate::device::{Fault, OutputVisitor};
use crate::pattern::{Content, Fill, Plan, WordAt};
use crate::shader::Params;

use super::faults::Faults;

/// Bytes written or read in one piece: a few pieces are on the host at a time.
const CHUNK: u64 = 2 << 20;

/// The shared buffers, each as large as the largest case so far asked for.
pub(super) struct Buffers {
    params: wgpu::Buffer,
    random: [Option<wgpu::Buffer>; 2],
    words: Option<wgpu::Buffer>,
    words_held: Option<WordAt>,
    output: Option<wgpu::Buffer>,
    staging: Option<wgpu::Buffer>,
    generation: u64,
}

impl Buffers {
    pub(super) fn new(device: &wgpu::Device) -> Buffers {
        let params = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("params"),
            size: size_of::<Params>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        Buffers {
            params,
            random: [None, None],
            words: None,
            words_held: None,
            output: None,
            staging: None,
            generation: 0,
        }
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
        match content {
            Content::Random { stream } => self.random[*stream as usize % 2].as_ref(),
            Content::Words(_) => self.words.as_ref(),
            Content::Output(_) => self.output.as_ref(),
        }
        .unwrap_or(&self.params)
    }

    /// Makes every buffer of a plan large enough and holding what the plan says.
    pub(super) fn hold(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, fill: Fill, plan: &Plan) {
        for planned in &plan.buffers {
            match &planned.content {
                Content::Random { stream } => {
                    let (stream, slot) = (*stream, &mut self.random[*stream as usize % 2]);
                    if grow(device, slot, planned.bytes, &mut self.generation) {
                        write(device, queue, slot, planned.bytes, &|i| fill.word(stream, i));
                    }
                }
                Content::Words(word_at) => {
                    let grown = grow(device, &mut self.words, planned.bytes, &mut self.generation);
                    let held =
                        self.words_held.as_ref().is_some_and(|held| std::sync::Arc::ptr_eq(held, word_at));
                    if grown || !held {
                        write(device, queue, &self.words, planned.bytes, &**word_at);
                        self.words_held = Some(word_at.clone());
                    }
                }
                Content::Output(_) => {
                    grow(device, &mut self.output, planned.bytes, &mut self.generation);
                }
            }
        }
    }

    pub(super) fn clear_output(&self, device: &wgpu::Device, queue: &wgpu::Queue, bytes: u64) {
        if let Some(output) = &self.output {
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            encoder.clear_buffer(output, 0, Some(bytes));
            queue.submit([encoder.finish()]);
        }
    }

    /// Shows the first `bytes` of the output, chunk by chunk, until the visitor has seen enough.
    pub(super) fn read_output(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        faults: &Faults,
        bytes: u64,
        timeout: Duration,
        visit: OutputVisitor<'_>,
    ) -> Result<(), Fault> {
        let Some(output) = &self.output else { return Ok(()) };
        let staging = self.staging.get_or_insert_with(|| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("staging"),
                size: CHUNK,
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        });
        for start in (0..bytes).step_by(CHUNK as usize) {
            let size = CHUNK.min(bytes - start);
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            encoder.copy_buffer_to_buffer(output, start, staging, 0, size);
            queue.submit([encoder.finish()]);
            let slice = staging.slice(..size);
            slice.map_async(wgpu::MapMode::Read, |_| ());
            faults.wait(device, timeout)?;
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

/// Replaces a buffer that is too small; says whether it did.
fn grow(device: &wgpu::Device, slot: &mut Option<wgpu::Buffer>, bytes: u64, generation: &mut u64) -> bool {
    if slot.as_ref().is_some_and(|buffer| buffer.size() >= bytes) {
        return false;
    }
    if let Some(small) = slot.take() {
        small.destroy();
    }
    *slot = Some(device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: bytes,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    }));
    *generation += 1;
    true
}

/// Fills a buffer with words computed from their index.
fn write(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    slot: &Option<wgpu::Buffer>,
    bytes: u64,
    word_at: &(dyn Fn(u64) -> u32 + Send + Sync),
) {
    let Some(buffer) = slot else { return };
    for start in (0..bytes).step_by(CHUNK as usize) {
        let size = CHUNK.min(bytes - start);
        let words: Vec<u32> = (start / 4..(start + size) / 4).into_par_iter().map(word_at).collect();
        queue.write_buffer(buffer, start, bytemuck::cast_slice(&words));
        // Without a submission the queue would keep every chunk on the host until the end.
        queue.submit([]);
        let _ = device.poll(wgpu::PollType::Wait { submission_index: None, timeout: Some(super::TIMEOUT) });
    }
}
