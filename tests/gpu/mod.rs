//! Running a shader on an adapter, for tests that compare it with the model.
#![expect(clippy::unwrap_used, reason = "a test that fails may panic")]
#![allow(unreachable_pub, reason = "each test binary is a crate of its own")]

use wgpu::util::DeviceExt as _;

/// Every Vulkan adapter.
pub fn adapters() -> Vec<wgpu::Adapter> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN))
}

/// A device with some features.
pub fn open(adapter: &wgpu::Adapter, features: wgpu::Features) -> (wgpu::Device, wgpu::Queue) {
    let descriptor = wgpu::DeviceDescriptor { required_features: features, ..Default::default() };
    pollster::block_on(adapter.request_device(&descriptor)).unwrap()
}

/// Runs the entry point `main` over some workgroups along x. Each buffer is a binding of group 0 with its
/// words; returns the words of those in `read`, in that order.
pub fn execute(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    source: &str,
    groups: u32,
    buffers: &[(u32, Vec<u32>)],
    read: &[u32],
) -> Vec<Vec<u32>> {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(source.into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let bound: Vec<_> = buffers
        .iter()
        .map(|(binding, words)| {
            let buffer = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
                label: None,
                contents: bytemuck::cast_slice(words),
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
            });
            (*binding, buffer)
        })
        .collect();
    let entries: Vec<_> = bound
        .iter()
        .map(|(binding, buffer)| wgpu::BindGroupEntry {
            binding: *binding,
            resource: buffer.as_entire_binding(),
        })
        .collect();
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &entries,
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups(groups, 1, 1);
    drop(pass);
    let back: Vec<_> = read
        .iter()
        .map(|wanted| {
            let (_, from) = bound.iter().find(|(binding, _)| binding == wanted).unwrap();
            let to = device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: from.size(),
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            encoder.copy_buffer_to_buffer(from, 0, &to, 0, from.size());
            to
        })
        .collect();
    queue.submit([encoder.finish()]);
    for buffer in &back {
        buffer.map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
    }
    device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    back.iter().map(|buffer| bytemuck::pod_collect_to_vec(&buffer.get_mapped_range(..).unwrap())).collect()
}
