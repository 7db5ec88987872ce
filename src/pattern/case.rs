//! A case: one point of the product of a pattern's axes, and its canonical id.

use std::fmt;

use super::{Element, Pattern, Value};

/// One point of a pattern's axes.
///
/// Its id is canonical text, stable for ever: the pattern's name and `axis=value` pairs in registry
/// order, `stride/op=read/type=u32/stride_bytes=64`.
#[derive(Clone)]
pub struct Case {
    /// The registry row.
    pub pattern: &'static Pattern,
    /// One value per axis, in the registry's order.
    pub values: Vec<Value>,
}

impl Case {
    /// The canonical id.
    pub fn id(&self) -> String {
        let mut id = self.pattern.name.to_owned();
        for (axis, value) in self.pattern.axes.iter().zip(&self.values) {
            if axis.default != Some(*value) {
                id.push_str(&format!("/{}={}", axis.name, value));
            }
        }
        id
    }

    /// The value on an axis, if the pattern has that axis.
    pub fn value(&self, axis: &str) -> Option<Value> {
        self.pattern.axes.iter().position(|a| a.name == axis).map(|index| self.values[index])
    }

    /// The whole number on an axis.
    ///
    /// # Panics
    /// When the pattern has no such axis or its values are words: a mistake in the pattern's own code.
    pub fn int(&self, axis: &str) -> u64 {
        match self.value(axis) {
            Some(Value::Int(number)) => number,
            other => panic!("pattern {} has no number on axis {axis}: {other:?}", self.pattern.name),
        }
    }

    /// The word on an axis.
    ///
    /// # Panics
    /// When the pattern has no such axis or its values are numbers: a mistake in the pattern's own code.
    pub fn name(&self, axis: &str) -> &'static str {
        match self.value(axis) {
            Some(Value::Name(name)) => name,
            other => panic!("pattern {} has no word on axis {axis}: {other:?}", self.pattern.name),
        }
    }

    /// Whether its working set is to be out of the caches when a dispatch begins: the value `cold` of the axis
    /// `cache`, of patterns that have it.
    pub fn is_cold(&self) -> bool {
        self.value("cache") == Some(Value::Name("cold"))
    }

    /// The operation: the value of the `op` axis, or `read` where a pattern has none.
    pub fn op(&self) -> &'static str {
        match self.value("op") {
            Some(Value::Name(name)) => name,
            _ => "read",
        }
    }

    /// The element type: the value of the `type` axis, or `u32` where a pattern has none.
    pub fn element(&self) -> Element {
        match self.value("type") {
            Some(Value::Name(name)) => Element::parse(name).unwrap_or(Element::U32),
            _ => Element::U32,
        }
    }
}

impl PartialEq for Case {
    fn eq(&self, other: &Case) -> bool {
        self.pattern.name == other.pattern.name && self.values == other.values
    }
}

impl Eq for Case {}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id())
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.id())
    }
}
