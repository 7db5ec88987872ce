// Halves an image of bytes packed by four, with workgroups that are narrow and lanes that skip.
@group(0) @binding(0) var<uniform> width: u32;
@group(0) @binding(1) var<storage, read> image: array<u32>;
@group(0) @binding(2) var<storage, read_write> half: array<u32>;

@compute @workgroup_size(4, 16)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    half[id.y * width + id.x] = image[2u * (id.y * width + id.x)];
}
