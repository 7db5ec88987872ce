// Atomics with their results, in the order of the lanes.
// grid: 2
// expect: 56 3 7 7 0 4294967295 100 9 16 8 0 1 1 0 0 1
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(2) var<storage, read_write> words: array<atomic<u32>>; // 0, 1, 2, …
var<workgroup> shared_max: atomic<i32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) id: vec3<u32>) {
    atomicMax(&shared_max, i32(lane) - 4); // at most 3
    atomicAdd(&words[0], lane); // 2 × 28
    atomicOr(&words[3], lane); // 3 | 7
    atomicAnd(&words[4], lane);
    atomicSub(&words[1], select(0u, 1u, lane < 1u)); // 1 − 2
    atomicXor(&words[6], 0u);
    atomicMin(&words[9], 20u);
    workgroupBarrier();
    if lane == 0u {
        out[1] = u32(atomicLoad(&shared_max));
        out[0] = atomicLoad(&words[0]);
        out[2] = atomicLoad(&words[3]);
        out[3] = atomicMax(&words[7], 3u);
        out[4] = atomicLoad(&words[4]);
        out[5] = atomicLoad(&words[1]);
        out[6] = atomicExchange(&words[6], 100u) + select(94u, 0u, id.x == 1u);
        out[7] = atomicLoad(&words[9]);
        atomicStore(&words[10], 16u);
        out[8] = atomicLoad(&words[10]);
    }
    if id.x == 1u { return; }
    let swap = atomicCompareExchangeWeak(&words[8], 8u, 1u); // the first lane only
    if lane < 2u {
        out[9u + 2u * lane] = select(8u, 1u, lane == 1u);
        if swap.exchanged { out[9] = swap.old_value; out[10] = 0u; } else { out[11] = swap.old_value; out[12] = 1u; }
    }
    if lane == 7u { out[15] = atomicLoad(&words[8]); }
}
