// A switch with several values, a default in the middle, break, continue of the loop around it.
// expect: 1 20 20 300 4 300 56 300
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) lane: u32) {
    var result = 0u;
    for (var i = 0u; i < 2u; i++) {
        switch lane {
            case 0u: { result += 1u; if i == 0u { continue; } result -= 1u; }
            case 1u, 2u: { result += 10u; }
            default: { result += 100u; if i == 0u { result += 100u; } }
            case 4u: { if i == 1u { break; } result += 4u; }
            case 6u: {
                switch i32(i) {
                    case 0: { result = 5u; }
                    case 1: { result = result * 10u + 6u; }
                    default: {}
                }
            }
        }
    }
    out[lane] = result;
}
