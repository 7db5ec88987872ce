//! The host behind the device trait: wall clock, no twin, no subgroups, a dispatch that can't be split.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::memory::{self, Memory};
use super::team::deal;
use super::{HostPlan, cpu};
use crate::device::gpu::OpenOptions;
use crate::device::{
    Cancel, Device, DeviceInfo, DeviceKind, Fault, Kernel, KernelId, OutputVisitor, RawSample, Refusal,
    Variant, Work, most_sector_bytes,
};
use crate::pattern::{Case, Content, Element, Expected, Fill, Limits, Skip, power_of_two_below};

const MIB: u64 = 1 << 20;

/// A cache line, the unit that CPUs fetch.
const LINE: u64 = 64;

/// Bytes over the buffers of a case where neither cache nor memory are known.
const FOOTPRINT: u64 = 256 * MIB;

/// This machine's CPU, all cores.
pub struct Host {
    info: DeviceInfo,
    limits: Limits,
    footprint_cut: Option<String>,
    cancel: Cancel,
    memory: Memory,
    fill: Fill,
    kernels: Vec<HostKernel>,
}

struct HostKernel {
    plan: HostPlan,
    element: Element,
    expected: Expected,
}

/// What the host says of itself.
pub fn info() -> DeviceInfo {
    let facts = [
        ("threads", Some(rayon::current_num_threads() as u64)),
        ("last_level_cache_bytes", cpu::last_level_cache()),
        ("memory_bytes", cpu::memory()),
    ];
    DeviceInfo {
        name: cpu::name().unwrap_or_else(|| format!("{} CPU", std::env::consts::ARCH)),
        backend: super::BACKEND.to_owned(),
        kind: DeviceKind::Cpu,
        vendor: None,
        device: None,
        pci: None,
        driver: Some(format!(
            "native Rust, rayon{}",
            if cpu::gives_huge_pages(memory::HUGE_PAGE) { ", huge pages" } else { "" }
        )),
        driver_info: None,
        shader_compiler: None,
        subgroup_size: None,
        subgroup_source: "none: the host has threads, not subgroups".to_owned(),
        timestamp_period_ns: None,
        features: Vec::new(),
        limits: facts
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)))
            .collect::<BTreeMap<_, _>>(),
        runtime_checks: false,
    }
}

/// Words of the output that are shown in one piece, at first: what checking a word takes differs from case to
/// case. Pieces double until one takes so long.
const FIRST_PIECE: usize = 4 << 10;
const PIECE_TIME: Duration = Duration::from_millis(10);

/// Random walks cover no more: over gigabytes, a dispatch takes many seconds. Servers report the cache of a whole
/// socket, hundreds of MiB, even to a guest with two of its cores; rows there are then flagged `cache-resident`.
const RANDOM: u64 = 512 * MIB;

/// Memory for the buffers of a case where the system does not tell how much there is.
const UNKNOWN_ROOM: u64 = 4 << 30;

/// The most bytes that the buffers of a case may have: half of the memory that is available. A power of two, so
/// that it is the same from one run to the next as a rule.
fn room() -> u64 {
    let memory = cpu::available_memory().or_else(cpu::memory);
    memory.map_or(UNKNOWN_ROOM, |memory| power_of_two_below(memory / 2))
}

/// Opens the host. The footprint is four times the last-level cache, or what the options ask for, as far as there
/// is room.
pub fn open(options: &OpenOptions) -> Host {
    let (cache, room) = (cpu::last_level_cache(), room());
    let wanted = options.footprint.unwrap_or(cache.map_or(FOOTPRINT, |cache| 4 * cache));
    let footprint = wanted.min(room);
    let footprint_cut = (wanted > room).then(|| {
        format!(
            "footprint of {wanted} bytes cut to {room}: no more than half of the memory that is available"
        )
    });
    let fill = Fill::new(options.seed);
    Host {
        info: info(),
        limits: Limits {
            footprint,
            random_footprint: if options.footprint.is_some() { footprint } else { footprint.min(RANDOM) },
            max_binding: room,
            max_workgroup_memory: 0,
            max_invocations: 1,
            last_level_cache: cache,
        },
        footprint_cut,
        cancel: Cancel::default(),
        memory: Memory::new(fill),
        fill,
        kernels: Vec::new(),
    }
}

