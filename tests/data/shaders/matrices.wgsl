// Matrix products, transpose, determinant, inverse-free linear algebra.
// expect-f32: 23 31 34 46 13 29 2 3 3 -2 0 -6 5 24 6 3 8 5
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> input: array<u32>;
fn put(i: u32, value: f32) { out[i] = bitcast<u32>(value); }
@compute @workgroup_size(1)
fn main() {
    let one = f32(input[1]);
    let m = mat2x2<f32>(vec2(one, 3.0), vec2(2.0, 4.0)); // columns
    let n = mat2x2<f32>(vec2(5.0, 7.0), vec2(6.0, 8.0));
    let nm = n * m;
    put(0u, nm[0][0]); // 5·1 + 6·3
    put(1u, nm[0].y); // 7·1 + 8·3
    put(2u, nm[1].x); // 5·2 + 6·4
    put(3u, nm[1].y); // 7·2 + 8·4
    let v = m * vec2(5.0, 4.0); // (5 + 8, 15 + 16)
    put(4u, v.x);
    let w = vec2(5.0, 4.0) * n; // (25 + 28, 30 + 32)
    put(5u, w.x - 24.0);
    let t = transpose(mat2x3<f32>(vec3(one, 2.0, 3.0), vec3(4.0, 5.0, 6.0)));
    put(6u, t[1].x);
    put(7u, t[2][input[0]]);
    put(8u, (m + m - m)[0].y);
    put(9u, determinant(m));
    let d = mat3x3<f32>(vec3(one, 2.0, 3.0), vec3(4.0, 5.0, 6.0), vec3(7.0, 8.0, 9.0));
    put(10u, determinant(d));
    put(11u, determinant(mat3x3<f32>(vec3(2.0 * one, 0.0, 0.0), vec3(0.0, 3.0, 0.0), vec3(1.0, 1.0, -1.0))));
    put(12u, length(vec2(3.0 * one, 4.0)));
    put(13u, determinant(mat4x4<f32>(one, 0.0, 0.0, 0.0, 9.0, 2.0, 0.0, 0.0, 9.0, 9.0, 3.0, 0.0, 9.0, 9.0, 9.0, 4.0)));
    put(14u, dot(vec3(one, 1.0, 2.0), vec3(1.0, 1.0, 2.0)));
    put(15u, cross(vec3(one, 0.0, 0.0), vec3(0.0, 3.0, 0.0)).z);
    put(16u, (2.0 * m)[1].y);
    put(17u, distance(vec2(one, 1.0), vec2(4.0, 5.0)));
}
