// Neighbouring lanes are STRIDE elements apart.
//
// Access n of the grid is element (n mod 2^COUNT_LOG2) * STRIDE + (n div 2^COUNT_LOG2) * BLOCK. Strides of
// 256 bytes and more visit one element in every 256-byte BLOCK, residues outermost, so that the working
// set is the same for all of them; shorter strides have a single residue.

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
override STRIDE: u32 = 1u;      // elements
override BLOCK: u32 = 64u;      // elements in 256 bytes
override COUNT_LOG2: u32 = 20u; // accesses per residue

fn group_index(id: vec3<u32>) -> u32 {
    return min(params.first_group + id.y * params.row_groups + id.x, params.groups - 1u);
}

fn element(group: u32, lane: u32, step: u32) -> u32 {
    let n = (group * ACCESSES + step) * LANES + lane;
    let position = n & ((1u << COUNT_LOG2) - 1u);
    let residue = n >> COUNT_LOG2;
    return (position * STRIDE + residue * BLOCK) & params.mask;
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
