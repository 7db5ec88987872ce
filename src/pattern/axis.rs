//! Axes: the parameters of a pattern and the values each may take.

use std::fmt;

/// The type of one element of the subject, the substitution of the kernel's `alias E` line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Element {
    /// 4 bytes
    U32,
    /// 8 bytes
    U32x2,
    /// 16 bytes
    U32x4,
}

impl Element {
    /// Every element type, smallest first.
    pub const ALL: [Element; 3] = [Element::U32, Element::U32x2, Element::U32x4];

    /// Number of 32-bit words in an element: 1, 2 or 4.
    pub const fn words(self) -> u64 {
        match self {
            Element::U32 => 1,
            Element::U32x2 => 2,
            Element::U32x4 => 4,
        }
    }

    /// Size in bytes: 4, 8 or 16.
    pub const fn bytes(self) -> u64 {
        4 * self.words()
    }

    /// The name used in case ids and records.
    pub const fn name(self) -> &'static str {
        match self {
            Element::U32 => "u32",
            Element::U32x2 => "u32x2",
            Element::U32x4 => "u32x4",
        }
    }

    /// The element type of that name in a case id.
    pub fn parse(name: &str) -> Option<Element> {
        Element::ALL.into_iter().find(|element| element.name() == name)
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One value of an axis: a word or a whole number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    /// such as `op=read`
    Name(&'static str),
    /// such as `stride_bytes=64`, in the unit that the axis name ends with
    Int(u64),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Name(name) => f.write_str(name),
            Value::Int(number) => write!(f, "{number}"),
        }
    }
}

/// The values of an axis, in the order in which they are listed and charted.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// words
    Names(&'static [&'static str]),
    /// whole numbers
    Ints(&'static [u64]),
}

impl Values {
    /// The values one by one.
    pub fn iter(self) -> impl Iterator<Item = Value> {
        let (names, ints): (&[&'static str], &[u64]) = match self {
            Values::Names(names) => (names, &[]),
            Values::Ints(ints) => (&[], ints),
        };
        names.iter().map(|n| Value::Name(n)).chain(ints.iter().map(|i| Value::Int(*i)))
    }
}

/// A parameter of a pattern.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// The name in case ids; a number's unit is its suffix (`stride_bytes`).
    pub name: &'static str,
    /// What it means, for the catalogue.
    pub meaning: &'static str,
    /// Every value, those of the `--full` suite.
    pub values: Values,
    /// The value that is left out of the case id: only for an axis that was appended to a pattern whose
    /// ids were already published.
    pub default: Option<Value>,
}

impl Axis {
    /// An axis of words.
    pub const fn names(name: &'static str, meaning: &'static str, values: &'static [&'static str]) -> Axis {
        Axis { name, meaning, values: Values::Names(values), default: None }
    }

    /// An axis of whole numbers.
    pub const fn ints(name: &'static str, meaning: &'static str, values: &'static [u64]) -> Axis {
        Axis { name, meaning, values: Values::Ints(values), default: None }
    }

    /// The same axis appended to published ids, which leave this value out.
    pub(crate) const fn appended(self, default: Value) -> Axis {
        Axis { default: Some(default), ..self }
    }

    /// The element types, in every pattern that has more than one.
    pub const TYPE: Axis =
        Axis::names("type", "element type: 4, 8 or 16 bytes a lane", &["u32", "u32x2", "u32x4"]);
}
