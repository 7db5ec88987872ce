//! Conversions between scalar types.
//!
//! Floats convert to integers toward zero, clamped to what the source type can represent of the target's
//! range, as naga's backends do; a NaN gives 0.

use half::f16;

use super::super::layout::Num;
use super::wide::half_value;
use super::{Func, ScalarFn};

/// The conversion of a value; none where it is the same bits.
pub(in crate::model) fn convert(from: Num, to: Num) -> Option<Func> {
    let same = from == to
        || matches!(
            (from, to),
            (Num::I32 | Num::Bool, Num::U32)
                | (Num::U32 | Num::Bool, Num::I32)
                | (Num::I64, Num::U64)
                | (Num::U64, Num::I64)
        );
    if same {
        return None;
    }
    Some(match (from, to) {
        (Num::U32 | Num::I32, Num::Bool) => l1!(|a: u32| u32::from(a != 0)),
        (Num::F32, Num::Bool) => l1!(|a: u32| u32::from(f32::from_bits(a) != 0.0)),
        (Num::U32 | Num::Bool, Num::F32) => l1!(|a: u32| (a as f32).to_bits()),
        (Num::I32, Num::F32) => l1!(|a: u32| (a as i32 as f32).to_bits()),
        // the largest f32 values within the integer types
        (Num::F32, Num::U32) => l1!(|a: u32| f32::from_bits(a).min(4_294_967_040.0) as u32),
        (Num::F32, Num::I32) => l1!(|a: u32| f32::from_bits(a).min(2_147_483_520.0) as i32 as u32),
        (Num::F32, Num::F16) => l1!(|a: u32| u32::from(f16::from_f32(f32::from_bits(a)).to_bits())),
        (Num::F16, Num::F32) => l1!(|a: u32| half_value(u64::from(a)).to_bits()),
        _ => Func::Scalar(ScalarFn::Raw(general(from, to))),
    })
}

/// `f16` and back, with denormals kept.
pub(in crate::model) fn quantize() -> Func {
    f1!(|a| f16::from_f32(a).to_f32())
}

enum Number {
    Integer(i128),
    /// A value and the digits of its type.
    Float(f64, u32),
}

trait Bits {
    fn decode(bits: u64) -> Number;
    fn encode(number: Number) -> u64;
}

macro_rules! integer_bits {
    ($t:ty, $width:expr) => {
        impl Bits for $t {
            fn decode(bits: u64) -> Number {
                Number::Integer(i128::from(bits as $t))
            }
            fn encode(number: Number) -> u64 {
                match number {
                    Number::Integer(value) => value as $t as u64 & (u64::MAX >> (64 - $width)),
                    Number::Float(value, digits) => {
                        // the largest value of the float type below the end of the integer type
                        let bits = if <$t>::MIN == 0 { $width } else { $width - 1 };
                        let step = 1i128 << u32::saturating_sub(bits, digits);
                        let most = (1i128 << bits) - step;
                        let value = (value as i128).clamp(i128::from(<$t>::MIN), most);
                        value as $t as u64 & (u64::MAX >> (64 - $width))
                    }
                }
            }
        }
    };
}
integer_bits!(i32, 32u32);
integer_bits!(u32, 32u32);
integer_bits!(i64, 64u32);
integer_bits!(u64, 64u32);

impl Bits for bool {
    fn decode(bits: u64) -> Number {
        Number::Integer(i128::from(bits))
    }
    fn encode(number: Number) -> u64 {
        match number {
            Number::Integer(value) => u64::from(value != 0),
            Number::Float(value, _) => u64::from(value != 0.0),
        }
    }
}

impl Bits for f16 {
    fn decode(bits: u64) -> Number {
        Number::Float(f64::from(half_value(bits)), Self::MANTISSA_DIGITS)
    }
    fn encode(number: Number) -> u64 {
        u64::from(match number {
            Number::Integer(value) => Self::from_f64(value as f64).to_bits(),
            Number::Float(value, _) => Self::from_f64(value).to_bits(),
        })
    }
}

impl Bits for f32 {
    fn decode(bits: u64) -> Number {
        Number::Float(f64::from(Self::from_bits(bits as u32)), Self::MANTISSA_DIGITS)
    }
    fn encode(number: Number) -> u64 {
        u64::from(match number {
            Number::Integer(value) => (value as Self).to_bits(),
            Number::Float(value, _) => (value as Self).to_bits(),
        })
    }
}

impl Bits for f64 {
    fn decode(bits: u64) -> Number {
        Number::Float(Self::from_bits(bits), Self::MANTISSA_DIGITS)
    }
    fn encode(number: Number) -> u64 {
        match number {
            Number::Integer(value) => (value as Self).to_bits(),
            Number::Float(value, _) => value.to_bits(),
        }
    }
}

fn cast<A: Bits, B: Bits>([a, ..]: [u64; 3]) -> u64 {
    B::encode(A::decode(a))
}

fn general(from: Num, to: Num) -> fn([u64; 3]) -> u64 {
    fn from_type<A: Bits>(to: Num) -> fn([u64; 3]) -> u64 {
        match to {
            Num::Bool => cast::<A, bool>,
            Num::I32 => cast::<A, i32>,
            Num::U32 => cast::<A, u32>,
            Num::I64 => cast::<A, i64>,
            Num::U64 => cast::<A, u64>,
            Num::F16 => cast::<A, f16>,
            Num::F32 => cast::<A, f32>,
            Num::F64 => cast::<A, f64>,
        }
    }
    match from {
        Num::Bool => from_type::<bool>(to),
        Num::I32 => from_type::<i32>(to),
        Num::U32 => from_type::<u32>(to),
        Num::I64 => from_type::<i64>(to),
        Num::U64 => from_type::<u64>(to),
        Num::F16 => from_type::<f16>(to),
        Num::F32 => from_type::<f32>(to),
        Num::F64 => from_type::<f64>(to),
    }
}
