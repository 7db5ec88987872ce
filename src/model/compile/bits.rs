//! Built-in functions that take words apart and put them together.

use naga::{BinaryOperator as B, MathFunction as M, Span};

use super::super::error::ModelError;
use super::super::ir::{Block, Words};
use super::super::lanes::{integer, operator, pack};
use super::super::layout::Num;
use super::Compiler;
use super::math::narrow;

impl Compiler<'_> {
    pub(super) fn insert_bits(&mut self, block: &mut Block, args: &[Vec<Words>]) -> Vec<Words> {
        let (offset, count) = (args[2][0], args[3][0]);
        let mask = self.apply(block, integer::insert_mask(), Num::U32, &[offset, count]);
        let mut merged = Vec::new();
        for (&word, &bits) in args[0].iter().zip(&args[1]) {
            let bits = self.apply(block, integer::insert_shift(), Num::U32, &[bits, offset]);
            merged.push(self.apply(block, integer::insert_merge(), Num::U32, &[word, bits, mask]));
        }
        merged
    }

    pub(super) fn pack(
        &mut self,
        block: &mut Block,
        span: Span,
        fun: M,
        values: &[Words],
    ) -> Result<Vec<Words>, ModelError> {
        let Some(packing) = pack::packing(fun) else {
            return Err(self.unsupported(span, format!("`{fun:?}`")));
        };
        let mut word: Option<Words> = None;
        for &value in values.iter().rev() {
            let bits = self.apply(block, packing.each, Num::U32, &[value]);
            word = Some(match word {
                Some(word) => self.apply(block, pack::join(packing.bits), Num::U32, &[word, bits]),
                None => bits,
            });
        }
        Ok(word.into_iter().collect())
    }

    pub(super) fn unpack(
        &mut self,
        block: &mut Block,
        span: Span,
        fun: M,
        word: Words,
    ) -> Result<Vec<Words>, ModelError> {
        let (Some(packing), Some(shift)) = (pack::unpacking(fun), operator::binary(B::ShiftRight, Num::U32))
        else {
            return Err(self.unsupported(span, format!("`{fun:?}`")));
        };
        let mut values = Vec::new();
        for i in 0..32 / packing.bits {
            let by = narrow(self.constant(i * packing.bits));
            let bits = self.apply(block, shift, Num::U32, &[word, by]);
            values.push(self.apply(block, packing.each, Num::U32, &[bits]));
        }
        Ok(values)
    }
}
