//! What runs a case: a wgpu adapter ([`gpu`]), this machine's CPU ([`host`]), or a script for tests
//! ([`fake`]).
//!
//! A device prepares a case, runs timed passes of it and shows the result of one checked dispatch. What a
//! sample means, how many to take and whether a result is right is decided in [`crate::measure`].

mod cancel;
pub mod fake;
pub mod gpu;
pub mod host;
pub mod select;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use crate::pattern::{BufferPlan, Case, Element, Fill, Limits, Plan, Role, Skip};

pub use cancel::Cancel;

/// What a device is, as recorded in `run.json`.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct DeviceInfo {
    /// The driver's name for it.
    pub name: String,
    /// `vulkan`, `metal`, `dx12`, `gl`, `host` or `fake`.
    pub backend: String,
    /// What it is made of.
    pub kind: DeviceKind,
    /// PCI vendor id, where known.
    pub vendor: Option<u32>,
    /// PCI device id, where known.
    pub device: Option<u32>,
    /// PCI bus address, where known.
    pub pci: Option<String>,
    /// Driver name, where known.
    pub driver: Option<String>,
    /// Driver version, where known.
    pub driver_info: Option<String>,
    /// What compiles its shaders, where it is known or chosen.
    pub shader_compiler: Option<String>,
    /// Lanes of a subgroup, where known.
    pub subgroup_size: Option<u32>,
    /// How the subgroup size was learnt.
    pub subgroup_source: String,
    /// Nanoseconds per timestamp tick as the driver says; `None` is a wall clock.
    pub timestamp_period_ns: Option<f64>,
    /// wgpu features requested.
    pub features: Vec<String>,
    /// Limits that matter, by name.
    pub limits: BTreeMap<String, u64>,
    /// Whether shaders run with wgpu's bounds checks and loop bounding.
    pub runtime_checks: bool,
}

impl DeviceInfo {
    /// Whether figures of this device say nothing about a GPU.
    pub fn is_cpu(&self) -> bool {
        self.kind == DeviceKind::Cpu
    }

    /// `vendor:device:driver`, by which a run is recognised as the same device.
    pub fn identity(&self) -> String {
        let hex = |id: Option<u32>| id.map_or_else(String::new, |id| format!("{id:04x}"));
        let driver = self.driver_info.as_deref().or(self.driver.as_deref()).unwrap_or("");
        format!("{}:{}:{driver}", hex(self.vendor), hex(self.device))
    }
}

/// What a device is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceKind {
    /// a GPU with memory of its own
    Discrete,
    /// a GPU that shares memory with the CPU
    Integrated,
    /// a GPU behind a virtual machine's driver
    Virtual,
    /// a driver that does not say
    Other,
    /// a software adapter, or the host itself
    Cpu,
}

/// A prepared case on the device that prepared it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KernelId(pub usize);

/// What preparing a case showed.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// The handle for passes.
    pub id: KernelId,
    /// Bytes over all buffers of the case.
    pub footprint_bytes: u64,
    /// Distinct bytes of the subject that a dispatch touches.
    pub distinct_bytes: u64,
    /// At most so many bytes of distinct sectors hold them: see `most_sector_bytes`.
    pub sector_bytes: u64,
    /// Bytes that the algorithm asks of the subject in a dispatch.
    pub useful_bytes: u64,
    /// Lanes of a workgroup; `None` on the host.
    pub workgroup_size: Option<u32>,
    /// Loads or stores of the subject per lane; `None` on the host.
    pub accesses_per_lane: Option<u64>,
    /// Whether there is a twin.
    pub has_twin: bool,
    /// Workgroups of a dispatch; a dispatch of fewer can't be split further.
    pub groups: u64,
    /// Whether the subject is workgroup memory, which has no part in the roof.
    pub workgroup_subject: bool,
    /// What was cut to the device's limits or raised to the case's.
    pub clamped: Option<String>,
    /// Further facts for the row's `parameters`.
    pub notes: Vec<(&'static str, String)>,
}

impl Kernel {
    /// The facts of a plan.
    pub fn of_plan(id: KernelId, plan: &Plan, workgroup_size: u32) -> Kernel {
        Kernel {
            id,
            footprint_bytes: plan.footprint_bytes(),
            distinct_bytes: plan.distinct_bytes,
            sector_bytes: most_sector_bytes(&plan.buffers, plan.distinct_bytes, plan.element, GPU_SECTOR),
            useful_bytes: plan.useful_bytes,
            workgroup_size: Some(workgroup_size),
            accesses_per_lane: Some(plan.accesses_per_lane),
            has_twin: plan.twin_mask.is_some(),
            groups: plan.groups,
            workgroup_subject: plan.workgroup_subject,
            clamped: plan.clamped.clone(),
            notes: plan.notes.clone(),
        }
    }
}

/// The smallest unit that GPUs are known to fetch, in bytes.
const GPU_SECTOR: u64 = 32;

/// An upper bound on the bytes of the distinct sectors of a subject: every element in a sector of its own, and
/// never more than the subject has. It is the working set that decides cache residence; where elements share
/// sectors the true one is smaller.
fn most_sector_bytes(buffers: &[BufferPlan], distinct_bytes: u64, element: Element, sector: u64) -> u64 {
    let subject: u64 =
        buffers.iter().filter(|buffer| buffer.role == Role::Subject).map(|buffer| buffer.bytes).sum();
    (distinct_bytes / element.bytes() * element.bytes().max(sector)).min(subject)
}

