//! A case compiled for an adapter.

use std::collections::HashMap;

use crate::pattern::Plan;
use crate::shader::{Binding, BindingKind, Params, Specialized};

use super::buffers::Buffers;

/// How a linear range of workgroups is dispatched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Grid {
    pub(super) first: u32,
    pub(super) columns: u32,
    pub(super) rows: u32,
}

impl Grid {
    /// Folds a range to rows that the device allows. The kernel's linear index stays the same; the groups past
    /// the end, fewer than there are rows, do the last group's work again.
    pub(super) fn fold(first: u64, groups: u64, max_groups: u32) -> Grid {
        let rows = groups.div_ceil(u64::from(max_groups)).max(1);
        let columns = groups.div_ceil(rows).max(1);
        Grid { first: first as u32, columns: columns as u32, rows: rows as u32 }
    }
}

/// A case's plan and shader, with the pipeline while the case is being measured.
pub(super) struct GpuKernel {
    pub(super) plan: Plan,
    recipe: Recipe,
    built: Option<Built>,
    max_groups: u32,
}

impl GpuKernel {
    /// Builds the pipeline, so that a shader which the adapter rejects is known at once.
    pub(super) fn new(
        device: &wgpu::Device,
        modules: &mut Modules,
        shader: Specialized,
        plan: Plan,
        max_groups: u32,
    ) -> GpuKernel {
        let Specialized { wgsl, entry, constants, bindings, .. } = shader;
        let module = modules.compile(device, wgsl);
        let zeroes_workgroup_memory = modules.checks.bounds_checks;
        let recipe = Recipe { module, entry, constants, bindings, zeroes_workgroup_memory };
        let built = Some(Built::new(device, &recipe));
        GpuKernel { plan, recipe, built, max_groups }
    }

    /// Frees the pipeline.
    pub(super) fn release(&mut self) {
        self.built = None;
    }

    /// Binds the buffers as they are now, to a pipeline that is built again where it was released.
    pub(super) fn bind(&mut self, device: &wgpu::Device, buffers: &Buffers) {
        let built = self.built.get_or_insert_with(|| Built::new(device, &self.recipe));
        built.bind(device, &self.recipe, &self.plan, buffers);
    }

    /// The pipeline and its bindings; `None` before [`GpuKernel::bind`].
    pub(super) fn bound(&self) -> Option<(&wgpu::ComputePipeline, &wgpu::BindGroup)> {
        let built = self.built.as_ref()?;
        built.bound.as_ref().map(|(_, group)| (&built.pipeline, group))
    }

    /// The grid of a whole dispatch, or of one of its parts; `None` for a part without groups.
    pub(super) fn grid(&self, part: u32, parts: u32) -> Option<Grid> {
        let share = self.plan.groups.div_ceil(u64::from(parts));
        let first = share * u64::from(part);
        let groups = share.min(self.plan.groups.saturating_sub(first));
        (groups > 0).then(|| Grid::fold(first, groups, self.max_groups))
    }

    /// One past the last group of a part; its surplus groups take the one before it.
    pub(super) fn end(&self, part: u32, parts: u32) -> u32 {
        let share = self.plan.groups.div_ceil(u64::from(parts));
        (share * (u64::from(part) + 1)).min(self.plan.groups) as u32
    }
}

/// What of a shader a pipeline is built from.
struct Recipe {
    module: wgpu::ShaderModule,
    entry: String,
    constants: Vec<(String, f64)>,
    bindings: Vec<Binding>,
    zeroes_workgroup_memory: bool,
}

/// A pipeline and its bindings, which follow the buffers as they grow.
struct Built {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    bound: Option<(u64, wgpu::BindGroup)>,
}

impl Built {
    fn new(device: &wgpu::Device, recipe: &Recipe) -> Built {
        let entries: Vec<_> = recipe
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
            recipe.constants.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(&recipe.entry),
            layout: Some(&pipeline_layout),
            module: &recipe.module,
            entry_point: Some(&recipe.entry),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: &constants,
                zero_initialize_workgroup_memory: recipe.zeroes_workgroup_memory,
            },
            cache: None,
        });
        Built { pipeline, layout, bound: None }
    }

    fn bind(&mut self, device: &wgpu::Device, recipe: &Recipe, plan: &Plan, buffers: &Buffers) {
        let generation = buffers.generation();
        if self.bound.as_ref().is_some_and(|(bound, _)| *bound == generation) {
            return;
        }
        let entries: Vec<_> = recipe
            .bindings
            .iter()
            .map(|binding| {
                let (buffer, bytes) = match plan.buffers.iter().find(|b| b.name == binding.name) {
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
        self.bound = Some((generation, group));
    }
}

/// The shader modules of a run. Cases of a pattern differ by their constants and share a text.
pub(super) struct Modules {
    compiled: HashMap<String, wgpu::ShaderModule>,
    checks: wgpu::ShaderRuntimeChecks,
}

impl Modules {
    pub(super) fn new(checks: wgpu::ShaderRuntimeChecks) -> Modules {
        Modules { compiled: HashMap::new(), checks }
    }

    fn compile(&mut self, device: &wgpu::Device, wgsl: String) -> wgpu::ShaderModule {
        let checks = self.checks;
        let module = self.compiled.entry(wgsl).or_insert_with_key(|wgsl| compile(device, wgsl, checks));
        module.clone()
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What nearly every adapter allows in a dimension.
    const MOST: u32 = 65_535;

    #[test]
    fn a_grid_of_one_row_is_as_wide_as_its_range() {
        for groups in [1, 2, 251, 65_521, 65_535] {
            assert_eq!(Grid::fold(7, groups, MOST), Grid { first: 7, columns: groups as u32, rows: 1 });
        }
    }

    #[test]
    fn a_folded_grid_covers_its_range_within_the_limit() {
        let most = u64::from(MOST);
        // The first that folds, primes, and the most that two dimensions hold.
        for groups in [65_536, 65_537, 131_071, 1_000_003, 2_147_483_647, most * most - 1, most * most] {
            let Grid { first, columns, rows } = Grid::fold(0, groups, MOST);
            assert!(first == 0 && columns <= MOST && rows <= MOST, "{groups}: {columns} x {rows}");
            let idle = (u64::from(columns) * u64::from(rows)).checked_sub(groups);
            assert!(idle.is_some_and(|idle| idle < u64::from(rows)), "{groups}: {columns} x {rows}");
        }
    }

    #[test]
    fn no_more_rows_than_needed() {
        assert_eq!(Grid::fold(0, 65_536, MOST), Grid { first: 0, columns: 32_768, rows: 2 });
        assert_eq!(Grid::fold(3, 10, 4), Grid { first: 3, columns: 4, rows: 3 });
        assert_eq!(Grid::fold(0, 0, MOST), Grid { first: 0, columns: 1, rows: 1 });
    }
}
