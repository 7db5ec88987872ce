// All pairs of bodies: every lane reads every body, as long as the buffer is.
@group(0) @binding(0) var<storage, read> bodies: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> forces: array<vec4<f32>>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let me = bodies[id.x];
    var force = vec3(0.0);
    for (var i = 0u; i < arrayLength(&bodies); i++) {
        let apart = bodies[i].xyz - me.xyz;
        force += apart * inverseSqrt(dot(apart, apart) + 0.01);
    }
    forces[id.x] = vec4(force, 0.0);
}
