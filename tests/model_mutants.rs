//! No shader makes the model panic: mutants of the corpus end in a report or in a typed error.
//!
//! The stable counterpart of the libFuzzer targets in `fuzz/`. `STRIDEMARK_FUZZ_SECONDS` sets how long each
//! of the two tests goes on, `STRIDEMARK_FUZZ_SEED` where it starts; a failure prints the shader and its seed.

#![expect(clippy::unwrap_used, reason = "a test that fails may panic")]

use std::fs;
use std::panic::catch_unwind;
use std::path::Path;
use std::time::{Duration, Instant};

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

#[path = "../fuzz/shared.rs"]
mod shared;

use shared::Outcome;

fn variable(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

/// The shaders that mutants are made of.
fn seeds() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Vec::new();
    for folder in ["tests/data/shaders", "tests/data/cases", "shaders"] {
        let mut paths: Vec<_> = fs::read_dir(root.join(folder)).unwrap().map(|e| e.unwrap().path()).collect();
        paths.sort();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "wgsl"));
        sources.extend(paths.iter().map(|path| fs::read_to_string(path).unwrap()));
    }
    sources
}

/// Runs mutants until the time is over; how many were executed, and on how many naga itself panicked.
fn fuzz(make: impl Fn(&[String], &mut Pcg64Mcg) -> String) -> (u32, u32) {
    let seeds = seeds();
    let first = variable("STRIDEMARK_FUZZ_SEED", 1);
    let end = Instant::now() + Duration::from_secs(variable("STRIDEMARK_FUZZ_SECONDS", 4));
    let (mut executed, mut of_naga) = (0, 0);
    for seed in first.. {
        if Instant::now() >= end {
            println!("seeds {first} to {}: {executed} executed, {of_naga} panics of naga", seed - 1);
            break;
        }
        let text = make(&seeds, &mut Pcg64Mcg::seed_from_u64(seed));
        let Ok(shader) = catch_unwind(|| shared::front(&text)) else {
            of_naga += 1;
            continue;
        };
        let Some((module, info)) = shader else { continue };
        match catch_unwind(|| shared::model(&text, &module, &info)) {
            Ok(outcome) => executed += u32::from(outcome == Outcome::Executed),
            Err(_) => panic!("a panic in this shader, seed {seed}:\n{text}"),
        }
    }
    (executed, of_naga)
}

#[test]
fn mutants_do_not_panic() {
    let (executed, _) = fuzz(|seeds, random| {
        let any = |random: &mut Pcg64Mcg| &seeds[random.next_u32() as usize % seeds.len()];
        let (text, other) = (any(random), any(random));
        shared::mutate_text(text, other, random)
    });
    assert!(executed > 20, "only {executed} mutants were shaders");
}

#[test]
fn bytes_do_not_panic() {
    fuzz(|seeds, random| {
        let text = &seeds[random.next_u32() as usize % seeds.len()];
        String::from_utf8_lossy(&shared::mutate_bytes(text, random)).into_owned()
    });
}
