//! Numbers as people write them on a command line, and their bits as a scalar of a shader.

use half::f16;

use crate::model::Num;

/// A number: exact where it is whole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A whole number.
    Whole(i128),
    /// Any other.
    Real(f64),
}

impl Number {
    /// Reads `1024`, `-3`, `0x400`, `1Ki`, `2.5`, `1e-3`, also with WGSL's suffixes `u`, `i`, `f` and `h`.
    ///
    /// # Errors
    /// Text that is none of these, with what would be.
    pub fn parse(text: &str) -> Result<Number, String> {
        let unknown = || format!("`{text}` is no number; write 1024, 0x400, 1Ki or 0.5");
        let trimmed = text.trim();
        let (sign, unsigned) = match trimmed.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, trimmed),
        };
        if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
            return Err(unknown());
        }
        if let Some(digits) = unsigned.strip_prefix("0x").or_else(|| unsigned.strip_prefix("0X")) {
            let digits = digits.trim_end_matches(['u', 'i']);
            let value = u64::from_str_radix(digits, 16).map_err(|_| unknown())?;
            return Ok(Number::Whole(sign * i128::from(value)));
        }
        for (suffix, scale) in [("Ki", 1 << 10), ("Mi", 1 << 20), ("Gi", 1 << 30)] {
            if let Some(digits) = unsigned.strip_suffix(suffix) {
                let value: u64 = digits.parse().map_err(|_| unknown())?;
                return Ok(Number::Whole(sign * i128::from(value) * scale));
            }
        }
        let plain = unsigned.strip_suffix(['u', 'i', 'f', 'h']).unwrap_or(unsigned);
        if let Ok(value) = plain.parse::<u64>() {
            return Ok(Number::Whole(sign * i128::from(value)));
        }
        match plain.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(Number::Real(sign as f64 * value)),
            _ => Err(unknown()),
        }
    }

    /// Reads a count: a whole number from 1.
    ///
    /// # Errors
    /// Anything else.
    pub fn parse_count(text: &str) -> Result<u64, String> {
        match Number::parse(text)? {
            Number::Whole(value @ 1..=0xffff_ffff_ffff) => Ok(value as u64),
            Number::Whole(_) | Number::Real(_) => {
                Err(format!("`{text}` is no count; write a whole number from 1, such as 1Mi"))
            }
        }
    }

    /// Its value as a float.
    pub fn value(self) -> f64 {
        match self {
            Number::Whole(value) => value as f64,
            Number::Real(value) => value,
        }
    }

    /// The bits of the number as a scalar of that type.
    ///
    /// # Errors
    /// A number that the type can't hold.
    pub fn bits(self, num: Num) -> Result<u64, String> {
        let range = || format!("{self} does not fit in {}", name(num));
        let whole = |low: i128, high: i128| match self {
            Number::Whole(value) if (low..=high).contains(&value) => Ok(value as u64),
            Number::Whole(_) => Err(range()),
            Number::Real(_) => Err(format!("{self} is not whole, as {} needs", name(num))),
        };
        match num {
            Num::Bool => whole(0, 1),
            Num::I32 => whole(i128::from(i32::MIN), i128::from(i32::MAX)).map(|bits| bits & 0xffff_ffff),
            Num::U32 => whole(0, i128::from(u32::MAX)),
            Num::I64 => whole(i128::from(i64::MIN), i128::from(i64::MAX)),
            Num::U64 => whole(0, i128::from(u64::MAX)),
            Num::F16 => {
                let value = f16::from_f64(self.value());
                if value.is_finite() { Ok(u64::from(value.to_bits())) } else { Err(range()) }
            }
            Num::F32 => {
                let value = self.value() as f32;
                if value.is_finite() { Ok(u64::from(value.to_bits())) } else { Err(range()) }
            }
            Num::F64 => Ok(self.value().to_bits()),
        }
    }
}

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Number::Whole(value) => value.fmt(f),
            Number::Real(value) => value.fmt(f),
        }
    }
}

/// WGSL's name of a scalar type.
fn name(num: Num) -> &'static str {
    match num {
        Num::Bool => "bool",
        Num::I32 => "i32",
        Num::U32 => "u32",
        Num::I64 => "i64",
        Num::U64 => "u64",
        Num::F16 => "f16",
        Num::F32 => "f32",
        Num::F64 => "f64",
    }
}

/// Whether a scalar type holds whole numbers.
pub(super) fn is_whole(num: Num) -> bool {
    match num {
        Num::Bool | Num::I32 | Num::U32 | Num::I64 | Num::U64 => true,
        Num::F16 | Num::F32 | Num::F64 => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_people_write() {
        for (text, number) in [
            ("1024", Number::Whole(1024)),
            ("-3", Number::Whole(-3)),
            ("0x400", Number::Whole(1024)),
            ("7u", Number::Whole(7)),
            ("1Mi", Number::Whole(1 << 20)),
            ("18446744073709551615", Number::Whole(u64::MAX.into())),
            ("0.5f", Number::Real(0.5)),
            ("-1e-3", Number::Real(-1e-3)),
        ] {
            assert_eq!(Number::parse(text), Ok(number), "{text}");
        }
        for text in ["", "-", "x", "inf", "NaN", "0x", "1Ti", "1,5", "--1", "1e999"] {
            assert!(Number::parse(text).unwrap_err().contains("is no number"), "{text}");
        }
        for text in ["0", "-1", "1.5", "99999999999999999999"] {
            assert!(Number::parse_count(text).is_err(), "{text}");
        }
    }

    #[test]
    fn bits_of_scalars() {
        assert_eq!(Number::Whole(-1).bits(Num::I32), Ok(0xffff_ffff));
        assert_eq!(Number::Whole(1).bits(Num::F32), Ok(u64::from(1f32.to_bits())));
        assert_eq!(Number::Real(1.0).bits(Num::F16), Ok(0x3c00));
        assert_eq!(Number::Whole(-1).bits(Num::U32).unwrap_err(), "-1 does not fit in u32");
        assert_eq!(Number::Real(0.5).bits(Num::U32).unwrap_err(), "0.5 is not whole, as u32 needs");
        assert!(Number::Real(1e9).bits(Num::F16).is_err());
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "[-0-9a-zA-Z.\u{fc}]{0,20}") {
            let _ = Number::parse(&text);
            let _ = Number::parse_count(&text);
        }
    }
}
