//! Case ids taken apart, without asking the registry: a report must show runs of versions that knew other
//! patterns.

use crate::pattern::{self, Case};

/// The pattern and axis values of a case id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseKey {
    /// The pattern's name.
    pub pattern: String,
    /// Axis and value, in the order of the id.
    pub axes: Vec<(String, String)>,
}

impl CaseKey {
    /// Takes a case id apart. A part without `=` is kept as an axis of that name with an empty value.
    pub fn parse(id: &str) -> CaseKey {
        let mut parts = id.split('/');
        let pattern = parts.next().unwrap_or_default().to_owned();
        let axes = parts
            .map(|part| part.split_once('=').unwrap_or((part, "")))
            .map(|(axis, value)| (axis.to_owned(), value.to_owned()))
            .collect();
        let mut key = CaseKey { pattern, axes };
        key.restore_defaults();
        key
    }

    /// An axis that was appended to a published pattern leaves its default out of the id.
    fn restore_defaults(&mut self) {
        let Some(row) = pattern::find(&self.pattern) else { return };
        for axis in row.axes {
            if let Some(default) = axis.default
                && self.value(axis.name).is_none()
            {
                self.axes.push((axis.name.to_owned(), default.to_string()));
            }
        }
    }

    /// The value on an axis.
    pub fn value(&self, axis: &str) -> Option<&str> {
        self.axes.iter().find(|(name, _)| name == axis).map(|(_, value)| value.as_str())
    }

    /// The whole number on an axis.
    pub fn number(&self, axis: &str) -> Option<u64> {
        self.value(axis)?.parse().ok()
    }

    /// The case of the registry, where this version has it.
    pub fn case(&self) -> Option<Case> {
        let pattern = pattern::find(&self.pattern)?;
        let values = pattern.axes.iter().map(|axis| {
            let value = self.value(axis.name)?;
            axis.values.iter().find(|known| known.to_string() == value)
        });
        Some(Case { pattern, values: values.collect::<Option<_>>()? })
    }

    /// The values in words, without the pattern: `read u32 64 B`.
    pub fn short(&self) -> String {
        self.words(|_| true)
    }

    /// The values of some axes in words.
    pub fn words(&self, wanted: impl Fn(&str) -> bool) -> String {
        let words: Vec<String> = self
            .axes
            .iter()
            .filter(|(axis, _)| wanted(axis))
            .map(|(axis, value)| self.word(axis, value))
            .collect();
        words.join(" ")
    }

    /// A value in words; the size that a pattern is named after goes without its name.
    fn word(&self, axis: &str, value: &str) -> String {
        match value.parse::<u64>() {
            Ok(number) if axis.strip_suffix("_bytes") == Some(&self.pattern) => exact_bytes(number),
            _ => axis_value(axis, value),
        }
    }
}

/// A value in words: numbers with the name of their axis, sizes with their unit too.
pub fn axis_value(axis: &str, value: &str) -> String {
    let Ok(number) = value.parse::<u64>() else { return value.to_owned() };
    let name = |suffix: &str| axis.strip_suffix(suffix).unwrap_or(axis).replace('_', " ");
    if axis.ends_with("_bytes") {
        format!("{} {}", name("_bytes"), exact_bytes(number))
    } else {
        format!("{} {number}", name("_elements"))
    }
}

/// A size in the largest unit that divides it, so that 65536 and 65540 bytes stay two values.
pub fn exact_bytes(number: u64) -> String {
    match number.trailing_zeros() {
        _ if number == 0 => "0 B".to_owned(),
        0..10 => format!("{number} B"),
        10..20 => format!("{} KiB", number >> 10),
        20..30 => format!("{} MiB", number >> 20),
        _ => format!("{} GiB", number >> 30),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_comes_apart() {
        let key = CaseKey::parse("stride/op=read/type=u32/stride_bytes=4096");
        assert_eq!(key.pattern, "stride");
        assert_eq!(key.value("op"), Some("read"));
        assert_eq!(key.number("stride_bytes"), Some(4096));
        assert_eq!(key.short(), "read u32 4 KiB");
        assert_eq!(CaseKey::parse("x/tile=32/odd").short(), "tile 32 ");
    }

    #[test]
    fn every_id_leads_back_to_its_case() {
        for case in pattern::cases(pattern::Depth::Full) {
            assert_eq!(CaseKey::parse(&case.id()).case(), Some(case));
        }
        assert_eq!(CaseKey::parse("stride/op=read/type=u32/stride_bytes=5").case(), None);
        assert_eq!(CaseKey::parse("zigzag/op=read").case(), None);
    }

    #[test]
    fn close_sizes_stay_apart() {
        assert_eq!(axis_value("stride_bytes", "65540"), "stride 65540 B");
        assert_eq!(axis_value("stride_bytes", "65536"), "stride 64 KiB");
        assert_eq!(axis_value("tile_elements", "32"), "tile 32");
    }
}