/// Which uniforms a pass runs the pipeline with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variant {
    /// The case itself.
    Timed,
    /// The same pipeline with its addresses folded into a small window.
    Twin,
}

/// What a pass does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Nothing: what a pass costs by itself.
    Empty,
    /// Whole dispatches, one after the other.
    Dispatches(u32),
    /// One of `parts` equal parts of a single dispatch.
    Part {
        /// Which part, from 0.
        part: u32,
        /// How many.
        parts: u32,
    },
}

/// A pass as the device timed it, before anyone judged it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawSample {
    /// Timestamps at its begin and end, in ticks; `None` without timestamp queries.
    pub ticks: Option<[u64; 2]>,
    /// Wall time from submission to completion.
    pub wall: Duration,
}

/// What went wrong on a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The device is gone; nothing more can be measured on it.
    #[error("the device was lost ({0}); what was measured before is kept")]
    Lost(String),
    /// Not enough memory for a case.
    #[error("out of memory: {0}; a smaller --footprint may fit")]
    OutOfMemory(String),
    /// A submission did not finish in time.
    #[error("a submission did not finish within {0} s; the driver may be hung")]
    Timeout(u64),
    /// The driver or wgpu rejected something.
    #[error("{0}")]
    Rejected(String),
    /// Ctrl-C came before the work was done.
    #[error("interrupted")]
    Interrupted,
    /// The time that all work may take was up before.
    #[error("--max-time reached")]
    OutOfTime,
}

impl Fault {
    /// Whether the device can't be used any more.
    pub fn is_fatal(&self) -> bool {
        matches!(self, Fault::Lost(_) | Fault::Timeout(_))
    }

    /// Whether the work was called off: no fault of a case or a device.
    pub fn is_cancellation(&self) -> bool {
        matches!(self, Fault::Interrupted | Fault::OutOfTime)
    }
}

/// Why a case was not prepared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The device can't run it.
    #[error(transparent)]
    Skip(#[from] Skip),
    /// It should run, and failed.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// The visitor of an output buffer: the index of the first word of a chunk, and its words. It says whether
/// to go on.
pub type OutputVisitor<'a> = &'a mut dyn FnMut(u64, &[u32]) -> bool;

/// What runs cases.
pub trait Device {
    /// What it is.
    fn info(&self) -> &DeviceInfo;

    /// What it allows, and the sizes chosen for it.
    fn limits(&self) -> &Limits;

    /// That the footprint asked for was cut, and to what, in words.
    fn footprint_cut(&self) -> Option<&str> {
        None
    }

    /// The fill of its input buffers.
    fn fill(&self) -> Fill;

    /// From now on, the calls that fill and check buffers, and every pass, end early where `cancel` says so.
    fn cancel_on(&mut self, cancel: Cancel);

    /// Compiles and sizes a case.
    ///
    /// # Errors
    /// A reason to skip it, or a fault.
    fn prepare(&mut self, case: &Case) -> Result<Kernel, Refusal>;

    /// What the output must hold after a dispatch, by element index.
    fn expected(&self, kernel: KernelId) -> (crate::pattern::Expected, crate::pattern::Element);

    /// Makes a kernel's buffers resident; idempotent, and done by the other calls where it is missing.
    ///
    /// # Errors
    /// A fault.
    fn activate(&mut self, kernel: KernelId) -> Result<(), Fault>;

    /// Frees what a kernel holds beside its facts, for a case that is done; the calls above and below build it
    /// again where they must. A run prepares hundreds of kernels and measures a few at a time.
    fn release(&mut self, _kernel: KernelId) {}

    /// One timed pass.
    ///
    /// # Errors
    /// A fault.
    fn pass(&mut self, kernel: KernelId, variant: Variant, work: Work) -> Result<RawSample, Fault>;

    /// Clears the output, runs one dispatch of the very pipeline that is timed with every result stored, in
    /// `parts` submissions, and shows the output chunk by chunk.
    ///
    /// # Errors
    /// A fault.
    fn output(&mut self, kernel: KernelId, parts: u32, visit: OutputVisitor<'_>) -> Result<(), Fault>;

    /// The moment, by the clock that the run lasts by; simulated on a scripted device.
    fn now(&self) -> Instant {
        Instant::now()
    }

    /// The longest a submission should last.
    fn submission_target(&self) -> Duration {
        if self.info().is_cpu() { Duration::from_secs(1) } else { Duration::from_millis(100) }
    }
}

#[cfg(test)]
mod tests {
    use super::{GPU_SECTOR, most_sector_bytes};
    use crate::pattern::{BufferPlan, Element, Role};

    const MIB: u64 = 1 << 20;

    #[test]
    fn the_working_set_is_what_is_touched_not_what_is_bound() {
        let table = [BufferPlan::random("table", Role::Subject, 512 * MIB, 0)];
        let most = |distinct, element| most_sector_bytes(&table, distinct, element, GPU_SECTOR);
        // A contiguous read touches all of it, one word a sector touches eight times its words.
        assert_eq!(most(512 * MIB, Element::U32), 512 * MIB);
        assert_eq!(most(8 * MIB, Element::U32), 64 * MIB);
        assert_eq!(most(8 * MIB, Element::U32x4), 16 * MIB);
    }

    #[test]
    fn index_streams_and_sinks_are_not_the_subject() {
        let buffers = [
            BufferPlan::random("src", Role::Subject, MIB, 0),
            BufferPlan::random("indices", Role::Index, 64 * MIB, 1),
        ];
        assert_eq!(most_sector_bytes(&buffers, MIB, Element::U32, GPU_SECTOR), MIB);
    }
}
