//! The built-in functions on integers.

use naga::MathFunction as M;

use super::super::layout::Num;
use super::wide::Wide;
use super::{Func, ScalarFn};

/// A built-in function that takes integers and gives an integer of the same type; none where it is no such
/// function.
pub(in crate::model) fn function(fun: M, num: Num) -> Option<Func> {
    match num {
        Num::U32 => unsigned(fun).or_else(|| word(fun)),
        Num::I32 => signed(fun).or_else(|| word(fun)),
        Num::U64 => wide::<u64>(fun),
        Num::I64 => wide::<i64>(fun).or_else(|| wide_signed(fun)),
        Num::Bool | Num::F16 | Num::F32 | Num::F64 => None,
    }
}

fn word(fun: M) -> Option<Func> {
    Some(match fun {
        M::CountTrailingZeros => l1!(|a: u32| a.trailing_zeros()),
        M::CountLeadingZeros => l1!(|a: u32| a.leading_zeros()),
        M::CountOneBits => l1!(|a: u32| a.count_ones()),
        M::ReverseBits => l1!(|a: u32| a.reverse_bits()),
        M::FirstTrailingBit => l1!(|a: u32| if a == 0 { u32::MAX } else { a.trailing_zeros() }),
        _ => return None,
    })
}

fn unsigned(fun: M) -> Option<Func> {
    Some(match fun {
        M::Abs => l1!(|a: u32| a),
        M::Sign => l1!(|a: u32| a.min(1)),
        M::Min => l2!(|a: u32, b: u32| a.min(b)),
        M::Max => l2!(|a: u32, b: u32| a.max(b)),
        M::Clamp => l3!(|a: u32, low: u32, high: u32| a.max(low).min(high)),
        M::FirstLeadingBit => l1!(|a: u32| leading_bit(a)),
        M::ExtractBits => l3!(|a: u32, offset: u32, count: u32| {
            let (offset, count) = bit_range(offset, count);
            if count == 0 { 0 } else { a << (32 - offset - count) >> (32 - count) }
        }),
        _ => return None,
    })
}

fn signed(fun: M) -> Option<Func> {
    Some(match fun {
        M::Abs => l1!(|a: u32| (a as i32).wrapping_abs() as u32),
        M::Sign => l1!(|a: u32| (a as i32).signum() as u32),
        M::Min => l2!(|a: u32, b: u32| (a as i32).min(b as i32) as u32),
        M::Max => l2!(|a: u32, b: u32| (a as i32).max(b as i32) as u32),
        M::Clamp => l3!(|a: u32, low: u32, high: u32| (a as i32).max(low as i32).min(high as i32) as u32),
        M::FirstLeadingBit => l1!(|a: u32| leading_bit(if (a as i32) < 0 { !a } else { a })),
        M::ExtractBits => l3!(|a: u32, offset: u32, count: u32| {
            let (offset, count) = bit_range(offset, count);
            if count == 0 { 0 } else { ((a << (32 - offset - count)) as i32 >> (32 - count)) as u32 }
        }),
        _ => return None,
    })
}

fn leading_bit(a: u32) -> u32 {
    31u32.wrapping_sub(a.leading_zeros())
}

/// A range of bits within a word, as WGSL clamps it.
fn bit_range(offset: u32, count: u32) -> (u32, u32) {
    let offset = offset.min(32);
    (offset, count.min(32 - offset))
}

/// The bits that `insertBits` replaces.
pub(in crate::model) fn insert_mask() -> Func {
    l2!(|offset: u32, count: u32| {
        let (offset, count) = bit_range(offset, count);
        if count == 0 { 0 } else { u32::MAX >> (32 - count) << offset }
    })
}

/// The new bits at their place.
pub(in crate::model) fn insert_shift() -> Func {
    l2!(|bits: u32, offset: u32| bits.checked_shl(offset).unwrap_or(0))
}

/// The word with the bits of a mask replaced.
pub(in crate::model) fn insert_merge() -> Func {
    l3!(|word: u32, bits: u32, mask: u32| word & !mask | bits & mask)
}

fn wide<T: Wide>(fun: M) -> Option<Func> {
    let f: fn([u64; 3]) -> u64 = match fun {
        M::Min => |[a, b, _]| T::from_bits(a).min(T::from_bits(b)).to_bits(),
        M::Max => |[a, b, _]| T::from_bits(a).max(T::from_bits(b)).to_bits(),
        M::Clamp => |[a, low, high]| T::from_bits(a).max(T::from_bits(low)).min(T::from_bits(high)).to_bits(),
        M::CountTrailingZeros => |[a, ..]| u64::from(a.trailing_zeros()),
        M::CountLeadingZeros => |[a, ..]| u64::from(a.leading_zeros()),
        M::CountOneBits => |[a, ..]| u64::from(a.count_ones()),
        M::ReverseBits => |[a, ..]| a.reverse_bits(),
        _ => return None,
    };
    Some(Func::Scalar(ScalarFn::Raw(f)))
}

fn wide_signed(fun: M) -> Option<Func> {
    let f: fn([u64; 3]) -> u64 = match fun {
        M::Abs => |[a, ..]| (a as i64).wrapping_abs() as u64,
        M::Sign => |[a, ..]| (a as i64).signum() as u64,
        _ => return None,
    };
    Some(Func::Scalar(ScalarFn::Raw(f)))
}
