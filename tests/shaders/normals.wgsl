// Scales an array of three-component vectors.
@group(0) @binding(0) var<storage, read_write> normals: array<vec3<f32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    normals[id.x] = normalize(normals[id.x]);
}
