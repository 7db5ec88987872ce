//! Linear algebra as sums of products, in the order of the indices.

use std::rc::Rc;

use naga::{BinaryOperator, Span, TypeInner};

use super::super::error::ModelError;
use super::super::ir::{Block, Reg, Words};
use super::super::lanes::operator;
use super::super::layout::Num;
use super::Compiler;

impl Compiler<'_> {
    /// Applies an arithmetic operator to two scalars.
    pub(super) fn arithmetic(
        &mut self,
        block: &mut Block,
        span: Span,
        op: BinaryOperator,
        num: Num,
        a: Words,
        b: Words,
    ) -> Result<Words, ModelError> {
        match operator::binary(op, num) {
            Some(f) => Ok(self.apply(block, f, num, &[a, b])),
            None => Err(self.unsupported(span, "this operator on this type")),
        }
    }

    /// Σ aᵢ bᵢ.
    pub(super) fn dot(
        &mut self,
        block: &mut Block,
        span: Span,
        num: Num,
        pairs: &[(Words, Words)],
    ) -> Result<Words, ModelError> {
        let mut sum = None;
        for &(a, b) in pairs {
            let product = self.arithmetic(block, span, BinaryOperator::Multiply, num, a, b)?;
            sum = Some(match sum {
                Some(sum) => self.arithmetic(block, span, BinaryOperator::Add, num, sum, product)?,
                None => product,
            });
        }
        sum.ok_or_else(|| self.unsupported(span, "a vector without components"))
    }

    /// A product with a matrix; none where neither operand is one, or one is a scalar.
    pub(super) fn matrix_product(
        &mut self,
        block: &mut Block,
        span: Span,
        (left_ty, left): (&TypeInner, &[Reg]),
        (right_ty, right): (&TypeInner, &[Reg]),
    ) -> Result<Option<Rc<[Reg]>>, ModelError> {
        // a vector on the left is one row, on the right one column
        let (columns, rows, inner, scalar) = match (left_ty, right_ty) {
            (&TypeInner::Matrix { columns: inner, rows, scalar }, &TypeInner::Matrix { columns, .. }) => {
                (columns as usize, rows as usize, inner as usize, scalar)
            }
            (&TypeInner::Matrix { columns: inner, rows, scalar }, &TypeInner::Vector { .. }) => {
                (1, rows as usize, inner as usize, scalar)
            }
            (&TypeInner::Vector { .. }, &TypeInner::Matrix { columns, rows: inner, scalar }) => {
                (columns as usize, 1, inner as usize, scalar)
            }
            _ => return Ok(None),
        };
        let num = self.num(span, scalar)?;
        let (left, right) = (Self::scalars(left, num), Self::scalars(right, num));
        let mut words = Vec::new();
        for column in 0..columns {
            for row in 0..rows {
                let pairs: Vec<_> =
                    (0..inner).map(|k| (left[k * rows + row], right[column * inner + k])).collect();
                let sum = self.dot(block, span, num, &pairs)?;
                Self::push_words(&mut words, sum);
            }
        }
        Ok(Some(words.into()))
    }

    /// The determinant of a square matrix of 2 to 4 columns, by its first column.
    pub(super) fn determinant(
        &mut self,
        block: &mut Block,
        span: Span,
        num: Num,
        size: usize,
        matrix: &[Words],
    ) -> Result<Words, ModelError> {
        if size == 1 {
            return Ok(matrix[0]);
        }
        let mut sum: Option<Words> = None;
        for row in 0..size {
            let minor = minor(matrix, size, 0, row);
            let minor = self.determinant(block, span, num, size - 1, &minor)?;
            let product = self.arithmetic(block, span, BinaryOperator::Multiply, num, matrix[row], minor)?;
            let op = if row % 2 == 0 { BinaryOperator::Add } else { BinaryOperator::Subtract };
            sum = Some(match sum {
                Some(sum) => self.arithmetic(block, span, op, num, sum, product)?,
                None => product,
            });
        }
        sum.ok_or_else(|| self.unsupported(span, "a matrix without columns"))
    }

    /// The inverse of a square matrix: its adjugate over its determinant.
    pub(super) fn inverse(
        &mut self,
        block: &mut Block,
        span: Span,
        num: Num,
        size: usize,
        matrix: &[Words],
    ) -> Result<Vec<Words>, ModelError> {
        let determinant = self.determinant(block, span, num, size, matrix)?;
        let mut inverse = Vec::with_capacity(size * size);
        for column in 0..size {
            for row in 0..size {
                let minor = minor(matrix, size, row, column);
                let cofactor = self.determinant(block, span, num, size - 1, &minor)?;
                let cofactor = if (row + column) % 2 == 0 {
                    cofactor
                } else {
                    match operator::unary(naga::UnaryOperator::Negate, num) {
                        Some(f) => self.apply(block, f, num, &[cofactor]),
                        None => return Err(self.unsupported(span, "this operator on this type")),
                    }
                };
                inverse.push(self.arithmetic(
                    block,
                    span,
                    BinaryOperator::Divide,
                    num,
                    cofactor,
                    determinant,
                )?);
            }
        }
        Ok(inverse)
    }
}

/// A matrix without one column and one row.
fn minor(matrix: &[Words], size: usize, column: usize, row: usize) -> Vec<Words> {
    (0..size * size).filter(|i| i / size != column && i % size != row).map(|i| matrix[i]).collect()
}
