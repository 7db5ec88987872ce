//! Where the scalars of a type are: in registers, one after the other, and in memory, at byte offsets.

use naga::proc::{GlobalCtx, IndexableLength};
use naga::{Handle, Module, ScalarKind, Type, TypeInner};

/// The scalar types that the model computes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Num {
    /// `bool`: a word of 0 or 1.
    Bool,
    /// `i32`.
    I32,
    /// `u32`.
    U32,
    /// `i64`.
    I64,
    /// `u64`.
    U64,
    /// `f16`: the low half of a word.
    F16,
    /// `f32`.
    F32,
    /// `f64`.
    F64,
}

impl Num {
    /// The type of a naga scalar; none for those of 8 or 16 bits other than `f16`.
    pub fn of(scalar: naga::Scalar) -> Option<Self> {
        match (scalar.kind, scalar.width) {
            (ScalarKind::Bool, _) => Some(Self::Bool),
            (ScalarKind::Sint, 4) => Some(Self::I32),
            (ScalarKind::Uint, 4) => Some(Self::U32),
            (ScalarKind::Sint | ScalarKind::AbstractInt, 8) => Some(Self::I64),
            (ScalarKind::Uint, 8) => Some(Self::U64),
            (ScalarKind::Float, 2) => Some(Self::F16),
            (ScalarKind::Float, 4) => Some(Self::F32),
            (ScalarKind::Float | ScalarKind::AbstractFloat, 8) => Some(Self::F64),
            (
                ScalarKind::Sint
                | ScalarKind::Uint
                | ScalarKind::Float
                | ScalarKind::AbstractInt
                | ScalarKind::AbstractFloat,
                _,
            ) => None,
        }
    }

    /// Registers it takes.
    pub fn words(self) -> usize {
        if self.bytes() == 8 { 2 } else { 1 }
    }

    /// Bytes in memory; a `bool` (never in buffers) takes a word.
    pub fn bytes(self) -> u32 {
        match self {
            Self::F16 => 2,
            Self::Bool | Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }
}

/// One scalar of a type in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Members and indices that lead to it, such as `lights[2].pos.x`.
    pub path: String,
    /// Byte offset.
    pub offset: u32,
    /// Its type.
    pub num: Num,
}

/// Why a type has no layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LayoutError {
    /// Opaque, or of a width that the model does not compute with.
    Unsupported(String),
    /// More scalars than the model moves in one access.
    TooMany { scalars: u64 },
}

/// A piece of memory with scalars of one type: what one instruction could move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) offset: u32,
    pub(super) num: Num,
    pub(super) count: u32,
}

/// The most scalars of a value: of an array that is passed, loaded or stored whole, or a variable.
pub(super) const MAX_SCALARS: u64 = 1 << 16;

/// The layouts of one module.
#[derive(Clone, Copy)]
pub(super) struct Layouts<'a> {
    pub(super) module: &'a Module,
}

