//! How many workgroups to launch where nobody says: enough for 2²⁰ invocations, along the axes in use.

use naga::{Binding, BuiltIn, EntryPoint, Expression, Handle, Module, SwizzleComponent, TypeInner};

/// Invocations of the default grid along each axis in use, by how many there are. A square of 1024 fits
/// the 1024 that unset inputs are.
const INVOCATIONS: [[u32; 3]; 3] = [[1 << 20, 1, 1], [1 << 10, 1 << 10, 1], [128, 128, 64]];

/// The most workgroups of a dispatch along an axis (WebGPU's default for maxComputeWorkgroupsPerDimension).
const MOST: u32 = 65_535;

/// The default grid: workgroups along x, y and z.
///
/// What is too many for an axis is spread over the next ones, as a dispatch has to.
pub(super) fn default(workgroup_size: [u32; 3], axes: [bool; 3]) -> [u32; 3] {
    let mut grid = wanted(workgroup_size, axes);
    for axis in 0..3 {
        while grid[axis] > MOST {
            grid[axis] = grid[axis].div_ceil(2);
            grid[(axis + 1) % 3] *= 2;
        }
    }
    grid
}

/// Whether an axis of the default grid would have to hold more than a dispatch can.
pub(super) fn is_spread(workgroup_size: [u32; 3], axes: [bool; 3]) -> bool {
    wanted(workgroup_size, axes).iter().any(|&count| count > MOST)
}

/// The grid for the invocations wanted, whatever a dispatch can do.
fn wanted(workgroup_size: [u32; 3], axes: [bool; 3]) -> [u32; 3] {
    let used: Vec<usize> = (0..3).filter(|&axis| axes[axis] || workgroup_size[axis] > 1).collect();
    let mut grid = [1; 3];
    match used.len().checked_sub(1).and_then(|count| INVOCATIONS.get(count)) {
        Some(invocations) => {
            for (&axis, &count) in used.iter().zip(invocations) {
                grid[axis] = count.div_ceil(workgroup_size[axis].max(1));
            }
        }
        None => grid[0] = INVOCATIONS[0][0] / workgroup_size[0].max(1),
    }
    grid
}

/// The workgroups at the start of a grid in which ids stay below a bound along each axis.
pub(super) fn below(bound: u32, workgroup_size: [u32; 3], grid: [u32; 3]) -> [u32; 3] {
    let mut start = grid;
    for (start, size) in start.iter_mut().zip(workgroup_size) {
        *start = bound.div_ceil(size.max(1)).min(*start);
    }
    start
}

/// Which components of its global invocation or workgroup id an entry point takes.
///
/// Only uses in the entry point itself are seen; a shader that hands its id on whole gets a grid along the
/// axes of its workgroup.
pub(super) fn axes(module: &Module, point: &EntryPoint) -> [bool; 3] {
    let mut used = [false; 3];
    let function = &point.function;
    let is_id = |binding: &Option<Binding>| {
        matches!(binding, Some(Binding::BuiltIn(BuiltIn::GlobalInvocationId | BuiltIn::WorkGroupId)))
    };
    let argument = |expr: Handle<Expression>| match function.expressions[expr] {
        Expression::FunctionArgument(index) => function.arguments.get(index as usize),
        _ => None,
    };
    let is_grid_id = |expr: Handle<Expression>| {
        if let Some(argument) = argument(expr) {
            return is_id(&argument.binding);
        }
        let Expression::AccessIndex { base, index } = function.expressions[expr] else { return false };
        let Some(argument) = argument(base) else { return false };
        match &module.types[argument.ty].inner {
            TypeInner::Struct { members, .. } => {
                members.get(index as usize).is_some_and(|member| is_id(&member.binding))
            }
            _ => false,
        }
    };
    for (_, expression) in function.expressions.iter() {
        match *expression {
            Expression::AccessIndex { base, index } if is_grid_id(base) => {
                if let Some(used) = used.get_mut(index as usize) {
                    *used = true;
                }
            }
            Expression::Swizzle { size, vector, pattern } if is_grid_id(vector) => {
                for component in &pattern[..size as usize] {
                    match component {
                        SwizzleComponent::X => used[0] = true,
                        SwizzleComponent::Y => used[1] = true,
                        SwizzleComponent::Z => used[2] = true,
                        SwizzleComponent::W => {}
                    }
                }
            }
            _ => {}
        }
    }
    used
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axes_of(body: &str) -> [bool; 3] {
        let source = format!(
            "struct In {{ @builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_id) at: vec3<u32> }}
            @group(0) @binding(0) var<storage, read_write> dst: array<u32>;
            @compute @workgroup_size(64) fn main(in: In, @builtin(workgroup_id) group: vec3<u32>) {{ {body} }}"
        );
        let module = naga::front::wgsl::parse_str(&source).unwrap();
        axes(&module, &module.entry_points[0])
    }

    #[test]
    fn the_axes_in_use() {
        assert_eq!(axes_of("dst[in.id.x] = in.at.y;"), [true, false, false]);
        assert_eq!(axes_of("let id = in.id; dst[id.x * 7u + id.y] = 0u;"), [true, true, false]);
        assert_eq!(axes_of("let p = in.id.xz; dst[p.x] = p.y;"), [true, false, true]);
        assert_eq!(axes_of("dst[group.y] = 0u;"), [false, true, false]);
    }

    #[test]
    fn the_start_of_a_grid() {
        assert_eq!(below(1024, [64, 1, 1], [16384, 1, 1]), [16, 1, 1]);
        assert_eq!(below(1000, [16, 16, 1], [64, 64, 3]), [63, 63, 3]);
        assert_eq!(below(1024, [8, 8, 4], [16; 3]), [16; 3]);
    }

    #[test]
    fn a_million_invocations() {
        assert_eq!(default([64, 1, 1], [true, false, false]), [16384, 1, 1]);
        assert_eq!(default([16, 16, 1], [true, true, false]), [64, 64, 1]);
        assert_eq!(default([32, 1, 1], [true, true, false]), [32, 1024, 1]);
        assert_eq!(default([8, 8, 4], [true; 3]), [16, 16, 16]);
        assert_eq!(default([1, 1, 1], [false; 3]), [1 << 15, 32, 1]);
        assert_eq!(default([16, 1, 1], [true, false, false]), [1 << 15, 2, 1]);
        assert_eq!(default([1, 3, 1], [false, true, false]), [1, 43691, 8]);
        assert_eq!(default([100, 1, 1], [true, false, false]), [10486, 1, 1]);
    }
}
