// Workgroup memory read or written by lanes that are STRIDE elements apart.
//
// Each step moves all lanes to another part of the tile by an XOR with the same number. That permutes the
// banks among themselves, so every step has exactly the conflicts of the first, and compilers can neither
// hoist an access nor merge two. The twin runs the same pipeline with lanes one element apart.

alias E = u32; fn same(a: E, b: E) -> bool { return a == b; } // substituted by element type

struct Params {
    mask: u32,        // all ones, or 0 for the twin, whose lanes are one element apart
    gate: u32,        // 0 stores every result; all ones only those that equal the key
    key: u32,
    first_group: u32, // workgroups of earlier dispatches, where a grid is split
    row_groups: u32,  // workgroups along x, where a grid is folded to two dimensions
    groups: u32,      // workgroups over all dispatches
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> dst: array<E>;

override LANES: u32 = 256u;
override ACCESSES: u32 = 256u;
override STRIDE: u32 = 1u;   // elements; 0 is a broadcast
override TILE: u32 = 4096u;  // elements, a power of two
const ADVANCE = 67u;         // odd: a lane visits ACCESSES different elements of the tile
const SCATTER = 2654435761u; // spreads an element's index over its 32 bits

var<workgroup> tile: array<E, TILE>;

fn group_index(id: vec3<u32>) -> u32 {
    return min(params.first_group + id.y * params.row_groups + id.x, params.groups - 1u);
}

// The element of a lane's first step.
fn start(lane: u32) -> u32 {
    let stride = select(STRIDE, 1u, params.mask == 0u);
    return (lane * stride) & (TILE - 1u);
}

@compute @workgroup_size(LANES)
fn load(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id);
    for (var i = lane; i < TILE; i += LANES) { tile[i] = E((i + group) * SCATTER); }
    workgroupBarrier();
    let first = start(lane);
    var sum = E();
    for (var step = 0u; step < ACCESSES; step++) {
        sum = sum * 5u + tile[first ^ ((step * ADVANCE) & (TILE - 1u))];
    }
    if same(sum & E(params.gate), E(params.key)) { dst[group * LANES + lane] = sum; }
}

// Elements that several lanes write get the same value from each. The clearing and the sum are contiguous.
@compute @workgroup_size(LANES)
fn store(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id);
    for (var i = lane; i < TILE; i += LANES) { tile[i] = E(); }
    workgroupBarrier();
    let first = start(lane);
    for (var step = 0u; step < ACCESSES; step++) {
        let i = first ^ ((step * ADVANCE) & (TILE - 1u));
        tile[i] = E((i + group) * SCATTER);
    }
    workgroupBarrier();
    var sum = E();
    for (var i = lane; i < TILE; i += LANES) { sum = sum * 5u + tile[i]; }
    if same(sum & E(params.gate), E(params.key)) { dst[group * LANES + lane] = sum; }
}
