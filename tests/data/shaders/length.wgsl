// arrayLength, a runtime-sized array at the end of a structure, clamped indices.
// expect: 64 14 13 15 7
struct Tail { count: u32, pad: u32, list: array<vec2<u32>> }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> input: array<u32>;
@group(0) @binding(2) var<storage, read_write> tail: Tail; // 64 words: 0, 1, 2, …
@compute @workgroup_size(1)
fn main() {
    out[0] = arrayLength(&out);
    out[1] = arrayLength(&tail.list) - 17u; // (64 − 2) / 2 = 31
    out[2] = tail.list[5].y; // word 2 + 10 + 1
    let p = &tail.list;
    out[3] = (*p)[input[6]].y;
    out[4] = tail.count + 7u;
}
