//! The cases of the suite, executed by the model over its whole grid: it computes what its definition
//! says and never leaves its buffers. The latter is what justifies running the kernels unchecked.

use stridemark::model::{Limits as ModelLimits, Machine, Report, Workgroups, run};
use stridemark::pattern::{self, Depth, Fill, Limits, Plan, Role};
use stridemark::predict::{Keep, Kernel};
use stridemark::shader::{Gate, Params};

const LIMITS: Limits = Limits {
    footprint: 64 << 10,
    random_footprint: 64 << 10,
    max_binding: 128 << 20,
    max_workgroup_memory: 32 << 10,
    max_invocations: 1024,
    last_level_cache: None,
};

/// The buffers of the subject of which a twin's workgroup touches more sectors than its window has: a kernel
/// that does not mask an index would measure itself as its own ceiling.
fn outside_window<'a>(plan: &'a Plan, report: &'a Report, mask: u32) -> impl Iterator<Item = String> + 'a {
    let window_bytes = (u64::from(mask) + 1) * plan.element.bytes();
    let most = window_bytes.div_ceil(32);
    let subjects = plan.buffers.iter().filter(|buffer| buffer.role == Role::Subject);
    subjects.filter(|_| !plan.workgroup_subject).filter_map(move |subject| {
        let buffer = report.buffers.iter().find(|buffer| buffer.variable == subject.name)?;
        let touched = buffer.per_workgroup.iter().copied().max().unwrap_or(0);
        (touched > most)
            .then(|| format!("its twin touches {touched} sectors of {}, not {most}", subject.name))
    })
}

/// Cases of the full suite that fit the small footprint; fewer would mean that plans have begun to skip.
const LEAST_EXECUTED: usize = 1000;

#[test]
fn cases_are_right_and_stay_inside_their_buffers() {
    let machine = Machine::preset("nvidia").unwrap();
    let fill = Fill::new(7);
    let (mut executed, mut wrong) = (0, Vec::new());
    for case in pattern::cases(Depth::Full) {
        let Ok(plan) = (case.pattern.plan)(&case, &LIMITS) else { continue };
        let mut masks = vec![u32::MAX];
        // A window that a workgroup of this footprint would leave, for stores too.
        let window = (4096 / plan.element.bytes() - 1) as u32;
        masks.extend(plan.twin_mask.map(|mask| mask.min(window)));
        for mask in masks {
            let params = Params::new(mask, Gate::Open, plan.groups as u32);
            let wgsl = case.pattern.wgsl;
            let kernel = Kernel::of_plan(&case.id(), wgsl, plan.clone(), &params, fill, Keep::All).unwrap();
            let (program, mut dispatch) = (&kernel.program, kernel.dispatch(Workgroups::All));
            // A surplus group, as a folded grid has.
            dispatch.grid[0] += 1;
            let report = match run(program, &machine, &dispatch, &kernel.buffers, &ModelLimits::default()) {
                Ok(report) => report,
                Err(error) => {
                    wrong.push(format!("{}: {error}", case.id()));
                    continue;
                }
            };
            wrong.extend(report.out_of_bounds.iter().map(|outside| format!("{}: {outside:?}", case.id())));
            if mask != u32::MAX {
                // The twin's results have no meaning; where its addresses lie has.
                wrong.extend(
                    outside_window(&plan, &report, mask).map(|text| format!("{}: {text}", case.id())),
                );
                continue;
            }
            executed += 1;
            let (output, expected) = plan.output();
            let words = kernel.buffers.words_named(output.name).unwrap();
            let each = plan.element.words() as usize;
            for (i, element) in words.chunks_exact(each).enumerate() {
                let expected = expected(&fill, i as u64);
                if expected[..each] != *element {
                    wrong.push(format!("{}: element {i} is {element:x?}, expected {expected:x?}", case.id()));
                    break;
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(executed >= LEAST_EXECUTED, "only {executed} cases were executed");
}
