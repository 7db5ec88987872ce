//! The shaders of `tests/data/shaders/` give on a Vulkan adapter what they give in the model.
//!
//! Without an adapter, or without a feature that a shader `needs`, there is nothing to compare. Shaders that
//! depend on the subgroup's size or on the order of atomics are compared in `model_shaders.rs` only.

#![expect(clippy::unwrap_used, reason = "a test that fails may panic")]

mod gpu;

use std::fs;
use std::path::Path;

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
    let buffers: Vec<_> = [(0, vec![0; 64]), (1, (0..256).collect()), (2, (0..64).collect())]
        .into_iter()
        .filter(|(binding, _)| source.contains(&format!("@binding({binding})")))
        .collect();
    let groups = head(source, "grid").map_or(1, |n| n.parse().unwrap());
    gpu::execute(device, queue, source, groups, &buffers, &[0]).remove(0)
}

#[test]
fn adapters_agree_with_the_expected_words() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/shaders");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut failures = Vec::new();
    for adapter in gpu::adapters() {
        for path in &paths {
            let name = path.file_name().unwrap().to_str().unwrap();
            let source = fs::read_to_string(path).unwrap();
            let features = needs(&source);
            if DEPENDENT.contains(&name) || !adapter.features().contains(features) {
                continue;
            }
            let (device, queue) = gpu::open(&adapter, features);
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
