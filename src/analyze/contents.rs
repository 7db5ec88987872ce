//! What a buffer holds before the first store: a number for each of its scalars, computed when it is read.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::model::{Binding, Fill, Leaf, Num};
use crate::pattern::Fill as Random;

use super::number::{Number, is_whole};
use super::spec::FillSpec;

/// The number that unset integers outside of runtime-sized arrays have.
pub(super) const UNSET: u64 = 1024;

/// How the numbers of a buffer's array are made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rule {
    /// Nothing is known: whole numbers count up, floats are 1.
    Unset,
    Zero,
    Iota,
    Random {
        seed: u64,
        below: u64,
    },
    Constant(Number),
}

impl Rule {
    /// The rule of a fill over so many elements; none for a file.
    pub(super) fn of(fill: Option<&FillSpec>, elements: u64) -> Option<Rule> {
        Some(match fill {
            None => Rule::Unset,
            Some(FillSpec::Zero) => Rule::Zero,
            Some(FillSpec::Iota) => Rule::Iota,
            Some(&FillSpec::Random { seed, below }) => {
                Rule::Random { seed, below: below.unwrap_or(elements).max(1) }
            }
            Some(&FillSpec::Constant(number)) => Rule::Constant(number),
            Some(FillSpec::File(_)) => return None,
        })
    }

    /// The bits of scalar `ordinal` of element `index`. A number that the type can't hold is 0; the caller
    /// has checked constants.
    fn bits(self, num: Num, index: u64, ordinal: usize) -> u64 {
        let whole = |value: u64| match num {
            Num::I32 | Num::U32 => value & 0xffff_ffff,
            Num::Bool | Num::I64 | Num::U64 | Num::F16 | Num::F32 | Num::F64 => value,
        };
        match self {
            Rule::Zero => 0,
            Rule::Constant(number) => number.bits(num).unwrap_or(0),
            Rule::Unset if !is_whole(num) => Number::Whole(1).bits(num).unwrap_or(0),
            Rule::Unset | Rule::Iota if is_whole(num) => whole(index),
            Rule::Unset | Rule::Iota => Number::Real(index as f64).bits(num).unwrap_or(0),
            Rule::Random { seed, below } => {
                let word = Random::new(seed).word(ordinal as u32, index);
                if is_whole(num) {
                    whole(((u128::from(word) * u128::from(below)) >> 32) as u64)
                } else {
                    Number::Real(f64::from(word) / f64::from(u32::MAX)).bits(num).unwrap_or(0)
                }
            }
        }
    }
}

/// The scalars of a buffer and their numbers.
#[derive(Clone, Debug)]
pub(super) struct Scalars {
    /// Offset, type and bits of the scalars outside of the runtime-sized array, ascending.
    fixed: Vec<(u32, Num, u64)>,
    array: Option<Array>,
    rule: Rule,
}

/// The runtime-sized array of a buffer.
#[derive(Clone, Debug)]
struct Array {
    offset: u64,
    stride: u64,
    /// Offset in the element and type of its scalars, ascending.
    scalars: Vec<(u32, Num)>,
}

impl Scalars {
    /// The numbers of a binding by a rule; `set` are scalars with numbers of their own.
    ///
    /// Outside of a runtime-sized array unset whole numbers are [`UNSET`], and those of arrays count up
    /// where `counts` says so. A fill applies there too where the buffer has no runtime-sized array.
    pub(super) fn new(binding: &Binding, rule: Rule, counts: bool, set: &BTreeMap<u32, u64>) -> Scalars {
        let mut fixed: Vec<_> = binding
            .leaves
            .iter()
            .enumerate()
            .map(|(ordinal, leaf)| {
                let bits = match set.get(&leaf.offset) {
                    Some(&bits) => bits,
                    None if rule != Rule::Unset && binding.element.is_none() => {
                        rule.bits(leaf.num, index_of(leaf).unwrap_or(ordinal as u64), ordinal)
                    }
                    None => unset(leaf, counts),
                };
                (leaf.offset, leaf.num, bits)
            })
            .collect();
        fixed.sort_by_key(|scalar| scalar.0);
        let array = binding.element.as_ref().map(|element| {
            let mut scalars: Vec<_> = element.leaves.iter().map(|leaf| (leaf.offset, leaf.num)).collect();
            scalars.sort_by_key(|scalar| scalar.0);
            Array { offset: element.offset.into(), stride: element.stride.max(1).into(), scalars }
        });
        Scalars { fixed, array, rule }
    }

    /// The word at an index.
    fn word(&self, index: u32) -> u32 {
        let at = u64::from(index) * 4;
        let (bits, from, num) = self.scalar(at);
        if num.bytes() == 2 {
            let (high, _, _) = self.scalar(at + 2);
            return (bits as u32 & 0xffff) | (high as u32) << 16;
        }
        (bits >> (8 * (at - from).min(4))) as u32
    }

