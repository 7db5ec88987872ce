//! One timed compute pass.

use std::time::Instant;

use crate::device::{Fault, KernelId, RawSample, Variant, Work};
use crate::shader::{Gate, Params};

use super::{Gpu, TIMEOUT};

/// Which uniforms a pass runs with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Uniforms {
    /// Every result stored.
    Checked,
    /// Results computed and, as good as never, stored.
    Timed,
    /// As timed, with addresses folded into the twin's window.
    Twin,
}

impl Uniforms {
    pub(super) fn timed(variant: Variant) -> Uniforms {
        match variant {
            Variant::Timed => Uniforms::Timed,
            Variant::Twin => Uniforms::Twin,
        }
    }
}

/// The one live query set (Metal allows few) and where its two values are read.
pub(super) struct Timestamps {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    staging: wgpu::Buffer,
}

impl Timestamps {
    pub(super) fn new(device: &wgpu::Device) -> Timestamps {
        let buffer = |usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("timestamps"),
                size: 16,
                usage,
                mapped_at_creation: false,
            })
        };
        Timestamps {
            queries: device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("timestamps"),
                ty: wgpu::QueryType::Timestamp,
                count: 2,
            }),
            resolved: buffer(
                wgpu::BufferUsages::QUERY_RESOLVE
                    | wgpu::BufferUsages::COPY_SRC
                    | wgpu::BufferUsages::COPY_DST,
            ),
            staging: buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST),
        }
    }

    fn writes(&self) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        }
    }
}

impl Gpu {
    pub(super) fn run_pass(
        &mut self,
        kernel: KernelId,
        uniforms: Uniforms,
        work: Work,
    ) -> Result<RawSample, Fault> {
        let kernel = &self.kernels[kernel.0];
        let (dispatches, part, parts) = match work {
            Work::Empty => (0, 0, 1),
            Work::Dispatches(dispatches) => (dispatches, 0, 1),
            Work::Part { part, parts } => (1, part, parts),
        };
        let grid = kernel.grid(part, parts);
        if let Some(grid) = grid {
            let mask = match uniforms {
                Uniforms::Twin => kernel.plan.twin_mask.unwrap_or(u32::MAX),
                Uniforms::Checked | Uniforms::Timed => u32::MAX,
            };
            let gate = if uniforms == Uniforms::Checked { Gate::Open } else { Gate::Closed };
            let mut params = Params::new(mask, gate, kernel.end(part, parts));
            params.first_group = grid.first;
            params.row_groups = grid.columns;
            self.queue.write_buffer(self.buffers.params(), 0, bytemuck::bytes_of(&params));
        }
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: None,
                timestamp_writes: self.timestamps.as_ref().map(Timestamps::writes),
            });
            if let Some((pipeline, bindings)) = kernel.bound() {
                pass.set_pipeline(pipeline);
                pass.set_bind_group(0, bindings, &[]);
            }
            if let Some(grid) = grid {
                for _ in 0..dispatches {
                    pass.dispatch_workgroups(grid.columns, grid.rows, 1);
                }
            }
        }
        let commands = encoder.finish();
        let start = Instant::now();
        self.queue.submit([commands]);
        self.faults.wait(&self.device, TIMEOUT)?;
        let wall = start.elapsed();
        Ok(RawSample { ticks: self.resolve()?, wall })
    }

    /// Reads the two timestamps, in a submission of its own after the pass has completed: drivers are known
    /// to resolve too early otherwise. The buffer is cleared first, so that a query that never resolves is seen as
    /// zeros and not as the times of the pass before.
    fn resolve(&mut self) -> Result<Option<[u64; 2]>, Fault> {
        let Some(timestamps) = &self.timestamps else { return Ok(None) };
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.clear_buffer(&timestamps.resolved, 0, None);
        encoder.resolve_query_set(&timestamps.queries, 0..2, &timestamps.resolved, 0);
        self.queue.submit([encoder.finish()]);
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(&timestamps.resolved, 0, &timestamps.staging, 0, 16);
        self.queue.submit([encoder.finish()]);
        let slice = timestamps.staging.slice(..);
        slice.map_async(wgpu::MapMode::Read, |_| ());
        self.faults.wait(&self.device, TIMEOUT)?;
        let ticks = {
            let view = slice.get_mapped_range().map_err(|error| Fault::Rejected(error.to_string()))?;
            bytemuck::pod_read_unaligned::<[u64; 2]>(&view[..16])
        };
        timestamps.staging.unmap();
        Ok(Some(ticks))
    }
}
