// && and || evaluate their right side only where it decides.
// expect: 1 0 1 0 1 2 0 1
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<private> calls: u32;
fn yes() -> bool { calls++; return true; }
@compute @workgroup_size(4)
fn main(@builtin(local_invocation_index) lane: u32) {
    let a = (lane & 1u) == 1u && yes();
    let b = (lane & 2u) == 2u || yes();
    out[lane] = select(0u, 1u, a != b);
    out[4u + lane] = calls;
}