impl Host {
    /// One dispatch after the other; the time of all of them.
    fn run(&mut self, kernel: KernelId, dispatches: u32) -> Result<RawSample, Fault> {
        self.cancel.check(Instant::now())?;
        self.activate(kernel)?;
        let plan = &self.kernels[kernel.0].plan;
        let (inputs, output) = self.memory.parts(plan).ok_or_else(missing_buffer)?;
        let start = Instant::now();
        for _ in 0..dispatches {
            (plan.run)(&inputs, output);
        }
        Ok(RawSample { ticks: None, wall: start.elapsed() })
    }
}

impl Device for Host {
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
        self.cancel = cancel;
    }

    fn prepare(&mut self, case: &Case) -> Result<Kernel, Refusal> {
        let host = case
            .pattern
            .host
            .ok_or_else(|| Skip::because("needs workgroup memory; the host has caches instead"))?;
        let plan = host(case, &self.limits)?;
        let output = plan.output_index().map(|index| &plan.buffers[index].content);
        let Some(Content::Output(expected)) = output else {
            return Err(Fault::Rejected(format!("the host loop of {case} has no output")).into());
        };
        let expected = expected.clone();
        let id = KernelId(self.kernels.len());
        let facts = Kernel {
            id,
            footprint_bytes: plan.buffers.iter().map(|buffer| buffer.bytes).sum(),
            distinct_bytes: plan.distinct_bytes,
            sector_bytes: most_sector_bytes(&plan.buffers, plan.distinct_bytes, case.element(), LINE),
            useful_bytes: plan.useful_bytes,
            workgroup_size: None,
            accesses_per_lane: None,
            has_twin: false,
            groups: 1,
            workgroup_subject: false,
            clamped: plan.clamped.clone().or_else(|| self.footprint_cut.clone()),
            notes: plan.notes.clone(),
        };
        self.kernels.push(HostKernel { plan, element: case.element(), expected });
        Ok(facts)
    }

    fn expected(&self, kernel: KernelId) -> (Expected, Element) {
        let HostKernel { expected, element, .. } = &self.kernels[kernel.0];
        (expected.clone(), *element)
    }

    fn activate(&mut self, kernel: KernelId) -> Result<(), Fault> {
        // The footprint, and for what stays of other cases as much again, or half where there is no more room.
        let most = self.limits.footprint + self.limits.footprint.min(self.limits.max_binding / 2);
        self.memory.hold(&self.kernels[kernel.0].plan, most, &self.cancel)
    }

    /// The twin is the case itself here: no kernel of the host has one.
    fn pass(&mut self, kernel: KernelId, _: Variant, work: Work) -> Result<RawSample, Fault> {
        self.run(
            kernel,
            match work {
                Work::Empty => 0,
                Work::Dispatches(dispatches) => dispatches,
                // A dispatch is one group: all of it is its first part.
                Work::Part { part, .. } => u32::from(part == 0),
            },
        )
    }

    fn output(&mut self, kernel: KernelId, _: u32, visit: OutputVisitor<'_>) -> Result<(), Fault> {
        self.activate(kernel)?;
        let plan = &self.kernels[kernel.0].plan;
        let (inputs, output) = self.memory.parts(plan).ok_or_else(missing_buffer)?;
        deal(output, 1, |_, part| part.fill(0));
        (plan.run)(&inputs, output);
        let (mut start, mut words) = (0, FIRST_PIECE);
        while start < output.len() {
            let before = Instant::now();
            self.cancel.check(before)?;
            let end = output.len().min(start + words);
            if !visit(start as u64, &output[start..end]) {
                break;
            }
            start = end;
            if before.elapsed() < PIECE_TIME {
                words *= 2;
            }
        }
        Ok(())
    }
}

