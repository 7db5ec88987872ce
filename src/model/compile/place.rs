//! Pointers: where they lead, and the loads and stores through them.

use std::rc::Rc;

use naga::{Expression, Handle, Scalar, Span, Type, TypeInner, VectorSize};

use super::super::error::ModelError;
use super::super::ir::{
    Address, AtomicOp, AtomicType, Block, IndexOp, IndexSite, Length, LoadOp, Memory, Op, Piece, Reg,
    StoreOp, WordMove, Words,
};
use super::super::layout::{Num, column_stride};
use super::super::report::{AccessOp, AtomicFun};
use super::{Compiler, Frame, Value};

/// A pointer: a static root, a static offset and perhaps a dynamic one. Offsets are bytes in memory and
/// words in registers.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) root: Root,
    pub(super) offset: u32,
    pub(super) dynamic: Option<Reg>,
    pub(super) ty: PlaceType,
    /// The variable, for messages.
    pub(super) variable: Rc<str>,
}

/// What a pointer is rooted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Root {
    Buffer(usize),
    Workgroup(usize),
    /// A variable in registers; the offset is the register.
    Registers,
}

/// The type a pointer leads to; parts of vectors and matrices have no handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PlaceType {
    Type(Handle<Type>),
    Vector(VectorSize, Scalar),
    Scalar(Scalar),
}

impl Root {
    fn memory(self) -> Option<Memory> {
        match self {
            Self::Buffer(binding) => Some(Memory::Buffer(binding)),
            Self::Workgroup(var) => Some(Memory::Workgroup(var)),
            Self::Registers => None,
        }
    }
}

