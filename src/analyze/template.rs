//! Finds the lines of a file that a preprocessor or template engine still has to replace.
//!
//! Shaders are often kept in a form that is no WGSL yet. naga's message on those (`expected global item,
//! found "#"`) is true and helps nobody, so the marks of such forms are looked for when parsing failed.
//! Only what can't be WGSL outside of a comment counts.

/// A line that is no WGSL yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Template {
    /// From 1.
    pub(super) line: u32,
    /// From 1, in bytes.
    pub(super) column: u32,
    /// What stands there, in words.
    pub(super) what: String,
}

/// The first mark of a template outside of comments.
pub(super) fn find(text: &str) -> Option<Template> {
    let mut depth = 0; // of block comments, which WGSL nests
    for (index, line) in text.split('\n').enumerate() {
        if let Some((column, what)) = in_line(line, &mut depth) {
            return Some(Template { line: index as u32 + 1, column: column as u32 + 1, what });
        }
    }
    None
}

fn in_line(line: &str, depth: &mut u32) -> Option<(usize, String)> {
    let mut at = 0;
    while at < line.len() {
        let rest = &line.as_bytes()[at..];
        if rest.starts_with(b"/*") {
            *depth += 1;
            at += 2;
        } else if *depth > 0 {
            if rest.starts_with(b"*/") {
                *depth -= 1;
                at += 1;
            }
            at += 1;
        } else if rest.starts_with(b"//") {
            return None;
        } else if let Some(what) = mark(line, at) {
            return Some((at, what));
        } else {
            at += 1;
        }
    }
    None
}

/// What kind of template mark starts at a byte of a line, if one does.
fn mark(line: &str, at: usize) -> Option<String> {
    let rest = line.get(at..)?;
    let word = || {
        let name = rest[1..].find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len() - 1);
        &rest[..=name]
    };
    if rest.starts_with("#{") {
        Some("a shader definition (`#{…}`, as Bevy's naga_oil replaces it)".to_owned())
    } else if rest.starts_with('#') {
        let tool = if rest.contains("import") { ", as Bevy's naga_oil replaces it" } else { "" };
        Some(format!("a preprocessor directive (`{}`{tool})", word()))
    } else if rest.starts_with('$') {
        Some("a template placeholder (`$…`)".to_owned())
    } else if rest.starts_with("{%") || rest.starts_with("<%") {
        Some(format!("a template tag (`{}`)", &rest[..2]))
    } else if let Some(inner) = rest.strip_prefix("{{") {
        let inner = &inner[..inner.find("}}")?];
        let is_code = inner.trim().is_empty() || inner.contains([';', '{', '}']);
        (!is_code).then(|| format!("a template placeholder (`{{{{{inner}}}}}`)"))
    } else if line[..at].trim().is_empty() && rest.starts_with("import ") {
        Some("an import (WESL, or another extension of WGSL)".to_owned())
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Option<(u32, u32)> {
        find(text).map(|found| (found.line, found.column))
    }

    #[test]
    fn marks_of_templates_are_found() {
        assert_eq!(at("// a\n  #import bevy_pbr::mesh\n"), Some((2, 3)));
        assert_eq!(at("const N = {{ size }}u;"), Some((1, 11)));
        assert_eq!(at("@group(#{GROUP}) @binding(0)"), Some((1, 8)));
        assert_eq!(at("const N = ${n};"), Some((1, 11)));
        assert_eq!(at("\n{% if x %}"), Some((2, 1)));
        assert_eq!(at("const N = <%= n %>;"), Some((1, 11)));
        assert_eq!(at("import a::b;"), Some((1, 1)));
        assert!(find("#define_import_path x").unwrap().what.contains("`#define_import_path`"));
        assert!(find("ü#").unwrap().what.contains("`#`"));
    }

    #[test]
    fn wgsl_and_comments_are_not_templates() {
        for text in [
            "fn f() {{ }}",
            "fn f() {{ g(); }}",
            "// #import a\nfn f() {}",
            "/* #if /* nested */ {{ x }} */ fn f() {}",
            "/*\n#define X\n*/",
            "fn important() { let import_count = 1; }",
        ] {
            assert_eq!(find(text), None, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "[#${}%<>/* \u{fc}a\n]{0,40}") {
            let _ = find(&text);
        }
    }
}
