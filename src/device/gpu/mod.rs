//! The `gpu` device: a wgpu adapter.
//!
//! Everything that `docs/methodology.md` says about a pass is coded here: unchecked shaders, adapter limits,
//! timestamps written by the pass and resolved in a later submission, a poll that can't wait for ever.

mod buffers;
mod faults;
mod kernel;
mod open;
mod pass;
mod room;

pub(super) use open::describe;
pub use open::{OpenOptions, instance, open};

use std::time::{Duration, Instant};

use crate::pattern::{Case, Element, Expected, Fill, Limits};
use crate::shader::Specialized;

use super::{
    Cancel, Device, DeviceInfo, Fault, Kernel, KernelId, OutputVisitor, RawSample, Refusal, Variant, Work,
};
use buffers::Buffers;
use faults::Faults;
use kernel::{GpuKernel, Modules};
use pass::Timestamps;

/// A submission that takes longer than this has hung.
const TIMEOUT: Duration = Duration::from_secs(60);

/// An open adapter with the buffers and kernels of a run.
pub struct Gpu {
    info: DeviceInfo,
    limits: Limits,
    footprint_cut: Option<String>,
    cancel: Cancel,
    fill: Fill,
    device: wgpu::Device,
    queue: wgpu::Queue,
    faults: Faults,
    buffers: Buffers,
    timestamps: Option<Timestamps>,
    kernels: Vec<GpuKernel>,
    modules: Modules,
    max_groups: u32,
}

impl Device for Gpu {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn footprint_cut(&self) -> Option<&str> {
        self.footprint_cut.as_deref()
    }

    fn fill(&self) -> Fill {
        self.fill
    }

    fn cancel_on(&mut self, cancel: Cancel) {
        self.buffers.cancel_on(cancel.clone());
        self.cancel = cancel;
    }

    fn prepare(&mut self, case: &Case) -> Result<Kernel, Refusal> {
        let plan = (case.pattern.plan)(case, &self.limits)?;
        let shader = Specialized::new(case.pattern.wgsl, &plan)
            .map_err(|error| Fault::Rejected(format!("shader of {case}: {error}")))?;
        let lanes = shader.lanes();
        let id = KernelId(self.kernels.len());
        let mut facts = Kernel::of_plan(id, &plan, lanes);
        facts.clamped = facts.clamped.or_else(|| self.footprint_cut.clone());
        let built = self.faults.catch(&self.device, || {
            GpuKernel::new(&self.device, &mut self.modules, shader, plan, self.max_groups)
        })?;
        self.kernels.push(built);
        Ok(facts)
    }

    fn expected(&self, kernel: KernelId) -> (Expected, Element) {
        let plan = &self.kernels[kernel.0].plan;
        (plan.output().1.clone(), plan.element)
    }

    fn activate(&mut self, kernel: KernelId) -> Result<(), Fault> {
        let kernel = &mut self.kernels[kernel.0];
        self.buffers.hold(&kernel.plan)?;
        let bound = self.faults.catch(&self.device, || kernel.bind(&self.device, &self.buffers));
        if bound.is_err() {
            // What was bound is invalid and must not be taken for bound.
            kernel.release();
        }
        bound?;
        self.faults.wait(&self.device, TIMEOUT)
    }

    fn release(&mut self, kernel: KernelId) {
        self.kernels[kernel.0].release();
    }

    fn pass(&mut self, kernel: KernelId, variant: Variant, work: Work) -> Result<RawSample, Fault> {
        self.cancel.check(Instant::now())?;
        self.activate(kernel)?;
        self.run_pass(kernel, pass::Uniforms::timed(variant), work)
    }

    fn output(&mut self, kernel: KernelId, parts: u32, visit: OutputVisitor<'_>) -> Result<(), Fault> {
        self.activate(kernel)?;
        let bytes = self.kernels[kernel.0].plan.output().0.bytes;
        self.faults.catch(&self.device, || self.buffers.clear_output(bytes))?;
        for part in 0..parts {
            self.cancel.check(Instant::now())?;
            self.run_pass(kernel, pass::Uniforms::Checked, Work::Part { part, parts })?;
        }
        self.buffers.read_output(bytes, visit)
    }
}

#[cfg(test)]
mod tests;
