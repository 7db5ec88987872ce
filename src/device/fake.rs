//! The `fake` device: deterministic, for tests.
//!
//! A TOML script says how fast it is, how noisy, and what goes wrong when. Time is simulated: a run over
//! hundreds of cases takes no longer than its arithmetic. Selected by `--device fake:FILE`.

mod script;

pub use script::{Event, Fails, Script, ScriptError};

use std::time::{Duration, Instant};

use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

use super::gpu::OpenOptions;
use super::{
    Cancel, Device, DeviceInfo, Fault, Kernel, KernelId, OutputVisitor, RawSample, Refusal, Variant, Work,
};
use crate::pattern::{Case, Element, Expected, Fill, Limits, Plan};
use crate::shader::Specialized;

/// What a pass costs before its first dispatch.
const EMPTY_PASS_NS: f64 = 2_000.0;

/// A scripted device.
pub struct Fake {
    script: Script,
    info: DeviceInfo,
    limits: Limits,
    fill: Fill,
    noise: Pcg64Mcg,
    cancel: Cancel,
    kernels: Vec<FakeKernel>,
    opened: Instant,
    /// Simulated time since the device was opened.
    now_ns: f64,
    /// The kernel whose data the caches hold.
    in_cache: Option<KernelId>,
    /// The stamps of the last pass.
    last_ticks: [u64; 2],
}

struct FakeKernel {
    id: String,
    plan: Plan,
    passes: u32,
    checks: u32,
}

impl Fake {
    /// Opens a device that follows a script.
    pub fn new(script: Script, options: &OpenOptions) -> Fake {
        let mut limits = script.limits();
        if let Some(footprint) = options.footprint {
            limits.footprint = footprint;
            limits.random_footprint = footprint;
        }
        Fake {
            info: DeviceInfo { runtime_checks: options.runtime_checks, ..script.info() },
            limits,
            fill: Fill::new(options.seed),
            noise: Pcg64Mcg::seed_from_u64(options.seed ^ script.noise_seed),
            script,
            cancel: Cancel::default(),
            kernels: Vec::new(),
            opened: Instant::now(),
            now_ns: 0.0,
            in_cache: None,
            last_ticks: [0; 2],
        }
    }

