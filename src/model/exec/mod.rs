//! Executes workgroups of a [`Program`], all lanes in lock-step.
//!
//! Arithmetic runs in all lanes, active or not, because nobody sees what inactive lanes compute; variables
//! and memory are changed in active lanes only. A barrier needs no work: every lane has arrived. Lanes that
//! compete for a word are served in the order of their local invocation index.

mod arithmetic;
mod atomic;
mod control;
mod counting;
mod memory;
mod subgroup;

use std::collections::BTreeSet;

use super::buffers::Buffer;
use super::count::Scratch;
use super::error::{Location, ModelError};
use super::ir::{Block, Input, Op, Reg};
use super::machine::{Machine, Phases};
use super::program::Program;
use super::report::{Counts, OutOfBounds, Request};
use super::run::{Limits, REQUEST_OPERATIONS};

/// What all workgroups of an execution share.
pub(super) struct Context<'a> {
    pub(super) program: &'a Program,
    pub(super) buffers: Vec<&'a Buffer>,
    /// Constants that are assumed, with their assumptions as bits.
    pub(super) assumed: Vec<(Reg, u64)>,
    pub(super) numbers: Numbers,
    pub(super) limits: Limits,
    pub(super) grid: [u32; 3],
}

/// The numbers of a machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    pub(super) subgroup: usize,
    pub(super) sector_bytes: u32,
    pub(super) line_bytes: u32,
    pub(super) banks: u32,
    pub(super) bank_bytes: u32,
    pub(super) phases: Phases,
}

impl Numbers {
    pub(super) fn of(machine: &Machine) -> Self {
        Self {
            subgroup: machine.subgroup_size.value as usize,
            sector_bytes: machine.sector_bytes.value,
            line_bytes: machine.line_bytes.value,
            banks: machine.banks.value,
            bank_bytes: machine.bank_bytes.value,
            phases: machine.phases.value,
        }
    }
}

/// What some workgroups counted.
pub(super) struct Totals {
    pub(super) counts: Vec<Counts>,
    /// Assumptions per access, as bits.
    pub(super) depends: Vec<u64>,
    /// Assumptions that branches, loops and returns depend on, by the mask that saves the lanes before them.
    pub(super) branches: Vec<u64>,
    /// Per index site.
    pub(super) out_of_bounds: Vec<Option<OutOfBounds>>,
    /// Per workgroup and buffer.
    pub(super) distinct: Vec<Vec<u64>>,
    /// Loops left before their end.
    pub(super) cut_loops: BTreeSet<Location>,
    pub(super) steps: u64,
}

/// Watches every request.
pub(super) type Observer<'a> = &'a mut dyn FnMut(&Request<'_>);

/// The state of one workgroup.
pub(super) struct Executor<'a> {
    context: &'a Context<'a>,
    program: &'a Program,
    lanes: usize,
    registers: Vec<u32>,
    uniform: Vec<u32>,
    register_taint: Vec<u64>,
    uniform_taint: Vec<u64>,
    /// The active lanes: all ones or zero.
    mask: Vec<u32>,
    active: usize,
    masks: Vec<u32>,
    /// The assumptions that the active mask depends on.
    mask_taint: u64,
    workgroup_memory: Vec<Vec<u32>>,
    workgroup_taint: Vec<u64>,
    buffer_taint: Vec<u64>,
    workgroup: [u32; 3],
    workgroup_steps: u64,
    /// Loops left before their end.
    workgroup_cuts: u32,
    sequence: u64,
    traffic: Vec<counting::Traffic>,
    scratch: Scratch,
    request_lanes: Vec<u32>,
    request_addresses: Vec<u64>,
    totals: Totals,
    observer: Option<Observer<'a>>,
}

