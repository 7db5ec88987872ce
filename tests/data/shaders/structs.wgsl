// Structures with WGSL layout, nested, in storage; arrays of arrays; a vec3 next to a scalar.
// expect: 5 6 7 8 0 1 2 9 40 41 42 43 44 45 0 0 16 17 18 3
struct Inner { v: vec3<u32>, s: u32 }
struct Outer { a: vec2<u32>, inner: array<Inner, 2>, grid: array<array<u32, 3>, 2> }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@group(0) @binding(1) var<storage, read> input: array<u32>;
@group(0) @binding(2) var<storage, read_write> outer: Outer; // 0, 1, 2, … too: a at 0, inner at 4, grid at 12
fn sum(o: ptr<function, Outer>, i: u32) -> u32 { return (*o).inner[i].s - (*o).inner[i].v.z; }
@compute @workgroup_size(1)
fn main() {
    var copy = outer;
    let first = outer.inner[input[0]];
    out[0] = first.v.y;
    out[1] = first.v.z;
    out[2] = first.s;
    out[3] = copy.inner[1].v.x;
    out[4] = outer.a.x;
    out[5] = copy.a[input[1]];
    out[6] = sum(&copy, 0u) + sum(&copy, input[1]);
    out[7] = outer.inner[1].v[1];
    for (var i = 0u; i < 6u; i++) { copy.grid[i / 3u][i % 3u] = i + 40u; }
    let whole = copy.grid;
    for (var i = 0u; i < 6u; i++) { out[8u + i] = whole[i / 3u][i % 3u]; }
    outer.inner[0] = Inner(vec3(16u, 17u, 18u), 3u);
    out[16] = outer.inner[0].v.x;
    out[17] = outer.inner[0].v.y;
    let p = &outer.inner[0];
    out[18] = (*p).v.z;
    out[19] = (*p).s;
}
