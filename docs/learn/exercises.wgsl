// The accesses of the exercises, an entry point each:
//   stridemark analyze docs/learn/exercises.wgsl --entry every_fifth

@group(0) @binding(0) var<storage, read> src: array<u32>;
@group(0) @binding(1) var<storage, read> wide: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> particles: array<Particle>;
@group(0) @binding(3) var<storage, read_write> dst: array<u32>;

struct Particle { position: vec4<u32>, velocity: vec4<u32>, colour: vec4<u32> } // 48 bytes

var<workgroup> words: array<u32, 1024>;
var<workgroup> padded: array<array<u32, 34>, 32>;
var<workgroup> swizzled: array<array<u32, 32>, 32>;

// 1
@compute @workgroup_size(32)
fn every_fifth(@builtin(local_invocation_index) lane: u32) {
    dst[lane] = src[lane * 5u];
}

// 2
@compute @workgroup_size(32)
fn shifted(@builtin(local_invocation_index) lane: u32) {
    let v = wide[lane + 3u];
    dst[lane] = v.x + v.y + v.z + v.w;
}

// 4
@compute @workgroup_size(32)
fn one_field(@builtin(local_invocation_index) lane: u32) {
    let v = particles[lane].velocity;
    dst[lane] = v.x + v.y + v.z + v.w;
}

// 6
@compute @workgroup_size(32)
fn bank_strides(@builtin(local_invocation_index) lane: u32) {
    let by_six = words[lane * 6u];
    let by_seven = words[lane * 7u];
    dst[lane] = by_six + by_seven;
}

// 7
@compute @workgroup_size(32)
fn padded_by_two(@builtin(local_invocation_index) lane: u32) {
    dst[lane] = padded[lane][5];
}

// 8
@compute @workgroup_size(32)
fn swizzle(@builtin(local_invocation_index) lane: u32) {
    let row = swizzled[5][lane ^ 5u];
    let column = swizzled[lane][5u ^ lane];
    dst[lane] = row + column;
}

// 10
@compute @workgroup_size(64)
fn every_second(@builtin(local_invocation_index) lane: u32) {
    dst[lane] = src[lane * 2u];
}
