// Subgroup operations with 8 lanes per subgroup.
// subgroup: 8
// expect: 28 92 0 8 0 112 254 1 24 1 11 7 9 15 2 1
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(subgroup_id) group: u32,
        @builtin(subgroup_invocation_id) own: u32, @builtin(subgroup_size) size: u32,
        @builtin(num_subgroups) groups: u32) {
    let sum = subgroupAdd(lane);
    let first = subgroupBroadcastFirst(lane);
    let before = subgroupExclusiveAdd(lane);
    var votes = vec4(0u);
    var least = 0u;
    if own > 0u {
        votes = subgroupBallot(true);
        least = subgroupMin(lane);
    }
    let shifted = subgroupShuffleDown(lane, 3u);
    let flipped = subgroupShuffleXor(lane, 7u);
    let every = subgroupAll(lane < 8u);
    if own == 0u {
        out[group] = sum;
        out[2u + group] = first;
    }
    if lane == 0u { out[4] = before; out[11] = flipped; }
    if lane == 15u { out[5] = before + 15u + 20u; out[6] = votes.x; out[7] = select(0u, 1u, votes.y == 0u); }
    if lane == 8u { out[8] = least + 24u; out[10] = shifted; out[13] = flipped; }
    if lane == 1u { out[9] = least; }
    if lane == 9u { out[12] = least; out[14] = groups; out[15] = select(1u, 0u, every) * select(0u, 1u, size == 8u); }
}
