// Override constants with defaults, in the workgroup size, array lengths and expressions.
// expect: 0 4 8 12 16 20 24 28
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
override LANES: u32 = 4u;
override TWICE: u32 = 2u * LANES;
var<workgroup> tile: array<u32, TWICE>;
@compute @workgroup_size(LANES, 2)
fn main(@builtin(local_invocation_index) lane: u32) {
    tile[TWICE - 1u - lane] = lane * LANES;
    workgroupBarrier();
    out[lane] = tile[TWICE - 1u - lane];
}
