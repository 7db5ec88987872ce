//! Sizes and figures as people write and read them; storage keeps base units.
//!
//! Nothing here asks for the locale: the decimal point is always `.`, so that a figure on the screen can
//! be searched for in a file.

use std::fmt::Display;

/// Why a text is no size or duration; the message says what would be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnitError {
    /// Nothing was given.
    #[error("an empty text is no {what}; write {example}")]
    Empty {
        /// `size` or `duration`.
        what: &'static str,
        /// A text that would do.
        example: &'static str,
    },
    /// There is no number in front.
    #[error("`{text}` is no {what}: a number is expected, as in {example}")]
    NotANumber {
        /// What was given.
        text: String,
        /// `size` or `duration`.
        what: &'static str,
        /// A text that would do.
        example: &'static str,
    },
    /// The number is zero.
    #[error("`{text}` is zero; a {what} must be more, as in {example}")]
    Zero {
        /// What was given.
        text: String,
        /// `size` or `duration`.
        what: &'static str,
        /// A text that would do.
        example: &'static str,
    },
    /// The number is below zero.
    #[error("`{text}` is negative; a {what} must be more than zero, as in {example}")]
    Negative {
        /// What was given.
        text: String,
        /// `size` or `duration`.
        what: &'static str,
        /// A text that would do.
        example: &'static str,
    },
    /// The unit is not known.
    #[error("`{text}`: `{unit}` is no unit of a {what}; use {units}")]
    Unit {
        /// What was given.
        text: String,
        /// The part that is not understood.
        unit: String,
        /// `size` or `duration`.
        what: &'static str,
        /// The units there are.
        units: &'static str,
    },
    /// The number has more bytes than 64 bits count, or is no whole number of bytes.
    #[error("`{text}` is {fault}; write {example}")]
    Range {
        /// What was given.
        text: String,
        /// What is wrong.
        fault: &'static str,
        /// A text that would do.
        example: &'static str,
    },
}

const SIZE_UNITS: [(&str, u64); 9] = [
    ("", 1),
    ("B", 1),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("KB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
];

/// Reads a size in bytes: `512`, `4KiB`, `64 MiB`, `1.5GiB`, `1GB`; units in any case.
///
/// # Errors
/// When it is empty, no number, zero, negative, in an unknown unit, over 64 bits or no whole number of
/// bytes.
pub fn parse_size(text: &str) -> Result<u64, UnitError> {
    let (what, example) = ("size", "64MiB or 1GiB");
    let (number, unit) = split(text, what, example)?;
    let Some((_, scale)) = SIZE_UNITS.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit)) else {
        return Err(UnitError::Unit {
            text: text.to_owned(),
            unit: unit.to_owned(),
            what,
            units: "B, KiB, MiB, GiB, TiB, KB, MB or GB",
        });
    };
    let range = |fault| UnitError::Range { text: text.to_owned(), fault, example };
    if let Ok(whole) = number.parse::<u64>() {
        return whole.checked_mul(*scale).ok_or(range("more bytes than 64 bits count"));
    }
    let bytes = parse_number(text, number, what, example)? * *scale as f64;
    if bytes >= u64::MAX as f64 {
        Err(range("more bytes than 64 bits count"))
    } else if bytes.fract() != 0.0 {
        Err(range("no whole number of bytes"))
    } else {
        Ok(bytes as u64)
    }
}

/// Reads a duration in seconds: `2`, `0.5`, `90s`, `250ms`, `2min`.
///
/// # Errors
/// When it is empty, no number, zero, negative or in an unknown unit.
pub fn parse_seconds(text: &str) -> Result<f64, UnitError> {
    let (what, example) = ("duration", "30 or 0.5 (seconds), 250ms or 2min");
    let (number, unit) = split(text, what, example)?;
    let scale = match unit {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "min" => 60.0,
        "h" => 3600.0,
        _ => {
            return Err(UnitError::Unit {
                text: text.to_owned(),
                unit: unit.to_owned(),
                what,
                units: "s, ms, min or h",
            });
        }
    };
    Ok(parse_number(text, number, what, example)? * scale)
}

/// Splits into the number and the unit, and refuses what has no positive number in front.
fn split<'t>(
    text: &'t str,
    what: &'static str,
    example: &'static str,
) -> Result<(&'t str, &'t str), UnitError> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(UnitError::Empty { what, example });
    }
    let owned = || text.to_owned();
    let unsigned = trimmed.strip_prefix('+').unwrap_or(trimmed);
    if let Some(rest) = unsigned.strip_prefix('-')
        && rest.starts_with(|c: char| c.is_ascii_digit() || c == '.')
    {
        return Err(UnitError::Negative { text: owned(), what, example });
    }
    let end = unsigned.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(unsigned.len());
    let (number, unit) = unsigned.split_at(end);
    let digits = number.bytes().filter(u8::is_ascii_digit);
    if digits.clone().count() == 0 || number.matches('.').count() > 1 || unit.starts_with(',') {
        return Err(UnitError::NotANumber { text: owned(), what, example });
    }
    if digits.clone().all(|digit| digit == b'0') {
        return Err(UnitError::Zero { text: owned(), what, example });
    }
    Ok((number, unit.trim()))
}

fn parse_number(
    text: &str,
    number: &str,
    what: &'static str,
    example: &'static str,
) -> Result<f64, UnitError> {
    let not_a_number = || UnitError::NotANumber { text: text.to_owned(), what, example };
    number.parse::<f64>().ok().filter(|value| value.is_finite()).ok_or_else(not_a_number)
}

/// What stands where a figure is absent.
pub const ABSENT: &str = "–";

