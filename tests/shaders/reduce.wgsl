// Sums with a tree in workgroup memory whose lanes are ever further apart, and one that stays dense.
override LANES: u32;

@group(0) @binding(0) var<storage, read> src: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;

var<workgroup> partial: array<f32, LANES>;

@compute @workgroup_size(LANES)
fn spread(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) at: u32, @builtin(workgroup_id) group: vec3<u32>) {
    partial[at] = src[id.x];
    workgroupBarrier();
    for (var apart = 1u; apart < LANES; apart *= 2u) {
        let first = 2u * apart * at;
        if first < LANES {
            partial[first] += partial[first + apart];
        }
        workgroupBarrier();
    }
    if at == 0u { sums[group.x] = partial[0]; }
}

@compute @workgroup_size(LANES)
fn dense(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) at: u32, @builtin(workgroup_id) group: vec3<u32>) {
    partial[at] = src[id.x];
    workgroupBarrier();
    for (var half = LANES / 2u; half > 0u; half /= 2u) {
        if at < half {
            partial[at] += partial[at + half];
        }
        workgroupBarrier();
    }
    if at == 0u { sums[group.x] = partial[0]; }
}
