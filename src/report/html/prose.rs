//! Sentences whose figures lead to the rows that they come from.

use crate::report::advice::{Advice, Figure, Headline};
use crate::report::findings::Finding;
use crate::report::text::printable;

use super::anchors::Anchors;

/// A part of a sentence.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub text: String,
    /// Where it leads.
    pub anchor: Option<String>,
}

/// A sentence with what stands around it.
pub(super) struct Remark {
    /// What it is about; empty for a headline.
    pub heading: String,
    /// A word on how it turned out, and the class that it is shown in.
    pub verdict: Option<&'static str>,
    pub pieces: Vec<Piece>,
    /// The cases that it rests on: id and anchor.
    pub cases: Vec<(String, String)>,
}

/// The anchors of one run.
pub(super) struct Place<'a> {
    pub anchors: &'a Anchors,
    pub run: usize,
}

impl Place<'_> {
    pub(super) fn headline(&self, headline: &Headline) -> Remark {
        Remark {
            heading: String::new(),
            verdict: None,
            pieces: self.pieces(&headline.text, &headline.figures),
            cases: Vec::new(),
        }
    }

    pub(super) fn advice(&self, advice: &Advice) -> Remark {
        Remark {
            heading: advice.fix.title().to_owned(),
            verdict: Some(advice.verdict.name()),
            pieces: self.pieces(&advice.text, &advice.figures),
            cases: self.cases(&advice.cases),
        }
    }

    pub(super) fn finding(&self, finding: &Finding) -> Remark {
        Remark {
            heading: format!("{}: {}", finding.what, printable(&finding.value)),
            verdict: finding.confidence.map(|confidence| confidence.name()),
            pieces: self.pieces(&finding.evidence, &[]),
            cases: self.cases(&finding.cases),
        }
    }

    fn anchor(&self, case: &str) -> Option<String> {
        self.anchors.of(self.run, case).map(str::to_owned)
    }

    fn cases(&self, cases: &[String]) -> Vec<(String, String)> {
        cases.iter().filter_map(|case| Some((printable(case), self.anchor(case)?))).collect()
    }

    fn pieces(&self, text: &str, figures: &[Figure]) -> Vec<Piece> {
        let links = figures.iter().filter_map(|figure| {
            Some((figure.shown.as_str(), figure.cases.iter().find_map(|case| self.anchor(case))?))
        });
        split(&printable(text), links)
    }
}

/// A text cut at the words that lead somewhere, each found after the one before.
fn split<'a>(text: &str, links: impl Iterator<Item = (&'a str, String)>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    for (words, anchor) in links {
        let Some(at) = position(rest, words) else { continue };
        let (before, after) = rest.split_at(at);
        pieces.push(Piece { text: before.to_owned(), anchor: None });
        pieces.push(Piece { text: words.to_owned(), anchor: Some(anchor) });
        rest = &after[words.len()..];
    }
    pieces.push(Piece { text: rest.to_owned(), anchor: None });
    pieces.retain(|piece| !piece.text.is_empty());
    pieces
}

/// Where words stand in a text; a figure inside a longer number is another figure.
fn position(text: &str, words: &str) -> Option<usize> {
    if words.is_empty() {
        return None;
    }
    text.match_indices(words)
        .map(|(at, _)| at)
        .find(|at| !text[..*at].ends_with(|before: char| before.is_ascii_digit() || before == '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, links: &[&str]) -> Vec<(String, bool)> {
        let links = links.iter().map(|words| (*words, "d0/case".to_owned()));
        split(text, links).into_iter().map(|piece| (piece.text, piece.anchor.is_some())).collect()
    }

    #[test]
    fn figures_become_links_in_their_order() {
        let pieces = shown("it costs 3.9× to 13.9×, or 3.9×", &["3.9×", "3.9×"]);
        let linked: Vec<usize> =
            pieces.iter().enumerate().filter(|(_, piece)| piece.1).map(|(at, _)| at).collect();
        assert_eq!(linked, [1, 3]);
        assert_eq!(pieces[2].0, " to 13.9×, or ");
        assert_eq!(
            pieces.iter().map(|piece| piece.0.as_str()).collect::<String>(),
            "it costs 3.9× to 13.9×, or 3.9×"
        );
    }

    #[test]
    fn words_that_are_not_in_the_text_link_nothing() {
        assert_eq!(shown("no figure", &["3.9×", ""]), [("no figure".to_owned(), false)]);
        assert_eq!(shown("", &["3.9×"]), []);
    }
}