impl<'a> Layouts<'a> {
    fn context(self) -> GlobalCtx<'a> {
        self.module.to_ctx()
    }

    /// The length of an array type; none where it is runtime-sized.
    pub(super) fn length(self, inner: &TypeInner) -> Result<Option<u32>, LayoutError> {
        match inner.indexable_length_resolved(self.module) {
            Ok(IndexableLength::Known(length)) => Ok(Some(length)),
            Ok(IndexableLength::Dynamic) => Ok(None),
            Err(_) => Err(LayoutError::Unsupported("an array whose length is an override constant".into())),
        }
    }

    /// Words of a type in registers.
    pub(super) fn words(self, ty: Handle<Type>) -> Result<usize, LayoutError> {
        self.words_of(&self.module.types[ty].inner)
    }

    /// Words of a type in registers.
    pub(super) fn words_of(self, inner: &TypeInner) -> Result<usize, LayoutError> {
        let words = self.word_count(inner)?;
        if words > MAX_SCALARS {
            return Err(LayoutError::TooMany { scalars: words });
        }
        Ok(words as usize)
    }

    fn word_count(self, inner: &TypeInner) -> Result<u64, LayoutError> {
        let of = |ty: Handle<Type>| self.word_count(&self.module.types[ty].inner);
        match *inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => Ok(num(scalar)?.words() as u64),
            TypeInner::Vector { size, scalar } => Ok(size as u64 * num(scalar)?.words() as u64),
            TypeInner::Matrix { columns, rows, scalar } => {
                Ok(columns as u64 * rows as u64 * num(scalar)?.words() as u64)
            }
            TypeInner::Array { base, .. } => match self.length(inner)? {
                Some(length) => Ok(of(base)?.saturating_mul(u64::from(length))),
                None => Err(LayoutError::Unsupported("a runtime-sized array as a value".into())),
            },
            TypeInner::Struct { ref members, .. } => {
                members.iter().try_fold(0u64, |sum, member| Ok(sum.saturating_add(of(member.ty)?)))
            }
            ref other => Err(unsupported(other)),
        }
    }

    /// Bytes from one element of an array to the next.
    pub(super) fn stride(self, base: Handle<Type>, stride: u32) -> Result<u32, LayoutError> {
        if self.has_bool(base) {
            let (size, align) = self.size_align(base)?;
            return Ok(size.next_multiple_of(align));
        }
        Ok(stride)
    }

    /// Byte offset of a struct's member.
    pub(super) fn member_offset(self, ty: Handle<Type>, index: usize) -> Result<u32, LayoutError> {
        let TypeInner::Struct { members, .. } = &self.module.types[ty].inner else {
            return Err(unsupported(&self.module.types[ty].inner));
        };
        if !self.has_bool(ty) {
            return Ok(members[index].offset);
        }
        let mut offset = 0u32;
        for (i, member) in members.iter().enumerate() {
            let (size, align) = self.size_align(member.ty)?;
            offset = offset.next_multiple_of(align);
            if i == index {
                break;
            }
            offset = offset.saturating_add(size);
        }
        Ok(offset)
    }

    /// Bytes of a sized type, of one element for a runtime-sized array.
    pub(super) fn size(self, ty: Handle<Type>) -> Result<u32, LayoutError> {
        if self.has_bool(ty) {
            return Ok(self.size_align(ty)?.0);
        }
        match self.module.types[ty].inner.try_size(self.context()) {
            Some(size) => Ok(size),
            None => Err(LayoutError::TooMany { scalars: u64::from(u32::MAX) }),
        }
    }

    /// naga gives a `bool` one byte; hardware keeps it in a word. Buffers cannot hold any.
    fn has_bool(self, ty: Handle<Type>) -> bool {
        match self.module.types[ty].inner {
            TypeInner::Scalar(scalar) | TypeInner::Vector { scalar, .. } => scalar.kind == ScalarKind::Bool,
            TypeInner::Array { base, .. } => self.has_bool(base),
            TypeInner::Struct { ref members, .. } => members.iter().any(|member| self.has_bool(member.ty)),
            TypeInner::Matrix { .. }
            | TypeInner::CooperativeMatrix { .. }
            | TypeInner::Atomic(_)
            | TypeInner::Pointer { .. }
            | TypeInner::ValuePointer { .. }
            | TypeInner::Image { .. }
            | TypeInner::Sampler { .. }
            | TypeInner::AccelerationStructure { .. }
            | TypeInner::RayQuery { .. }
            | TypeInner::BindingArray { .. } => false,
        }
    }

    /// Size and alignment of a type with `bool`s, by WGSL's rules for a 4-byte scalar.
    fn size_align(self, ty: Handle<Type>) -> Result<(u32, u32), LayoutError> {
        let inner = &self.module.types[ty].inner;
        match *inner {
            TypeInner::Scalar(scalar) => Ok((num(scalar)?.bytes(), num(scalar)?.bytes())),
            TypeInner::Vector { size, scalar } => {
                let bytes = num(scalar)?.bytes();
                Ok((size as u32 * bytes, (size as u32).next_power_of_two() * bytes))
            }
            TypeInner::Matrix { columns, rows, scalar } => {
                let column = (rows as u32).next_power_of_two() * num(scalar)?.bytes();
                Ok((columns as u32 * column, column))
            }
            TypeInner::Atomic(scalar) => Ok((num(scalar)?.bytes(), num(scalar)?.bytes())),
            TypeInner::Array { base, .. } => {
                let (size, align) = self.size_align(base)?;
                let length = self.length(inner)?.unwrap_or(1);
                let bytes = u64::from(size.next_multiple_of(align)) * u64::from(length);
                let bytes = u32::try_from(bytes).map_err(|_| LayoutError::TooMany { scalars: bytes / 4 })?;
                Ok((bytes, align))
            }
            TypeInner::Struct { ref members, .. } => {
                let (mut end, mut most) = (0u32, 1);
                for member in members {
                    let (size, align) = self.size_align(member.ty)?;
                    end = end.next_multiple_of(align).saturating_add(size);
                    most = most.max(align);
                }
                Ok((end.next_multiple_of(most), most))
            }
            ref other => Err(unsupported(other)),
        }
    }

    /// The runs of a value in memory, in the order of its registers.
    pub(super) fn runs(self, inner: &TypeInner, ty: Option<Handle<Type>>) -> Result<Vec<Run>, LayoutError> {
        self.words_of(inner)?; // bounds the number of runs
        let mut runs = Vec::new();
        self.add_runs(inner, ty, 0, &mut runs)?;
        Ok(runs)
    }

    fn add_runs(
        self,
        inner: &TypeInner,
        ty: Option<Handle<Type>>,
        at: u32,
        runs: &mut Vec<Run>,
    ) -> Result<(), LayoutError> {
        match *inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => {
                runs.push(Run { offset: at, num: num(scalar)?, count: 1 });
            }
            TypeInner::Vector { size, scalar } => {
                runs.push(Run { offset: at, num: num(scalar)?, count: size as u32 });
            }
            TypeInner::Matrix { columns, rows, scalar } => {
                let num = num(scalar)?;
                let stride = column_stride(rows, scalar);
                runs.extend((0..columns as u32).map(|column| Run {
                    offset: at + column * stride,
                    num,
                    count: rows as u32,
                }));
            }
            TypeInner::Array { base, stride, .. } => {
                let stride = self.stride(base, stride)?;
                for element in 0..self.length(inner)?.unwrap_or(0) {
                    self.add_runs(&self.module.types[base].inner, Some(base), at + element * stride, runs)?;
                }
            }
            TypeInner::Struct { ref members, .. } => {
                for (index, member) in members.iter().enumerate() {
                    let offset = match ty {
                        Some(ty) => self.member_offset(ty, index)?,
                        None => member.offset,
                    };
                    let inner = &self.module.types[member.ty].inner;
                    self.add_runs(inner, Some(member.ty), at + offset, runs)?;
                }
            }
            ref other => return Err(unsupported(other)),
        }
        Ok(())
    }

    /// The scalars of a type with their paths; of a runtime-sized array none. At most [`MAX_SCALARS`].
    pub(super) fn leaves(self, ty: Handle<Type>, path: &str) -> Result<Vec<Leaf>, LayoutError> {
        let mut leaves = Vec::new();
        self.add_leaves(ty, path.to_owned(), 0, &mut leaves)?;
        Ok(leaves)
    }

    fn add_leaves(
        self,
        ty: Handle<Type>,
        path: String,
        at: u32,
        leaves: &mut Vec<Leaf>,
    ) -> Result<(), LayoutError> {
        let inner = &self.module.types[ty].inner;
        if leaves.len() as u64 >= MAX_SCALARS {
            return Ok(());
        }
        match *inner {
            TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => {
                leaves.push(Leaf { path, offset: at, num: num(scalar)? });
            }
            TypeInner::Vector { size, scalar } => {
                let num = num(scalar)?;
                leaves.extend((0..size as u32).map(|i| Leaf {
                    path: format!("{path}.{}", ["x", "y", "z", "w"][i as usize]),
                    offset: at + i * num.bytes(),
                    num,
                }));
            }
            TypeInner::Matrix { columns, rows, scalar } => {
                let num = num(scalar)?;
                for column in 0..columns as u32 {
                    leaves.extend((0..rows as u32).map(|row| Leaf {
                        path: format!("{path}[{column}][{row}]"),
                        offset: at + column * column_stride(rows, scalar) + row * num.bytes(),
                        num,
                    }));
                }
            }
            TypeInner::Array { base, stride, .. } => {
                for element in 0..self.length(inner)?.unwrap_or(0).min(MAX_SCALARS as u32) {
                    self.add_leaves(base, format!("{path}[{element}]"), at + element * stride, leaves)?;
                }
            }
            TypeInner::Struct { ref members, .. } => {
                for (index, member) in members.iter().enumerate() {
                    let name = member.name.clone().unwrap_or_else(|| format!("member{index}"));
                    let path = if path.is_empty() { name } else { format!("{path}.{name}") };
                    self.add_leaves(member.ty, path, at + member.offset, leaves)?;
                }
            }
            ref other => return Err(unsupported(other)),
        }
        Ok(())
    }
}

