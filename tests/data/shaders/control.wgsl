// Nested control flow that diverges in every lane.
// expect: 0 0 4 1 13 2 38 3 87 4 168 5 289 6 458 7
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
fn odd_half(n: u32) -> u32 {
    if n % 2u == 1u { return n / 2u; }
    var sum = 0u;
    for (var i = 0u; i < n; i++) {
        if i == 0u { continue; }
        var j = 0u;
        loop {
            if j > i { break; }
            sum += j;
            continuing {
                j += 1u;
                break if j >= 100u;
            }
        }
        while sum > 1000000u { sum = 0u; }
    }
    // Σ_{i<n} i(i+1)/2 = (n−1) n (n+1) / 6, and a little more
    return sum + sum_to(n);
}
fn sum_to(n: u32) -> u32 {
    var total = 0u;
    for (var i = 0u; i <= n; i++) {
        if i > 4u { return total; }
        total += select(0u, i, i <= 2u);
    }
    return total;
}
@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) lane: u32) {
    out[lane] = odd_half(lane);
}
