// Product of two matrices with a line of lanes folded into a square, once by columns and once by rows.
@group(0) @binding(0) var<uniform> n: u32;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> c: array<f32>;

fn product(row: u32, column: u32) -> f32 {
    var sum = 0.0;
    for (var k = 0u; k < n; k++) {
        sum += a[row * n + k] * b[k * n + column];
    }
    return sum;
}

@compute @workgroup_size(256)
fn by_columns(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = group.y * 16u + lane / 16u;
    let column = group.x * 16u + lane % 16u;
    c[row * n + column] = product(row, column);
}

@compute @workgroup_size(256)
fn by_rows(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let row = group.x * 16u + lane % 16u;
    let column = group.y * 16u + lane / 16u;
    c[row * n + column] = product(row, column);
}
