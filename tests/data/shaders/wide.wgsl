// 64-bit integers and f64.
// needs: SHADER_INT64 SHADER_F64
// expect: 0 1 4294967295 4294967295 0 1 3 1 2 5 0 1074266112
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> input: array<u32>;
@group(0) @binding(2) var<storage, read_write> words: array<u64>; // word pairs (0, 1), (2, 3), …
fn put(i: u32, value: u64) { out[i] = u32(value); out[i + 1u] = u32(value >> 32u); }
@compute @workgroup_size(1)
fn main() {
    let one = u64(input[1]);
    put(0u, one << 32u);
    put(2u, u64(0u) - one);
    put(4u, words[0]);
    words[1] = words[1] / words[0]; // (3·2³² + 2) / 2³² = 3
    out[6] = u32(words[1]);
    let s = i64(-7) * i64(one);
    out[7] = select(0u, 1u, s < i64(0) && s / i64(2) == i64(-3));
    out[8] = u32(min(one + one, u64(9u)));
    out[9] = u32(abs(i64(-5) * i64(one)));
    let d = f64(input[1]) * 3.0lf;
    let half = d / 2.0lf + 1.5lf; // 3
    out[10] = select(1u, 0u, half == 3.0lf);
    out[11] = select(0u, 0x40080000u, f32(half) == 3.0);
}
