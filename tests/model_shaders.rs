//! The shaders of `tests/data/shaders/` give the words that their heads expect.
//!
//! Each has a binding `out` of 64 zeros; `input` holds 0, 1, 2, … (256 words), other buffers the same (64
//! words). `// expect:` lists the first words of `out`, `// expect-f32:` the same as floats.

#![expect(clippy::unwrap_used, reason = "a test that fails may panic")]

use std::fs;
use std::path::Path;

use naga::valid::{Capabilities, ValidationFlags, Validator};
use stridemark::model::{
    Buffers, Contents, Dispatch, Fill, Limits, Machine, Program, Report, Workgroups, resolve, run,
};

fn head<'a>(source: &'a str, key: &str) -> Option<&'a str> {
    source.lines().find_map(|line| line.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": "))
}

fn execute(name: &str, source: &str) -> (Report, Vec<u32>) {
    let module = naga::front::wgsl::parse_str(source)
        .unwrap_or_else(|e| panic!("{}", e.emit_to_string_with_path(source, name)));
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .subgroup_stages(naga::valid::ShaderStages::COMPUTE)
        .subgroup_operations(naga::valid::SubgroupOperationSet::all())
        .validate(&module)
        .unwrap_or_else(|e| panic!("{}", e.emit_to_string_with_path(source, name)));
    let (module, info) = resolve(&module, &info, "main", &Default::default()).unwrap();
    let program = Program::new(name, source, &module, &info, "main").unwrap_or_else(|e| panic!("{e}"));
    let mut machine = Machine::preset("nvidia").unwrap();
    if let Some(size) = head(source, "subgroup") {
        machine.subgroup_size.set(size.parse().unwrap(), "test");
    }
    let groups = head(source, "grid").map_or(1, |n| n.parse().unwrap());
    let mut buffers = Buffers::new(&program);
    for (i, binding) in program.bindings().iter().enumerate() {
        let (bytes, fill) = match binding.name.as_str() {
            "out" => (256, Fill::Zero),
            "input" => (1024, Fill::Iota),
            _ => (256, Fill::Iota),
        };
        buffers.set(i, Contents::Filled { bytes, fill }).unwrap();
    }
    let dispatch = Dispatch { grid: [groups, 1, 1], workgroups: Workgroups::All };
    let report = run(&program, &machine, &dispatch, &buffers, &Limits::default())
        .unwrap_or_else(|e| panic!("{name}: {e}"));
    (report, buffers.words_named("out").unwrap())
}

#[test]
fn every_shader_gives_what_its_head_expects() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/shaders");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut failures = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let source = fs::read_to_string(&path).unwrap();
        let (report, out) = execute(&name, &source);
        assert_eq!(report.out_of_bounds, [], "{name}");
        let expected: Vec<u32> = match (head(&source, "expect"), head(&source, "expect-f32")) {
            (Some(words), _) => words.split_whitespace().map(|word| word.parse().unwrap()).collect(),
            (None, Some(floats)) => {
                floats.split_whitespace().map(|word| word.parse::<f32>().unwrap().to_bits()).collect()
            }
            (None, None) => panic!("{name} expects nothing"),
        };
        for (i, (&actual, &expected)) in out.iter().zip(&expected).enumerate() {
            if actual != expected {
                let (a, e) = (f32::from_bits(actual), f32::from_bits(expected));
                failures.push(format!("{name}: out[{i}] is {actual} ({a}), expected {expected} ({e})"));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