fn missing_buffer() -> Fault {
    Fault::Rejected("a buffer of the host loop is missing".to_owned())
}

#[cfg(test)]
use rayon::prelude::*;

#[cfg(test)]
impl Host {
    /// A host of small sizes.
    pub(super) fn small(footprint: u64, max_binding: u64) -> Host {
        let mut host = open(&OpenOptions { footprint: Some(footprint), runtime_checks: false, seed: 7 });
        host.limits.max_binding = max_binding;
        host
    }

    /// Lets a test spoil what the buffers of a kernel hold before the loop runs once more; the verdict on
    /// its output, first wrong element first.
    pub(super) fn check_after(
        &mut self,
        kernel: KernelId,
        spoil_inputs: impl Fn(&mut [Vec<u32>]),
        spoil_output: impl Fn(&mut [u32]),
    ) -> Result<(), u64> {
        self.activate(kernel).unwrap();
        let HostKernel { plan, element, expected } = &self.kernels[kernel.0];
        let (inputs, output) = self.memory.parts(plan).unwrap();
        let mut inputs: Vec<Vec<u32>> = inputs.into_iter().map(<[u32]>::to_vec).collect();
        spoil_inputs(&mut inputs);
        output.fill(0);
        (plan.run)(&inputs.iter().map(Vec::as_slice).collect::<Vec<_>>(), output);
        spoil_output(output);
        let words = element.words() as usize;
        let wrong = output.par_chunks_exact(words).enumerate().find_map_first(|(index, found)| {
            let index = index as u64;
            (expected(&self.fill, index)[..words] != *found).then_some(index)
        });
        wrong.map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::measure::verify::verify;
    use crate::pattern::{Depth, find};

    #[test]
    fn passes_are_timed_and_an_empty_one_runs_nothing() {
        let mut host = Host::small(1 << 20, 1 << 20);
        let case = find("contiguous").unwrap().cases(Depth::Full).remove(0);
        let kernel = host.prepare(&case).unwrap();
        assert_eq!((kernel.groups, kernel.has_twin, kernel.workgroup_size), (1, false, None));
        let empty = host.pass(kernel.id, Variant::Timed, Work::Empty).unwrap();
        let busy = host.pass(kernel.id, Variant::Timed, Work::Dispatches(50)).unwrap();
        assert_eq!(empty.ticks, None);
        assert!(busy.wall > std::time::Duration::ZERO);
    }

    #[test]
    fn filling_and_checking_end_where_work_is_called_off() {
        let mut host = Host::small(1 << 20, 1 << 20);
        let case = find("contiguous").unwrap().cases(Depth::Full).remove(0);
        let kernel = host.prepare(&case).unwrap().id;
        let over = || Cancel::new(Arc::default(), Instant::now(), Some(Duration::ZERO));
        host.cancel_on(over());
        assert_eq!(host.activate(kernel), Err(Fault::OutOfTime));
        assert_eq!(host.pass(kernel, Variant::Timed, Work::Empty), Err(Fault::OutOfTime));
        host.cancel_on(Cancel::default());
        // What was half filled does not count as filled.
        assert_eq!(verify(&mut host, kernel, 1), Ok(Ok(())));
        host.cancel_on(over());
        assert_eq!(
            host.output(kernel, 1, &mut |_, _| panic!("a piece after the end")),
            Err(Fault::OutOfTime)
        );
    }

    #[test]
    fn a_footprint_beyond_the_memory_is_cut_and_said() {
        let mut host = Host::small(1 << 60, 1 << 60);
        assert!(host.limits.footprint < 1 << 60);
        let case = find("contiguous").unwrap().cases(Depth::Full).remove(0);
        let clamped = host.prepare(&case).unwrap().clamped.unwrap();
        assert!(clamped.starts_with("footprint of 1152921504606846976 bytes cut to "), "{clamped}");
    }
}
