//! Two swapped addresses fail the check: executed by the model, every kernel that loads from its subject
//! leaves another result where two elements that it loads change places.

use std::collections::BTreeMap;

use stridemark::model::{AccessOp, Contents, Limits as ModelLimits, Machine, Workgroups, run, run_observed};
use stridemark::pattern::{self, Case, Depth, Fill, Limits, Plan, Role};
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

/// Cases of the default suite that load from their subject and fit the small footprint.
const LEAST_TRIED: usize = 100;

fn kernel(case: &Case, plan: &Plan) -> Kernel {
    let params = Params::new(u32::MAX, Gate::Open, plan.groups as u32);
    Kernel::of_plan(&case.id(), case.pattern.wgsl, plan.clone(), &params, Fill::new(7), Keep::All)
        .expect("a kernel that the model executes")
}

/// The name of an input and the addresses in bytes that the first workgroup's first lane loads from it.
fn loaded(kernel: &Kernel) -> Option<(String, Vec<u64>)> {
    let machine = Machine::preset("nvidia").expect("a preset");
    let dispatch = kernel.dispatch(Workgroups::List(vec![[0; 3]]));
    let mut by_access: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
    let mut observe = |request: &stridemark::model::Request<'_>| {
        if request.subgroup == 0 && request.lanes.first() == Some(&0) {
            by_access.entry(request.access).or_default().push(request.addresses[0]);
        }
    };
    let report = run_observed(
        &kernel.program,
        &machine,
        &dispatch,
        &kernel.buffers,
        &ModelLimits::default(),
        &mut observe,
    )
    .expect("a run");
    by_access.into_iter().find_map(|(access, addresses)| {
        let access = &report.accesses[access].access;
        let buffer = kernel.plan.buffers.iter().find(|buffer| buffer.name == access.variable)?;
        (access.op == AccessOp::Load && buffer.role == Role::Subject)
            .then(|| (access.variable.clone(), addresses))
    })
}

/// Whether the output is what the definition says, with two elements of an input in each other's place.
fn is_right(case: &Case, plan: &Plan, input: &str, swapped: [u64; 2]) -> bool {
    let mut kernel = kernel(case, plan);
    let mut words = kernel.buffers.words_named(input).expect("the input");
    let each = plan.element.words() as usize;
    let [first, second] = swapped.map(|address| address as usize / 4);
    (0..each).for_each(|word| words.swap(first + word, second + word));
    let bytes = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    kernel.buffers.set_named(input, Contents::Bytes(bytes)).expect("as many bytes as before");
    let machine = Machine::preset("nvidia").expect("a preset");
    let dispatch = kernel.dispatch(Workgroups::All);
    run(&kernel.program, &machine, &dispatch, &kernel.buffers, &ModelLimits::default()).expect("a run");
    let (output, expected) = plan.output();
    let found = kernel.buffers.words_named(output.name).expect("the output");
    found
        .chunks_exact(each)
        .enumerate()
        .all(|(i, element)| expected(&Fill::new(7), i as u64)[..each] == *element)
}

#[test]
fn two_swapped_addresses_fail_every_kernel_that_loads() {
    let (mut tried, mut unseen) = (0, Vec::new());
    for case in pattern::cases(Depth::Default) {
        let Ok(plan) = (case.pattern.plan)(&case, &LIMITS) else { continue };
        let Some((input, addresses)) = loaded(&kernel(&case, &plan)) else { continue };
        // The lane's next element where it loads several, else its neighbour's.
        let first = addresses[0];
        let next = addresses.iter().copied().find(|address| *address != first);
        let second = next.unwrap_or(first + plan.element.bytes());
        tried += 1;
        if is_right(&case, &plan, &input, [first, second]) {
            unseen.push(format!("{case}: {first} and {second} of {input}"));
        }
    }
    assert!(unseen.is_empty(), "unseen:\n{}", unseen.join("\n"));
    assert!(tried >= LEAST_TRIED, "only {tried} cases were tried");
}
