//! 64-bit integers, `f64` and `f16`, computed lane by lane.

use half::f16;
use naga::BinaryOperator as B;

use super::{Func, ScalarFn};

/// A 64-bit integer type.
pub(in crate::model) trait Wide: Copy + PartialOrd + Ord {
    fn from_bits(bits: u64) -> Self;
    fn to_bits(self) -> u64;
    fn divide(self, by: Self) -> Self;
    fn modulo(self, by: Self) -> Self;
    fn shift_right(self, by: u32) -> Self;
}

impl Wide for u64 {
    fn from_bits(bits: u64) -> Self {
        bits
    }
    fn to_bits(self) -> u64 {
        self
    }
    fn divide(self, by: Self) -> Self {
        self.checked_div(by).unwrap_or(self)
    }
    fn modulo(self, by: Self) -> Self {
        self.checked_rem(by).unwrap_or(0)
    }
    fn shift_right(self, by: u32) -> Self {
        self >> by
    }
}

impl Wide for i64 {
    fn from_bits(bits: u64) -> Self {
        bits as Self
    }
    fn to_bits(self) -> u64 {
        self as u64
    }
    fn divide(self, by: Self) -> Self {
        self.checked_div(by).unwrap_or(self)
    }
    fn modulo(self, by: Self) -> Self {
        self.checked_rem(by).unwrap_or(0)
    }
    fn shift_right(self, by: u32) -> Self {
        self >> by
    }
}

/// The value of an `f16` register.
pub(in crate::model) fn half_value(bits: u64) -> f32 {
    f16::from_bits(bits as u16).to_f32()
}

/// An operator on `f16`.
pub(super) fn half(op: B) -> Option<Func> {
    let compare = |f: fn([u64; 3]) -> u64| Some(Func::Scalar(ScalarFn::Raw(f)));
    let f: fn(f32, f32) -> f32 = match op {
        B::Add => |a, b| a + b,
        B::Subtract => |a, b| a - b,
        B::Multiply => |a, b| a * b,
        B::Divide => |a, b| a / b,
        B::Modulo => |a, b| a % b,
        B::Equal => return compare(|[a, b, _]| u64::from(half_value(a) == half_value(b))),
        B::NotEqual => return compare(|[a, b, _]| u64::from(half_value(a) != half_value(b))),
        B::Less => return compare(|[a, b, _]| u64::from(half_value(a) < half_value(b))),
        B::LessEqual => return compare(|[a, b, _]| u64::from(half_value(a) <= half_value(b))),
        B::Greater => return compare(|[a, b, _]| u64::from(half_value(a) > half_value(b))),
        B::GreaterEqual => return compare(|[a, b, _]| u64::from(half_value(a) >= half_value(b))),
        B::And
        | B::ExclusiveOr
        | B::InclusiveOr
        | B::LogicalAnd
        | B::LogicalOr
        | B::ShiftLeft
        | B::ShiftRight => return None,
    };
    Some(Func::Scalar(ScalarFn::H2(f)))
}

/// An operator on `f64`.
pub(super) fn double(op: B) -> Option<Func> {
    let compare = |f: fn([u64; 3]) -> u64| Some(Func::Scalar(ScalarFn::Raw(f)));
    let f: fn(f64, f64) -> f64 = match op {
        B::Add => |a, b| a + b,
        B::Subtract => |a, b| a - b,
        B::Multiply => |a, b| a * b,
        B::Divide => |a, b| a / b,
        B::Modulo => |a, b| a % b,
        B::Equal => return compare(|[a, b, _]| u64::from(f64::from_bits(a) == f64::from_bits(b))),
        B::NotEqual => return compare(|[a, b, _]| u64::from(f64::from_bits(a) != f64::from_bits(b))),
        B::Less => return compare(|[a, b, _]| u64::from(f64::from_bits(a) < f64::from_bits(b))),
        B::LessEqual => return compare(|[a, b, _]| u64::from(f64::from_bits(a) <= f64::from_bits(b))),
        B::Greater => return compare(|[a, b, _]| u64::from(f64::from_bits(a) > f64::from_bits(b))),
        B::GreaterEqual => return compare(|[a, b, _]| u64::from(f64::from_bits(a) >= f64::from_bits(b))),
        B::And
        | B::ExclusiveOr
        | B::InclusiveOr
        | B::LogicalAnd
        | B::LogicalOr
        | B::ShiftLeft
        | B::ShiftRight => return None,
    };
    Some(Func::Scalar(ScalarFn::D2(f)))
}