impl<'a> Executor<'a> {
    pub(super) fn new(context: &'a Context<'a>, observer: Option<Observer<'a>>) -> Self {
        let program = context.program;
        let lanes = program.lanes();
        let mut uniform = vec![0; program.uniform_registers as usize];
        for &(reg, word) in &program.constants {
            uniform[reg.index()] = word;
        }
        Self {
            context,
            program,
            lanes,
            registers: vec![0; program.lane_registers as usize * lanes],
            uniform,
            register_taint: vec![0; program.lane_registers as usize],
            uniform_taint: vec![0; program.uniform_registers as usize],
            mask: vec![0; lanes],
            active: 0,
            masks: vec![0; program.masks * lanes],
            mask_taint: 0,
            workgroup_memory: program
                .workgroup_vars
                .iter()
                .map(|v| vec![0; v.bytes.div_ceil(4) as usize])
                .collect(),
            workgroup_taint: vec![0; program.workgroup_vars.len()],
            buffer_taint: vec![0; program.bindings.len()],
            workgroup: [0; 3],
            workgroup_steps: 0,
            workgroup_cuts: 0,
            sequence: 0,
            traffic: program.bindings.iter().map(|_| counting::Traffic::default()).collect(),
            scratch: Scratch::default(),
            request_lanes: Vec::new(),
            request_addresses: Vec::new(),
            totals: Totals {
                counts: vec![Counts::default(); program.accesses.len()],
                depends: vec![0; program.accesses.len()],
                branches: vec![0; program.masks],
                out_of_bounds: vec![None; program.sites.len()],
                distinct: Vec::new(),
                cut_loops: BTreeSet::new(),
                steps: 0,
            },
            observer,
        }
    }

    /// What the workgroups so far cost, in lane operations.
    pub(super) fn operations(&self) -> u64 {
        let requests: u64 = self.totals.counts.iter().map(|counts| counts.requests).sum();
        self.totals.steps * self.lanes as u64 + requests * REQUEST_OPERATIONS
    }

    /// What the workgroups so far counted.
    pub(super) fn into_totals(self) -> Totals {
        self.totals
    }

    /// Executes one workgroup.
    pub(super) fn run(&mut self, workgroup: [u32; 3]) -> Result<(), ModelError> {
        self.workgroup = workgroup;
        self.workgroup_steps = 0;
        self.workgroup_cuts = 0;
        self.sequence = 0;
        self.mask.fill(u32::MAX);
        self.active = self.lanes;
        self.mask_taint = 0;
        self.register_taint.fill(0);
        self.uniform_taint.fill(0);
        for &(reg, taint) in &self.context.assumed {
            self.uniform_taint[reg.index()] = taint;
        }
        self.workgroup_taint.fill(0);
        self.workgroup_memory.iter_mut().for_each(|memory| memory.fill(0));
        for &(to, from) in &self.program.initial {
            self.copy(Reg::lane(to), from);
        }
        for i in 0..self.program.inputs.len() {
            let (input, reg) = self.program.inputs[i];
            self.input(input, reg);
        }
        self.call(self.program.entry)?;
        self.totals.steps += self.workgroup_steps;
        let distinct = self.traffic.iter_mut().map(counting::Traffic::take).collect();
        self.totals.distinct.push(distinct);
        Ok(())
    }

