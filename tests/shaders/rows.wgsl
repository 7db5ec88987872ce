// Sums of the rows and of the columns of a matrix in row-major order.
struct Shape {
    rows: u32,
    columns: u32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> matrix: array<f32>;
@group(0) @binding(2) var<storage, read_write> sums: array<f32>;

@compute @workgroup_size(64)
fn of_rows(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = id.x;
    if row >= shape.rows { return; }
    var sum = 0.0;
    for (var column = 0u; column < shape.columns; column++) {
        sum += matrix[row * shape.columns + column];
    }
    sums[row] = sum;
}

@compute @workgroup_size(64)
fn of_columns(@builtin(global_invocation_id) id: vec3<u32>) {
    let column = id.x;
    if column >= shape.columns { return; }
    var sum = 0.0;
    for (var row = 0u; row < shape.rows; row++) {
        sum += matrix[row * shape.columns + column];
    }
    sums[column] = sum;
}
