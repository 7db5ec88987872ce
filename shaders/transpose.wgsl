// dst = transpose of src, a row-major matrix of ROWS by COLUMNS elements; also two copies to hold it against.
//
// A workgroup of TILE by LANE_ROWS lanes works on one TILE by TILE tile, lanes along a row of it. Tiles at
// the edges may be cut off.

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

override TILE: u32 = 32u;
override LANE_ROWS: u32 = 8u;
override ROWS: u32 = 1024u;
override COLUMNS: u32 = 1024u;
override TILES_ACROSS: u32 = 32u;
override PAD: u32 = 0u;     // elements that follow each row of the tile
override SWIZZLE: u32 = 0u; // TILE - 1 exchanges the columns of a tile's row by XOR with its index
override BALLAST: u32 = 0u; // elements behind the tile that only take room from other workgroups

var<workgroup> tile: array<E, TILE * (TILE + PAD) + BALLAST>;

// Row and column of a workgroup's tile in src. The one division is by a constant, once per workgroup.
fn corner(id: vec3<u32>) -> vec2<u32> {
    let group = min(params.first_group + id.y * params.row_groups + id.x, params.groups - 1u);
    let down = group / TILES_ACROSS;
    return vec2(down, group - down * TILES_ACROSS) * TILE;
}

fn inside(row: u32, column: u32) -> bool {
    return row < ROWS && column < COLUMNS;
}

fn in_src(row: u32, column: u32) -> u32 {
    return (row * COLUMNS + column) & params.mask;
}

fn in_dst(row: u32, column: u32) -> u32 {
    return (column * ROWS + row) & params.mask;
}

fn in_tile(row: u32, column: u32) -> u32 {
    return row * (TILE + PAD) + (column ^ (row & SWIZZLE));
}

@compute @workgroup_size(TILE, LANE_ROWS)
fn copy(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_id) lane: vec3<u32>) {
    let first = corner(id);
    let column = first.y + lane.x;
    for (var y = lane.y; y < TILE; y += LANE_ROWS) {
        let row = first.x + y;
        if inside(row, column) { dst[in_src(row, column)] = src[in_src(row, column)]; }
    }
}

// Neighbouring lanes read along a row of src and write along a column of dst.
@compute @workgroup_size(TILE, LANE_ROWS)
fn coalesced_reads(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_id) lane: vec3<u32>) {
    let first = corner(id);
    let column = first.y + lane.x;
    for (var y = lane.y; y < TILE; y += LANE_ROWS) {
        let row = first.x + y;
        if inside(row, column) { dst[in_dst(row, column)] = src[in_src(row, column)]; }
    }
}

// Neighbouring lanes read along a column of src and write along a row of dst.
@compute @workgroup_size(TILE, LANE_ROWS)
fn coalesced_writes(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_id) lane: vec3<u32>) {
    let first = corner(id);
    let row = first.x + lane.x;
    for (var y = lane.y; y < TILE; y += LANE_ROWS) {
        let column = first.y + y;
        if inside(row, column) { dst[in_dst(row, column)] = src[in_src(row, column)]; }
    }
}

fn fill_tile(first: vec2<u32>, lane: vec3<u32>) {
    // Never so: a use of the last element, which keeps a compiler from cutting the ballast off.
    if params.row_groups == 0u { tile[TILE * (TILE + PAD) + BALLAST - 1u] = E(params.key); }
    let column = first.y + lane.x;
    for (var y = lane.y; y < TILE; y += LANE_ROWS) {
        let row = first.x + y;
        if inside(row, column) { tile[in_tile(y, lane.x)] = src[in_src(row, column)]; }
    }
}

// Each lane writes what its neighbour in the next row staged, so that no compiler can do without the tile.
@compute @workgroup_size(TILE, LANE_ROWS)
fn copy_tile(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_id) lane: vec3<u32>) {
    let first = corner(id);
    fill_tile(first, lane);
    workgroupBarrier();
    let column = first.y + lane.x;
    for (var y = lane.y ^ 1u; y < TILE; y += LANE_ROWS) {
        let row = first.x + y;
        if inside(row, column) { dst[in_src(row, column)] = tile[in_tile(y, lane.x)]; }
    }
}

// Reads along rows of src, writes along rows of dst; the tile is read by columns.
@compute @workgroup_size(TILE, LANE_ROWS)
fn tiled(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_id) lane: vec3<u32>) {
    let first = corner(id);
    fill_tile(first, lane);
    workgroupBarrier();
    let row = first.x + lane.x;
    for (var y = lane.y; y < TILE; y += LANE_ROWS) {
        let column = first.y + y;
        if inside(row, column) { dst[in_dst(row, column)] = tile[in_tile(lane.x, y)]; }
    }
}
