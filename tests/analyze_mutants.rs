//! No text makes the analysis panic: mutants of the shaders end in an analysis or in a typed error.

#![expect(clippy::unwrap_used, reason = "a test that fails may panic")]

use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};
use stridemark::analyze::{AnalyzeError, Options, Source, analyze, json, text};
use stridemark::model::Machine;

#[path = "../fuzz/shared.rs"]
mod shared;

/// The file that the last panic was in.
static PANICKED_IN: Mutex<String> = Mutex::new(String::new());

fn seeds() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shaders");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
}

#[test]
fn mutants_do_not_panic() {
    std::panic::set_hook(Box::new(|info| {
        let file = info.location().map_or("", |location| location.file());
        *PANICKED_IN.lock().unwrap() = file.to_owned();
    }));
    let seeds = seeds();
    let seconds = std::env::var("STRIDEMARK_FUZZ_SECONDS").map_or(4, |text| text.parse().unwrap());
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut analysed = 0;
    for seed in 1.. {
        if Instant::now() >= end {
            break;
        }
        let random = &mut Pcg64Mcg::seed_from_u64(seed);
        let any = |random: &mut Pcg64Mcg| &seeds[random.next_u32() as usize % seeds.len()];
        let (one, other) = (any(random), any(random));
        let mutant = match seed % 4 {
            0 => shared::mutate_bytes(one, random),
            _ => shared::mutate_text(one, other, random).into_bytes(),
        };
        let Ok(source) = Source::new("mutant.wgsl", &mutant) else { continue };
        let mut options = Options::new(Machine::preset("nvidia").unwrap());
        let found = match analyze(&source, &options) {
            Err(AnalyzeError::SeveralEntries { .. }) => {
                let name = source.text.split("fn ").last().and_then(|rest| rest.split('(').next());
                options.entry = name.map(str::to_owned);
                analyze(&source, &options)
            }
            found => found,
        };
        match found {
            Ok(analysis) => {
                assert!(!text(&analysis, &source).is_empty() && json(&analysis).starts_with('{'));
                analysed += 1;
            }
            Err(AnalyzeError::Internal { what, .. }) => {
                let file = PANICKED_IN.lock().unwrap().clone();
                assert!(file.contains("naga-"), "seed {seed}: {what} in {file}\n{}", source.text);
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    drop(std::panic::take_hook());
    assert!(analysed > 5, "only {analysed} mutants were shaders");
}
