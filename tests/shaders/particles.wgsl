// Moves particles that are kept as an array of structures.
struct Particle {
    position: vec3<f32>,
    mass: f32,
    velocity: vec3<f32>,
    age: f32,
}

struct Params {
    count: u32,
    step: f32,
    gravity: vec3<f32>,
}

@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read_write> particles: array<Particle>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if i >= params.count {
        return;
    }
    let velocity = particles[i].velocity + params.gravity * params.step;
    particles[i].position += velocity * params.step;
    particles[i].velocity = velocity;
    particles[i].age += params.step;
}
