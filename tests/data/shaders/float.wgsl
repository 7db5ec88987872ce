// Float arithmetic with exact results, conversions that clamp.
// expect: 1069547520 3221225472 1075838976 1073741824 1082130432 2 0 4294967040 2147483520 2147483648 1077936128 1 1065353216 3204448256
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> input: array<u32>;
@compute @workgroup_size(1)
fn main() {
    let one = f32(input[1]);
    out[0] = bitcast<u32>(one + 0.5);
    out[1] = bitcast<u32>(-one * 2.0);
    out[2] = bitcast<u32>(5.0 * one / 2.0);
    out[3] = bitcast<u32>(sqrt(4.0 * one));
    out[4] = bitcast<u32>(fma(one, 3.0, one));
    out[5] = u32(2.9 * one);
    out[6] = u32(-2.9 * one);
    out[7] = u32(1e20 * one);
    out[8] = bitcast<u32>(i32(1e20 * one));
    out[9] = bitcast<u32>(i32(-1e20 * one));
    out[10] = bitcast<u32>(max(one, 3.0));
    out[11] = select(0u, 1u, one < 1.5);
    out[12] = bitcast<u32>(clamp(7.0 * one, 0.0, 1.0));
    out[13] = bitcast<u32>((5.5 * one) % 2.0 - 2.0); // 1.5 − 2 = −0.5
}
