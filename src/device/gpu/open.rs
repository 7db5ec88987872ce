//! Opening an adapter: its own limits, the features a measurement needs, and the sizes that suit it.

use std::collections::BTreeMap;

use crate::device::{Cancel, DeviceInfo, DeviceKind, Fault};
use crate::pattern::{Fill, Limits, power_of_two_below};

use super::Gpu;
use super::buffers::Buffers;
use super::faults::Faults;
use super::kernel::Modules;
use super::pass::Timestamps;
use super::room;

const MIB: u64 = 1 << 20;

/// What the caller chooses about a device.
#[derive(Clone, Debug)]
pub struct OpenOptions {
    /// Bytes over the buffers of a case; `None` leaves it to the device's kind and cache.
    pub footprint: Option<u64>,
    /// Whether wgpu's bounds checks and loop bounding stay in the shaders.
    pub runtime_checks: bool,
    /// Seed of the input words.
    pub seed: u64,
}

/// The instance that every adapter comes from: no debug flags, since those make some compilers skip
/// optimisation.
pub fn instance() -> wgpu::Instance {
    let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
    descriptor.flags = wgpu::InstanceFlags::empty();
    descriptor.backend_options.dx12.shader_compiler = dx12_compiler();
    wgpu::Instance::new(descriptor)
}

/// DXC where its library stands beside the program or on the search path, else FXC: wgpu would choose
/// silently, and the two differ in speed.
fn dx12_compiler() -> wgpu::Dx12Compiler {
    const LIBRARY: &str = "dxcompiler.dll";
    let beside = std::env::current_exe().ok().and_then(|exe| Some(exe.parent()?.to_path_buf()));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = beside
        .into_iter()
        .chain(std::env::split_paths(&path))
        .map(|folder| folder.join(LIBRARY))
        .find(|file| cfg!(windows) && file.is_file());
    match found {
        Some(file) => wgpu::Dx12Compiler::DynamicDxc { dxc_path: file.to_string_lossy().into_owned() },
        None => wgpu::Dx12Compiler::Fxc,
    }
}

/// What an adapter says of itself, before it is opened.
pub(in crate::device) fn describe(adapter: &wgpu::Adapter) -> DeviceInfo {
    let info = adapter.get_info();
    let limits = adapter.limits();
    let text = |text: String| (!text.is_empty()).then_some(text);
    let backend = match info.backend {
        wgpu::Backend::Noop => "noop",
        wgpu::Backend::Vulkan => "vulkan",
        wgpu::Backend::Metal => "metal",
        wgpu::Backend::Dx12 => "dx12",
        wgpu::Backend::Gl => "gl",
        wgpu::Backend::BrowserWebGpu => "webgpu",
    };
    let software = ["llvmpipe", "lavapipe", "swiftshader", "softpipe", "basic render driver"];
    let lower = info.name.to_lowercase();
    let kind = match info.device_type {
        _ if software.iter().any(|name| lower.contains(name)) => DeviceKind::Cpu,
        wgpu::DeviceType::DiscreteGpu => DeviceKind::Discrete,
        wgpu::DeviceType::IntegratedGpu => DeviceKind::Integrated,
        wgpu::DeviceType::VirtualGpu => DeviceKind::Virtual,
        wgpu::DeviceType::Cpu => DeviceKind::Cpu,
        wgpu::DeviceType::Other => DeviceKind::Other,
    };
    let compiler = match (info.backend, dx12_compiler()) {
        (wgpu::Backend::Dx12, wgpu::Dx12Compiler::DynamicDxc { .. }) => Some("DXC".to_owned()),
        (wgpu::Backend::Dx12, _) => Some("FXC".to_owned()),
        _ => None,
    };
    DeviceInfo {
        name: info.name.clone(),
        backend: backend.to_owned(),
        kind,
        vendor: (info.vendor != 0).then_some(info.vendor),
        device: (info.device != 0).then_some(info.device),
        pci: text(info.device_pci_bus_id.clone()),
        driver: text(info.driver.clone()),
        driver_info: text(info.driver_info.clone()),
        shader_compiler: compiler,
        subgroup_size: None,
        subgroup_source: "unknown".to_owned(),
        timestamp_period_ns: None,
        features: Vec::new(),
        limits: BTreeMap::from([
            ("max_binding_bytes".to_owned(), max_binding(&limits)),
            ("max_buffer_bytes".to_owned(), limits.max_buffer_size),
            ("max_workgroup_memory_bytes".to_owned(), u64::from(limits.max_compute_workgroup_storage_size)),
            ("max_workgroup_lanes".to_owned(), u64::from(max_lanes(&limits))),
            (
                "max_workgroups_per_dimension".to_owned(),
                u64::from(limits.max_compute_workgroups_per_dimension),
            ),
        ]),
        runtime_checks: false,
    }
}