/// Bytes from one column of a matrix to the next: a vector's alignment.
pub(super) fn column_stride(rows: naga::VectorSize, scalar: naga::Scalar) -> u32 {
    (rows as u32).next_power_of_two() * u32::from(scalar.width)
}

pub(super) fn num(scalar: naga::Scalar) -> Result<Num, LayoutError> {
    Num::of(scalar)
        .ok_or_else(|| LayoutError::Unsupported(format!("{}-bit integers", u32::from(scalar.width) * 8)))
}

/// Names a type that has no scalars.
fn unsupported(inner: &TypeInner) -> LayoutError {
    LayoutError::Unsupported(
        match inner {
            TypeInner::Scalar(_)
            | TypeInner::Vector { .. }
            | TypeInner::Matrix { .. }
            | TypeInner::Atomic(_) => "this use of a number",
            TypeInner::CooperativeMatrix { .. } => "cooperative matrices",
            TypeInner::Pointer { .. } | TypeInner::ValuePointer { .. } => "a pointer as a value",
            TypeInner::Array { .. } => "this use of an array",
            TypeInner::Struct { .. } => "this use of a structure",
            TypeInner::Image { .. } => "a texture as a value",
            TypeInner::Sampler { .. } => "a sampler as a value",
            TypeInner::AccelerationStructure { .. } => "acceleration structures",
            TypeInner::RayQuery { .. } => "ray queries",
            TypeInner::BindingArray { .. } => "arrays of bindings",
        }
        .to_owned(),
    )
}
