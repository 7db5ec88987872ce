// A compute shader as Bevy keeps it, before naga_oil has replaced its imports.
#import bevy_render::globals::Globals
#import my_game::noise::{hash, simplex}

@group(0) @binding(0) var<uniform> globals: Globals;
@group(0) @binding(1) var<storage, read_write> heights: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    heights[id.x] = simplex(f32(id.x) + globals.time);
}