/// The text of a figure that may be absent, or a dash.
pub fn or_absent<T: Display>(figure: Option<T>) -> String {
    figure.map_or_else(|| ABSENT.to_owned(), |figure| figure.to_string())
}

/// Bytes in the largest binary unit that leaves at least one: `64 MiB`, `1.5 KiB`, `12 B`.
pub fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let index = (bytes.max(1).ilog2() / 10).min(4) as usize;
    let scaled = bytes as f64 / (1_u64 << (10 * index)) as f64;
    if scaled.fract() == 0.0 {
        format!("{scaled:.0} {}", UNITS[index])
    } else {
        format!("{} {}", significant(scaled, 3), UNITS[index])
    }
}

/// Nanoseconds in ns, µs, ms or s, three significant digits.
pub fn nanoseconds(ns: f64) -> String {
    let magnitude = ns.abs();
    // The steps lie where three digits would round up to the next unit.
    let (scale, unit) = if magnitude < 999.5 {
        (1.0, "ns")
    } else if magnitude < 999.5e3 {
        (1e3, "µs")
    } else if magnitude < 999.5e6 {
        (1e6, "ms")
    } else {
        (1e9, "s")
    };
    format!("{} {unit}", significant(ns / scale, 3))
}

/// A bandwidth in 10⁹ bytes a second, three significant digits: `43.1 GB/s`.
pub fn gb_per_s(figure: f64) -> String {
    format!("{} GB/s", significant(figure, 3))
}

/// A ratio with its sign of multiplication: `1.05×`.
pub fn ratio(figure: f64) -> String {
    if figure.abs() < 10.0 { format!("{figure:.2}×") } else { format!("{}×", significant(figure, 3)) }
}

/// A fraction in percent: `83 %`, `4.2 %`.
pub fn percent(fraction: f64) -> String {
    let figure = fraction * 100.0;
    if figure.abs() < 9.95 { format!("{figure:.1} %") } else { format!("{figure:.0} %") }
}

/// A number with that many significant digits, never in exponent form; what is not finite is a dash.
pub fn significant(figure: f64, digits: usize) -> String {
    if !figure.is_finite() {
        return ABSENT.to_owned();
    }
    if figure == 0.0 {
        return "0".to_owned();
    }
    // Rounding may carry into another digit (9.999 → 10.0), so the magnitude is taken after it.
    let rounded = format!("{:.*e}", digits.saturating_sub(1), figure);
    let exponent = rounded.split_once('e').and_then(|(_, e)| e.parse::<i64>().ok()).unwrap_or(0);
    let decimals = (digits as i64 - 1 - exponent).max(0) as usize;
    format!("{figure:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_people_write() {
        for (text, bytes) in [
            ("512", 512),
            ("4KiB", 4096),
            ("64MiB", 64 << 20),
            (" 64 mib ", 64 << 20),
            ("1.5GiB", 3 << 29),
            ("100GiB", 100 << 30),
            ("1GB", 1_000_000_000),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse_size(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn what_is_no_size_is_told_apart() {
        let texts =
            ["", "zero", "0", "0.0GiB", "-4KiB", "1e6", "64MeB", "1,5GiB", "1.2.3", "0.3", "99999999TiB"];
        let messages: Vec<String> =
            texts.iter().map(|text| parse_size(text).unwrap_err().to_string()).collect();
        insta::assert_snapshot!(messages.join("\n"));
    }

    #[test]
    fn durations() {
        assert_eq!(parse_seconds("2"), Ok(2.0));
        assert_eq!(parse_seconds("0.5s"), Ok(0.5));
        assert_eq!(parse_seconds("250ms"), Ok(0.25));
        assert_eq!(parse_seconds("2min"), Ok(120.0));
        for text in ["0", "-1", "soon", "1d", "inf", "NaN"] {
            assert!(parse_seconds(text).is_err(), "{text}");
        }
    }

    #[test]
    fn figures() {
        assert_eq!(bytes(0), "0 B");
        assert_eq!(bytes(12), "12 B");
        assert_eq!(bytes(64 << 20), "64 MiB");
        assert_eq!(bytes(1536), "1.50 KiB");
        assert_eq!(bytes(u64::MAX), "16777216 TiB");
        assert_eq!(nanoseconds(1.0), "1.00 ns");
        assert_eq!(nanoseconds(999.7), "1.00 µs");
        assert_eq!(nanoseconds(1_234_567.0), "1.23 ms");
        assert_eq!(gb_per_s(43.05), "43.0 GB/s");
        assert_eq!(gb_per_s(1555.2), "1555 GB/s");
        assert_eq!(ratio(1.048), "1.05×");
        assert_eq!(percent(0.8312), "83 %");
        assert_eq!(percent(0.042), "4.2 %");
        assert_eq!(significant(9.999, 3), "10.0");
        assert_eq!(significant(f64::NAN, 3), ABSENT);
        assert_eq!(or_absent(Some(3)), "3");
        assert_eq!(or_absent::<u8>(None), ABSENT);
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in ".{0,12}") {
            let _ = parse_size(&text);
            let _ = parse_seconds(&text);
        }

        #[test]
        fn what_is_formatted_reads_back_within_a_percent(size in 1_u64..1 << 50) {
            if let Ok(read) = parse_size(&bytes(size)) {
                proptest::prop_assert!((read as f64 / size as f64 - 1.0).abs() < 0.01);
            }
        }

        #[test]
        fn no_figure_has_a_comma_or_exponent(figure in -1e12_f64..1e12) {
            let text = significant(figure, 3);
            proptest::prop_assert!(!text.contains([',', 'e']), "{}", text);
        }
    }
}
