// Looks rows up in a table, as an embedding does.
@group(0) @binding(0) var<storage, read> indices: array<u32>;
@group(0) @binding(1) var<storage, read> table: array<f32>;
@group(0) @binding(2) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= arrayLength(&indices) {
        return;
    }
    let value = table[indices[id.x]];
    if value > 100.0 {
        out[id.x] = value;
    } else {
        out[id.x] = 0.0;
    }
}
