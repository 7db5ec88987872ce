//! From naga's IR to the compiled form of [`ir`](super::ir).
//!
//! One pass over the statements of the entry point and of the functions it calls. A function is compiled
//! once for each combination of pointer roots and uniform arguments that it is called with, so that every
//! pointer has a static root.

mod access;
mod bits;
mod call;
mod consts;
mod expression;
mod function;
mod math;
mod matrix;
mod place;
mod statement;
mod subgroup;
mod writes;

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use naga::valid::{FunctionInfo, ModuleInfo};
use naga::{Expression, Function, Handle, Module, Span, TypeInner};

use super::error::{Location, ModelError};
use super::ir::{Block, Function as IrFunction, IndexSite, Input, Mask, Memory, Op, Reg, ScalarOp, Words};
use super::lanes::Func;
use super::layout::{LayoutError, Layouts, Num};
use super::program::{Binding, Program, WorkgroupVar};
use super::report::{Access, AccessOp, Note, Space};
use super::sources::{AssumedConstants, Source, Sources, bit};
use call::Instances;
use place::Place;

/// The most instructions of a program: a bound on what a hostile shader can make of few lines.
const MAX_OPS: u64 = 1 << 20;
/// The deepest chain of calls.
const MAX_CALL_DEPTH: u64 = 64;
/// The most invocations of a workgroup.
const MAX_LANES: u64 = 1 << 16;
/// The most bytes of registers of one workgroup.
const MAX_REGISTER_BYTES: u64 = 256 << 20;
/// The most bytes of workgroup memory.
const MAX_WORKGROUP_BYTES: u64 = 64 << 20;

/// What an expression is.
#[derive(Clone, Debug)]
enum Value {
    /// A value: its words.
    Words(Rc<[Reg]>),
    /// A pointer.
    Place(Place),
    /// A texture, a sampler or an array of them: the variable.
    Opaque(Rc<str>),
}

/// A module being compiled.
struct Compiler<'a> {
    module: &'a Module,
    info: &'a ModuleInfo,
    layouts: Layouts<'a>,
    file: &'a str,
    /// Byte offsets at which lines start.
    lines: Vec<usize>,
    next_lane: u32,
    next_uniform: u32,
    next_mask: Mask,
    ops: u64,
    lanes: u64,
    /// Uniform registers by their word and what that depends on.
    constants: BTreeMap<(u32, Sources), Reg>,
    assumed: &'a AssumedConstants,
    /// What the constants being compiled depend on.
    depends: Sources,
    sources: Vec<Source>,
    instances: Instances,
    functions: Vec<IrFunction>,
    globals: BTreeMap<Handle<naga::GlobalVariable>, Value>,
    bindings: Vec<Binding>,
    workgroup_vars: Vec<WorkgroupVar>,
    /// Lane registers of private variables and of the local ones of functions, ascending.
    variables: Vec<Range<u32>>,
    initial: Vec<(u32, Reg)>,
    inputs: Vec<(Input, Reg)>,
    accesses: Vec<Access>,
    access_ids: BTreeMap<(usize, usize, AccessOp, Memory), usize>,
    sites: Vec<IndexSite>,
    notes: Vec<Note>,
}

/// The function being compiled.
struct Frame<'a> {
    function: &'a Function,
    info: &'a FunctionInfo,
    values: Vec<Option<Value>>,
    arguments: Vec<Value>,
    /// First register of each local variable.
    locals: Vec<u32>,
    returned: Mask,
    /// Where returned values go; none where the only return is the last statement.
    result: Option<Rc<[Reg]>>,
    /// The values of the only return.
    tail: Option<Rc<[Reg]>>,
    /// Where `break` and `continue` lead, innermost last.
    breaks: Vec<Mask>,
    continues: Vec<Mask>,
    /// Masks that jumps led to, in order.
    jumps: Vec<Mask>,
    depth: u64,
}

/// Compiles an entry point.
pub(super) fn compile(
    file: &str,
    source: &str,
    module: &Module,
    info: &ModuleInfo,
    entry: &str,
    assumed: &AssumedConstants,
) -> Result<Program, ModelError> {
    let compute = |ep: &&naga::EntryPoint| ep.stage == naga::ShaderStage::Compute;
    let Some(index) =
        module.entry_points.iter().position(|ep| ep.stage == naga::ShaderStage::Compute && ep.name == entry)
    else {
        let available: Vec<_> =
            module.entry_points.iter().filter(compute).map(|ep| ep.name.as_str()).collect();
        return Err(ModelError::NoEntryPoint {
            file: file.into(),
            name: entry.into(),
            available: if available.is_empty() { "none".into() } else { available.join(", ") },
        });
    };
    let mut compiler = Compiler::new(file, source, module, info, assumed);
    compiler.entry_point(index)
}

