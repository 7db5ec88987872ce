// Packing and unpacking.
// expect: 2164293376 4278222848 2147450881 2147549182 1006647296 67305985 2147483521 33489151 4294967295 1065353216 3212836864 4 70 4294967286
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> input: array<u32>;
@compute @workgroup_size(1)
fn main() {
    let one = f32(input[1]);
    let i = i32(input[1]);
    out[0] = pack4x8snorm(vec4(0.0, one, 0.0, -1.0)); // 00 7f 00 81
    out[1] = pack4x8unorm(vec4(0.0, 0.5, one * 0.0, one)); // 00 80 00 ff
    out[2] = pack2x16snorm(vec2(-1.0 * one, 2.0)); // 8001 7fff
    out[3] = pack2x16unorm(vec2(one, 0.5)) - 1u;
    out[4] = pack2x16float(vec2(0.5 * one, 1.0));
    out[5] = pack4xU8(vec4(1u * input[1], 2u, 3u, 4u));
    // all at run time: SwiftShader clamps a literal -1 beside a run-time component to 127
    out[6] = pack4xI8Clamp(vec4(-127 * i, -1 * i, -1 * i, 300 * i));
    out[7] = pack4xU8Clamp(vec4(300u, 0u, 511u * input[1], 1u));
    let s = unpack4xI8(0xff7f80ffu * input[1]);
    out[8] = bitcast<u32>(s.x);
    out[9] = bitcast<u32>(unpack4x8unorm(0xffu * input[1]).x);
    out[10] = bitcast<u32>(unpack2x16snorm(0x80000000u * input[1]).y);
    out[11] = unpack4xU8(0x04030201u * input[1]).w;
    out[12] = dot4U8Packed(0x04030201u * input[1], 0x08070605u); // 5 + 12 + 21 + 32
    out[13] = bitcast<u32>(dot4I8Packed(0xff030201u * input[1], 0x01fefefeu)) + 3u; // −2 −4 −6 −1 = −13
}
