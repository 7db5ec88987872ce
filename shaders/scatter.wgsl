// Lanes store to the elements that an index stream names.
//
// What is stored depends on the destination alone: where several lanes name one element, all of them
// store the same, and the order does not matter.

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
@group(0) @binding(1) var<storage, read> indices: array<u32>;
@group(0) @binding(2) var<storage, read_write> dst: array<E>;

override LANES: u32 = 256u;
override ACCESSES: u32 = 16u;

fn group_index(id: vec3<u32>) -> u32 {
    return min(params.first_group + id.y * params.row_groups + id.x, params.groups - 1u);
}

@compute @workgroup_size(LANES)
fn scatter(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id);
    for (var step = 0u; step < ACCESSES; step++) {
        let position = (group * ACCESSES + step) * LANES + lane;
        let i = indices[position] & params.mask;
        dst[i] = E(i + 1u);
    }
}
