// Transposes a square matrix through a tile in workgroup memory, with and without padding of its rows.
@group(0) @binding(0) var<uniform> width: u32;
@group(0) @binding(1) var<storage, read> src: array<f32>;
@group(0) @binding(2) var<storage, read_write> dst: array<f32>;

var<workgroup> tile: array<array<f32, 32>, 32>;
var<workgroup> padded: array<array<f32, 33>, 32>;

@compute @workgroup_size(32, 8)
fn conflicting(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) at: vec3<u32>) {
    let corner = group.xy * 32u;
    for (var row = at.y; row < 32u; row += 8u) {
        tile[row][at.x] = src[(corner.y + row) * width + corner.x + at.x];
    }
    workgroupBarrier();
    for (var row = at.y; row < 32u; row += 8u) {
        dst[(corner.x + row) * width + corner.y + at.x] = tile[at.x][row];
    }
}

@compute @workgroup_size(32, 8)
fn free(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_id) at: vec3<u32>) {
    let corner = group.xy * 32u;
    for (var row = at.y; row < 32u; row += 8u) {
        padded[row][at.x] = src[(corner.y + row) * width + corner.x + at.x];
    }
    workgroupBarrier();
    for (var row = at.y; row < 32u; row += 8u) {
        dst[(corner.x + row) * width + corner.y + at.x] = padded[at.x][row];
    }
}

@compute @workgroup_size(16, 16)
fn naive(@builtin(global_invocation_id) id: vec3<u32>) {
    dst[id.x * width + id.y] = src[id.y * width + id.x];
}
