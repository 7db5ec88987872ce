// Rounding, fraction, sign, step, mix, smoothstep, packed in one sum each.
// expect-f32: 2 -2 1 -2 2 0.25 0.75 -1 0 1 0 2.5 0.5 4 0.125
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> input: array<u32>;
@compute @workgroup_size(1)
fn main() {
    let one = f32(input[1]);
    out[0] = bitcast<u32>(round(2.5 * one));
    out[1] = bitcast<u32>(round(-1.5 * one));
    out[2] = bitcast<u32>(floor(1.75 * one));
    out[3] = bitcast<u32>(floor(-1.25 * one));
    out[4] = bitcast<u32>(ceil(1.25 * one));
    out[5] = bitcast<u32>(fract(3.25 * one));
    out[6] = bitcast<u32>(fract(-0.25 * one));
    out[7] = bitcast<u32>(sign(-7.0 * one));
    out[8] = bitcast<u32>(sign(0.0 * one));
    out[9] = bitcast<u32>(step(one, 1.0));
    out[10] = bitcast<u32>(step(one, 0.5));
    out[11] = bitcast<u32>(mix(2.0 * one, 3.0, 0.5));
    out[12] = bitcast<u32>(smoothstep(0.0, 2.0, one));
    out[13] = bitcast<u32>(ldexp(one, 2i));
    out[14] = bitcast<u32>(saturate(one / 8.0));
}
