//! A case compiled for an adapter.

use crate::pattern::Plan;
use crate::shader::{BindingKind, Params, Specialized};

use super::buffers::Buffers;

/// How a linear range of workgroups is dispatched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    pub(super) first: u32,
    pub(super) columns: u32,
    pub(super) rows: u32,
}

impl Grid {
    /// Folds a range to rows that the device allows. The kernel's linear index stays the same; groups past
    /// the end of the last row return at once.
    pub(super) fn fold(first: u64, groups: u64, max_groups: u32) -> Grid {
        let rows = groups.div_ceil(u64::from(max_groups)).max(1);
        let columns = groups.div_ceil(rows).max(1);
        Grid { first: first as u32, columns: columns as u32, rows: rows as u32 }
    }
}

/// A pipeline with its plan; the bindings follow the buffers, which grow.
pub(super) struct GpuKernel {
    pub(super) plan: Plan,
    pub(super) pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    shader: Specialized,
    pub(super) bindings: Option<(u64, wgpu::BindGroup)>,
    max_groups: u32,
}

impl GpuKernel {
    pub(super) fn new(
        device: &wgpu::Device,
        shader: Specialized,
        plan: Plan,
        checks: wgpu::ShaderRuntimeChecks,
        max_groups: u32,
    ) -> GpuKernel {
        let module = compile(device, &shader.wgsl, checks);
        let entries: Vec<_> = shader
            .bindings
            .iter()
            .map(|binding| wgpu::BindGroupLayoutEntry {
                binding: binding.index,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: match binding.kind {
                        BindingKind::Uniform => wgpu::BufferBindingType::Uniform,
                        BindingKind::ReadOnlyStorage => wgpu::BufferBindingType::Storage { read_only: true },
                        BindingKind::ReadWriteStorage => {
                            wgpu::BufferBindingType::Storage { read_only: false }
                        }
                    },
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            })
            .collect();
        let layout = device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
        let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let constants: Vec<(&str, f64)> =
            shader.constants.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(&shader.entry),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some(&shader.entry),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &constants,
                zero_initialize_workgroup_memory: checks.bounds_checks,
            },
            cache: None,
        });
        GpuKernel { plan, pipeline, layout, shader, bindings: None, max_groups }
    }

    /// Binds the buffers as they are now.
    pub(super) fn bind(&mut self, device: &wgpu::Device, buffers: &Buffers) {
        let generation = buffers.generation();
        if self.bindings.as_ref().is_some_and(|(bound, _)| *bound == generation) {
            return;
        }
        let entries: Vec<_> = self
            .shader
            .bindings
            .iter()
            .map(|binding| {
                let (buffer, bytes) = match self.plan.buffers.iter().find(|b| b.name == binding.name) {
                    Some(planned) => (buffers.of(&planned.content), planned.bytes),
                    None => (buffers.params(), size_of::<Params>() as u64),
                };
                wgpu::BindGroupEntry {
                    binding: binding.index,
                    resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                        buffer,
                        offset: 0,
                        size: std::num::NonZeroU64::new(bytes),
                    }),
                }
            })
            .collect();
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.layout,
            entries: &entries,
        });
        self.bindings = Some((generation, group));
    }

    /// The grid of a whole dispatch, or of one of its parts; `None` for a part without groups.
    pub(super) fn grid(&self, part: u32, parts: u32) -> Option<Grid> {
        let share = self.plan.groups.div_ceil(u64::from(parts));
        let first = share * u64::from(part);
        let groups = share.min(self.plan.groups.saturating_sub(first));
        (groups > 0).then(|| Grid::fold(first, groups, self.max_groups))
    }

    /// One past the last group of a part: what its early return compares with.
    pub(super) fn end(&self, part: u32, parts: u32) -> u32 {
        let share = self.plan.groups.div_ceil(u64::from(parts));
        (share * (u64::from(part) + 1)).min(self.plan.groups) as u32
    }
}

/// Compiles WGSL without the checks that wgpu would add.
#[expect(unsafe_code, reason = "the checks that wgpu adds are what must not be measured")]
fn compile(device: &wgpu::Device, wgsl: &str, checks: wgpu::ShaderRuntimeChecks) -> wgpu::ShaderModule {
    let descriptor =
        wgpu::ShaderModuleDescriptor { label: None, source: wgpu::ShaderSource::Wgsl(wgsl.into()) };
    // SAFETY: the kernels are this crate's own; tests execute the cases of the full suite that fit a
    // small footprint in the access model, on whole grids and as twins, and none leaves its buffers or runs
    // without end.
    unsafe { device.create_shader_module_trusted(descriptor, checks) }
}