    /// The bits, offset and type of the scalar that holds a byte; padding is a zero.
    fn scalar(&self, at: u64) -> (u64, u64, Num) {
        if let Some(Array { offset, stride, scalars }) = &self.array
            && at >= *offset
        {
            let (element, within) = ((at - offset) / stride, (at - offset) % stride);
            let start = offset + element * stride;
            return match holder(scalars, within, |scalar| (scalar.0, scalar.1)) {
                Some(ordinal) => {
                    let (leaf, num) = scalars[ordinal];
                    (self.rule.bits(num, element, ordinal), start + u64::from(leaf), num)
                }
                None => (0, at, Num::U32),
            };
        }
        match holder(&self.fixed, at, |scalar| (scalar.0, scalar.1)) {
            Some(i) => {
                let (offset, num, bits) = self.fixed[i];
                (bits, u64::from(offset), num)
            }
            None => (0, at, Num::U32),
        }
    }

    /// The numbers as a fill of the model.
    pub(super) fn fill(self) -> Fill {
        Fill::Words(Arc::new(move |index| self.word(index)))
    }
}

/// The scalar of an ascending list that holds a byte.
fn holder<T>(scalars: &[T], at: u64, of: impl Fn(&T) -> (u32, Num)) -> Option<usize> {
    let after = scalars.partition_point(|scalar| u64::from(of(scalar).0) <= at);
    let (offset, num) = of(scalars.get(after.checked_sub(1)?)?);
    (at < u64::from(offset) + u64::from(num.bytes())).then_some(after - 1)
}

fn unset(leaf: &Leaf, counts: bool) -> u64 {
    match (is_whole(leaf.num), index_of(leaf)) {
        (true, Some(index)) if counts => index,
        (true, _) => UNSET,
        (false, _) => Number::Whole(1).bits(leaf.num).unwrap_or(0),
    }
}

/// The first index in the path of a scalar that is in an array.
fn index_of(leaf: &Leaf) -> Option<u64> {
    let (_, rest) = leaf.path.split_once('[')?;
    rest.split_once(']')?.0.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(path: &str, offset: u32, num: Num) -> Leaf {
        Leaf { path: path.into(), offset, num }
    }

    /// `struct { n: u32, scale: f32, items: array<struct { index: u32, weight: f32, big: u64 }> }`, say.
    fn scalars(rule: Rule, set: &[(u32, u64)]) -> Scalars {
        let scalars = vec![(0, Num::U32), (4, Num::F32), (8, Num::U64)];
        let array = Some(Array { offset: 8, stride: 16, scalars });
        let of = |leaf: Leaf| {
            let set = set.iter().find(|(offset, _)| *offset == leaf.offset);
            (leaf.offset, leaf.num, set.map_or_else(|| unset(&leaf, true), |set| set.1))
        };
        let fixed = vec![of(leaf("b.n", 0, Num::U32)), of(leaf("b.scale", 4, Num::F32))];
        Scalars { fixed, array, rule }
    }

    #[test]
    fn unset_numbers() {
        let scalars = scalars(Rule::Unset, &[]);
        let one = 1f32.to_bits();
        let words: Vec<u32> = (0..10).map(|i| scalars.word(i)).collect();
        assert_eq!(words, [1024, one, 0, one, 0, 0, 1, one, 1, 0]);
        assert_eq!(unset(&leaf("table[7].x", 0, Num::I32), true), 7);
        assert_eq!(unset(&leaf("table[7].x", 0, Num::I32), false), 1024);
    }

    #[test]
    fn fills_apply_to_the_array_and_settings_to_the_rest() {
        let constant = scalars(Rule::Constant(Number::Whole(3)), &[(0, 5)]);
        assert_eq!((constant.word(0), constant.word(2), constant.word(3)), (5, 3, 3f32.to_bits()));
        let iota = scalars(Rule::Iota, &[]);
        assert_eq!((iota.word(6), iota.word(7)), (1, 1f32.to_bits()));
        let random = scalars(Rule::Random { seed: 7, below: 10 }, &[]);
        let drawn: std::collections::BTreeSet<u32> = (0..400).map(|i| random.word(2 + 4 * i)).collect();
        assert_eq!(drawn, (0..10).collect());
        let floats = (0..100).map(|i| f32::from_bits(random.word(3 + 4 * i)));
        assert!(floats.into_iter().all(|float| (0.0..=1.0).contains(&float)));
    }

    #[test]
    fn half_words() {
        let halves = Scalars {
            fixed: vec![],
            array: Some(Array { offset: 0, stride: 2, scalars: vec![(0, Num::F16)] }),
            rule: Rule::Iota,
        };
        assert_eq!(halves.word(1), 0x4200_4000, "2.0 and 3.0");
    }
}
