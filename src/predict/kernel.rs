//! A case as the model executes it.

use std::sync::Arc;

use crate::model::{self, Buffers, Contents, Dispatch, Program, Workgroups};
use crate::pattern::{Case, Content, Fill, Limits, Plan, Role};
use crate::shader::{Gate, Params, Specialized};

use super::NoPrediction;

/// What is kept of the buffers in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// Nothing: inputs are computed as they are read and results are forgotten, for counting.
    Nothing,
    /// Everything, so that the results can be read.
    All,
}

/// A case as the model executes it: the module that devices compile, its constants, and buffers that hold
/// what a device's would.
#[derive(Debug)]
pub struct Kernel {
    /// The plan that the device follows too.
    pub plan: Plan,
    /// The program.
    pub program: Program,
    /// Its buffers, by [`Program::bindings`].
    pub buffers: Buffers,
}

impl Kernel {
    /// The kernel of a case as it is timed: the gate closed, no twin.
    ///
    /// # Errors
    /// [`NoPrediction`]: the case does not run with these limits, or not in the model.
    pub fn new(case: &Case, limits: &Limits, fill: Fill, keep: Keep) -> Result<Kernel, NoPrediction> {
        let plan = (case.pattern.plan)(case, limits)?;
        let params = Params::new(u32::MAX, Gate::Closed, plan.groups as u32);
        Kernel::of_plan(&case.id(), case.pattern.wgsl, plan, &params, fill, keep)
    }

    /// The kernel of a plan with that uniform block; `name` stands in messages.
    ///
    /// # Errors
    /// [`NoPrediction`]: no valid shader, or none that the model executes.
    pub fn of_plan(
        name: &str,
        wgsl: &str,
        plan: Plan,
        params: &Params,
        fill: Fill,
        keep: Keep,
    ) -> Result<Kernel, NoPrediction> {
        let shader = Specialized::new(wgsl, &plan)?;
        let program = Program::new(name, &shader.wgsl, &shader.module, &shader.info, &shader.entry)?;
        let mut buffers = Buffers::new(&program);
        for (index, binding) in program.bindings().iter().enumerate() {
            let planned = plan.buffers.iter().find(|planned| planned.name == binding.name);
            let contents = match planned {
                Some(planned) => contents(planned.bytes, &planned.content, fill, keep),
                None => Contents::Bytes(bytemuck::bytes_of(params).to_vec()),
            };
            buffers.set(index, contents)?;
        }
        Ok(Kernel { plan, program, buffers })
    }

    /// A dispatch of the whole grid of which those workgroups are executed.
    pub fn dispatch(&self, workgroups: Workgroups) -> Dispatch {
        Dispatch { grid: [self.plan.groups as u32, 1, 1], workgroups }
    }

    /// Whether a binding (a position in [`Program::bindings`]) is what the pattern is about.
    pub fn is_subject(&self, binding: usize) -> bool {
        let name = &self.program.bindings()[binding].name;
        self.plan.buffers.iter().any(|buffer| buffer.name == name && buffer.role == Role::Subject)
    }

    /// Whether an access is to what the pattern is about.
    pub fn touches_subject(&self, access: &model::Access) -> bool {
        match access.binding {
            Some(binding) => self.is_subject(binding),
            None => self.plan.workgroup_subject,
        }
    }
}

/// The contents of a buffer in the model.
fn contents(bytes: u64, content: &Content, fill: Fill, keep: Keep) -> Contents {
    let fill = match content {
        Content::Random { stream } => {
            let stream = *stream;
            model::Fill::Words(Arc::new(move |index| fill.word(stream, u64::from(index))))
        }
        Content::Words(word_at) => {
            let word_at = Arc::clone(word_at);
            model::Fill::Words(Arc::new(move |index| word_at(u64::from(index))))
        }
        Content::Output(_) => model::Fill::Zero,
    };
    match keep {
        Keep::Nothing => Contents::Bounded { bytes, fill },
        Keep::All => Contents::Filled { bytes, fill },
    }
}
