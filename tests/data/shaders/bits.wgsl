// Bit functions.
// expect: 32 0 31 8 2147483648 4294967295 3 4294967295 30 12 4294967292 61695 5 4294967293
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> input: array<u32>;
@compute @workgroup_size(1)
fn main() {
    let zero = input[0];
    let one = input[1];
    out[0] = countLeadingZeros(zero);
    out[1] = countTrailingZeros(one);
    out[2] = countLeadingZeros(one);
    out[3] = countOneBits(0xffu * one);
    out[4] = reverseBits(one);
    out[5] = firstLeadingBit(zero);
    out[6] = firstTrailingBit(8u * one);
    out[7] = bitcast<u32>(firstLeadingBit(-i32(one)));
    out[8] = bitcast<u32>(firstLeadingBit(bitcast<i32>(0x80000001u * one)));
    out[9] = extractBits(0xabcdu * one, 4u, 4u); // 0xc
    out[10] = bitcast<u32>(extractBits(bitcast<i32>(0xabcdu * one), 4u, 4u)); // 0xc with sign
    out[11] = insertBits(0xffffu * one, 0u, 8u, 4u); // 0xf0ff
    out[12] = u32(abs(-5i * i32(one)));
    out[13] = bitcast<u32>(clamp(-3i * i32(one), -10i, 10i));
}
