// A kernel with blanks that a program fills in.
const WIDTH = {{ width }}u;

@group(0) @binding(0) var<storage, read_write> data: array<{{ element }}>;

@compute @workgroup_size({{ workgroup_size }})
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    data[id.x] = data[id.x] + 1;
}