    fn input(&mut self, input: Input, to: Reg) {
        let size = self.program.workgroup_size;
        let subgroup = self.context.numbers.subgroup;
        let local = |lane: usize, axis: usize| {
            let lane = lane as u32;
            match axis {
                0 => lane % size[0],
                1 => lane / size[0] % size[1],
                _ => lane / size[0] / size[1],
            }
        };
        let workgroup = self.workgroup;
        if to.is_uniform() {
            self.uniform[to.index()] = match input {
                Input::WorkgroupId(axis) => workgroup[axis],
                Input::WorkgroupSize(axis) => size[axis],
                Input::WorkgroupCount(axis) => self.context.grid[axis],
                Input::SubgroupCount => self.lanes.div_ceil(subgroup) as u32,
                Input::SubgroupSize => subgroup as u32,
                Input::GlobalId(_)
                | Input::LocalId(_)
                | Input::LocalIndex
                | Input::SubgroupId
                | Input::SubgroupLane => 0,
            };
            return;
        }
        let lanes = self.lanes;
        for (lane, word) in self.registers[to.index() * lanes..][..lanes].iter_mut().enumerate() {
            *word = match input {
                Input::GlobalId(axis) => {
                    workgroup[axis].wrapping_mul(size[axis]).wrapping_add(local(lane, axis))
                }
                Input::LocalId(axis) => local(lane, axis),
                Input::LocalIndex => lane as u32,
                Input::SubgroupId => (lane / subgroup) as u32,
                Input::SubgroupLane => (lane % subgroup) as u32,
                Input::WorkgroupId(_)
                | Input::WorkgroupSize(_)
                | Input::WorkgroupCount(_)
                | Input::SubgroupCount
                | Input::SubgroupSize => 0,
            };
        }
    }

    /// Executes a block while any lane is active.
    fn block(&mut self, block: &'a Block) -> Result<(), ModelError> {
        for op in block {
            self.workgroup_steps += 1;
            match op {
                Op::Lanes1 { f, to, a } => self.lanes1(*f, *to, *a),
                Op::Lanes2 { f, to, a, b } => self.lanes2(*f, *to, *a, *b),
                Op::Lanes3 { f, to, a, b, c } => self.lanes3(*f, *to, *a, *b, *c),
                Op::Scalar(op) => self.scalar(op),
                Op::Copy { to, from } => self.copy(*to, *from),
                Op::First { to, from } => self.first(*to, *from),
                Op::Assign { to, from } => self.assign(*to, *from),
                Op::Gather { to, first, offset } => self.gather_variable(*to, *first, *offset),
                Op::Scatter { first, offset, from } => self.scatter_variable(*first, *offset, *from),
                Op::Pick { to, index, from } => self.pick(*to, *index, from),
                Op::Index(op) => self.index(op),
                Op::ArrayLength { to, binding, offset, stride } => {
                    self.array_length(*to, *binding, *offset, *stride);
                }
                Op::Load(op) => self.load(op),
                Op::Store(op) => self.store(op)?,
                Op::Atomic(op) => self.atomic(op)?,
                Op::Subgroup(op) => self.subgroup(op),
                Op::If(op) => self.if_op(op)?,
                Op::Loop(op) => self.loop_op(op)?,
                Op::Switch(op) => self.switch(op)?,
                Op::Leave { into } => self.leave(*into),
                Op::Call { function } => self.call(*function)?,
            }
            if self.active == 0 {
                return Ok(());
            }
        }
        Ok(())
    }

    fn taint(&self, reg: Reg) -> u64 {
        if reg.is_uniform() { self.uniform_taint[reg.index()] } else { self.register_taint[reg.index()] }
    }

    fn set_taint(&mut self, reg: Reg, taint: u64) {
        if reg.is_uniform() {
            self.uniform_taint[reg.index()] = taint;
        } else {
            self.register_taint[reg.index()] = taint;
        }
    }

    /// The word of a register in one lane.
    fn word(&self, reg: Reg, lane: usize) -> u32 {
        if reg.is_uniform() {
            self.uniform[reg.index()]
        } else {
            self.registers[reg.index() * self.lanes + lane]
        }
    }

    /// Sets the word of a register in one lane, or of a uniform one.
    fn set_word(&mut self, reg: Reg, lane: usize, word: u32) {
        if reg.is_uniform() {
            self.uniform[reg.index()] = word;
        } else {
            self.registers[reg.index() * self.lanes + lane] = word;
        }
    }

    fn is_active(&self, lane: usize) -> bool {
        self.mask[lane] != 0
    }

    /// The first active lane; a block runs only while there is one.
    fn first_active(&self) -> usize {
        self.mask.iter().position(|&word| word != 0).unwrap_or(0)
    }
}
