//! Shaders of the repository, changed at a few tokens: the input chooses two of them and the changes.
#![no_main]

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::SeedableRng as _;

#[path = "../shared.rs"]
mod shared;

/// A few shaders that between them use most of what the model executes.
const SEEDS: [&str; 10] = [
    include_str!("../../shaders/transpose.wgsl"),
    include_str!("../../shaders/bank.wgsl"),
    include_str!("../../tests/data/shaders/atomics.wgsl"),
    include_str!("../../tests/data/shaders/control.wgsl"),
    include_str!("../../tests/data/shaders/matrices.wgsl"),
    include_str!("../../tests/data/shaders/pointers.wgsl"),
    include_str!("../../tests/data/shaders/structs.wgsl"),
    include_str!("../../tests/data/shaders/subgroups.wgsl"),
    include_str!("../../tests/data/shaders/switch.wgsl"),
    include_str!("../../tests/data/shaders/workgroup.wgsl"),
];

libfuzzer_sys::fuzz_target!(|input: (u8, u8, u64)| {
    let (one, other, seed) = input;
    let text = SEEDS[usize::from(one) % SEEDS.len()];
    let other = SEEDS[usize::from(other) % SEEDS.len()];
    shared::whole(&shared::mutate_text(text, other, &mut Pcg64Mcg::seed_from_u64(seed)));
});
