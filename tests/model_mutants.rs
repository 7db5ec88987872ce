//! No shader makes the model panic: mutants of the corpus end in a report or in a typed error.

#![expect(clippy::unwrap_used, reason = "a test that fails may panic")]

use std::fs;
use std::path::Path;

use naga::valid::{Capabilities, ValidationFlags, Validator};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use stridemark::model::{
    Buffers, Contents, Dispatch, Fill, Limits, Machine, Program, Workgroups, resolve, run,
};

const NUMBERS: [&str; 10] = ["0", "1", "2", "3", "31", "33", "255", "65537", "2147483647", "4294967295"];

/// Replaces a number, or removes, repeats or exchanges lines.
fn mutate(source: &str, random: &mut Pcg64Mcg) -> String {
    let mut lines: Vec<String> = source.lines().map(str::to_owned).collect();
    let any = |random: &mut Pcg64Mcg, n: usize| random.next_u32() as usize % n;
    for _ in 0..=any(random, 3) {
        let (i, j) = (any(random, lines.len()), any(random, lines.len()));
        match any(random, 6) {
            0 => lines.swap(i, j),
            1 => lines[i] = lines[j].clone(),
            2 => lines[i].clear(),
            _ => {
                let digits: Vec<usize> =
                    lines[i].char_indices().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at).collect();
                if let Some(&at) = digits.get(any(random, digits.len().max(1))) {
                    let end =
                        lines[i][at..].find(|c: char| !c.is_ascii_digit()).map_or(lines[i].len(), |n| at + n);
                    lines[i].replace_range(at..end, NUMBERS[any(random, NUMBERS.len())]);
                }
            }
        }
    }
    lines.join("\n")
}

/// Whether naga took the shader; the model must then come to an end.
fn survives(source: &str) -> bool {
    let Ok(module) = naga::front::wgsl::parse_str(source) else { return false };
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    validator.subgroup_stages(naga::valid::ShaderStages::COMPUTE);
    validator.subgroup_operations(naga::valid::SubgroupOperationSet::all());
    let Ok(info) = validator.validate(&module) else { return false };
    let Ok((module, info)) = resolve(&module, &info, "main", &Default::default()) else { return false };
    let Ok(program) = Program::new("mutant.wgsl", source, &module, &info, "main") else { return true };
    let mut buffers = Buffers::new(&program);
    for i in 0..program.bindings().len() {
        let sparse = Contents::Sparse { fill: Fill::Iota, length: 1 << 20, length_assumption: None };
        let contents = Contents::Filled { bytes: 1024, fill: Fill::Iota };
        if buffers.set(i, if i % 2 == 0 { contents } else { sparse }).is_err() {
            return true; // a type of more than 1024 bytes
        }
    }
    let dispatch = Dispatch { grid: [2, 1, 1], workgroups: Workgroups::All };
    let limits = Limits { steps_per_workgroup: 20_000, sparse_bytes: 1 << 20 };
    let _ = run(&program, &Machine::preset("amd-cdna4").unwrap(), &dispatch, &buffers, &limits);
    true
}

#[test]
fn mutants_do_not_panic() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Vec::new();
    for folder in ["tests/data/shaders", "tests/data/cases", "shaders"] {
        let mut paths: Vec<_> = fs::read_dir(root.join(folder)).unwrap().map(|e| e.unwrap().path()).collect();
        paths.sort();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "wgsl"));
        sources.extend(paths.iter().map(|path| fs::read_to_string(path).unwrap()));
    }
    let rounds = std::env::var("MUTANT_ROUNDS").map_or(100, |rounds| rounds.parse().unwrap());
    let mut executed = 0;
    for (i, source) in sources.iter().enumerate() {
        for round in 0..rounds {
            let seed = (i as u64) << 32 | round;
            let mutant = mutate(source, &mut Pcg64Mcg::seed_from_u64(seed));
            let result = std::panic::catch_unwind(|| survives(&mutant));
            match result {
                Ok(survived) => executed += u32::from(survived),
                Err(_) => panic!("a panic in this shader, seed {seed}:\n{mutant}"),
            }
        }
    }
    assert!(executed as usize > sources.len(), "only {executed} mutants were shaders");
}
