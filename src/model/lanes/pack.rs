//! Packing and unpacking: each component on its own, then shifted into or out of a word.

use half::f16;
use naga::MathFunction as M;

use super::Func;

/// How a packing function treats each component.
#[derive(Clone, Copy, Debug)]
pub(in crate::model) struct Packing {
    /// From a component to its bits, or back.
    pub(in crate::model) each: Func,
    /// Bits of a component.
    pub(in crate::model) bits: u32,
}

/// Component to bits, scaled and rounded as WGSL defines: ⌊0.5 + scale × clamped⌋.
fn to_norm(value: u32, low: f32, scale: f32) -> i32 {
    let value = f32::from_bits(value);
    (0.5 + scale * value.clamp(low, 1.0)).floor() as i32
}

/// The packing functions; none for others.
pub(in crate::model) fn packing(fun: M) -> Option<Packing> {
    let (each, bits) = match fun {
        M::Pack4x8snorm => (l1!(|a: u32| to_norm(a, -1.0, 127.0) as u32 & 0xff), 8),
        M::Pack4x8unorm => (l1!(|a: u32| to_norm(a, 0.0, 255.0) as u32), 8),
        M::Pack2x16snorm => (l1!(|a: u32| to_norm(a, -1.0, 32767.0) as u32 & 0xffff), 16),
        M::Pack2x16unorm => (l1!(|a: u32| to_norm(a, 0.0, 65535.0) as u32), 16),
        M::Pack2x16float => (l1!(|a: u32| u32::from(f16::from_f32(f32::from_bits(a)).to_bits())), 16),
        M::Pack4xI8 | M::Pack4xU8 => (l1!(|a: u32| a & 0xff), 8),
        M::Pack4xI8Clamp => (l1!(|a: u32| (a as i32).clamp(-128, 127) as u32 & 0xff), 8),
        M::Pack4xU8Clamp => (l1!(|a: u32| a.min(255)), 8),
        _ => return None,
    };
    Some(Packing { each, bits })
}

/// The unpacking functions, applied to a word whose low bits are the component; none for others.
pub(in crate::model) fn unpacking(fun: M) -> Option<Packing> {
    let (each, bits) = match fun {
        M::Unpack4x8snorm => (l1!(|a: u32| (f32::from(a as u8 as i8) / 127.0).max(-1.0).to_bits()), 8),
        M::Unpack4x8unorm => (l1!(|a: u32| (f32::from(a as u8) / 255.0).to_bits()), 8),
        M::Unpack2x16snorm => (l1!(|a: u32| (f32::from(a as u16 as i16) / 32767.0).max(-1.0).to_bits()), 16),
        M::Unpack2x16unorm => (l1!(|a: u32| (f32::from(a as u16) / 65535.0).to_bits()), 16),
        M::Unpack2x16float => (l1!(|a: u32| f16::from_bits(a as u16).to_f32().to_bits()), 16),
        M::Unpack4xI8 => (l1!(|a: u32| a as u8 as i8 as u32), 8),
        M::Unpack4xU8 => (l1!(|a: u32| a & 0xff), 8),
        _ => return None,
    };
    Some(Packing { each, bits })
}

/// Puts components, highest first, below one another.
pub(in crate::model) fn join(bits: u32) -> Func {
    if bits == 8 {
        l2!(|high: u32, low: u32| high << 8 | low)
    } else {
        l2!(|high: u32, low: u32| high << 16 | low)
    }
}

/// `dot4I8Packed`.
pub(in crate::model) fn dot4_i8() -> Func {
    l2!(|a: u32, b: u32| {
        let products = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
        products.map(|(a, b)| i32::from(a as i8) * i32::from(b as i8)).sum::<i32>() as u32
    })
}

/// `dot4U8Packed`.
pub(in crate::model) fn dot4_u8() -> Func {
    l2!(|a: u32, b: u32| {
        let products = a.to_le_bytes().into_iter().zip(b.to_le_bytes());
        products.map(|(a, b)| u32::from(a) * u32::from(b)).sum::<u32>()
    })
}

/// Clamps to a range of floats: `saturate` and its like.
pub(in crate::model) fn clamp_float() -> Func {
    l3!(|a: u32, low: u32, high: u32| {
        f32::from_bits(a).max(f32::from_bits(low)).min(f32::from_bits(high)).to_bits()
    })
}
