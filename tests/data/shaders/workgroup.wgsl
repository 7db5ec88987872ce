// A tree reduction and a transpose in workgroup memory, with barriers.
// grid: 2
// expect: 2016 6112
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> input: array<u32>;
const SIDE = 8u;
var<workgroup> tile: array<array<u32, SIDE + 1u>, SIDE>;
@compute @workgroup_size(8, 8)
fn main(@builtin(local_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32,
        @builtin(workgroup_id) group: vec3<u32>) {
    tile[id.x][id.y] = input[group.x * 64u + lane];
    workgroupBarrier();
    var value = tile[id.y][id.x];
    workgroupBarrier();
    tile[id.y][id.x] = value;
    workgroupBarrier();
    for (var half = 32u; half > 0u; half /= 2u) {
        var other = 0u;
        if lane < half { other = tile[(lane + half) / SIDE][(lane + half) % SIDE]; }
        workgroupBarrier();
        if lane < half { tile[id.y][id.x] += other; }
        workgroupBarrier();
    }
    let total = workgroupUniformLoad(&tile[0][0]);
    if lane == 0u { out[group.x] = total; }
}