/// Opens an adapter.
///
/// # Errors
/// When the driver refuses, the device is lost at once, or has no memory to speak of.
pub fn open(adapter: &wgpu::Adapter, options: &OpenOptions) -> Result<Gpu, Fault> {
    let mut info = describe(adapter);
    (info.subgroup_size, info.subgroup_source) = subgroup_size(adapter);
    let timestamp = wgpu::Features::TIMESTAMP_QUERY;
    let features = adapter.features() & timestamp;
    let (device, queue) = request(adapter, features)?;
    let faults = Faults::listen(&device);
    let adapter_limits = adapter.limits();
    info.features = features.iter_names().map(|(name, _)| name.to_owned()).collect();
    info.runtime_checks = options.runtime_checks;
    let timestamps = features.contains(timestamp).then(|| Timestamps::new(&device));
    info.timestamp_period_ns = timestamps.as_ref().map(|_| f64::from(queue.get_timestamp_period()));
    let mut limits = limits(&info, &adapter_limits, options.footprint);
    let footprint_cut = room::fit(&device, &faults, &mut limits)?;
    let fill = Fill::new(options.seed);
    Ok(Gpu {
        buffers: Buffers::new(&device, &queue, &faults, fill),
        limits,
        footprint_cut,
        cancel: Cancel::default(),
        info,
        fill,
        faults,
        timestamps,
        kernels: Vec::new(),
        modules: Modules::new(if options.runtime_checks {
            wgpu::ShaderRuntimeChecks::checked()
        } else {
            wgpu::ShaderRuntimeChecks::unchecked()
        }),
        max_groups: adapter_limits.max_compute_workgroups_per_dimension,
        device,
        queue,
    })
}

fn request(adapter: &wgpu::Adapter, features: wgpu::Features) -> Result<(wgpu::Device, wgpu::Queue), Fault> {
    pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
        label: Some("stridemark"),
        required_features: features,
        required_limits: adapter.limits(),
        // Buffers are few and large: blocks to suballocate from would only stay behind as they grow.
        memory_hints: wgpu::MemoryHints::MemoryUsage,
        ..Default::default()
    }))
    .map_err(|error| Fault::Rejected(format!("the adapter could not be opened: {error}")))
}

fn max_binding(limits: &wgpu::Limits) -> u64 {
    // Word indices in kernels are u32.
    limits.max_buffer_size.min(limits.max_storage_buffer_binding_size).min(4 * (u64::from(u32::MAX) + 1))
}

fn max_lanes(limits: &wgpu::Limits) -> u32 {
    limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x)
}

/// The footprint of the design: a multiple of the last-level cache where that is known, and never less than
/// what keeps any known cache out of the way; less on CPU adapters, which have the time of a CPU.
fn limits(info: &DeviceInfo, adapter: &wgpu::Limits, footprint: Option<u64>) -> Limits {
    let cache = crate::record::peaks::find(&info.name).and_then(|facts| facts.last_level_cache_bytes());
    let of_cache = |floor: u64| cache.map_or(floor, |cache| floor.max(4 * cache));
    let chosen = footprint.unwrap_or(match info.kind {
        DeviceKind::Discrete | DeviceKind::Virtual | DeviceKind::Other => of_cache(512 * MIB),
        DeviceKind::Integrated => of_cache(256 * MIB),
        DeviceKind::Cpu => 64 * MIB,
    });
    let random_footprint = if info.is_cpu() { chosen.min(16 * MIB) } else { chosen };
    Limits {
        footprint: chosen,
        random_footprint,
        max_binding: power_of_two_below(max_binding(adapter)),
        max_workgroup_memory: u64::from(adapter.max_compute_workgroup_storage_size),
        max_invocations: max_lanes(adapter),
        last_level_cache: cache,
    }
}

/// The subgroup size: the adapter's, where it has only one; else what a kernel sees, on a device of its own,
/// since a device with the subgroup feature may let sizes vary.
fn subgroup_size(adapter: &wgpu::Adapter) -> (Option<u32>, String) {
    let info = adapter.get_info();
    let range = format!("{} to {}", info.subgroup_min_size, info.subgroup_max_size);
    if info.subgroup_min_size == info.subgroup_max_size && info.subgroup_min_size > 0 {
        return (Some(info.subgroup_min_size), "adapter: fixed size".to_owned());
    }
    if !adapter.features().contains(wgpu::Features::SUBGROUP) {
        return (None, format!("unknown: the adapter says {range} and has no subgroup feature"));
    }
    match probe(adapter) {
        Ok(size) => (Some(size), format!("probe kernel; the adapter says {range}")),
        Err(fault) => (None, format!("unknown: the adapter says {range} and the probe failed ({fault})")),
    }
}

fn probe(adapter: &wgpu::Adapter) -> Result<u32, Fault> {
    let (device, queue) = request(adapter, wgpu::Features::SUBGROUP)?;
    let faults = Faults::listen(&device);
    let bytes = 4;
    let buffer = |usage| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: bytes,
            usage,
            mapped_at_creation: false,
        })
    };
    let (result, staging) = faults.catch(&device, || {
        let result = buffer(wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC);
        let staging = buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("subgroup probe"),
            source: wgpu::ShaderSource::Wgsl(PROBE.into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: result.as_entire_binding() }],
        });
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        {
            let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
            pass.set_pipeline(&pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(1, 1, 1);
        }
        encoder.copy_buffer_to_buffer(&result, 0, &staging, 0, bytes);
        queue.submit([encoder.finish()]);
        (result, staging)
    })?;
    staging.slice(..).map_async(wgpu::MapMode::Read, |_| ());
    faults.wait(&device, super::TIMEOUT)?;
    let view = staging.slice(..).get_mapped_range().map_err(|error| Fault::Rejected(error.to_string()))?;
    let size = bytemuck::pod_read_unaligned::<u32>(&view[..4]);
    drop(view);
    drop(result);
    if size == 0 { Err(Fault::Rejected("the probe wrote nothing".to_owned())) } else { Ok(size) }
}

const PROBE: &str = "enable subgroups;
@group(0) @binding(0) var<storage, read_write> size: u32;
@compute @workgroup_size(128)
fn main(@builtin(subgroup_size) lanes: u32, @builtin(local_invocation_index) lane: u32) {
    if lane == 0u { size = lanes; }
}";
