// A matrix row by row, its rows PITCH elements apart and WIDTH elements long.
//
// A team of 2^TEAM_LOG2 neighbouring lanes takes one row at a time; a row longer than a team takes several
// steps. Lanes past the end of a row rest, in the same places whatever the pitch.

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
override TEAM_LOG2: u32 = 8u; // lanes that share a row
override PARTS: u32 = 1u;     // steps that a team takes for a row
override ROWS: u32 = 16u;     // rows that a team reads, one after the other
override WIDTH: u32 = 213u;   // elements of a row
override PITCH: u32 = 213u;   // elements from the start of a row to the start of the next

fn group_index(id: vec3<u32>) -> u32 {
    return min(params.first_group + id.y * params.row_groups + id.x, params.groups - 1u);
}

// The first element of the row that a lane's team takes in its turn.
fn row_start(group: u32, lane: u32, turn: u32) -> u32 {
    let teams = LANES >> TEAM_LOG2;
    return ((group * ROWS + turn) * teams + (lane >> TEAM_LOG2)) * PITCH;
}

@compute @workgroup_size(LANES)
fn load(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id);
    let member = lane & ((1u << TEAM_LOG2) - 1u);
    var sum = E();
    for (var turn = 0u; turn < ROWS; turn++) {
        let start = row_start(group, lane, turn);
        for (var part = 0u; part < PARTS; part++) {
            let column = (part << TEAM_LOG2) + member;
            if column < WIDTH { sum = sum * 5u + src[(start + column) & params.mask]; }
        }
    }
    if same(sum & E(params.gate), E(params.key)) { dst[group * LANES + lane] = sum; }
}

@compute @workgroup_size(LANES)
fn store(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id);
    let member = lane & ((1u << TEAM_LOG2) - 1u);
    for (var turn = 0u; turn < ROWS; turn++) {
        let start = row_start(group, lane, turn);
        for (var part = 0u; part < PARTS; part++) {
            let column = (part << TEAM_LOG2) + member;
            let i = (start + column) & params.mask;
            if column < WIDTH { dst[i] = E(i + 1u); }
        }
    }
}
