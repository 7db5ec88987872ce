// A row-major matrix of 2^ROWS_LOG2 by 2^COLUMNS_LOG2 elements, walked along its rows or along its columns.
//
// The first four kernels touch one element per lane and step, neighbouring lanes along a row or along a
// column. The last three are whole sums of a matrix, in which each lane keeps its partial sum: what a
// workgroup would do with them next costs nothing beside the matrix.

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
override ROWS_LOG2: u32 = 12u;
override COLUMNS_LOG2: u32 = 12u;
override ALONG_COLUMN: bool = false; // neighbouring lanes take neighbouring rows

fn group_index(id: vec3<u32>) -> u32 {
    return min(params.first_group + id.y * params.row_groups + id.x, params.groups - 1u);
}

fn element(row: u32, column: u32) -> u32 {
    return ((row << COLUMNS_LOG2) + column) & params.mask;
}

// The element of a lane's step in a walk over the whole matrix.
fn walked(group: u32, lane: u32, step: u32) -> u32 {
    let n = (group * ACCESSES + step) * LANES + lane;
    if ALONG_COLUMN {
        return element(n & ((1u << ROWS_LOG2) - 1u), n >> ROWS_LOG2);
    }
    return n & params.mask;
}

@compute @workgroup_size(LANES)
fn load(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id);
    var sum = E();
    for (var step = 0u; step < ACCESSES; step++) {
        sum = sum * 5u + src[walked(group, lane, step)];
    }
    if same(sum & E(params.gate), E(params.key)) { dst[group * LANES + lane] = sum; }
}

@compute @workgroup_size(LANES)
fn store(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id);
    for (var step = 0u; step < ACCESSES; step++) {
        let i = walked(group, lane, step);
        dst[i] = E(i + 1u);
    }
}

@compute @workgroup_size(LANES)
fn lane_per_row(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id);
    let row = group * LANES + lane;
    var sum = E();
    for (var column = 0u; column < 1u << COLUMNS_LOG2; column++) {
        sum = sum * 5u + src[element(row, column)];
    }
    if same(sum & E(params.gate), E(params.key)) { dst[row] = sum; }
}

@compute @workgroup_size(LANES)
fn lane_per_column(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id);
    let column = group * LANES + lane;
    var sum = E();
    for (var row = 0u; row < 1u << ROWS_LOG2; row++) {
        sum = sum * 5u + src[element(row, column)];
    }
    if same(sum & E(params.gate), E(params.key)) { dst[column] = sum; }
}

@compute @workgroup_size(LANES)
fn workgroup_per_row(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = group_index(id);
    var sum = E();
    for (var column = lane; column < 1u << COLUMNS_LOG2; column += LANES) {
        sum = sum * 5u + src[element(row, column)];
    }
    if same(sum & E(params.gate), E(params.key)) { dst[row * LANES + lane] = sum; }
}
