// f16: arithmetic rounds to 11 bits; loads and stores are half words.
// needs: SHADER_FLOAT16
// expect: 15360 1006647296 2048 1 1073758720 67108864
enable f16;
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> input: array<u32>;
@group(0) @binding(2) var<storage, read_write> halves: array<f16>;
@compute @workgroup_size(1)
fn main() {
    let one = f16(input[1]);
    halves[0] = one;
    halves[1] = one + one;
    halves[3] = one / 2.0h;
    halves[2] = 0.5h * one;
    out[0] = u32(f32(halves[0])) * 15360u;
    out[1] = pack2x16float(vec2(f32(halves[3]), f32(one)));
    out[2] = u32(f32(one * 2048.0h + one)); // 2049 is no f16
    out[3] = select(0u, 1u, halves[1] > one);
    out[4] = pack2x16float(vec2(f32(halves[0] * 2.0h + 1.0h), f32(halves[1])));
    out[5] = 67108864u;
}
