//! Functions on the lanes of a workgroup: what an instruction does, without where its operands are.
//!
//! The common operations on 32-bit words are loops over whole registers, which the compiler vectorises;
//! the rest is called lane by lane. Operations are total: division by zero, shifts by the width and
//! conversions out of range give what WGSL defines, because inactive lanes are computed too.

/// Makes a lane function of a closure that captures nothing.
macro_rules! l1 {
    ($f:expr) => {{
        fn run(to: &mut [u32], a: $crate::model::lanes::Operand<'_>) {
            $crate::model::lanes::map1(to, a, $f);
        }
        $crate::model::lanes::Func::L1(run)
    }};
}
macro_rules! l2 {
    ($f:expr) => {{
        fn run(to: &mut [u32], a: $crate::model::lanes::Operand<'_>, b: $crate::model::lanes::Operand<'_>) {
            $crate::model::lanes::map2(to, a, b, $f);
        }
        $crate::model::lanes::Func::L2(run)
    }};
}
macro_rules! l3 {
    ($f:expr) => {{
        fn run(
            to: &mut [u32],
            a: $crate::model::lanes::Operand<'_>,
            b: $crate::model::lanes::Operand<'_>,
            c: $crate::model::lanes::Operand<'_>,
        ) {
            $crate::model::lanes::map3(to, a, b, c, $f);
        }
        $crate::model::lanes::Func::L3(run)
    }};
}
/// The same on floats.
macro_rules! f1 {
    (|$a:ident| $f:expr) => {
        l1!(|$a: u32| {
            let $a = f32::from_bits($a);
            ($f).to_bits()
        })
    };
}
macro_rules! f2 {
    (|$a:ident, $b:ident| $f:expr) => {
        l2!(|$a: u32, $b: u32| {
            let ($a, $b) = (f32::from_bits($a), f32::from_bits($b));
            ($f).to_bits()
        })
    };
}
/// A comparison of floats.
macro_rules! fb2 {
    (|$a:ident, $b:ident| $f:expr) => {
        l2!(|$a: u32, $b: u32| {
            let ($a, $b) = (f32::from_bits($a), f32::from_bits($b));
            u32::from($f)
        })
    };
}
pub(super) mod cast;
pub(super) mod float;
pub(super) mod integer;
pub(super) mod operator;
pub(super) mod pack;
pub(super) mod wide;

/// An operand of a lane function.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operand<'a> {
    /// One word per lane.
    Lanes(&'a [u32]),
    /// The same word in every lane.
    Uniform(u32),
}

impl Operand<'_> {
    #[inline(always)]
    pub(super) fn get(self, lane: usize) -> u32 {
        match self {
            Self::Lanes(words) => words[lane],
            Self::Uniform(word) => word,
        }
    }
}

pub(super) type Fn1 = fn(&mut [u32], Operand<'_>);
pub(super) type Fn2 = fn(&mut [u32], Operand<'_>, Operand<'_>);
pub(super) type Fn3 = fn(&mut [u32], Operand<'_>, Operand<'_>, Operand<'_>);

/// A function of one lane. `H` functions are `f16` computed in `f32`, which rounds the same for the basic
/// operations because `f32` has more than twice the digits (Figueroa, "When is double rounding innocuous?",
/// 1995).
#[derive(Clone, Copy, Debug)]
pub(super) enum ScalarFn {
    F1(fn(f32) -> f32),
    F2(fn(f32, f32) -> f32),
    F3(fn(f32, f32, f32) -> f32),
    H1(fn(f32) -> f32),
    H2(fn(f32, f32) -> f32),
    H3(fn(f32, f32, f32) -> f32),
    D1(fn(f64) -> f64),
    D2(fn(f64, f64) -> f64),
    D3(fn(f64, f64, f64) -> f64),
    /// Raw bits of up to three operands to raw bits of the result.
    Raw(fn([u64; 3]) -> u64),
}

/// A function in either form.
#[derive(Clone, Copy, Debug)]
pub(super) enum Func {
    L1(Fn1),
    L2(Fn2),
    L3(Fn3),
    Scalar(ScalarFn),
}

#[inline(always)]
pub(super) fn map1(to: &mut [u32], a: Operand<'_>, f: impl Fn(u32) -> u32) {
    match a {
        Operand::Lanes(a) => to.iter_mut().zip(a).for_each(|(to, &a)| *to = f(a)),
        Operand::Uniform(a) => to.fill(f(a)),
    }
}

#[inline(always)]
pub(super) fn map2(to: &mut [u32], a: Operand<'_>, b: Operand<'_>, f: impl Fn(u32, u32) -> u32) {
    match (a, b) {
        (Operand::Lanes(a), Operand::Lanes(b)) => {
            to.iter_mut().zip(a).zip(b).for_each(|((to, &a), &b)| *to = f(a, b));
        }
        (Operand::Lanes(a), Operand::Uniform(b)) => to.iter_mut().zip(a).for_each(|(to, &a)| *to = f(a, b)),
        (Operand::Uniform(a), Operand::Lanes(b)) => to.iter_mut().zip(b).for_each(|(to, &b)| *to = f(a, b)),
        (Operand::Uniform(a), Operand::Uniform(b)) => to.fill(f(a, b)),
    }
}

#[inline(always)]
pub(super) fn map3(
    to: &mut [u32],
    a: Operand<'_>,
    b: Operand<'_>,
    c: Operand<'_>,
    f: impl Fn(u32, u32, u32) -> u32,
) {
    match (a, b, c) {
        (Operand::Lanes(a), Operand::Lanes(b), Operand::Lanes(c)) => {
            to.iter_mut().zip(a).zip(b).zip(c).for_each(|(((to, &a), &b), &c)| *to = f(a, b, c));
        }
        _ => (0..to.len()).for_each(|i| to[i] = f(a.get(i), b.get(i), c.get(i))),
    }
}

/// Chooses between two operands by a condition of 0 or 1.
pub(super) fn select() -> Func {
    l3!(|reject: u32, accept: u32, condition: u32| {
        let mask = 0u32.wrapping_sub(condition & 1);
        accept & mask | reject & !mask
    })
}
