//! The bundled font: charts are measured and rendered without asking the system for one.

use std::sync::OnceLock;

use plotters::style::{FontStyle, IntoFont, register_font};

/// DejaVu Sans, free to embed and to pass on: `data/fonts/DejaVu-LICENSE.txt`.
static SANS: &[u8] = include_bytes!("../../../data/fonts/DejaVuSans.ttf");

/// The family under which it is registered. An SVG viewer takes its own font of this family; DejaVu is
/// wider than the usual ones, so text that fits here fits there.
pub(super) const FAMILY: &str = "sans-serif";

/// Registers the font, once per process.
pub(super) fn register() -> Result<(), String> {
    static REGISTERED: OnceLock<bool> = OnceLock::new();
    let registered = REGISTERED.get_or_init(|| register_font(FAMILY, FontStyle::Normal, SANS).is_ok());
    if *registered { Ok(()) } else { Err("the bundled font can't be read".to_owned()) }
}

/// Width of a text in pixels.
pub(super) fn width(text: &str, size: f64) -> f64 {
    let estimate = register().ok().and_then(|()| (FAMILY, size).into_font().box_size(text).ok());
    // without a font nothing is drawn either; the guess only keeps the layout defined
    estimate.map_or(text.chars().count() as f64 * size * 0.6, |(width, _)| f64::from(width))
}

/// A text cut with an ellipsis where it is wider than allowed.
pub(super) fn shortened(text: &str, size: f64, allowed: f64) -> String {
    if width(text, size) <= allowed {
        return text.to_owned();
    }
    let mut kept: Vec<char> = text.chars().collect();
    while kept.pop().is_some() {
        let cut: String = kept.iter().collect::<String>().trim_end().to_owned() + "…";
        if width(&cut, size) <= allowed {
            return cut;
        }
    }
    String::new()
}

/// A text broken between words into lines of a width.
pub(super) fn wrapped(text: &str, size: f64, allowed: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}"), size) <= allowed => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(shortened(word, size, allowed)),
        }
    }
    lines
}

/// The same in so many lines at most, the last of them cut with an ellipsis where more would follow.
pub(super) fn wrapped_within(text: &str, size: f64, allowed: f64, most: usize) -> Vec<String> {
    let mut lines = wrapped(text, size, allowed);
    if lines.len() > most {
        let rest = lines.split_off(most - 1).join(" ");
        lines.push(shortened(&rest, size, allowed));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_to_fit() {
        let cut = shortened("NVIDIA GeForce RTX 4090 Laptop GPU", 18.0, 120.0);
        assert!(cut.ends_with('…') && width(&cut, 18.0) <= 120.0, "{cut}");
        assert_eq!(shortened("short", 18.0, 120.0), "short");
        assert_eq!(shortened("anything", 18.0, 1.0), "");
    }

    #[test]
    fn the_last_line_allowed_is_cut() {
        let text = "one two three four five six seven";
        let lines = wrapped_within(text, 18.0, 120.0, 2);
        assert!(lines.len() == 2 && lines[1].ends_with('…'), "{lines:?}");
        assert!(lines.iter().all(|line| width(line, 18.0) <= 120.0), "{lines:?}");
        assert_eq!(wrapped_within(text, 18.0, 120.0, 9), wrapped(text, 18.0, 120.0));
    }

    #[test]
    fn wrapping_keeps_every_word() {
        let lines = wrapped("one two three four five six seven", 18.0, 120.0);
        assert!(lines.len() > 1);
        assert_eq!(lines.join(" "), "one two three four five six seven");
    }
}
