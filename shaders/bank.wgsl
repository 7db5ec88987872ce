// Reads of workgroup memory whose neighbouring lanes are STRIDE elements apart; 0 is a broadcast.
//
// Each step moves every lane by the same distance, which turns the banks without changing which lanes meet
// on one. The tile has a power of two of elements, so that wrapping around keeps an element's bank.

alias E = u32; fn same(a: E, b: E) -> bool { return a == b; } // substituted by element type

struct Params {
    mask: u32,        // all ones, or 0: the twin, where neighbouring lanes read neighbouring elements
    gate: u32,        // 0 stores every result; all ones only those that equal the key
    key: u32,
    first_group: u32, // workgroups of earlier dispatches, where a grid is split
    row_groups: u32,  // workgroups along x, where a grid is folded to two dimensions
    groups: u32,      // workgroups over all dispatches
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> dst: array<E>;

override LANES: u32 = 256u;
override READS: u32 = 256u;
override STRIDE: u32 = 1u;   // elements
override SLOTS: u32 = 8192u; // elements of the tile
override TURN: u32 = 33u;    // elements from one step to the next: odd, so that steps do not repeat

var<workgroup> tile: array<E, SLOTS>;

@compute @workgroup_size(LANES)
fn load(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let group = params.first_group + id.y * params.row_groups + id.x;
    if group >= params.groups { return; }
    for (var i = lane; i < SLOTS; i += LANES) {
        tile[i] = E((i + 1u) * 0x9e3779b9u);
    }
    workgroupBarrier();
    let first = lane + ((lane * STRIDE - lane) & params.mask);
    var sum = E();
    for (var step = 0u; step < READS; step++) {
        sum = sum * 5u + tile[(first + step * TURN) & (SLOTS - 1u)];
    }
    if same(sum & E(params.gate), E(params.key)) { dst[group * LANES + lane] = sum; }
}
