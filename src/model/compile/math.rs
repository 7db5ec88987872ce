//! The built-in functions: component by component, or as sequences of simpler ones.

use std::rc::Rc;

use naga::{BinaryOperator as B, Expression, Handle, MathFunction as M, Span};

use super::super::error::ModelError;
use super::super::ir::{Block, Reg, Words};
use super::super::lanes::{Func, cast, float, integer, operator, pack};
use super::super::layout::Num;
use super::{Compiler, Frame};

/// The operands of a built-in function.
struct Operands {
    num: Num,
    /// Scalars of each operand.
    args: Vec<Vec<Words>>,
}

pub(super) fn narrow(low: Reg) -> Words {
    Words { low, high: None }
}

fn flatten(scalars: &[Words]) -> Rc<[Reg]> {
    scalars.iter().flat_map(|words| std::iter::once(words.low).chain(words.high)).collect()
}

impl<'a> Compiler<'a> {
    /// Compiles a built-in function.
    pub(super) fn math(
        &mut self,
        frame: &mut Frame<'a>,
        block: &mut Block,
        expr: Handle<Expression>,
        fun: M,
        arguments: [Option<Handle<Expression>>; 4],
    ) -> Result<Rc<[Reg]>, ModelError> {
        let span = frame.span(expr);
        let mut args = Vec::new();
        let mut num = Num::F32;
        for (i, argument) in arguments.into_iter().flatten().enumerate() {
            let (of, _) = self.shape(span, frame.inner(self.module, argument))?;
            if i == 0 {
                num = of;
            }
            let words = self.words(frame, block, argument)?;
            args.push(Self::scalars(&words, of));
        }
        let operands = Operands { num, args };
        let result = match fun {
            M::Abs
            | M::Min
            | M::Max
            | M::Clamp
            | M::Saturate
            | M::Cos
            | M::Cosh
            | M::Sin
            | M::Sinh
            | M::Tan
            | M::Tanh
            | M::Acos
            | M::Asin
            | M::Atan
            | M::Atan2
            | M::Asinh
            | M::Acosh
            | M::Atanh
            | M::Radians
            | M::Degrees
            | M::Ceil
            | M::Floor
            | M::Round
            | M::Fract
            | M::Trunc
            | M::Exp
            | M::Exp2
            | M::Log
            | M::Log2
            | M::Pow
            | M::Sign
            | M::Fma
            | M::Mix
            | M::Step
            | M::SmoothStep
            | M::Sqrt
            | M::InverseSqrt
            | M::QuantizeToF16
            | M::CountTrailingZeros
            | M::CountLeadingZeros
            | M::CountOneBits
            | M::ReverseBits
            | M::ExtractBits
            | M::FirstTrailingBit
            | M::FirstLeadingBit => self.componentwise(block, span, fun, &operands)?,
            M::Ldexp => match float::parts(num) {
                Some(parts) => self.zip(block, parts.ldexp, num, &operands.args),
                None => return Err(self.unsupported(span, "`ldexp` on this type")),
            },
            M::Modf => {
                let whole = self.apply_each(block, span, M::Trunc, num, &operands.args[0])?;
                let mut parts = Vec::new();
                for (&value, &whole) in operands.args[0].iter().zip(&whole) {
                    parts.push(self.arithmetic(block, span, B::Subtract, num, value, whole)?);
                }
                parts.extend(whole);
                parts
            }
            M::Frexp => match float::parts(num) {
                Some(parts) => {
                    let mut both = self.zip(block, parts.fraction, num, &operands.args);
                    both.extend(self.zip(block, parts.exponent, Num::I32, &operands.args));
                    both
                }
                None => return Err(self.unsupported(span, "`frexp` on this type")),
            },
            M::Dot => vec![self.dot_of(block, span, num, &operands.args[0], &operands.args[1])?],
            M::Dot4I8Packed => self.zip(block, pack::dot4_i8(), Num::I32, &operands.args),
            M::Dot4U8Packed => self.zip(block, pack::dot4_u8(), Num::U32, &operands.args),
            M::Outer
            | M::Cross
            | M::Distance
            | M::Length
            | M::Normalize
            | M::FaceForward
            | M::Reflect
            | M::Refract
            | M::Inverse
            | M::Transpose
            | M::Determinant => self.geometric(frame, block, span, fun, &operands, arguments[0])?,
            M::InsertBits => self.insert_bits(block, &operands.args),
            M::Pack4x8snorm
            | M::Pack4x8unorm
            | M::Pack2x16snorm
            | M::Pack2x16unorm
            | M::Pack2x16float
            | M::Pack4xI8
            | M::Pack4xU8
            | M::Pack4xI8Clamp
            | M::Pack4xU8Clamp => self.pack(block, span, fun, &operands.args[0])?,
            M::Unpack4x8snorm
            | M::Unpack4x8unorm
            | M::Unpack2x16snorm
            | M::Unpack2x16unorm
            | M::Unpack2x16float
            | M::Unpack4xI8
            | M::Unpack4xU8 => self.unpack(block, span, fun, operands.args[0][0])?,
        };
        Ok(flatten(&result))
    }

