// Groups of lanes touch runs of consecutive elements that start off the boundary of a line.
//
// Run r starts at element r * PITCH + OFFSET. An endless run is one whose PITCH is its length. The slice is
// made here, as `base + i` inside the shader, because a binding's offset has to be a multiple of 32 bytes
// or more: WebGPU rules out the misaligned binding, not the misaligned slice.

alias E = u32; fn same(a: E, b: E) -> bool { return a == b; } // substituted by element type

struct Params {
    mask: u32,        // all ones, or the twin's window of elements
    gate: u32,        // 0 stores every result; all ones only those that equal the key
    key: u32,
    first_group: u32, // workgroups of earlier dispatches, where a grid is split
    row_groups: u32,  // workgroups along x, where a grid is folded to two dimensions
    groups: u32,      // workgroups over all dispatches
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> src: array<E>;
@group(0) @binding(2) var<storage, read_write> dst: array<E>;

override LANES: u32 = 256u;
override ACCESSES: u32 = 16u;
override RUN_LOG2: u32 = 3u; // elements of a run
override PITCH: u32 = 64u;   // elements from the start of one run to the start of the next
override OFFSET: u32 = 0u;   // elements before the first run

fn group_index(id: vec3<u32>) -> u32 {
    return min(params.first_group + id.y * params.row_groups + id.x, params.groups - 1u);
}

fn element(group: u32, lane: u32, step: u32) -> u32 {
    let n = (group * ACCESSES + step) * LANES + lane;
    let run = n >> RUN_LOG2;
    let within = n & ((1u << RUN_LOG2) - 1u);
    return (run * PITCH + OFFSET + within) & params.mask;
}

@compute @workgroup_size(LANES)
fn load(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id);
    var sum = E();
    for (var step = 0u; step < ACCESSES; step++) {
        sum = sum * 5u + src[element(group, lane, step)];
    }
    if same(sum & E(params.gate), E(params.key)) { dst[group * LANES + lane] = sum; }
}

@compute @workgroup_size(LANES)
fn store(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id);
    for (var step = 0u; step < ACCESSES; step++) {
        let i = element(group, lane, step);
        dst[i] = E(i + 1u);
    }
}
