//! What every fuzzing driver runs: from untrusted text to a report, and the mutations that make text.
//!
//! The libFuzzer targets in this folder (nightly, `cargo fuzz`) and the test `tests/model_mutants.rs`
//! (stable) include this file, so that a finding of one is reproduced by the other.

#![allow(dead_code, unreachable_pub, reason = "each driver includes this file and uses a part")]

use naga::back::PipelineConstants;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::Rng;
use stridemark::model::{
    Buffers, Contents, Dispatch, Fill, Limits, Machine, ModelError, Program, Workgroups, resolve, run,
};

/// The value of override constants that have none.
const OVERRIDE: f64 = 4.0;
/// Tight bounds, so that a hostile shader costs milliseconds.
const LIMITS: Limits = Limits { steps_per_workgroup: 5_000, cut_loops_after: None, sparse_bytes: 1 << 20 };

/// What became of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// naga took no shader out of it, or one without a compute entry point.
    Rejected,
    /// The model said why it does not execute it.
    Refused,
    /// At least one entry point was executed.
    Executed,
}

/// naga's part: parse and validate.
pub fn front(text: &str) -> Option<(naga::Module, ModuleInfo)> {
    let module = naga::front::wgsl::parse_str(text).ok()?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.subgroup_stages(naga::valid::ShaderStages::COMPUTE);
    validator.subgroup_operations(naga::valid::SubgroupOperationSet::all());
    let info = validator.validate(&module).ok()?;
    Some((module, info))
}

/// The model's part: every compute entry point, resolved, compiled and run.
pub fn model(text: &str, module: &naga::Module, info: &ModuleInfo) -> Outcome {
    let mut outcome = Outcome::Rejected;
    let unset = module.overrides.iter().filter(|(_, constant)| constant.init.is_none());
    let constants: PipelineConstants =
        unset.filter_map(|(_, constant)| Some((constant.name.clone()?, OVERRIDE))).collect();
    for entry in module.entry_points.iter().filter(|entry| entry.stage == naga::ShaderStage::Compute) {
        let Ok((module, info)) = resolve(module, info, &entry.name, &constants) else { continue };
        match execute(text, &module, &info, &entry.name) {
            Ok(()) => outcome = Outcome::Executed,
            Err(_) if outcome == Outcome::Rejected => outcome = Outcome::Refused,
            Err(_) => {}
        }
    }
    outcome
}

fn execute(text: &str, module: &naga::Module, info: &ModuleInfo, entry: &str) -> Result<(), ModelError> {
    let program = Program::new("fuzzed.wgsl", text, module, info, entry)?;
    let mut buffers = Buffers::new(&program);
    for (i, binding) in program.bindings().iter().enumerate() {
        let contents = match i % 3 {
            0 => Contents::Filled { bytes: binding.least_bytes().clamp(1024, 1 << 20), fill: Fill::Iota },
            1 => Contents::Sparse { fill: Fill::Iota, length: 1 << 20, length_assumption: None },
            _ => Contents::Bounded { bytes: binding.least_bytes().max(256), fill: Fill::Constant(3) },
        };
        buffers.set(i, contents)?;
    }
    let dispatch = Dispatch { grid: [2, 1, 1], workgroups: Workgroups::All };
    for preset in ["nvidia", "amd-cdna4"] {
        let Some(machine) = Machine::preset(preset) else { continue };
        run(&program, &machine, &dispatch, &buffers, &LIMITS)?;
    }
    Ok(())
}

/// Both parts.
pub fn whole(text: &str) -> Outcome {
    front(text).map_or(Outcome::Rejected, |(module, info)| model(text, &module, &info))
}

const NUMBERS: [&str; 16] = [
    "0",
    "1",
    "2",
    "3",
    "7",
    "31",
    "32",
    "33",
    "64",
    "255",
    "65535",
    "65537",
    "0x7fffffff",
    "2147483648u",
    "4294967295u",
    "1.5",
];
const OPERATORS: [&str; 18] =
    ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&&", "||"];
