//! What is inside of a value or a place: elements, members, and how many there are.

use std::rc::Rc;

use naga::{Expression, Handle, ScalarKind, Span, TypeInner};

use super::super::error::ModelError;
use super::super::ir::{Block, Op, Reg};
use super::place::{Place, Root};
use super::{Compiler, Frame, Value};

impl<'a> Compiler<'a> {
    pub(super) fn access_expression(
        &mut self,
        frame: &mut Frame<'a>,
        block: &mut Block,
        span: Span,
        base: Handle<Expression>,
        index: Handle<Expression>,
    ) -> Result<Value, ModelError> {
        let signed = frame.inner(self.module, index).scalar_kind() == Some(ScalarKind::Sint);
        let index = self.word(frame, block, index)?;
        match self.value(frame, block, base)? {
            Value::Place(place) => Ok(Value::Place(self.place_index(block, span, &place, index, signed)?)),
            Value::Opaque(variable) => Ok(Value::Opaque(variable)),
            Value::Words(words) => {
                let each = self.element_words(span, frame.inner(self.module, base))?;
                let mut result = Vec::with_capacity(each);
                for i in 0..each {
                    let from: Box<[Reg]> = words.iter().skip(i).step_by(each).copied().collect();
                    let uniform = index.is_uniform() && from.iter().all(|reg| reg.is_uniform());
                    let to = self.registers(1, uniform);
                    self.emit(block, Op::Pick { to, index, from });
                    result.push(to);
                }
                Ok(Value::Words(result.into()))
            }
        }
    }

    pub(super) fn access_index(
        &mut self,
        frame: &mut Frame<'a>,
        block: &mut Block,
        span: Span,
        base: Handle<Expression>,
        index: u32,
    ) -> Result<Value, ModelError> {
        match self.value(frame, block, base)? {
            Value::Place(place) => Ok(Value::Place(self.place_member(block, span, &place, index)?)),
            Value::Opaque(variable) => Ok(Value::Opaque(variable)),
            Value::Words(words) => {
                let inner = frame.inner(self.module, base);
                let (first, count) = match inner {
                    TypeInner::Struct { members, .. } => {
                        let mut first = 0;
                        for member in &members[..index as usize] {
                            first += self.layout(span, self.layouts.words(member.ty))?;
                        }
                        (first, self.layout(span, self.layouts.words(members[index as usize].ty))?)
                    }
                    _ => {
                        let each = self.element_words(span, inner)?;
                        (index as usize * each, each)
                    }
                };
                Ok(Value::Words(words[first..first + count].into()))
            }
        }
    }

    /// Words of what indexing a value gives.
    fn element_words(&self, span: Span, inner: &TypeInner) -> Result<usize, ModelError> {
        match *inner {
            TypeInner::Vector { scalar, .. } => Ok(self.num(span, scalar)?.words()),
            TypeInner::Matrix { rows, scalar, .. } => Ok(rows as usize * self.num(span, scalar)?.words()),
            TypeInner::Array { base, .. } => self.layout(span, self.layouts.words(base)),
            _ => Err(self.unsupported(span, "indexing into this type")),
        }
    }

    pub(super) fn array_length(
        &mut self,
        block: &mut Block,
        span: Span,
        place: &Place,
    ) -> Result<Rc<[Reg]>, ModelError> {
        let Root::Buffer(binding) = place.root else {
            return Err(self.unsupported(span, "the length of an array outside of buffers"));
        };
        let Some(element) = &self.bindings[binding].element else {
            return Err(self.unsupported(span, "the length of this array"));
        };
        let (offset, stride) = (element.offset, element.stride);
        let to = self.registers(1, true);
        self.emit(block, Op::ArrayLength { to, binding, offset, stride });
        Ok([to].into())
    }
}