impl<'a> Compiler<'a> {
    fn new(
        file: &'a str,
        source: &str,
        module: &'a Module,
        info: &'a ModuleInfo,
        assumed: &'a AssumedConstants,
    ) -> Self {
        let newlines = source.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(i, _)| i + 1);
        Self {
            module,
            info,
            layouts: Layouts { module },
            file,
            lines: std::iter::once(0).chain(newlines).collect(),
            next_lane: 0,
            next_uniform: 0,
            next_mask: 0,
            ops: 0,
            lanes: 1,
            constants: BTreeMap::new(),
            assumed,
            depends: 0,
            sources: assumed.names().iter().cloned().map(Source::Constant).collect(),
            instances: Instances::default(),
            functions: Vec::new(),
            globals: BTreeMap::new(),
            bindings: Vec::new(),
            workgroup_vars: Vec::new(),
            variables: Vec::new(),
            initial: Vec::new(),
            inputs: Vec::new(),
            accesses: Vec::new(),
            access_ids: BTreeMap::new(),
            sites: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn location(&self, span: Span) -> Location {
        let Some(range) = span.to_range() else {
            return Location { file: self.file.into(), line: 0, column: 0 };
        };
        let line = self.lines.partition_point(|&start| start <= range.start).max(1);
        let column = range.start - self.lines[line - 1] + 1;
        Location { file: self.file.into(), line: line as u32, column: column as u32 }
    }

    fn unsupported(&self, span: Span, what: impl Into<String>) -> ModelError {
        ModelError::Unsupported { at: self.location(span), what: what.into() }
    }

    fn too_large(&self, span: Span, what: &str, size: u64, limit: u64) -> ModelError {
        ModelError::TooLarge { at: self.location(span), what: what.into(), size, limit }
    }

    /// Gives a layout error its place.
    fn layout<T>(&self, span: Span, result: Result<T, LayoutError>) -> Result<T, ModelError> {
        result.map_err(|error| match error {
            LayoutError::Unsupported(what) => self.unsupported(span, what),
            LayoutError::TooMany { scalars } => {
                self.too_large(span, "the number of scalars of a value", scalars, super::layout::MAX_SCALARS)
            }
        })
    }

    fn num(&self, span: Span, scalar: naga::Scalar) -> Result<Num, ModelError> {
        self.layout(span, super::layout::num(scalar))
    }

    /// The scalar type of a scalar, vector or matrix, and how many there are of it.
    fn shape(&self, span: Span, inner: &TypeInner) -> Result<(Num, usize), ModelError> {
        match *inner {
            TypeInner::Scalar(scalar) => Ok((self.num(span, scalar)?, 1)),
            TypeInner::Vector { size, scalar } => Ok((self.num(span, scalar)?, size as usize)),
            TypeInner::Matrix { columns, rows, scalar } => {
                Ok((self.num(span, scalar)?, columns as usize * rows as usize))
            }
            _ => Err(self.unsupported(span, "arithmetic on a value that is no number")),
        }
    }

    fn emit(&mut self, block: &mut Block, op: Op) {
        self.ops += 1;
        block.push(op);
    }

    /// Fails once the program has outgrown what the model allows itself.
    fn check_size(&self, span: Span) -> Result<(), ModelError> {
        if self.ops > MAX_OPS {
            return Err(self.too_large(span, "the number of instructions so far", self.ops, MAX_OPS));
        }
        let bytes = (u64::from(self.next_lane) + self.next_mask as u64) * self.lanes * 4;
        if bytes > MAX_REGISTER_BYTES || self.next_uniform > 1 << 24 {
            let what = "the size in bytes of a workgroup's private, function and temporary values";
            return Err(self.too_large(span, what, bytes, MAX_REGISTER_BYTES));
        }
        Ok(())
    }

    /// New registers, one after the other; their number is at most that of a value's words.
    fn registers(&mut self, count: usize, uniform: bool) -> Reg {
        let count = count as u32;
        if uniform {
            let first = self.next_uniform;
            self.next_uniform = first.saturating_add(count).min(1 << 30);
            Reg::uniform(first)
        } else {
            let first = self.next_lane;
            self.next_lane = first.saturating_add(count).min(1 << 30);
            Reg::lane(first)
        }
    }

    /// New registers of a variable.
    fn variable(&mut self, words: usize) -> Reg {
        let first = self.registers(words, false);
        self.variables.push(first.index() as u32..self.next_lane);
        first
    }

    fn mask(&mut self) -> Mask {
        self.next_mask += 1;
        self.next_mask - 1
    }

    /// A uniform register that holds a word.
    fn constant(&mut self, word: u32) -> Reg {
        let key = (word, self.depends);
        if let Some(&reg) = self.constants.get(&key) {
            return reg;
        }
        let reg = self.registers(1, true);
        self.constants.insert(key, reg);
        reg
    }

    /// Compiles constants that depend on these too.
    fn depending<T>(&mut self, on: Sources, compile: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.depends;
        self.depends |= on;
        let compiled = compile(self);
        self.depends = outer;
        compiled
    }

    /// The bit of something outside of the buffers.
    fn source(&mut self, source: Source) -> Sources {
        let known = self.sources.iter().position(|other| *other == source);
        bit(known.unwrap_or_else(|| {
            self.sources.push(source);
            self.sources.len() - 1
        }))
    }

    /// The scalars of a value of one scalar type.
    fn scalars(regs: &[Reg], num: Num) -> Vec<Words> {
        if num.words() == 1 {
            regs.iter().map(|&low| Words { low, high: None }).collect()
        } else {
            regs.chunks_exact(2).map(|pair| Words { low: pair[0], high: Some(pair[1]) }).collect()
        }
    }

    fn push_words(regs: &mut Vec<Reg>, words: Words) {
        regs.push(words.low);
        regs.extend(words.high);
    }

    /// Applies a function to scalars.
    fn apply(&mut self, block: &mut Block, f: Func, result: Num, args: &[Words]) -> Words {
        let uniform = args.iter().all(|arg| arg.low.is_uniform() && arg.high.is_none_or(Reg::is_uniform));
        let low = self.registers(result.words(), uniform);
        let to = Words { low, high: (result.words() == 2).then(|| low.plus(1)) };
        let op = match (f, args) {
            (Func::L1(f), [a, ..]) => Op::Lanes1 { f, to: low, a: a.low },
            (Func::L2(f), [a, b, ..]) => Op::Lanes2 { f, to: low, a: a.low, b: b.low },
            (Func::L3(f), [a, b, c, ..]) => Op::Lanes3 { f, to: low, a: a.low, b: b.low, c: c.low },
            (Func::Scalar(f), _) => Op::Scalar(Box::new(ScalarOp { f, to, args: args.to_vec() })),
            // the tables give each function its number of operands
            (Func::L1(_) | Func::L2(_) | Func::L3(_), _) => Op::Copy { to: low, from: args[0].low },
        };
        self.emit(block, op);
        to
    }

    /// The identity of an access expression.
    fn access(&mut self, span: Span, op: AccessOp, memory: Memory, bytes: u32) -> usize {
        let range = span.to_range().unwrap_or(0..0);
        let key = (range.start, range.end, op, memory);
        if let Some(&id) = self.access_ids.get(&key) {
            return id;
        }
        let (space, variable, binding) = match memory {
            Memory::Buffer(binding) => {
                (self.bindings[binding].space, self.bindings[binding].name.clone(), Some(binding))
            }
            Memory::Workgroup(var) => (Space::Workgroup, self.workgroup_vars[var].name.clone(), None),
        };
        let at = self.location(span);
        self.accesses.push(Access { at, span: range, space, variable, op, atomic: None, bytes, binding });
        self.access_ids.insert(key, self.accesses.len() - 1);
        self.accesses.len() - 1
    }

    fn note(&mut self, span: Span, what: impl Into<String>) {
        let note = Note { at: self.location(span), what: what.into() };
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }
}

impl<'a> Frame<'a> {
    fn new(
        function: &'a Function,
        info: &'a FunctionInfo,
        arguments: Vec<Value>,
        returned: Mask,
        depth: u64,
    ) -> Self {
        Self {
            function,
            info,
            values: vec![None; function.expressions.len()],
            arguments,
            locals: Vec::new(),
            returned,
            result: None,
            tail: None,
            breaks: Vec::new(),
            continues: Vec::new(),
            jumps: Vec::new(),
            depth,
        }
    }

    fn span(&self, expr: Handle<Expression>) -> Span {
        self.function.expressions.get_span(expr)
    }

    fn inner(&self, module: &'a Module, expr: Handle<Expression>) -> &'a TypeInner {
        self.info[expr].ty.inner_with(&module.types)
    }
}