const TYPES: [&str; 14] = [
    "u32",
    "i32",
    "f32",
    "bool",
    "vec2<u32>",
    "vec3<f32>",
    "vec4<i32>",
    "mat2x2<f32>",
    "mat4x3<f32>",
    "array<u32, 4>",
    "array<vec3<f32>, 3>",
    "atomic<u32>",
    "f16",
    "u64",
];
const STATEMENTS: [&str; 10] = [
    "break;",
    "continue;",
    "return;",
    "workgroupBarrier();",
    "storageBarrier();",
    "{}",
    "loop {}",
    "if true { return; }",
    "switch 1i { default: {} }",
    "loop { break; }",
];

/// A number below `n`; 0 where `n` is 0.
fn below(random: &mut Pcg64Mcg, n: usize) -> usize {
    random.next_u32() as usize % n.max(1)
}

fn pick<'a>(random: &mut Pcg64Mcg, list: &[&'a str]) -> &'a str {
    list[below(random, list.len())]
}

/// Changes a shader at a few tokens or lines; `other` lends lines and tokens.
pub fn mutate_text(text: &str, other: &str, random: &mut Pcg64Mcg) -> String {
    let mut text = text.to_owned();
    for _ in 0..=below(random, 4) {
        text = if below(random, 4) == 0 {
            mutate_lines(&text, other, random)
        } else {
            mutate_tokens(&text, other, random)
        };
    }
    text
}

fn mutate_lines(text: &str, other: &str, random: &mut Pcg64Mcg) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let others: Vec<&str> = other.lines().collect();
    let (i, j) = (below(random, lines.len()), below(random, lines.len()));
    if lines.is_empty() {
        return text.to_owned();
    }
    match below(random, 6) {
        0 => lines.swap(i, j),
        1 => lines[i] = lines[j],
        2 => lines[i] = "",
        3 if !others.is_empty() => lines.insert(i, others[below(random, others.len())]),
        4 => lines.insert(i, pick(random, &STATEMENTS)),
        _ => lines.insert(i, lines[j]),
    }
    lines.join("\n")
}

fn mutate_tokens(text: &str, other: &str, random: &mut Pcg64Mcg) -> String {
    let mut parts = tokens(text);
    let others = tokens(other);
    if parts.is_empty() {
        return text.to_owned();
    }
    let (i, j) = (below(random, parts.len()), below(random, parts.len()));
    let first = parts[i].chars().next().unwrap_or(' ');
    match below(random, 8) {
        0 => parts.swap(i, j),
        1 => parts[i] = "",
        2 if !others.is_empty() => parts[i] = others[below(random, others.len())],
        3 => parts.insert(i, parts[j]),
        _ if first.is_ascii_digit() => parts[i] = pick(random, &NUMBERS),
        _ if TYPES.contains(&parts[i]) => parts[i] = pick(random, &TYPES),
        _ if OPERATORS.contains(&parts[i]) => parts[i] = pick(random, &OPERATORS),
        _ if first.is_alphabetic() => {
            let names: Vec<&str> =
                parts.iter().copied().filter(|part| part.starts_with(char::is_alphabetic)).collect();
            parts[i] = pick(random, &names);
        }
        _ => parts[i] = parts[j],
    }
    parts.concat()
}

/// Words, numbers, runs of blanks and single signs.
fn tokens(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        c if c.is_alphanumeric() || c == '_' || c == '.' => 1,
        c if c.is_whitespace() => 2,
        _ => 0,
    };
    let mut list = Vec::new();
    let mut start = 0;
    let mut before = 2;
    for (at, c) in text.char_indices() {
        let now = class(c);
        if at > start && (now != before || now == 0) {
            list.push(&text[start..at]);
            start = at;
        }
        before = now;
    }
    if start < text.len() {
        list.push(&text[start..]);
    }
    list
}

/// Changes a shader at a few bytes, whatever becomes of its text.
pub fn mutate_bytes(text: &str, random: &mut Pcg64Mcg) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=below(random, 8) {
        let at = below(random, bytes.len());
        match below(random, 4) {
            0 if !bytes.is_empty() => bytes[at] = random.next_u32() as u8,
            1 if !bytes.is_empty() => drop(bytes.remove(at)),
            2 => bytes.insert(at, random.next_u32() as u8),
            _ => bytes.truncate(bytes.len() - below(random, bytes.len() / 4 + 1)),
        }
    }
    bytes
}
