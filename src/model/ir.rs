//! The compiled form of an entry point: what the executor walks instead of naga's IR.
//!
//! Every scalar of every value has a *word register*: lane registers hold one 32-bit word for each lane of
//! the workgroup, uniform registers a single one. 64-bit scalars take two. Since WGSL has no recursion,
//! every function instance owns its registers statically, local variables included; composing, swizzling
//! and extracting are decided while compiling and cost nothing. Pointers are a static root plus at most one
//! register with a dynamic offset.
//!
//! Registers are numbered so that the result of an instruction is above its operands: one split of the
//! register file then borrows both, and no instruction allocates.

use std::ops::Range;

use super::error::Location;
use super::lanes::{Fn1, Fn2, Fn3, ScalarFn};
use super::report::AtomicFun;

/// A word register, or a uniform one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Reg(u32);

impl Reg {
    const UNIFORM: u32 = 1 << 31;

    pub(super) fn lane(index: u32) -> Self {
        Self(index)
    }

    pub(super) fn uniform(index: u32) -> Self {
        Self(index | Self::UNIFORM)
    }

    pub(super) fn is_uniform(self) -> bool {
        self.0 & Self::UNIFORM != 0
    }

    pub(super) fn index(self) -> usize {
        (self.0 & !Self::UNIFORM) as usize
    }

    /// The register `by` further.
    pub(super) fn plus(self, by: usize) -> Self {
        Self(self.0 + by as u32)
    }
}

/// A mask register: one word per lane, all ones or zero.
pub(super) type Mask = usize;

/// The words of one scalar: one, or the low and high half of 64 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words {
    pub(super) low: Reg,
    pub(super) high: Option<Reg>,
}

pub(super) type Block = Vec<Op>;

/// One instruction.
#[derive(Debug)]
pub(super) enum Op {
    Lanes1 {
        f: Fn1,
        to: Reg,
        a: Reg,
    },
    Lanes2 {
        f: Fn2,
        to: Reg,
        a: Reg,
        b: Reg,
    },
    Lanes3 {
        f: Fn3,
        to: Reg,
        a: Reg,
        b: Reg,
        c: Reg,
    },
    /// A function that is called lane by lane.
    Scalar(Box<ScalarOp>),
    /// Copies a register whole, also in inactive lanes.
    Copy {
        to: Reg,
        from: Reg,
    },
    /// Takes the value of the first active lane.
    First {
        to: Reg,
        from: Reg,
    },
    /// Assigns to a variable's register in the active lanes.
    Assign {
        to: u32,
        from: Reg,
    },
    /// Reads a variable's register at a per-lane offset.
    Gather {
        to: Reg,
        first: u32,
        offset: Reg,
    },
    /// Assigns to a variable's register at a per-lane offset.
    Scatter {
        first: u32,
        offset: Reg,
        from: Reg,
    },
    /// Picks one of several registers by a dynamic index, clamped.
    Pick {
        to: Reg,
        index: Reg,
        from: Box<[Reg]>,
    },
    /// Adds a clamped index to an offset.
    Index(Box<IndexOp>),
    ArrayLength {
        to: Reg,
        binding: usize,
        offset: u32,
        stride: u32,
    },
    Load(Box<LoadOp>),
    Store(Box<StoreOp>),
    Atomic(Box<AtomicOp>),
    Subgroup(Box<SubgroupOp>),
    If(Box<IfOp>),
    Loop(Box<LoopOp>),
    Switch(Box<SwitchOp>),
    /// Takes the active lanes out of this block into a mask: `break`, `continue`, `return`.
    Leave {
        into: Mask,
    },
    Call {
        function: usize,
    },
}

#[derive(Debug)]
pub(super) struct ScalarOp {
    pub(super) f: ScalarFn,
    pub(super) to: Words,
    pub(super) args: Vec<Words>,
}

/// Where an index was clamped, if it was.
#[derive(Clone, Debug)]
pub(super) struct IndexSite {
    pub(super) at: Location,
    pub(super) variable: String,
}

#[derive(Debug)]
pub(super) struct IndexOp {
    pub(super) to: Reg,
    pub(super) base: Option<Reg>,
    pub(super) index: Reg,
    pub(super) signed: bool,
    pub(super) stride: u32,
    pub(super) length: Length,
    pub(super) site: usize,
}

/// How long an indexed array is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Length {
    Fixed(u32),
    /// The runtime-sized tail of a buffer.
    Runtime {
        binding: usize,
        offset: u32,
        stride: u32,
    },
}

/// Which memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Memory {
    Buffer(usize),
    Workgroup(usize),
}

/// An address: root, static offset, dynamic offset.
#[derive(Clone, Copy, Debug)]
pub(super) struct Address {
    pub(super) memory: Memory,
    pub(super) offset: u32,
    pub(super) dynamic: Option<Reg>,
}

