// Wrapping arithmetic, division by zero, shifts modulo the width.
// expect: 4294967295 1 7 0 2147483648 4 4294967294 2147483648 0 3 4294967293 4294967295 1073741823 6
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> input: array<u32>; // 0, 1, 2, …
@compute @workgroup_size(1)
fn main() {
    let zero = input[0];
    let one = input[1];
    let seven = input[7];
    out[0] = zero - one;
    out[1] = (zero - one) * (zero - one);
    out[2] = seven / zero;
    out[3] = seven % zero;
    out[4] = one << (31u + 32u * one);
    out[5] = (one << 2u) >> (32u * one);
    out[6] = u32(i32(zero) - 2i);
    let least = bitcast<i32>(one << 31u);
    out[7] = bitcast<u32>(least / -i32(one));
    out[8] = bitcast<u32>(least % -i32(one));
    out[9] = bitcast<u32>(i32(seven) / 2);
    out[10] = bitcast<u32>(-i32(seven) / 2);
    out[11] = bitcast<u32>(-i32(seven) % 2);
    out[12] = bitcast<u32>((zero - one)) >> 2u;
    out[13] = (seven & 6u) | (zero ^ 2u);
}
