// A contiguous read that walks the elements of a buffer over and over. The number of loads is the same for every
// set that fits it, so that only where the data comes from changes: first-level cache, last-level cache, memory.
// The length is taken at run time: a compiler that knew it could merge the repeated loads of a small set.

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

fn group_index(id: vec3<u32>) -> u32 {
    return min(params.first_group + id.y * params.row_groups + id.x, params.groups - 1u);
}

@compute @workgroup_size(LANES)
fn load(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id);
    let last = arrayLength(&src) - 1u; // the length is a power of two
    var sum = E();
    for (var step = 0u; step < ACCESSES; step++) {
        let n = (group * ACCESSES + step) * LANES + lane;
        sum = sum * 5u + src[n & last & params.mask];
    }
    if same(sum & E(params.gate), E(params.key)) { dst[group * LANES + lane] = sum; }
}
