//! Lines of the shader with markers under them, as compilers print them.

use std::fmt::Write;

use super::input::Source;

/// Characters shown of a line; of a longer one, a window.
const WINDOW: usize = 100;
/// Characters shown before the first marker of a long line.
const BEFORE: usize = 40;
/// Spaces shown for a tab.
const TAB: usize = 4;

/// A marker: column in bytes from 1, length in bytes, and what stands beside it.
pub(super) type Marker = (u32, usize, String);

/// A line of the shader and its markers, one below the other.
pub(super) fn lines(source: &Source, line: u32, markers: &[Marker]) -> String {
    let mut text = String::new();
    let gutter = gutter(line);
    // writing to a string can't fail
    let _ = writeln!(text, "{:gutter$} |", "");
    push(&mut text, source, line, markers, gutter);
    text
}

/// Several lines in one block, in the order given.
pub(super) fn block(source: &Source, list: &[(u32, Vec<Marker>)]) -> String {
    let mut text = String::new();
    let gutter = list.iter().map(|(line, _)| gutter(*line)).max().unwrap_or(2);
    let mut last = None;
    for (line, markers) in list {
        let separator = if last.is_some_and(|last| last + 1 < *line) { "..." } else { "" };
        if last.is_none() || !separator.is_empty() {
            let _ = writeln!(text, "{separator:>gutter$} |");
        }
        push(&mut text, source, *line, markers, gutter);
        last = Some(*line);
    }
    text
}

/// Width of a line number.
pub(super) fn gutter(line: u32) -> usize {
    line.to_string().len().max(2) + 1
}

fn push(text: &mut String, source: &Source, line: u32, markers: &[Marker], gutter: usize) {
    let code = source.line(line);
    let first = markers.first().map_or(0, |(column, _, _)| shown(before(code, *column)).chars().count());
    let code_shown = shown(code);
    let length = code_shown.chars().count();
    let start = if length > WINDOW { first.saturating_sub(BEFORE) } else { 0 };
    let window: String = code_shown.chars().skip(start).take(WINDOW).collect();
    let (head, tail) = (if start > 0 { "…" } else { "" }, if start + WINDOW < length { "…" } else { "" });
    let _ = writeln!(text, "{line:>gutter$} | {head}{}{tail}", window.trim_end());
    let shift = head.chars().count();
    let visible = window.trim_end().chars().count();
    for (column, bytes, label) in markers {
        let from = shown(before(code, *column)).chars().count().saturating_sub(start).min(visible);
        let marked = code.get(column.saturating_sub(1) as usize..).unwrap_or("");
        let marked = marked.get(..(*bytes).min(marked.len())).unwrap_or(marked);
        let width = shown(marked).chars().count().min(visible.saturating_sub(from)).max(1);
        let space = if label.is_empty() { "" } else { " " };
        let _ =
            writeln!(text, "{:gutter$} | {:2$}{3}{space}{label}", "", "", from + shift, "^".repeat(width));
    }
}

/// What stands before a column.
fn before(code: &str, column: u32) -> &str {
    code.get(..column.saturating_sub(1) as usize).unwrap_or(code)
}

/// Code with tabs as spaces and nothing that a terminal would act on.
fn shown(code: &str) -> String {
    let mut text = String::with_capacity(code.len());
    for c in code.chars() {
        match c {
            '\t' => text.push_str(&" ".repeat(TAB)),
            c if c.is_control() => text.push('\u{fffd}'),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source::new("a.wgsl", text.as_bytes()).unwrap()
    }

    #[test]
    fn markers_stand_under_what_they_mark() {
        let source = source("fn f() {\n\tdst[ü] = src[i]; // é\u{1b}\n}");
        let markers = [(2, 7, "store".to_owned()), (12, 6, "load".to_owned())];
        insta::assert_snapshot!(lines(&source, 2, &markers), @r"
           |
         2 |     dst[ü] = src[i]; // é�
           |     ^^^^^^ store
           |              ^^^^^^ load
        ");
    }

    #[test]
    fn long_lines_are_shown_around_the_first_marker() {
        let source = source(&format!("{}dst[i] = 1;{}", "x ".repeat(5000), " y".repeat(5000)));
        let text = lines(&source, 1, &[(10_001, 6, "store".to_owned())]);
        assert!(text.lines().all(|line| line.chars().count() < 120), "{text}");
        let rows: Vec<&str> = text.lines().collect();
        let column = rows[2].chars().position(|c| c == '^').unwrap();
        assert_eq!(rows[1].chars().skip(column).take(6).collect::<String>(), "dst[i]");
    }

    #[test]
    fn places_outside_of_the_text_are_harmless() {
        let source = source("a\nü\n");
        for (line, column, bytes) in
            [(0, 0, 0), (9, 9, 9), (2, 2, 1), (1, 1, usize::MAX), (u32::MAX, u32::MAX, 3)]
        {
            let text = lines(&source, line, &[(column, bytes, String::new())]);
            assert!(text.contains('^'), "{text}");
        }
    }
}
