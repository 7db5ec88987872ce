//! The shaders of `tests/data/shaders/` give on a Vulkan adapter what they give in the model.
//!
//! Without an adapter, or without a feature that a shader `needs`, there is nothing to compare. Shaders that
//! depend on the subgroup's size or on the order of atomics are compared in `model_shaders.rs` only.

#![expect(clippy::unwrap_used, reason = "a test that fails may panic")]

use std::fs;
use std::path::Path;

use wgpu::util::DeviceExt as _;

/// Shaders whose words depend on more than the shader.
const DEPENDENT: [&str; 2] = ["subgroups.wgsl", "atomics.wgsl"];

fn head<'a>(source: &'a str, key: &str) -> Option<&'a str> {
    source.lines().find_map(|line| line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": "))
}

fn needs(source: &str) -> wgpu::Features {
    let names = head(source, "needs").unwrap_or("").split_whitespace();
    names.fold(wgpu::Features::empty(), |all, name| {
        all | match name {
            "SHADER_INT64" => wgpu::Features::SHADER_INT64,
            "SHADER_F64" => wgpu::Features::SHADER_F64,
            "SHADER_FLOAT16" => wgpu::Features::SHADER_F16,
            other => panic!("a shader needs {other}"),
        }
    })
}

/// The words of `out` after a shader ran.
fn execute(device: &wgpu::Device, queue: &wgpu::Queue, source: &str) -> Vec<u32> {
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
    let buffer = |words: Vec<u32>| {
        device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: None,
            contents: bytemuck::cast_slice(&words),
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
        })
    };
    let out = buffer(vec![0; 64]);
    let input = buffer((0..256).collect());
    let other = buffer((0..64).collect());
    let entries: Vec<_> = [(0, &out), (1, &input), (2, &other)]
        .into_iter()
        .filter(|(binding, _)| source.contains(&format!("@binding({binding})")))
        .map(|(binding, buffer)| wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() })
        .collect();
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &entries,
    });
    let back = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 256,
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    pass.dispatch_workgroups(head(source, "grid").map_or(1, |n| n.parse().unwrap()), 1, 1);
    drop(pass);
    encoder.copy_buffer_to_buffer(&out, 0, &back, 0, 256);
    queue.submit([encoder.finish()]);
    back.map_async(wgpu::MapMode::Read, .., |result| result.unwrap());
    device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
    bytemuck::pod_collect_to_vec(&back.get_mapped_range(..).unwrap())
}

#[test]
fn adapters_agree_with_the_expected_words() {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/shaders");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut failures = Vec::new();
    for adapter in adapters {
        for path in &paths {
            let name = path.file_name().unwrap().to_str().unwrap();
            let source = fs::read_to_string(path).unwrap();
            let features = needs(&source);
            if DEPENDENT.contains(&name) || !adapter.features().contains(features) {
                continue;
            }
            let descriptor = wgpu::DeviceDescriptor { required_features: features, ..Default::default() };
            let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
            let words = execute(&device, &queue, &source);
            let (list, float) = match head(&source, "expect") {
                Some(list) => (list, false),
                None => (head(&source, "expect-f32").unwrap(), true),
            };
            for (i, (expected, actual)) in list.split_whitespace().zip(words).enumerate() {
                let wrong = if float {
                    let expected: f32 = expected.parse().unwrap();
                    // what WGSL's accuracy table leaves to the functions in these shaders
                    (f32::from_bits(actual) - expected).abs() > 1e-6 * expected.abs().max(1.0)
                } else {
                    expected.parse() != Ok(actual)
                };
                if wrong {
                    let on = adapter.get_info().name;
                    failures.push(format!("{name} on {on}: out[{i}] is {actual}, expected {expected}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
