// A box filter that reads a texture, and keeps the brightest value of each workgroup in a buffer.
@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var linear: sampler;
@group(0) @binding(2) var filtered: texture_storage_2d<rgba8unorm, write>;
@group(0) @binding(3) var<storage, read_write> brightest: array<vec4<f32>>;
@group(0) @binding(4) var<uniform> mode: u32;

@compute @workgroup_size(8, 8)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let size = textureDimensions(image);
    if any(id.xy >= size) { return; }
    var sum = vec4(0.0);
    for (var y = 0u; y < 3u; y++) {
        for (var x = 0u; x < 3u; x++) {
            sum += textureLoad(image, min(id.xy + vec2(x, y), size - 1u), 0);
        }
    }
    if mode == 1u {
        sum += textureSampleLevel(image, linear, vec2<f32>(id.xy) / vec2<f32>(size), 0.0);
        brightest[0] = sum;
    }
    textureStore(filtered, id.xy, sum / 9.0);
    brightest[id.y * size.x + id.x] = sum;
}