impl Compiler<'_> {
    fn place_inner(&self, ty: PlaceType) -> TypeInner {
        match ty {
            PlaceType::Type(ty) => self.module.types[ty].inner.clone(),
            PlaceType::Vector(size, scalar) => TypeInner::Vector { size, scalar },
            PlaceType::Scalar(scalar) => TypeInner::Scalar(scalar),
        }
    }

    /// How many words a scalar of a place steps over in registers, or bytes in memory.
    fn scalar_step(&self, span: Span, root: Root, scalar: Scalar) -> Result<u32, ModelError> {
        let num = self.num(span, scalar)?;
        Ok(if root == Root::Registers { num.words() as u32 } else { num.bytes() })
    }

    /// The part of a place with a constant index.
    pub(super) fn place_member(
        &mut self,
        block: &mut Block,
        span: Span,
        place: &Place,
        index: u32,
    ) -> Result<Place, ModelError> {
        let (ty, offset) = match self.place_inner(place.ty) {
            TypeInner::Struct { members, .. } => {
                let PlaceType::Type(handle) = place.ty else {
                    return Err(self.unsupported(span, "this pointer to a structure"));
                };
                let index = index as usize;
                let offset = if place.root == Root::Registers {
                    let mut words = 0;
                    for member in &members[..index] {
                        words += self.layout(span, self.layouts.words(member.ty))? as u32;
                    }
                    words
                } else {
                    self.layout(span, self.layouts.member_offset(handle, index))?
                };
                (PlaceType::Type(members[index].ty), offset)
            }
            inner => {
                let (ty, stride, length) = self.indexed(span, place, &inner)?;
                if let Length::Runtime { .. } = length {
                    let index = self.constant(index);
                    return self.place_index(block, span, place, index, false);
                }
                (ty, index.saturating_mul(stride))
            }
        };
        Ok(Place { offset: place.offset.saturating_add(offset), ty, ..place.clone() })
    }

    /// What indexing a place of this type leads to: element type, stride and length.
    fn indexed(
        &mut self,
        span: Span,
        place: &Place,
        inner: &TypeInner,
    ) -> Result<(PlaceType, u32, Length), ModelError> {
        let registers = place.root == Root::Registers;
        match *inner {
            TypeInner::Vector { size, scalar } => {
                let step = self.scalar_step(span, place.root, scalar)?;
                Ok((PlaceType::Scalar(scalar), step, Length::Fixed(size as u32)))
            }
            TypeInner::Matrix { columns, rows, scalar } => {
                let step = if registers {
                    rows as u32 * self.num(span, scalar)?.words() as u32
                } else {
                    column_stride(rows, scalar)
                };
                Ok((PlaceType::Vector(rows, scalar), step, Length::Fixed(columns as u32)))
            }
            TypeInner::Array { base, stride, .. } => {
                let step = if registers {
                    self.layout(span, self.layouts.words(base))? as u32
                } else {
                    self.layout(span, self.layouts.stride(base, stride))?
                };
                let length = match (self.layout(span, self.layouts.length(inner))?, place.root) {
                    (Some(length), _) => Length::Fixed(length),
                    (None, Root::Buffer(binding)) => {
                        Length::Runtime { binding, offset: place.offset, stride: step }
                    }
                    (None, Root::Workgroup(_) | Root::Registers) => {
                        return Err(self.unsupported(span, "a runtime-sized array outside of buffers"));
                    }
                };
                Ok((PlaceType::Type(base), step, length))
            }
            TypeInner::BindingArray { .. } => Err(self.unsupported(span, "arrays of buffer bindings")),
            _ => Err(self.unsupported(span, "indexing into this type")),
        }
    }

    /// The part of a place with a dynamic index.
    pub(super) fn place_index(
        &mut self,
        block: &mut Block,
        span: Span,
        place: &Place,
        index: Reg,
        signed: bool,
    ) -> Result<Place, ModelError> {
        let inner = self.place_inner(place.ty);
        let (ty, stride, length) = self.indexed(span, place, &inner)?;
        let uniform = index.is_uniform() && place.dynamic.is_none_or(Reg::is_uniform);
        let to = self.registers(1, uniform);
        let at = self.location(span);
        let variable = place.variable.to_string();
        let same = |site: &IndexSite| site.at == at && site.variable == variable;
        let site = self.sites.iter().position(same).unwrap_or_else(|| {
            self.sites.push(IndexSite { at, variable });
            self.sites.len() - 1
        });
        let op = IndexOp { to, base: place.dynamic, index, signed, stride, length, site };
        self.emit(block, Op::Index(Box::new(op)));
        Ok(Place { dynamic: Some(to), ty, ..place.clone() })
    }

    /// Words and pieces of the value at a place in memory; `first` is the register of its first word.
    fn moves(
        &self,
        span: Span,
        ty: PlaceType,
        regs: &[Reg],
    ) -> Result<(Vec<WordMove>, Vec<Piece>, u32), ModelError> {
        let handle = match ty {
            PlaceType::Type(handle) => Some(handle),
            PlaceType::Vector(..) | PlaceType::Scalar(_) => None,
        };
        let runs = self.layout(span, self.layouts.runs(&self.place_inner(ty), handle))?;
        let (mut words, mut pieces, mut bytes) = (Vec::new(), Vec::new(), 0);
        let mut regs = regs.iter();
        for run in runs {
            for i in 0..run.count {
                for word in 0..run.num.words() as u32 {
                    let offset = run.offset + i * run.num.bytes() + 4 * word;
                    if let Some(&reg) = regs.next() {
                        words.push(WordMove { offset, half: run.num == Num::F16, reg });
                    }
                }
            }
            let size = run.count * run.num.bytes();
            bytes += size;
            pieces.extend(
                (0..size).step_by(16).map(|at| Piece { offset: run.offset + at, bytes: (size - at).min(16) }),
            );
        }
        Ok((words, pieces, bytes))
    }

    /// Loads the value at a place.
    pub(super) fn load(
        &mut self,
        block: &mut Block,
        span: Span,
        place: &Place,
    ) -> Result<Rc<[Reg]>, ModelError> {
        let inner = self.place_inner(place.ty);
        if let (TypeInner::Atomic(scalar), Some(_)) = (&inner, place.root.memory()) {
            let num = self.num(span, *scalar)?;
            let old = self.atomic(block, span, place, AtomicFun::Load, num, None, None, true)?.0;
            return Ok(old
                .map(|words| std::iter::once(words.low).chain(words.high).collect())
                .unwrap_or_default());
        }
        let count = self.layout(span, self.layouts.words_of(&inner))?;
        let Some(memory) = place.root.memory() else {
            return Ok(match place.dynamic {
                None => {
                    let to = self.registers(count, false);
                    for i in 0..count {
                        let from = Reg::lane(place.offset).plus(i);
                        self.emit(block, Op::Copy { to: to.plus(i), from });
                    }
                    (0..count).map(|i| to.plus(i)).collect()
                }
                Some(offset) => {
                    let to = self.registers(count, false);
                    for i in 0..count {
                        let first = place.offset + i as u32;
                        self.emit(block, Op::Gather { to: to.plus(i), first, offset });
                    }
                    (0..count).map(|i| to.plus(i)).collect()
                }
            });
        };
        let uniform = place.dynamic.is_none_or(Reg::is_uniform);
        let to = self.registers(count, uniform);
        let regs: Rc<[Reg]> = (0..count).map(|i| to.plus(i)).collect();
        let (words, pieces, bytes) = self.moves(span, place.ty, &regs)?;
        if let Memory::Buffer(binding) = memory {
            self.bindings[binding].read = true;
        }
        let access = self.access(span, AccessOp::Load, memory, bytes);
        let address = Address { memory, offset: place.offset, dynamic: place.dynamic };
        self.emit(block, Op::Load(Box::new(LoadOp { access, address, words, pieces })));
        Ok(regs)
    }

    /// Stores a value at a place.
    pub(super) fn store(
        &mut self,
        block: &mut Block,
        span: Span,
        place: &Place,
        value: &[Reg],
    ) -> Result<(), ModelError> {
        let inner = self.place_inner(place.ty);
        if let (TypeInner::Atomic(scalar), Some(_)) = (&inner, place.root.memory()) {
            let num = self.num(span, *scalar)?;
            let value = Self::scalars(value, num)[0];
            self.atomic(block, span, place, AtomicFun::Store, num, Some(value), None, false)?;
            return Ok(());
        }
        let Some(memory) = place.root.memory() else {
            for (i, &from) in value.iter().enumerate() {
                let first = place.offset + i as u32;
                let op = match place.dynamic {
                    None => Op::Assign { to: first, from },
                    Some(offset) => Op::Scatter { first, offset, from },
                };
                self.emit(block, op);
            }
            return Ok(());
        };
        let (words, pieces, bytes) = self.moves(span, place.ty, value)?;
        if let Memory::Buffer(binding) = memory {
            self.bindings[binding].written = true;
        }
        let access = self.access(span, AccessOp::Store, memory, bytes);
        let address = Address { memory, offset: place.offset, dynamic: place.dynamic };
        self.emit(block, Op::Store(Box::new(StoreOp { access, address, words, pieces })));
        Ok(())
    }

    /// Changes an atomic; gives the old value and whether it was exchanged, where they are used.
    #[allow(clippy::too_many_arguments, reason = "an atomic has this many independent parts")]
    pub(super) fn atomic(
        &mut self,
        block: &mut Block,
        span: Span,
        place: &Place,
        fun: AtomicFun,
        num: Num,
        value: Option<Words>,
        compare: Option<Words>,
        used: bool,
    ) -> Result<(Option<Words>, Option<Reg>), ModelError> {
        let Some(memory) = place.root.memory() else {
            return Err(self.unsupported(span, "an atomic outside of storage and workgroup memory"));
        };
        let ty = match num {
            Num::U32 => AtomicType::U32,
            Num::I32 => AtomicType::I32,
            Num::F32 => AtomicType::F32,
            Num::U64 => AtomicType::U64,
            Num::I64 => AtomicType::I64,
            Num::Bool | Num::F16 | Num::F64 => return Err(self.unsupported(span, "atomics of this type")),
        };
        if let Memory::Buffer(binding) = memory {
            let binding = &mut self.bindings[binding];
            binding.read |= fun != AtomicFun::Store;
            binding.written |= fun != AtomicFun::Load;
            binding.atomics |= true;
        }
        let access = self.access(span, AccessOp::Atomic, memory, num.bytes());
        self.accesses[access].atomic = Some(fun);
        let old = used.then(|| self.registers(num.words(), false));
        let old = old.map(|low| Words { low, high: (num.words() == 2).then(|| low.plus(1)) });
        let exchanged = (used && compare.is_some()).then(|| self.registers(1, false));
        let address = Address { memory, offset: place.offset, dynamic: place.dynamic };
        let op = AtomicOp { access, address, fun, ty, value, compare, old, exchanged };
        self.emit(block, Op::Atomic(Box::new(op)));
        Ok((old, exchanged))
    }
}

impl<'a> Compiler<'a> {
    /// The place that a pointer expression leads to.
    pub(super) fn place(
        &mut self,
        frame: &mut Frame<'a>,
        block: &mut Block,
        expr: Handle<Expression>,
    ) -> Result<Place, ModelError> {
        match self.value(frame, block, expr)? {
            Value::Place(place) => Ok(place),
            Value::Words(_) | Value::Opaque(_) => Err(self.unsupported(frame.span(expr), "this pointer")),
        }
    }
}
