//! Memory that runs out and grids that fold, on SwiftShader; only where it is installed.

use std::sync::Arc;

use super::buffers::storage;
use super::*;
use crate::measure::verify::verify;
use crate::pattern::{Depth, cases};

const MIB: u64 = 1 << 20;
/// What SwiftShader binds, but does not give.
const TOO_LARGE: u64 = 1 << 30;

fn swiftshader(footprint: u64) -> Option<Gpu> {
    let adapters = pollster::block_on(instance().enumerate_adapters(wgpu::Backends::VULKAN));
    let adapter = adapters.into_iter().find(|adapter| adapter.get_info().name.contains("SwiftShader"))?;
    let options = OpenOptions { footprint: Some(footprint), runtime_checks: false, seed: 7 };
    Some(open(&adapter, &options).unwrap())
}

fn case(id: &str) -> Case {
    cases(Depth::Full).into_iter().find(|case| case.id() == id).unwrap()
}

#[test]
fn a_footprint_that_the_device_does_not_give_is_cut_and_said() {
    let Some(mut gpu) = swiftshader(100 << 30) else { return };
    assert!(gpu.limits.footprint < TOO_LARGE, "{:?}", gpu.limits);
    let kernel = gpu.prepare(&case("contiguous/op=copy/type=u32")).unwrap();
    let cut = format!("footprint of {} bytes cut to {}", 100_u64 << 30, gpu.limits.footprint);
    assert!(kernel.clamped.unwrap().starts_with(&cut));
}

#[test]
fn a_case_without_room_is_named_and_others_go_on() {
    let Some(mut gpu) = swiftshader(MIB) else { return };
    let small = gpu.prepare(&case("contiguous/op=copy/type=u32")).unwrap();
    assert_eq!(small.clamped, None);
    gpu.activate(small.id).unwrap();

    gpu.limits.footprint = TOO_LARGE;
    let large = gpu.prepare(&case("contiguous/op=read/type=u32")).unwrap();
    for _ in 0..2 {
        let fault = gpu.pass(large.id, Variant::Timed, Work::Dispatches(1)).unwrap_err();
        assert!(!fault.is_fatal());
        let told = fault.to_string();
        let size = large.footprint_bytes.to_string();
        assert!(["out of memory", &size, "--footprint"].iter().all(|word| told.contains(word)), "{told}");
    }
    assert_eq!(verify(&mut gpu, small.id, 1), Ok(Ok(())));
    gpu.pass(small.id, Variant::Timed, Work::Dispatches(2)).unwrap();
}

#[test]
fn missing_memory_explains_what_is_invalid_for_the_lack_of_it() {
    let Some(gpu) = swiftshader(MIB) else { return };
    let caught = gpu.faults.catch(&gpu.device, || {
        let buffer = storage(&gpu.device, TOO_LARGE);
        gpu.queue.write_buffer(&buffer, 0, &[0; 16]);
    });
    assert!(matches!(caught, Err(Fault::OutOfMemory(_))), "{caught:?}");
}

#[test]
fn what_was_half_filled_when_work_was_called_off_is_filled_again() {
    let Some(mut gpu) = swiftshader(8 * MIB) else { return };
    let kernel = gpu.prepare(&case("contiguous/op=copy/type=u32")).unwrap().id;
    gpu.cancel_on(Cancel::new(Arc::default(), Instant::now(), Some(Duration::ZERO)));
    assert_eq!(gpu.activate(kernel), Err(Fault::OutOfTime));
    gpu.cancel_on(Cancel::default());
    assert_eq!(verify(&mut gpu, kernel, 1), Ok(Ok(())));
}

/// Groups along either axis of a grid that is to fold.
const MOST_GROUPS: u32 = 7;

#[test]
fn a_folded_grid_with_surplus_groups_computes_the_same() {
    let Some(mut gpu) = swiftshader(MIB) else { return };
    gpu.max_groups = MOST_GROUPS;
    let (mut reads, mut writes) = (0, 0);
    for case in cases(Depth::Quick) {
        let kernel = match gpu.prepare(&case) {
            Ok(kernel) if kernel.groups <= u64::from(MOST_GROUPS.pow(3)) => kernel,
            Ok(_) | Err(Refusal::Skip(_)) => continue,
            Err(Refusal::Fault(fault)) => panic!("{case}: {fault}"),
        };
        for parts in [1, 3.min(kernel.groups as u32)] {
            let grid = gpu.kernels[kernel.id.0].grid(0, parts).unwrap();
            let groups = kernel.groups.div_ceil(u64::from(parts));
            let surplus = u32::from(u64::from(grid.columns * grid.rows) > groups);
            *if case.op() == "read" { &mut reads } else { &mut writes } += surplus;
            assert_eq!(verify(&mut gpu, kernel.id, parts), Ok(Ok(())), "{case}");
        }
    }
    assert!(reads > 0 && writes > 0, "{reads} reads and {writes} others had surplus groups");
}
