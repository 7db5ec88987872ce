//! How long a run will take, from what the self-checks have cost.

use super::stop::{FLOOR, StoppingRule};

/// What the reference kernel has cost, in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Costs {
    /// Planning and compiling it.
    pub prepare: f64,
    /// Filling its buffers, running it once and checking the whole output.
    pub verify: f64,
    /// A dispatch.
    pub dispatch: f64,
    /// A sample: one or more dispatches.
    pub sample: f64,
}

/// A dispatch of the average case over one of the reference kernel, which is the fastest there is. Over the
/// default suite: 2.1 on lavapipe, 2.0 on llvmpipe by GL, 2.6 on SwiftShader, 3.6 on the host (committed runs
/// in `results/reference`).
const AVERAGE_DISPATCH: f64 = 2.5;
/// Checking the average case over checking the reference kernel: most cases write less than their whole output
/// but fill index streams too.
const AVERAGE_CHECK: f64 = 2.0;
/// Dispatches beside those of samples: calibration, and one to warm up at each visit.
const OTHER_DISPATCHES: f64 = 8.0;
/// Samples of the twin and of the reference kernel for each one of a case.
const COMPANIONS: f64 = 0.25 + 0.125;

/// Seconds that measuring so many cases will take: most reach the precision, or spend their budget.
pub fn seconds(cases: usize, costs: &Costs, rule: &StoppingRule) -> f64 {
    let dispatch = AVERAGE_DISPATCH * costs.dispatch;
    let sample = costs.sample.max(dispatch);
    let fewest = FLOOR as f64 * sample;
    let sampling = rule.budget.as_secs_f64().max(fewest) * (1.0 + COMPANIONS);
    let case = costs.prepare + AVERAGE_CHECK * costs.verify + OTHER_DISPATCHES * dispatch + sampling;
    cases as f64 * case
}