    /// Applies a function to the first, second, … scalars of the operands; scalar operands go with each.
    fn zip(&mut self, block: &mut Block, f: Func, result: Num, args: &[Vec<Words>]) -> Vec<Words> {
        let count = args.iter().map(Vec::len).max().unwrap_or(0);
        (0..count)
            .map(|i| {
                let scalars: Vec<_> = args.iter().map(|arg| arg[i.min(arg.len() - 1)]).collect();
                self.apply(block, f, result, &scalars)
            })
            .collect()
    }

    fn function_of(&self, span: Span, fun: M, num: Num) -> Result<Func, ModelError> {
        let f = float::function(fun, num).or_else(|| integer::function(fun, num));
        let f = f.or_else(|| (fun == M::QuantizeToF16).then(cast::quantize));
        f.ok_or_else(|| self.unsupported(span, format!("`{fun:?}` on this type")))
    }

    fn componentwise(
        &mut self,
        block: &mut Block,
        span: Span,
        fun: M,
        operands: &Operands,
    ) -> Result<Vec<Words>, ModelError> {
        let f = self.function_of(span, fun, operands.num)?;
        Ok(self.zip(block, f, operands.num, &operands.args))
    }

    fn apply_each(
        &mut self,
        block: &mut Block,
        span: Span,
        fun: M,
        num: Num,
        values: &[Words],
    ) -> Result<Vec<Words>, ModelError> {
        let f = self.function_of(span, fun, num)?;
        Ok(values.iter().map(|&value| self.apply(block, f, num, &[value])).collect())
    }

    fn dot_of(
        &mut self,
        block: &mut Block,
        span: Span,
        num: Num,
        a: &[Words],
        b: &[Words],
    ) -> Result<Words, ModelError> {
        let pairs: Vec<_> = a.iter().copied().zip(b.iter().copied()).collect();
        self.dot(block, span, num, &pairs)
    }

    /// Applies an operator to the scalars of two vectors; a single scalar goes with each.
    fn combine(
        &mut self,
        block: &mut Block,
        span: Span,
        op: B,
        num: Num,
        a: &[Words],
        b: &[Words],
    ) -> Result<Vec<Words>, ModelError> {
        match operator::binary(op, num) {
            Some(f) => Ok(self.zip(block, f, num, &[a.to_vec(), b.to_vec()])),
            None => Err(self.unsupported(span, "this operator on this type")),
        }
    }

    /// A constant of a float type.
    fn float_constant(&mut self, num: Num, value: f32) -> Words {
        match num {
            Num::F64 => {
                let bits = f64::from(value).to_bits();
                let low = self.constant(bits as u32);
                Words { low, high: Some(self.constant((bits >> 32) as u32)) }
            }
            Num::F16 => narrow(self.constant(u32::from(half::f16::from_f32(value).to_bits()))),
            Num::F32 | Num::Bool | Num::I32 | Num::U32 | Num::I64 | Num::U64 => {
                narrow(self.constant(value.to_bits()))
            }
        }
    }

    fn select_each(
        &mut self,
        block: &mut Block,
        condition: Words,
        accept: &[Words],
        reject: &[Words],
    ) -> Vec<Words> {
        let choose = super::super::lanes::select();
        let mut chosen = Vec::with_capacity(accept.len());
        for (accept, reject) in accept.iter().zip(reject) {
            let low =
                self.apply(block, choose, Num::U32, &[narrow(reject.low), narrow(accept.low), condition]).low;
            let high = match (accept.high, reject.high) {
                (Some(accept), Some(reject)) => Some(
                    self.apply(block, choose, Num::U32, &[narrow(reject), narrow(accept), condition]).low,
                ),
                _ => None,
            };
            chosen.push(Words { low, high });
        }
        chosen
    }

    /// Compares two scalars.
    fn compare(
        &mut self,
        block: &mut Block,
        span: Span,
        num: Num,
        a: Words,
        b: Words,
    ) -> Result<Words, ModelError> {
        match operator::binary(B::Less, num) {
            Some(f) => Ok(self.apply(block, f, Num::Bool, &[a, b])),
            None => Err(self.unsupported(span, "this operator on this type")),
        }
    }

