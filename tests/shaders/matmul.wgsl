// Product of two square matrices, element by element and through tiles in workgroup memory.
struct Params {
    n: u32,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

const TILE = 16u;
var<workgroup> tile_a: array<array<f32, TILE>, TILE>;
var<workgroup> tile_b: array<array<f32, TILE>, TILE>;

@compute @workgroup_size(TILE, TILE)
fn naive(@builtin(global_invocation_id) id: vec3<u32>) {
    if any(id.xy >= vec2(params.n)) { return; }
    var sum = 0.0;
    for (var k = 0u; k < params.n; k++) {
        sum += a[id.y * params.n + k] * b[k * params.n + id.x];
    }
    c[id.y * params.n + id.x] = sum;
}

@compute @workgroup_size(TILE, TILE)
fn tiled(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) at: vec3<u32>) {
    var sum = 0.0;
    for (var first = 0u; first < params.n; first += TILE) {
        tile_a[at.y][at.x] = a[id.y * params.n + first + at.x];
        tile_b[at.y][at.x] = b[(first + at.y) * params.n + id.x];
        workgroupBarrier();
        for (var k = 0u; k < TILE; k++) {
            sum += tile_a[at.y][k] * tile_b[k][at.x];
        }
        workgroupBarrier();
    }
    c[id.y * params.n + id.x] = sum;
}
