//! Why a sum of twenty million ones in `f32` stops at 2^24, and what the layout of the ones costs.
//!
//! ```sh
//! cargo run --release --example float_sum
//! ```
//!
//! An `f32` has 24 bits of significand. At 2^24 neighbouring values are 2 apart: adding 1 gives a tie, which
//! rounds back to the even one, for ever. Partial sums, such as those of the lanes of a GPU, stay below that.
//! The ones are stored once as a field of records (array of structures) and once by themselves (structure of
//! arrays): both give the same sums, in times that differ, since a record is four times as large as its field.

use std::io::{Write, stdout};
use std::time::Instant;

use stridemark::stats::median;
use stridemark::units;

const ONES: usize = 20_000_000;

/// As many partial sums as a subgroup has lanes.
const LANES: usize = 32;

/// Timed runs of each sum, after one that is not timed; the median is shown.
const RUNS: usize = 9;

#[derive(Clone, Copy)]
struct Particle {
    x: f32,
    _rest: [f32; 3],
}

fn one_by_one(values: impl Iterator<Item = f32>) -> f32 {
    values.fold(0.0, |sum, value| sum + value)
}

/// Each lane sums every 32nd value; then the partial sums are added.
fn by_lanes<T: Copy>(values: &[T], of: impl Fn(T) -> f32) -> f32 {
    let mut partial = [0.0_f32; LANES];
    let chunks = values.chunks_exact(LANES);
    let rest = one_by_one(chunks.remainder().iter().map(|value| of(*value)));
    for chunk in chunks {
        for (sum, value) in partial.iter_mut().zip(chunk) {
            *sum += of(*value);
        }
    }
    one_by_one(partial.into_iter()) + rest
}

/// The result of a sum and its median time in nanoseconds.
fn timed(sum: impl Fn() -> f32) -> (f32, f64) {
    let mut result = sum();
    let times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            result = std::hint::black_box(sum());
            start.elapsed().as_nanos() as f64
        })
        .collect();
    (result, median(&times).unwrap_or(f64::NAN))
}

fn main() -> std::io::Result<()> {
    let records = vec![Particle { x: 1.0, _rest: [0.0; 3] }; ONES];
    let field = vec![1.0_f32; ONES];
    let limit = (1_u32 << 24) as f32;
    let mut out = stdout().lock();
    writeln!(out, "twenty million ones, summed in f32\n")?;
    writeln!(out, "{:34}{:>12}{:>12}", "", "sum", "time")?;
    let mut line =
        |name: &str, (sum, ns): (f32, f64)| writeln!(out, "{name:34}{sum:>12}{:>12}", units::nanoseconds(ns));
    line("one by one, array of structures", timed(|| one_by_one(records.iter().map(|record| record.x))))?;
    line("one by one, structure of arrays", timed(|| one_by_one(field.iter().copied())))?;
    let (aos, soa) = (timed(|| by_lanes(&records, |record| record.x)), timed(|| by_lanes(&field, |x| x)));
    line("32 lanes, array of structures", aos)?;
    line("32 lanes, structure of arrays", soa)?;
    writeln!(out, "\n2^24 = {limit}, and 2^24 + 1 in f32 is {}", limit + 1.0)?;
    writeln!(
        out,
        "lanes over records of {} bytes took {} the time of lanes over the field of 4",
        size_of::<Particle>(),
        units::ratio(aos.1 / soa.1)
    )
}