    /// A number in (0, 1).
    fn uniform(&mut self) -> f64 {
        ((self.noise.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    /// A standard normal number (Box and Muller 1958).
    fn normal(&mut self) -> f64 {
        let (u, v) = (self.uniform(), self.uniform());
        (-2.0 * u.ln()).sqrt() * (2.0 * std::f64::consts::PI * v).cos()
    }

    /// The simulated time of some dispatches.
    fn simulate(&mut self, kernel: KernelId, variant: Variant, dispatches: f64) -> f64 {
        let noise = (self.normal() * self.script.noise).exp();
        let outlier = if self.uniform() < self.script.outliers { self.script.outlier_factor } else { 1.0 };
        let FakeKernel { id, plan, .. } = &self.kernels[kernel.0];
        let useful = plan.useful_bytes as f64;
        let slower: f64 = self.script.slower.iter().filter(|s| s.matches(id)).map(|s| s.factor).product();
        let base = match variant {
            Variant::Timed => useful / self.script.bandwidth_gb_per_s * slower,
            Variant::Twin => useful / self.script.bandwidth_gb_per_s / self.script.twin_speedup,
        };
        let fits = self.script.last_level_cache.is_some_and(|cache| plan.distinct_bytes <= cache);
        let first = if fits && self.in_cache != Some(kernel) { self.script.cold_factor } else { 1.0 };
        self.in_cache = Some(kernel);
        let dispatches = dispatches + (first - 1.0) * dispatches.min(1.0);
        let slowness = self.script.slowness_at(self.now_ns / 1e9);
        (base * dispatches * slowness + EMPTY_PASS_NS) * noise * outlier
    }

    fn event(&self, id: &str, stage: script::Stage, count: u32) -> Option<Fails> {
        self.script
            .events
            .iter()
            .find(|event| event.fails.stage() == stage && event.matches(id, count))
            .map(|event| event.fails)
    }
}

impl Device for Fake {
    fn info(&self) -> &DeviceInfo {
        &self.info
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn fill(&self) -> Fill {
        self.fill
    }

    fn now(&self) -> Instant {
        self.opened + Duration::from_nanos(self.now_ns as u64)
    }

    fn cancel_on(&mut self, cancel: Cancel) {
        self.cancel = cancel;
    }

    fn prepare(&mut self, case: &Case) -> Result<Kernel, Refusal> {
        let id = case.id();
        match self.event(&id, script::Stage::Prepare, 0) {
            Some(Fails::OutOfMemory) => return Err(Fault::OutOfMemory(format!("buffers of {id}")).into()),
            Some(_) => return Err(Fault::Rejected("the scripted compiler rejected the shader".into()).into()),
            None => {}
        }
        let plan = (case.pattern.plan)(case, &self.limits)?;
        let shader = Specialized::new(case.pattern.wgsl, &plan)
            .map_err(|error| Fault::Rejected(format!("shader of {case}: {error}")))?;
        let kernel = Kernel::of_plan(KernelId(self.kernels.len()), &plan, shader.lanes());
        self.kernels.push(FakeKernel { id, plan, passes: 0, checks: 0 });
        Ok(kernel)
    }

    fn expected(&self, kernel: KernelId) -> (Expected, Element) {
        let plan = &self.kernels[kernel.0].plan;
        (plan.output().1.clone(), plan.element)
    }

    fn activate(&mut self, _: KernelId) -> Result<(), Fault> {
        Ok(())
    }

    fn pass(&mut self, kernel: KernelId, variant: Variant, work: Work) -> Result<RawSample, Fault> {
        self.cancel.check(self.now())?;
        let count = self.kernels[kernel.0].passes;
        self.kernels[kernel.0].passes += 1;
        let dispatches = match work {
            Work::Empty => 0.0,
            Work::Dispatches(dispatches) => f64::from(dispatches),
            Work::Part { parts, .. } => 1.0 / f64::from(parts),
        };
        let ns = self.simulate(kernel, variant, dispatches);
        if self.script.watchdog_seconds.is_some_and(|most| ns > most * 1e9) {
            return Err(Fault::Lost(format!("the watchdog ended a submission of {:.1} s", ns / 1e9)));
        }
        let tick = self.script.tick_ns;
        let begin = (self.now_ns / tick) as u64 + 1;
        let end = ((self.now_ns + ns) / tick) as u64 + 1;
        self.now_ns += ns * self.script.wall_factor;
        let wall = Duration::from_nanos((ns * self.script.wall_factor) as u64);
        let ticks = match self.event(&self.kernels[kernel.0].id, script::Stage::Pass, count) {
            Some(Fails::Zero) => [0, 0],
            Some(Fails::Equal) => [begin, begin],
            Some(Fails::Reversed) => [end, begin],
            Some(Fails::Unwritten) => [begin, u64::MAX],
            Some(Fails::Wrapped) => [begin, end.wrapping_sub(1 << 36)],
            Some(Fails::TooLong) => [begin, begin + (end - begin) * 1000],
            Some(Fails::Unresolved) => self.last_ticks,
            Some(Fails::OutOfMemoryLater) => return Err(Fault::OutOfMemory("scripted".into())),
            Some(Fails::DeviceLost) => return Err(Fault::Lost("scripted".into())),
            Some(Fails::Timeout) => return Err(Fault::Timeout(60)),
            Some(Fails::Rejected) => return Err(Fault::Rejected("scripted".into())),
            Some(Fails::OutOfMemory | Fails::Compile | Fails::WrongResult | Fails::SwappedResult) | None => {
                [begin, end]
            }
        };
        self.last_ticks = ticks;
        Ok(RawSample { ticks: self.info.timestamp_period_ns.map(|_| ticks), wall })
    }

    fn output(&mut self, kernel: KernelId, _: u32, visit: OutputVisitor<'_>) -> Result<(), Fault> {
        let count = self.kernels[kernel.0].checks;
        self.kernels[kernel.0].checks += 1;
        let FakeKernel { id, plan, .. } = &self.kernels[kernel.0];
        let words = plan.element.words() as usize;
        let (output, expected) = plan.output();
        let mut data: Vec<u32> = (0..output.bytes / plan.element.bytes())
            .flat_map(|element| expected(&self.fill, element).into_iter().take(words))
            .collect();
        match self.event(id, script::Stage::Check, count) {
            Some(Fails::WrongResult) => data[0] ^= 1 << 7,
            Some(Fails::SwappedResult) => {
                let other = data.iter().position(|word| *word != data[0]).unwrap_or(0);
                data.swap(0, other);
            }
            _ => {}
        }
        visit(0, &data);
        Ok(())
    }
}
