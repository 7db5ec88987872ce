// Rows of a table are looked up: a workgroup reads a row together, or a lane reads a row alone.

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
@group(0) @binding(1) var<storage, read> rows: array<u32>;
@group(0) @binding(2) var<storage, read> table: array<E>;
@group(0) @binding(3) var<storage, read_write> dst: array<E>;

override LANES: u32 = 256u;
override ROW: u32 = 2048u; // elements of a row, a multiple of LANES

fn group_index(id: vec3<u32>) -> u32 {
    return min(params.first_group + id.y * params.row_groups + id.x, params.groups - 1u);
}

@compute @workgroup_size(LANES)
fn workgroup_per_row(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id);
    let row = rows[group] * ROW;
    var sum = E();
    for (var column = lane; column < ROW; column += LANES) {
        sum = sum * 5u + table[(row + column) & params.mask];
    }
    if same(sum & E(params.gate), E(params.key)) { dst[group * LANES + lane] = sum; }
}

@compute @workgroup_size(LANES)
fn lane_per_row(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id);
    let row = rows[group * LANES + lane] * ROW;
    var sum = E();
    for (var column = 0u; column < ROW; column++) {
        sum = sum * 5u + table[(row + column) & params.mask];
    }
    if same(sum & E(params.gate), E(params.key)) { dst[group * LANES + lane] = sum; }
}
