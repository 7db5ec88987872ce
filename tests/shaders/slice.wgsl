// Adds two slices of one buffer, each of which starts behind a header.
const HEADER = 1u;

@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> dst: array<f32>;

@compute @workgroup_size(128)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    dst[id.x] = src[HEADER + id.x] + src[HEADER + id.x + 1048576u];
}
