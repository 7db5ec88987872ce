//! What a device is like, in a sentence or two: the figures that people remember and quote.
//!
//! A headline needs a memory-bound, uncached pair with an interval, as advice does. Where the run measured
//! the cases and none of its pairs supports one, a single line says so.

use serde::Serialize;

use crate::report::Run;
use crate::units;

use super::Verdict;
use super::layout;
use super::line::Figure;
use super::pair::{About, Pair, percent, ratio};

/// One line about a device.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Headline {
    /// The line.
    pub text: String,
    /// The figure in it.
    pub figures: Vec<Figure>,
}

/// A quotable pair of cases: the time of the first over that of the second.
struct Quote {
    first: String,
    second: String,
    /// Whether it is quoted in percent: the first is the ceiling of the second.
    fraction: bool,
    /// The line around the figure.
    before: &'static str,
    after: &'static str,
}

fn quotes() -> [Quote; 5] {
    let stride = |bytes: u64| format!("stride/op=read/type=u32/stride_bytes={bytes}");
    let walk = |walk: &str| format!("traversal/op=read/type=u32/walk={walk}/row_elements=4096");
    let transpose =
        |op: &str| format!("transpose/op={op}/type=u32/matrix=2048x2048/tile_elements=32/ballast_bytes=0");
    [
        Quote {
            first: stride(16),
            second: stride(4),
            fraction: false,
            before: "a 16-byte stride costs ",
            after: " here",
        },
        Quote {
            first: layout::case("read", "aos", 64, "1"),
            second: layout::case("read", "soa", 64, "1"),
            fraction: false,
            before: "AoS of 64 bytes with one field read costs ",
            after: " what SoA does",
        },
        Quote {
            first: walk("lanes_along_column"),
            second: walk("lanes_along_row"),
            fraction: false,
            before: "lanes down the columns of a row-major matrix cost ",
            after: " what lanes along its rows do",
        },
        Quote {
            first: "gather/type=u32/indices=permutation".to_owned(),
            second: "gather/type=u32/indices=sequential".to_owned(),
            fraction: false,
            before: "gathering words in random order costs ",
            after: " what it costs in sequence",
        },
        Quote {
            first: transpose("copy"),
            second: transpose("tile_padded"),
            fraction: true,
            before: "a padded tile transposes at ",
            after: " of the speed of a copy",
        },
    ]
}

/// The headlines of a run; empty where it measured none of their cases.
pub fn headlines(run: &Run) -> Vec<Headline> {
    let mut doubts = Vec::new();
    let mut headlines = Vec::new();
    for quote in quotes() {
        let Some(pair) = Pair::of(run, &quote.first, &quote.second, About::Memory) else { continue };
        match (pair.doubt, pair.gain) {
            (None, Some(_)) if pair.verdict == Verdict::CantTell => {
                doubts.push("the intervals are too wide; a larger --budget takes more samples");
            }
            (None, Some(_)) if pair.verdict != Verdict::Do && pair.is_faster_side_issue_bound() => {
                doubts.push("issue-bound: the time is that of the instructions");
            }
            (None, Some(gain)) => {
                let (figure, shown) = if quote.fraction {
                    (percent(gain), units::percent(gain.value))
                } else {
                    (ratio(gain), units::ratio(gain.value))
                };
                // The faster side would take less if it waited for memory alone.
                let bound = match (pair.is_faster_side_issue_bound(), quote.fraction) {
                    (false, _) => "",
                    (true, false) => "at least ",
                    (true, true) => "at most ",
                };
                headlines.push(Headline {
                    text: format!("{}{bound}{figure}{}", quote.before, quote.after),
                    figures: vec![Figure { shown, ..Figure::gain(quote.before.trim(), &pair) }],
                });
            }
            (doubt, _) => doubts.extend(doubt),
        }
    }
    if headlines.is_empty()
        && let Some(first) = doubts.first()
    {
        let text = format!("none of the usual figures of this run is fit to be quoted: {first}");
        headlines.push(Headline { text, figures: Vec::new() });
    }
    headlines
}
