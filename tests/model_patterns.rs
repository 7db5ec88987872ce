//! The cases of the suite, executed by the model over its whole grid: it computes what its definition
//! says and never leaves its buffers. The latter is what justifies running the kernels unchecked.

#![expect(clippy::unwrap_used, reason = "a test that fails may panic")]

use stridemark::model::{Limits as ModelLimits, Machine, Workgroups, run};
use stridemark::pattern::{self, Depth, Fill, Limits};
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
        masks.extend(plan.twin_mask);
        for mask in masks {
            let params = Params::new(mask, Gate::Open, plan.groups as u32);
            let wgsl = case.pattern.wgsl;
            let kernel = Kernel::of_plan(&case.id(), wgsl, plan.clone(), &params, fill, Keep::All).unwrap();
            let (program, dispatch) = (&kernel.program, kernel.dispatch(Workgroups::All));
            let report = match run(program, &machine, &dispatch, &kernel.buffers, &ModelLimits::default()) {
                Ok(report) => report,
                Err(error) => {
                    wrong.push(format!("{}: {error}", case.id()));
                    continue;
                }
            };
            wrong.extend(report.out_of_bounds.iter().map(|outside| format!("{}: {outside:?}", case.id())));
            if mask != u32::MAX {
                continue; // the twin's results have no meaning
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
