// The same records laid out in three ways: AoS, SoA and AoSoA.
//
// All three are records in tiles of 2^TILE_LOG2: inside a tile, field f of every record lies together,
// PITCH elements after field f - 1. AoS has tiles of one record, AoSoA of 32, SoA one tile of all.

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
override RECORDS: u32 = 16u;   // records that a lane visits
override TOUCHED: u32 = 1u;    // fields that it reads or writes of each
override FIELDS: u32 = 4u;     // fields of a record
override TILE_LOG2: u32 = 0u;  // records of a tile
override PITCH: u32 = 1u;      // elements from a field to the next, inside a tile

fn group_index(id: vec3<u32>) -> u32 {
    return min(params.first_group + id.y * params.row_groups + id.x, params.groups - 1u);
}

fn element(record: u32, field: u32) -> u32 {
    let tile = ((record >> TILE_LOG2) * FIELDS) << TILE_LOG2;
    let inside = record & ((1u << TILE_LOG2) - 1u);
    return (tile + field * PITCH + inside) & params.mask;
}

@compute @workgroup_size(LANES)
fn load(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id);
    var sum = E();
    for (var step = 0u; step < RECORDS; step++) {
        let record = (group * RECORDS + step) * LANES + lane;
        for (var field = 0u; field < TOUCHED; field++) {
            sum = sum * 5u + src[element(record, field)];
        }
    }
    if same(sum & E(params.gate), E(params.key)) { dst[group * LANES + lane] = sum; }
}

@compute @workgroup_size(LANES)
fn store(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id);
    for (var step = 0u; step < RECORDS; step++) {
        let record = (group * RECORDS + step) * LANES + lane;
        for (var field = 0u; field < TOUCHED; field++) {
            dst[element(record, field)] = E(record * FIELDS + field + 1u);
        }
    }
}
