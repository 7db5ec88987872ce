//! After how many reads a repack has paid for itself.
//!
//! With *b* the time of a read of the layout as it is, *g* of the new one and *r* of the repack, all of the
//! same amount of data, it is r / (b − g). The interval follows from those of the three
//! ([`crate::stats::Estimate`]). The repack, the read before and the read after were measured on buffers of
//! different sizes: their times are taken per byte, which holds for data beyond the caches, and those that a
//! cache served are not used.

use crate::report::Run;
use crate::stats::Estimate;
use crate::units;

use super::line::{Advice, Figure, doubts};
use super::pair::{About, Pair, TOO_FEW, cost};
use super::{Fix, Verdict, layout};

/// A change of layout and the reads that it is for.
struct Plan {
    what: String,
    /// The repack.
    change: String,
    /// A read of the layout as it is.
    before: String,
    /// The same read of the new layout.
    after: String,
    /// Bytes that the repack moves for each byte that the read wants.
    moved_per_useful: f64,
}

fn plans() -> Vec<Plan> {
    let mut plans = Vec::new();
    for record in [16, 64] {
        for (touched, count) in [("1", 1), ("2", 2), ("all", record / 4)] {
            plans.push(Plan {
                what: format!("AoS of {record} B to SoA, {} read", layout::fields(touched)),
                change: format!("repack/change=aos{record}_to_soa/type=u32"),
                before: layout::case("read", "aos", record, touched),
                after: layout::case("read", "soa", record, touched),
                moved_per_useful: (record / 4) as f64 / count as f64,
            });
        }
    }
    let row = |align: u64| format!("pitch/op=read/type=u32/row_bytes=3412/align_bytes={align}");
    plans.push(Plan {
        what: "tight rows to padded ones".to_owned(),
        change: "repack/change=pad_rows/type=u32".to_owned(),
        before: row(1),
        after: row(128),
        moved_per_useful: 1.0,
    });
    let walk = |walk: &str| format!("traversal/op=read/type=u32/walk={walk}/row_elements=4096");
    plans.push(Plan {
        what: "a transposed copy for a walk down columns".to_owned(),
        change: "repack/change=transpose/type=u32".to_owned(),
        before: walk("lanes_along_column"),
        after: walk("lanes_along_row"),
        moved_per_useful: 1.0,
    });
    plans
}

/// When each repack of the suite pays for itself.
pub(super) fn repack(run: &Run) -> Option<Advice> {
    let mut phrases = Vec::new();
    let mut figures = Vec::new();
    let mut doubtful: Vec<(String, &'static str)> = Vec::new();
    for plan in plans() {
        let (Some(pair), Some(price)) =
            (Pair::of(run, &plan.before, &plan.after, About::Memory), cost(run, &plan.change))
        else {
            continue;
        };
        // Bytes read and bytes written both count as useful in a repack.
        let price = price.per_byte.map(|price| price.scaled(2.0 * plan.moved_per_useful));
        let answer = answer(&pair, price);
        let mut cases = vec![plan.change];
        cases.extend(pair.cases());
        figures.push(Figure {
            what: plan.what.clone(),
            shown: answer.reads().map(|reads| in_words(reads.value)).unwrap_or_default(),
            verdict: answer.verdict(),
            value: answer.reads().map(|reads| reads.value),
            low: answer.reads().map(|reads| reads.low),
            high: answer.reads().map(|reads| reads.high).filter(|high| high.is_finite()),
            unit: "reads",
            cases,
        });
        match answer {
            Answer::Unknown(reason) => doubtful.push((plan.what, reason)),
            Answer::Never => phrases.push(format!("{}: never, its reads do not gain", plan.what)),
            Answer::After(reads) => phrases.push(format!("{}: after {}", plan.what, range(reads))),
        }
    }
    if figures.is_empty() {
        return None;
    }
    let doubtful: Vec<(&str, &'static str)> =
        doubtful.iter().map(|(what, reason)| (what.as_str(), *reason)).collect();
    phrases.extend(doubts(&doubtful, figures.len()));
    let text = format!("reads until a repack on the device has paid for itself: {}", phrases.join("; "));
    Some(Advice::new("repack", Fix::Repack, text, figures))
}

/// When a repack has paid for itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Answer {
    /// After so many reads; the upper end is infinite where the gain may be next to nothing.
    After(Estimate),
    /// The reads lose, or nothing can be told between them.
    Never,
    /// The measurement can't say.
    Unknown(&'static str),
}

impl Answer {
    fn verdict(self) -> Verdict {
        match self {
            Answer::After(_) => Verdict::Do,
            Answer::Never => Verdict::Dont,
            Answer::Unknown(_) => Verdict::CantTell,
        }
    }

    fn reads(self) -> Option<Estimate> {
        match self {
            Answer::After(reads) => Some(reads),
            Answer::Never | Answer::Unknown(_) => None,
        }
    }
}

fn answer(pair: &Pair<'_>, price: Option<Estimate>) -> Answer {
    if let Some(reason) = pair.doubt {
        return Answer::Unknown(reason);
    }
    let (Some(before), Some(after), Some(price)) = (pair.before.per_byte, pair.after.per_byte, price) else {
        return Answer::Unknown(TOO_FEW);
    };
    match pair.verdict {
        Verdict::Do => reads(price, before, after),
        Verdict::NoDifference | Verdict::CantTell => {
            Answer::Unknown("no measurable difference between the reads")
        }
        Verdict::Dont => Answer::Never,
    }
}

/// Reads until the price is saved.
pub(super) fn reads(price: Estimate, before: Estimate, after: Estimate) -> Answer {
    let saved = before.minus(after);
    if saved.high <= 0.0 {
        return Answer::Never;
    }
    if saved.value <= 0.0 {
        return Answer::Unknown("no measurable difference between the reads");
    }
    if let Some(reads) = price.over(saved) {
        return Answer::After(reads);
    }
    // The saving may be nothing: only the lower end is known, by the largest saving and the smallest price.
    let low = price.low / saved.high;
    Answer::After(Estimate { value: price.value / saved.value, low, high: f64::INFINITY })
}

fn in_words(reads: f64) -> String {
    format!("{} reads", units::significant(reads, 2))
}

fn range(reads: Estimate) -> String {
    let figure = |reads: f64| units::significant(reads, 2);
    let interval = if reads.high.is_finite() {
        format!("{}–{}", figure(reads.low), figure(reads.high))
    } else {
        format!("{} or more", figure(reads.low))
    };
    format!("{} ({interval})", in_words(reads.value))
}