/// One word moved between memory and a register.
#[derive(Clone, Copy, Debug)]
pub(super) struct WordMove {
    /// From the address.
    pub(super) offset: u32,
    /// 16-bit scalars are half words in memory.
    pub(super) half: bool,
    pub(super) reg: Reg,
}

/// One instruction that hardware would issue: a part of an access of at most 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) offset: u32,
    pub(super) bytes: u32,
}

#[derive(Debug)]
pub(super) struct LoadOp {
    pub(super) access: usize,
    pub(super) address: Address,
    pub(super) words: Vec<WordMove>,
    pub(super) pieces: Vec<Piece>,
}

#[derive(Debug)]
pub(super) struct StoreOp {
    pub(super) access: usize,
    pub(super) address: Address,
    pub(super) words: Vec<WordMove>,
    pub(super) pieces: Vec<Piece>,
}

/// The scalar type of an atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AtomicType {
    U32,
    I32,
    F32,
    U64,
    I64,
}

#[derive(Debug)]
pub(super) struct AtomicOp {
    pub(super) access: usize,
    pub(super) address: Address,
    pub(super) fun: AtomicFun,
    pub(super) ty: AtomicType,
    pub(super) value: Option<Words>,
    pub(super) compare: Option<Words>,
    /// The old value.
    pub(super) old: Option<Words>,
    /// Whether a compare-exchange took place.
    pub(super) exchanged: Option<Reg>,
}

/// Which lane a value is taken from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Gather {
    First,
    /// The lane's own number, changed by an operand.
    Lane(Reg),
    Down(Reg),
    Up(Reg),
    Xor(Reg),
    QuadLane(Reg),
    QuadXor(u32),
}

#[derive(Debug)]
pub(super) enum SubgroupOp {
    Ballot { to: [Reg; 4], predicate: Option<Reg> },
    Gather { to: Reg, from: Reg, mode: Gather },
    Reduce { to: Words, from: Words, identity: u64, f: fn(u64, u64) -> u64, scan: Scan },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scan {
    Reduce,
    Inclusive,
    Exclusive,
}

#[derive(Debug)]
pub(super) struct IfOp {
    pub(super) condition: Reg,
    pub(super) accept: Block,
    pub(super) reject: Block,
    /// The mask before, and of the lanes that are through with `accept`.
    pub(super) before: Mask,
    pub(super) through: Mask,
    /// Whether lanes may leave it by a jump, so that what follows depends on the condition.
    pub(super) jumps: bool,
    pub(super) writes: Writes,
}

#[derive(Debug)]
pub(super) struct LoopOp {
    pub(super) body: Block,
    pub(super) continuing: Block,
    pub(super) break_if: Option<Reg>,
    pub(super) broken: Mask,
    pub(super) continued: Mask,
    pub(super) returns: bool,
    pub(super) at: Location,
    pub(super) writes: Writes,
}

#[derive(Debug)]
pub(super) struct SwitchOp {
    pub(super) selector: Reg,
    pub(super) cases: Vec<Case>,
    pub(super) before: Mask,
    pub(super) through: Mask,
    pub(super) broken: Mask,
    pub(super) jumps: bool,
    pub(super) writes: Writes,
}

/// A body of a switch with all values that lead to it.
#[derive(Debug)]
pub(super) struct Case {
    pub(super) values: Vec<u32>,
    pub(super) default: bool,
    pub(super) body: Block,
    /// Lanes that finish it go on in the next one.
    pub(super) fall_through: bool,
}

/// A function for one set of pointer roots and uniform arguments.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) body: Block,
    /// The caller's mask, to be restored.
    pub(super) before: Mask,
    pub(super) returned: Mask,
    pub(super) at: Location,
    pub(super) writes: Writes,
    /// Of these, what a return may keep from being assigned.
    pub(super) writes_after_return: Writes,
}

/// What a part of the program may assign, whether or not any lane does: all of it depends on the condition
/// that decides.
#[derive(Clone, Debug, Default)]
pub(super) struct Writes {
    /// Lane registers of variables, ascending and apart.
    pub(super) registers: Vec<Range<u32>>,
    /// Ascending.
    pub(super) memories: Vec<Memory>,
}

/// What is known before a workgroup starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    GlobalId(usize),
    LocalId(usize),
    LocalIndex,
    WorkgroupId(usize),
    WorkgroupSize(usize),
    WorkgroupCount(usize),
    SubgroupCount,
    SubgroupId,
    SubgroupSize,
    SubgroupLane,
}

impl Input {
    /// Whether all lanes of a workgroup have the same.
    pub(super) fn is_uniform(self) -> bool {
        match self {
            Self::WorkgroupId(_)
            | Self::WorkgroupSize(_)
            | Self::WorkgroupCount(_)
            | Self::SubgroupCount
            | Self::SubgroupSize => true,
            Self::GlobalId(_)
            | Self::LocalId(_)
            | Self::LocalIndex
            | Self::SubgroupId
            | Self::SubgroupLane => false,
        }
    }
}
