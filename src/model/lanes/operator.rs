//! The unary and binary operators of WGSL, for every scalar type.

use naga::{BinaryOperator as B, UnaryOperator as U};

use super::super::layout::Num;
use super::wide::{Wide, double, half};
use super::{Func, ScalarFn};

/// A unary operator; none where WGSL has no such operator for the type.
pub(in crate::model) fn unary(op: U, num: Num) -> Option<Func> {
    Some(match (op, num) {
        (U::Negate, Num::I32 | Num::U32) => l1!(|a: u32| a.wrapping_neg()),
        (U::Negate, Num::F32) => f1!(|a| -a),
        (U::Negate, Num::F16) => Func::Scalar(ScalarFn::H1(|a| -a)),
        (U::Negate, Num::F64) => Func::Scalar(ScalarFn::D1(|a| -a)),
        (U::Negate, Num::I64 | Num::U64) => Func::Scalar(ScalarFn::Raw(|[a, ..]| a.wrapping_neg())),
        (U::LogicalNot, Num::Bool) => l1!(|a: u32| a ^ 1),
        (U::BitwiseNot, Num::I32 | Num::U32) => l1!(|a: u32| !a),
        (U::BitwiseNot, Num::I64 | Num::U64) => Func::Scalar(ScalarFn::Raw(|[a, ..]| !a)),
        (U::Negate, Num::Bool)
        | (U::LogicalNot, Num::I32 | Num::U32 | Num::I64 | Num::U64 | Num::F16 | Num::F32 | Num::F64)
        | (U::BitwiseNot, Num::Bool | Num::F16 | Num::F32 | Num::F64) => return None,
    })
}

/// A binary operator; none where WGSL has no such operator for the type.
///
/// Integer arithmetic wraps; `x / 0` is `x`, `x % 0` is 0, the least integer by −1 is itself and 0; shifts
/// take the amount modulo the width (WGSL, sections 8.7 and 8.9).
pub(in crate::model) fn binary(op: B, num: Num) -> Option<Func> {
    match num {
        Num::Bool => boolean(op),
        Num::U32 => unsigned(op),
        Num::I32 => signed(op),
        Num::F32 => float(op),
        Num::I64 => wide::<i64>(op),
        Num::U64 => wide::<u64>(op),
        Num::F16 => half(op),
        Num::F64 => double(op),
    }
}

fn boolean(op: B) -> Option<Func> {
    Some(match op {
        B::Equal => l2!(|a: u32, b: u32| u32::from(a == b)),
        B::NotEqual | B::ExclusiveOr => l2!(|a: u32, b: u32| a ^ b),
        B::And | B::LogicalAnd => l2!(|a: u32, b: u32| a & b),
        B::InclusiveOr | B::LogicalOr => l2!(|a: u32, b: u32| a | b),
        B::Add
        | B::Subtract
        | B::Multiply
        | B::Divide
        | B::Modulo
        | B::Less
        | B::LessEqual
        | B::Greater
        | B::GreaterEqual
        | B::ShiftLeft
        | B::ShiftRight => return None,
    })
}

/// What signed and unsigned words share.
fn word(op: B) -> Option<Func> {
    Some(match op {
        B::Add => l2!(|a: u32, b: u32| a.wrapping_add(b)),
        B::Subtract => l2!(|a: u32, b: u32| a.wrapping_sub(b)),
        B::Multiply => l2!(|a: u32, b: u32| a.wrapping_mul(b)),
        B::Equal => l2!(|a: u32, b: u32| u32::from(a == b)),
        B::NotEqual => l2!(|a: u32, b: u32| u32::from(a != b)),
        B::And => l2!(|a: u32, b: u32| a & b),
        B::ExclusiveOr => l2!(|a: u32, b: u32| a ^ b),
        B::InclusiveOr => l2!(|a: u32, b: u32| a | b),
        B::ShiftLeft => l2!(|a: u32, b: u32| a << (b & 31)),
        B::Divide
        | B::Modulo
        | B::Less
        | B::LessEqual
        | B::Greater
        | B::GreaterEqual
        | B::LogicalAnd
        | B::LogicalOr
        | B::ShiftRight => return None,
    })
}

