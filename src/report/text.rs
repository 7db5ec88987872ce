//! Text that survives the formats it is put into. Figures are [`crate::units`]' matter.

/// Text that any XML reader takes: control characters, which XML forbids even when escaped, become a
/// replacement character.
pub fn printable(text: &str) -> String {
    text.chars()
        .map(|c| if c.is_control() || ('\u{fffe}'..='\u{ffff}').contains(&c) { '\u{fffd}' } else { c })
        .collect()
}

/// Text inside XML or HTML, in an element or an attribute between double quotes.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_is_harmless() {
        assert_eq!(escaped("<script>'\"&\u{1}"), "&lt;script&gt;'&quot;&amp;\u{fffd}");
    }
}
