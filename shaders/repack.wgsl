// What changing a layout costs once: AoS to SoA, tight rows to padded rows, a transposed copy.

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
override FIELDS: u32 = 4u;   // elements of a record
override PITCH: u32 = 1024u; // elements from one array, or one padded row, to the next
override ROW: u32 = 1000u;   // elements of a tight row, or of a row of the square matrix
const TILE = 16u;            // TILE * TILE lanes

var<workgroup> tile: array<E, TILE * (TILE + 1u)>;

fn group_index(id: vec3<u32>) -> u32 {
    return min(params.first_group + id.y * params.row_groups + id.x, params.groups - 1u);
}

// A lane per record: it reads its record and writes each field to the array of that field.
@compute @workgroup_size(LANES)
fn aos_to_soa(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id);
    let record = group * LANES + lane;
    for (var field = 0u; field < FIELDS; field++) {
        dst[(field * PITCH + record) & params.mask] = src[(record * FIELDS + field) & params.mask];
    }
}

// A workgroup per row.
@compute @workgroup_size(LANES)
fn pad_rows(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = group_index(id);
    for (var column = lane; column < ROW; column += LANES) {
        dst[(row * PITCH + column) & params.mask] = src[(row * ROW + column) & params.mask];
    }
}

// A workgroup per tile, through workgroup memory with rows padded by one.
@compute @workgroup_size(LANES)
fn transposed(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = group_index(id);
    let across = ROW / TILE;
    let corner = vec2<u32>(group % across, group / across) * TILE;
    let place = vec2<u32>(lane % TILE, lane / TILE);
    let old_place = (corner.y + place.y) * ROW + corner.x + place.x;
    tile[place.y * (TILE + 1u) + place.x] = src[old_place & params.mask];
    workgroupBarrier();
    let new_place = (corner.x + place.y) * ROW + corner.y + place.x;
    dst[new_place & params.mask] = tile[place.x * (TILE + 1u) + place.y];
}