fn unsigned(op: B) -> Option<Func> {
    Some(match op {
        B::Divide => l2!(|a: u32, b: u32| a.checked_div(b).unwrap_or(a)),
        B::Modulo => l2!(|a: u32, b: u32| a.checked_rem(b).unwrap_or(0)),
        B::Less => l2!(|a: u32, b: u32| u32::from(a < b)),
        B::LessEqual => l2!(|a: u32, b: u32| u32::from(a <= b)),
        B::Greater => l2!(|a: u32, b: u32| u32::from(a > b)),
        B::GreaterEqual => l2!(|a: u32, b: u32| u32::from(a >= b)),
        B::ShiftRight => l2!(|a: u32, b: u32| a >> (b & 31)),
        B::Add
        | B::Subtract
        | B::Multiply
        | B::Equal
        | B::NotEqual
        | B::And
        | B::ExclusiveOr
        | B::InclusiveOr
        | B::LogicalAnd
        | B::LogicalOr
        | B::ShiftLeft => return word(op),
    })
}

fn signed(op: B) -> Option<Func> {
    Some(match op {
        B::Divide => l2!(|a: u32, b: u32| (a as i32).checked_div(b as i32).map_or(a, |q| q as u32)),
        B::Modulo => l2!(|a: u32, b: u32| (a as i32).checked_rem(b as i32).map_or(0, |r| r as u32)),
        B::Less => l2!(|a: u32, b: u32| u32::from((a as i32) < b as i32)),
        B::LessEqual => l2!(|a: u32, b: u32| u32::from(a as i32 <= b as i32)),
        B::Greater => l2!(|a: u32, b: u32| u32::from(a as i32 > b as i32)),
        B::GreaterEqual => l2!(|a: u32, b: u32| u32::from(a as i32 >= b as i32)),
        B::ShiftRight => l2!(|a: u32, b: u32| (a as i32 >> (b & 31)) as u32),
        B::Add
        | B::Subtract
        | B::Multiply
        | B::Equal
        | B::NotEqual
        | B::And
        | B::ExclusiveOr
        | B::InclusiveOr
        | B::LogicalAnd
        | B::LogicalOr
        | B::ShiftLeft => return word(op),
    })
}

fn float(op: B) -> Option<Func> {
    Some(match op {
        B::Add => f2!(|a, b| a + b),
        B::Subtract => f2!(|a, b| a - b),
        B::Multiply => f2!(|a, b| a * b),
        B::Divide => f2!(|a, b| a / b),
        B::Modulo => f2!(|a, b| a % b),
        B::Equal => fb2!(|a, b| a == b),
        B::NotEqual => fb2!(|a, b| a != b),
        B::Less => fb2!(|a, b| a < b),
        B::LessEqual => fb2!(|a, b| a <= b),
        B::Greater => fb2!(|a, b| a > b),
        B::GreaterEqual => fb2!(|a, b| a >= b),
        B::And
        | B::ExclusiveOr
        | B::InclusiveOr
        | B::LogicalAnd
        | B::LogicalOr
        | B::ShiftLeft
        | B::ShiftRight => return None,
    })
}

fn wide<T: Wide>(op: B) -> Option<Func> {
    let f: fn([u64; 3]) -> u64 = match op {
        B::Add => |[a, b, _]| a.wrapping_add(b),
        B::Subtract => |[a, b, _]| a.wrapping_sub(b),
        B::Multiply => |[a, b, _]| a.wrapping_mul(b),
        B::Divide => |[a, b, _]| T::from_bits(a).divide(T::from_bits(b)).to_bits(),
        B::Modulo => |[a, b, _]| T::from_bits(a).modulo(T::from_bits(b)).to_bits(),
        B::Equal => |[a, b, _]| u64::from(a == b),
        B::NotEqual => |[a, b, _]| u64::from(a != b),
        B::Less => |[a, b, _]| u64::from(T::from_bits(a) < T::from_bits(b)),
        B::LessEqual => |[a, b, _]| u64::from(T::from_bits(a) <= T::from_bits(b)),
        B::Greater => |[a, b, _]| u64::from(T::from_bits(a) > T::from_bits(b)),
        B::GreaterEqual => |[a, b, _]| u64::from(T::from_bits(a) >= T::from_bits(b)),
        B::And => |[a, b, _]| a & b,
        B::ExclusiveOr => |[a, b, _]| a ^ b,
        B::InclusiveOr => |[a, b, _]| a | b,
        B::ShiftLeft => |[a, b, _]| a << (b & 63),
        B::ShiftRight => |[a, b, _]| T::from_bits(a).shift_right(b as u32 & 63).to_bits(),
        B::LogicalAnd | B::LogicalOr => return None,
    };
    Some(Func::Scalar(ScalarFn::Raw(f)))
}
