// Counts bytes, first in workgroup memory, then in a buffer; and the mean of everything in one word.
@group(0) @binding(0) var<storage, read> data: array<u32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, 256>;
@group(0) @binding(2) var<storage, read_write> total: atomic<u32>;

var<workgroup> local_bins: array<atomic<u32>, 256>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) at: u32) {
    atomicStore(&local_bins[at], 0u);
    workgroupBarrier();
    let word = data[id.x];
    for (var shift = 0u; shift < 32u; shift += 8u) {
        atomicAdd(&local_bins[(word >> shift) & 255u], 1u);
    }
    atomicAdd(&total, word);
    workgroupBarrier();
    atomicAdd(&bins[at], atomicLoad(&local_bins[at]));
}
