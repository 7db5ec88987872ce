// Consecutive lanes touch consecutive elements: the roof that every other pattern is held against.
// The set of operations is BabelStream's, in wrapping u32 arithmetic.

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
@group(0) @binding(1) var<storage, read> a: array<E>;
@group(0) @binding(2) var<storage, read> b: array<E>;
@group(0) @binding(3) var<storage, read_write> dst: array<E>;

override LANES: u32 = 256u;
override ACCESSES: u32 = 16u;
const SCALAR = 3u; // BabelStream's 0.4 has no integer counterpart

fn group_index(id: vec3<u32>) -> u32 {
    return min(params.first_group + id.y * params.row_groups + id.x, params.groups - 1u);
}

// A workgroup walks one consecutive chunk: the element that a lane touches first, and how far apart those
// are that it touches. Both are worked out before the loop, as a mask in it would cost a tenth of the speed
// on a CPU. In a window that is smaller than the chunk a lane stays where it is.
fn first(group: u32, lane: u32) -> u32 {
    return (group * (ACCESSES * LANES) + lane) & params.mask;
}

fn row_elements() -> u32 {
    return select(LANES, 0u, params.mask < ACCESSES * LANES);
}

@compute @workgroup_size(LANES)
fn load(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id);
    var sum = E();
    let row = row_elements();
    var i = first(group, lane);
    for (var step = 0u; step < ACCESSES; step++) {
        sum = sum * 5u + a[i];
        i += row;
    }
    if same(sum & E(params.gate), E(params.key)) { dst[group * LANES + lane] = sum; }
}

@compute @workgroup_size(LANES)
fn store(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id);
    let row = row_elements();
    var i = first(group, lane);
    for (var step = 0u; step < ACCESSES; step++) {
        dst[i] = E(i * SCALAR + 1u);
        i += row;
    }
}

@compute @workgroup_size(LANES)
fn copy(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id);
    let row = row_elements();
    var i = first(group, lane);
    for (var step = 0u; step < ACCESSES; step++) {
        dst[i] = a[i];
        i += row;
    }
}

@compute @workgroup_size(LANES)
fn mul(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id);
    let row = row_elements();
    var i = first(group, lane);
    for (var step = 0u; step < ACCESSES; step++) {
        dst[i] = a[i] * SCALAR;
        i += row;
    }
}

@compute @workgroup_size(LANES)
fn add(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id);
    let row = row_elements();
    var i = first(group, lane);
    for (var step = 0u; step < ACCESSES; step++) {
        dst[i] = a[i] + b[i];
        i += row;
    }
}

@compute @workgroup_size(LANES)
fn triad(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id);
    let row = row_elements();
    var i = first(group, lane);
    for (var step = 0u; step < ACCESSES; step++) {
        dst[i] = a[i] + b[i] * SCALAR;
        i += row;
    }
}

// Each lane keeps its partial dot product, one value per component.
@compute @workgroup_size(LANES)
fn dot_product(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id);
    var sum = E();
    let row = row_elements();
    var i = first(group, lane);
    for (var step = 0u; step < ACCESSES; step++) {
        sum = sum * 5u + a[i] * b[i];
        i += row;
    }
    if same(sum & E(params.gate), E(params.key)) { dst[group * LANES + lane] = sum; }
}