    fn geometric(
        &mut self,
        frame: &Frame<'a>,
        block: &mut Block,
        span: Span,
        fun: M,
        operands: &Operands,
        first: Option<Handle<Expression>>,
    ) -> Result<Vec<Words>, ModelError> {
        let num = operands.num;
        let args = &operands.args;
        let rows = match first.map(|expr| frame.inner(self.module, expr)) {
            Some(&naga::TypeInner::Matrix { rows, .. }) => rows as usize,
            _ => args[0].len(),
        };
        let sqrt = |this: &mut Self, block: &mut Block, value: Words| {
            this.apply_each(block, span, M::Sqrt, num, &[value]).map(|values| values[0])
        };
        match fun {
            M::Outer => {
                let mut product = Vec::new();
                for &b in &args[1] {
                    product.extend(self.combine(block, span, B::Multiply, num, &args[0], &[b])?);
                }
                Ok(product)
            }
            M::Cross => {
                let (a, b) = (&args[0], &args[1]);
                let mut cross = Vec::new();
                for (i, j) in [(1, 2), (2, 0), (0, 1)] {
                    let left = self.arithmetic(block, span, B::Multiply, num, a[i], b[j])?;
                    let right = self.arithmetic(block, span, B::Multiply, num, a[j], b[i])?;
                    cross.push(self.arithmetic(block, span, B::Subtract, num, left, right)?);
                }
                Ok(cross)
            }
            M::Length if args[0].len() == 1 => self.apply_each(block, span, M::Abs, num, &args[0]),
            M::Length => {
                let square = self.dot_of(block, span, num, &args[0], &args[0])?;
                Ok(vec![sqrt(self, block, square)?])
            }
            M::Distance => {
                let difference = self.combine(block, span, B::Subtract, num, &args[0], &args[1])?;
                let square = self.dot_of(block, span, num, &difference, &difference)?;
                Ok(vec![sqrt(self, block, square)?])
            }
            M::Normalize => {
                let square = self.dot_of(block, span, num, &args[0], &args[0])?;
                let length = sqrt(self, block, square)?;
                self.combine(block, span, B::Divide, num, &args[0], &[length])
            }
            M::FaceForward => {
                // e1 where dot(e2, e3) is negative, −e1 elsewhere
                let zero = self.float_constant(num, 0.0);
                let dot = self.dot_of(block, span, num, &args[1], &args[2])?;
                let negative = self.compare(block, span, num, dot, zero)?;
                let minus_one = self.float_constant(num, -1.0);
                let flipped = self.combine(block, span, B::Multiply, num, &args[0], &[minus_one])?;
                Ok(self.select_each(block, negative, &args[0], &flipped))
            }
            M::Reflect => {
                // e1 − 2 dot(e2, e1) e2
                let two = self.float_constant(num, 2.0);
                let dot = self.dot_of(block, span, num, &args[1], &args[0])?;
                let twice = self.arithmetic(block, span, B::Multiply, num, two, dot)?;
                let along = self.combine(block, span, B::Multiply, num, &args[1], &[twice])?;
                self.combine(block, span, B::Subtract, num, &args[0], &along)
            }
            M::Refract => self.refract(block, span, num, args),
            M::Transpose => {
                let columns = args[0].len() / rows;
                Ok((0..args[0].len()).map(|i| args[0][(i % columns) * rows + i / columns]).collect())
            }
            M::Determinant => Ok(vec![self.determinant(block, span, num, rows, &args[0])?]),
            M::Inverse => self.inverse(block, span, num, rows, &args[0]),
            _ => Err(self.unsupported(span, format!("`{fun:?}`"))),
        }
    }

    /// k = 1 − e3² (1 − dot(e2, e1)²); 0 where k < 0, else e3 e1 − (e3 dot(e2, e1) + √k) e2.
    fn refract(
        &mut self,
        block: &mut Block,
        span: Span,
        num: Num,
        args: &[Vec<Words>],
    ) -> Result<Vec<Words>, ModelError> {
        let (one, zero) = (self.float_constant(num, 1.0), self.float_constant(num, 0.0));
        let eta = args[2][0];
        let dot = self.dot_of(block, span, num, &args[1], &args[0])?;
        let square = self.arithmetic(block, span, B::Multiply, num, dot, dot)?;
        let rest = self.arithmetic(block, span, B::Subtract, num, one, square)?;
        let eta_square = self.arithmetic(block, span, B::Multiply, num, eta, eta)?;
        let product = self.arithmetic(block, span, B::Multiply, num, eta_square, rest)?;
        let k = self.arithmetic(block, span, B::Subtract, num, one, product)?;
        let root = self.apply_each(block, span, M::Sqrt, num, &[k])?[0];
        let along = self.arithmetic(block, span, B::Multiply, num, eta, dot)?;
        let factor = self.arithmetic(block, span, B::Add, num, along, root)?;
        let first = self.combine(block, span, B::Multiply, num, &args[0], &[eta])?;
        let second = self.combine(block, span, B::Multiply, num, &args[1], &[factor])?;
        let refracted = self.combine(block, span, B::Subtract, num, &first, &second)?;
        let total = self.compare(block, span, num, k, zero)?;
        let zeros = vec![zero; refracted.len()];
        Ok(self.select_each(block, total, &zeros, &refracted))
    }
}
