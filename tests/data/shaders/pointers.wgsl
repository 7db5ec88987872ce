// Pointers to function, private and workgroup variables as arguments; private memory per lane.
// expect: 1 12 23 34 11 121 231 341
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<private> counter: array<u32, 4> = array<u32, 4>(1u, 1u, 1u, 1u);
var<workgroup> shared_words: array<u32, 4>;
fn bump(p: ptr<function, u32>, by: u32) -> u32 { *p += by; return *p; }
fn at(p: ptr<function, array<u32, 4>>, i: u32) -> u32 { let q = &(*p)[i]; *q = *q + 1u; return *q; }
fn keep(p: ptr<private, array<u32, 4>>, i: u32, value: u32) { (*p)[i] *= value; }
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lane: u32) {
    var x = lane;
    let y = bump(&x, 10u * lane); // 11 lane, both
    var list = array<u32, 4>(0u, 11u, 22u, 33u);
    out[lane] = at(&list, lane) + y - x; // 11 lane + 1
    keep(&counter, lane, 10u);
    keep(&counter, lane, x);
    shared_words[3u - lane] = counter[lane] + counter[(lane + 1u) % 4u]; // 110 lane + 1
    workgroupBarrier();
    out[4u + lane] = shared_words[3u - lane] + 10u * select(0u, 1u, lane <= 9u) - 0u + lane * 0u;
}
