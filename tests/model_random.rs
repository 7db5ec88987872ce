//! Random kernels give the same words in the model and on every Vulkan adapter, bit for bit.
//!
//! `STRIDEMARK_RANDOM_KERNELS` says how many, `STRIDEMARK_RANDOM_SEED` from which seed on; a difference is
//! told with the seed and the text of the kernel. Without an adapter the model alone executes them.

#![expect(clippy::unwrap_used, reason = "a test that fails may panic")]

mod gpu;
mod random;

use naga::valid::{Capabilities, ValidationFlags, Validator};
use stridemark::model::{Buffers, Contents, Dispatch, Limits, Machine, Program, Workgroups, resolve, run};

fn variable(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

fn bytes(words: &[u32]) -> Contents {
    Contents::Bytes(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

/// The words of `out` and `counts` in the model.
fn in_model(seed: u64, kernel: &random::Kernel) -> Vec<Vec<u32>> {
    let (source, name) = (&kernel.wgsl, format!("random-{seed}.wgsl"));
    let module = naga::front::wgsl::parse_str(source)
        .unwrap_or_else(|error| panic!("{}\n{source}", error.emit_to_string_with_path(source, &name)));
    let info = Validator::new(ValidationFlags::all(), Capabilities::default())
        .validate(&module)
        .unwrap_or_else(|error| panic!("{}\n{source}", error.emit_to_string_with_path(source, &name)));
    let (module, info) = resolve(&module, &info, "main", &Default::default()).unwrap();
    let program = Program::new(&name, source, &module, &info, "main").unwrap();
    let mut buffers = Buffers::new(&program);
    let zeros = vec![0; kernel.out_words() as usize];
    for (name, words) in [("out", &zeros[..]), ("input", &kernel.input[..]), ("counts", &random::COUNTS[..])]
    {
        if program.bindings().iter().any(|binding| binding.name == name) {
            buffers.set_named(name, bytes(words)).unwrap();
        }
    }
    let dispatch = Dispatch { grid: [kernel.groups, 1, 1], workgroups: Workgroups::All };
    let machine = Machine::preset("nvidia").unwrap();
    let report = run(&program, &machine, &dispatch, &buffers, &Limits::default()).unwrap();
    assert_eq!(report.out_of_bounds, [], "seed {seed}:\n{source}");
    let counts = buffers.words_named("counts").unwrap_or_else(|| random::COUNTS.to_vec());
    vec![buffers.words_named("out").unwrap(), counts]
}

#[test]
fn random_kernels_are_the_same_everywhere() {
    let devices: Vec<_> = gpu::adapters()
        .iter()
        .map(|adapter| (adapter.get_info().name, gpu::open(adapter, wgpu::Features::empty())))
        .collect();
    let first = variable("STRIDEMARK_RANDOM_SEED", 1);
    let mut failures = Vec::new();
    for seed in first..first + variable("STRIDEMARK_RANDOM_KERNELS", 24) {
        let kernel = random::kernel(seed);
        let expected = in_model(seed, &kernel);
        let uses_counts = kernel.wgsl.contains("&counts[");
        for (name, (device, queue)) in &devices {
            let mut buffers = vec![(0, vec![0; kernel.out_words() as usize]), (1, kernel.input.clone())];
            if uses_counts {
                buffers.push((2, random::COUNTS.to_vec()));
            }
            let read: &[u32] = if uses_counts { &[0, 2] } else { &[0] };
            let actual = gpu::execute(device, queue, &kernel.wgsl, kernel.groups, &buffers, read);
            for (what, (actual, expected)) in ["out", "counts"].iter().zip(actual.iter().zip(&expected)) {
                if let Some(i) = (0..expected.len()).find(|&i| actual[i] != expected[i]) {
                    let wrong = (0..expected.len()).filter(|&i| actual[i] != expected[i]).count();
                    failures.push(format!(
                        "seed {seed} on {name}: {what}[{i}] is {}, {} in the model ({wrong} words differ)\n{}",
                        actual[i], expected[i], kernel.wgsl
                    ));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} differences:\n{}", failures.len(), failures.join("\n"));
}
