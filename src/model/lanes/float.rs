//! The built-in functions on floats.
//!
//! They are the host's, correctly rounded or within an ulp: closer than WGSL's accuracy table asks for, so
//! a GPU may differ from them by what that table allows.

use naga::MathFunction as M;

use super::super::layout::Num;
use super::{Func, ScalarFn, cast, pack};

/// A built-in function from floats to a float of the same type; none where it is no such function.
pub(in crate::model) fn function(fun: M, num: Num) -> Option<Func> {
    match num {
        Num::F32 => fast(fun).or_else(|| {
            let scalar = single::one(fun).map(ScalarFn::F1);
            let scalar = scalar.or_else(|| single::two(fun).map(ScalarFn::F2));
            scalar.or_else(|| single::three(fun).map(ScalarFn::F3)).map(Func::Scalar)
        }),
        Num::F16 => {
            let scalar = single::one(fun).map(ScalarFn::H1);
            let scalar = scalar.or_else(|| single::two(fun).map(ScalarFn::H2));
            scalar.or_else(|| single::three(fun).map(ScalarFn::H3)).map(Func::Scalar)
        }
        Num::F64 => {
            let scalar = double::one(fun).map(ScalarFn::D1);
            let scalar = scalar.or_else(|| double::two(fun).map(ScalarFn::D2));
            scalar.or_else(|| double::three(fun).map(ScalarFn::D3)).map(Func::Scalar)
        }
        Num::Bool | Num::I32 | Num::U32 | Num::I64 | Num::U64 => None,
    }
}

/// What vectorises.
fn fast(fun: M) -> Option<Func> {
    Some(match fun {
        M::Abs => f1!(|a| a.abs()),
        M::Sqrt => f1!(|a| a.sqrt()),
        M::Min => f2!(|a, b| if b < a { b } else { a }),
        M::Max => f2!(|a, b| if a < b { b } else { a }),
        M::Clamp => pack::clamp_float(),
        M::QuantizeToF16 => cast::quantize(),
        _ => return None,
    })
}

macro_rules! tables {
    ($name:ident, $t:ident) => {
        mod $name {
            use naga::MathFunction as M;

            pub(super) fn one(fun: M) -> Option<fn($t) -> $t> {
                Some(match fun {
                    M::Abs => $t::abs,
                    M::Saturate => |a| a.max(0.0).min(1.0),
                    M::Cos => $t::cos,
                    M::Cosh => $t::cosh,
                    M::Sin => $t::sin,
                    M::Sinh => $t::sinh,
                    M::Tan => $t::tan,
                    M::Tanh => $t::tanh,
                    M::Acos => $t::acos,
                    M::Asin => $t::asin,
                    M::Atan => $t::atan,
                    M::Asinh => $t::asinh,
                    M::Acosh => $t::acosh,
                    M::Atanh => $t::atanh,
                    M::Radians => $t::to_radians,
                    M::Degrees => $t::to_degrees,
                    M::Ceil => $t::ceil,
                    M::Floor => $t::floor,
                    M::Round => $t::round_ties_even,
                    M::Fract => |a| a - a.floor(),
                    M::Trunc => $t::trunc,
                    M::Exp => $t::exp,
                    M::Exp2 => $t::exp2,
                    M::Log => $t::ln,
                    M::Log2 => $t::log2,
                    M::Sign => |a| {
                        if a > 0.0 {
                            1.0
                        } else if a < 0.0 {
                            -1.0
                        } else {
                            0.0
                        }
                    },
                    M::Sqrt => $t::sqrt,
                    M::InverseSqrt => |a| 1.0 / a.sqrt(),
                    _ => return None,
                })
            }

            pub(super) fn two(fun: M) -> Option<fn($t, $t) -> $t> {
                Some(match fun {
                    M::Min => |a, b| if b < a { b } else { a },
                    M::Max => |a, b| if a < b { b } else { a },
                    M::Atan2 => $t::atan2,
                    M::Pow => $t::powf,
                    M::Step => |edge, a| if a < edge { 0.0 } else { 1.0 },
                    _ => return None,
                })
            }

            pub(super) fn three(fun: M) -> Option<fn($t, $t, $t) -> $t> {
                Some(match fun {
                    M::Clamp => |a, low, high| a.max(low).min(high),
                    M::Fma => $t::mul_add,
                    M::Mix => |a, b, t| a * (1.0 - t) + b * t,
                    M::SmoothStep => |low, high, a| {
                        let t = ((a - low) / (high - low)).max(0.0).min(1.0);
                        t * t * (3.0 - 2.0 * t)
                    },
                    _ => return None,
                })
            }
        }
    };
}
tables!(single, f32);
tables!(double, f64);

/// The parts of `frexp`: fraction and exponent. Zero, infinities and NaN have exponent 0.
fn split(value: f64) -> (f64, i32) {
    if value == 0.0 || !value.is_finite() {
        return (value, 0);
    }
    // a denormal f64 is scaled up first
    let (value, bias) =
        if value.abs() < f64::MIN_POSITIVE { (value * 2f64.powi(64), -64) } else { (value, 0) };
    let bits = value.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32 - 1022;
    (f64::from_bits(bits & !(0x7ff << 52) | 1022 << 52), exponent + bias)
}

fn scale(value: f64, exponent: i32) -> f64 {
    // two steps keep the intermediate factors in range
    let exponent = exponent.clamp(-2200, 2200);
    value * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
}

fn decode<const BITS: u32>(bits: u64) -> f64 {
    match BITS {
        16 => f64::from(super::wide::half_value(bits)),
        32 => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    }
}

fn encode<const BITS: u32>(value: f64) -> u64 {
    match BITS {
        16 => u64::from(half::f16::from_f64(value).to_bits()),
        32 => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    }
}

/// What `frexp`, `ldexp`, `isNan` and `isInf` need, for one float type.
#[derive(Clone, Copy, Debug)]
pub(in crate::model) struct Parts {
    pub(in crate::model) fraction: Func,
    pub(in crate::model) exponent: Func,
    pub(in crate::model) ldexp: Func,
    pub(in crate::model) is_nan: Func,
    pub(in crate::model) is_inf: Func,
}

/// The parts of a float type; none for integers.
pub(in crate::model) fn parts(num: Num) -> Option<Parts> {
    fn of<const BITS: u32>() -> Parts {
        Parts {
            fraction: Func::Scalar(ScalarFn::Raw(|[a, ..]| encode::<BITS>(split(decode::<BITS>(a)).0))),
            exponent: Func::Scalar(ScalarFn::Raw(|[a, ..]| u64::from(split(decode::<BITS>(a)).1 as u32))),
            ldexp: Func::Scalar(ScalarFn::Raw(|[a, e, _]| {
                encode::<BITS>(scale(decode::<BITS>(a), e as u32 as i32))
            })),
            is_nan: Func::Scalar(ScalarFn::Raw(|[a, ..]| u64::from(decode::<BITS>(a).is_nan()))),
            is_inf: Func::Scalar(ScalarFn::Raw(|[a, ..]| u64::from(decode::<BITS>(a).is_infinite()))),
        }
    }
    match num {
        Num::F16 => Some(of::<16>()),
        Num::F32 => Some(of::<32>()),
        Num::F64 => Some(of::<64>()),
        Num::Bool | Num::I32 | Num::U32 | Num::I64 | Num::U64 => None,
    }
}
