//! Strides, widths and alignments: how much of what is fetched is used.

use crate::report::key::exact_bytes;
use crate::report::{CaseKey, Run};
use crate::stats::Estimate;

use super::line::{Advice, Figure, Question, doubts};
use super::pair::{About, Pair, judge, ratio};
use super::{Fix, Verdict};

/// A doubling of the stride costs something from this factor on. A memory-bound access costs 2.0 times as
/// much for each doubling below a sector, and what remains beyond it (rows of DRAM, address translation) is a
/// few percent a doubling.
const COSTS: f64 = 1.10;
/// A doubling whose interval ends below this factor costs nothing to speak of; one that is neither is not resolved.
const FREE: f64 = 1.25;
/// Why nothing is said of a doubling that is not resolved.
const TOO_WIDE: &str = "the interval is too wide";

/// Where another doubling of the stride stops costing.
pub(super) fn stride(run: &Run) -> Option<Advice> {
    let mut text = Vec::new();
    let mut figures = Vec::new();
    for (op, what) in [("read", "reads"), ("write", "writes")] {
        let doublings = doublings(run, op);
        if doublings.is_empty() {
            continue;
        }
        text.push(format!("{what} {}", stops(run, (op, what), &doublings)));
        figures.extend(doublings.iter().map(|doubling| doubling.figure(what)));
    }
    if figures.is_empty() {
        return None;
    }
    let text = format!("u32 lanes further apart, where a doubling stops costing: {}", text.join("; "));
    Some(Advice::new("stride", Fix::Stride, text, figures))
}

/// A stride and its double.
struct Doubling<'r> {
    from: u64,
    pair: Pair<'r>,
    /// Time at the double over time at the stride.
    cost: Option<Estimate>,
}

impl Doubling<'_> {
    fn costs(&self) -> bool {
        self.pair.doubt.is_none() && self.cost.is_some_and(|cost| cost.low > COSTS)
    }

    /// Why it can't be told whether it costs.
    fn doubt(&self) -> Option<&'static str> {
        let is_free = self.cost.is_some_and(|cost| cost.high < FREE);
        self.pair.doubt.or((!self.costs() && !is_free).then_some(TOO_WIDE))
    }

    fn figure(&self, what: &str) -> Figure {
        Figure {
            what: format!("{what}, {} to {}", exact_bytes(self.from), exact_bytes(2 * self.from)),
            shown: String::new(),
            // The fix is the smaller stride.
            verdict: match (self.pair.doubt, self.cost) {
                (None, Some(cost)) => judge(cost),
                _ => Verdict::CantTell,
            },
            value: self.cost.map(|cost| cost.value),
            low: self.cost.map(|cost| cost.low),
            high: self.cost.map(|cost| cost.high),
            unit: "×",
            cases: self.pair.cases(),
        }
    }
}

fn case(op: &str, stride: u64) -> String {
    format!("stride/op={op}/type=u32/stride_bytes={stride}")
}

/// The doublings whose ends were both measured, ascending.
fn doublings<'r>(run: &'r Run, op: &str) -> Vec<Doubling<'r>> {
    (2..17)
        .map(|power| 1_u64 << power)
        .filter_map(|from| {
            let pair = Pair::of(run, &case(op, 2 * from), &case(op, from), About::Memory)?;
            Some(Doubling { from, cost: pair.gain, pair })
        })
        .collect()
}

/// The answer for one operation: the first stride, after the first doubling that costs, whose double does not.
/// Doublings before that are hidden by instructions, not free.
fn stops(run: &Run, (op, what): (&str, &str), doublings: &[Doubling<'_>]) -> String {
    let known: Vec<&Doubling<'_>> = doublings.iter().filter(|doubling| doubling.doubt().is_none()).collect();
    let mut parts = Vec::new();
    let costing = known.iter().position(|doubling| doubling.costs());
    let free = costing.and_then(|at| Some(at + known[at..].iter().position(|doubling| !doubling.costs())?));
    match (known.last(), costing, free) {
        (None, ..) => {}
        (Some(last), None, _) => {
            parts.push(format!("no doubling up to {} costs", exact_bytes(2 * last.from)));
        }
        (Some(last), Some(_), None) => parts.push(format!("not up to {}", exact_bytes(2 * last.from))),
        (Some(_), Some(_), Some(free)) => {
            let at = known[free].from;
            let total = Pair::of(run, &case(op, at), &case(op, 4), About::Memory).and_then(|pair| pair.gain);
            let total = total.map_or_else(String::new, |gain| {
                format!(", where an element costs {} what it does side by side", ratio(gain))
            });
            parts.push(format!("at {}{total}", exact_bytes(at)));
            let again: Vec<String> = known[free..]
                .iter()
                .filter(|doubling| doubling.costs())
                .filter_map(|doubling| {
                    Some(format!("{} {}", exact_bytes(2 * doubling.from), ratio(doubling.cost?)))
                })
                .collect();
            if !again.is_empty() {
                parts.push(format!("it costs again at {}", again.join(", ")));
            }
        }
    }
    let labels: Vec<(String, &'static str)> = doublings
        .iter()
        .filter_map(|doubling| {
            Some((format!("{what} {} apart to their double", exact_bytes(doubling.from)), doubling.doubt()?))
        })
        .collect();
    let doubtful: Vec<(&str, &'static str)> =
        labels.iter().map(|(what, reason)| (what.as_str(), *reason)).collect();
    parts.extend(doubts(&doubtful, doublings.len()));
    parts.join("; ")
}

/// Loads and stores of 16 bytes instead of 4. Fewer instructions are the point, so that being issue-bound is
/// no objection.
pub(super) fn wide_loads(run: &Run) -> Option<Advice> {
    let mut question = Question::new(run, "wide_loads", Fix::WideLoads, About::Time);
    for (op, what) in [("read", "reads"), ("write", "writes"), ("copy", "copies")] {
        let id = |element: &str| format!("contiguous/op={op}/type={element}");
        question.compare(what, &id("u32"), &id("u32x4"));
    }
    question.line("16 bytes a lane instead of 4, over contiguous data", None)
}

/// Slices that start on a boundary instead of 4 bytes after it.
pub(super) fn slices(run: &Run) -> Option<Advice> {
    let mut question = Question::new(run, "slices", Fix::Alignment, About::Memory);
    for (op, what) in [("read", "reads"), ("write", "writes")] {
        for (length, words) in
            [("32B", "32 B"), ("128B", "128 B"), ("512B", "512 B"), ("endless", "any length")]
        {
            let id = |offset: u64| {
                format!("misalign/op={op}/type=u32/cause=slice/run={length}/offset_bytes={offset}")
            };
            question.compare(format!("{what} of runs of {words}"), &id(4), &id(0));
        }
    }
    question.line("slices that start on a boundary instead of 4 bytes after it", None)
}

/// Rows that are padded to the widest alignment that was measured.
pub(super) fn rows(run: &Run) -> Option<Advice> {
    let keys: Vec<CaseKey> = run.measured("pitch").into_iter().map(|(key, _)| key).collect();
    let mut question = Question::new(run, "rows", Fix::Alignment, About::Memory);
    for (op, what) in [("read", "reads"), ("write", "writes")] {
        let of_op = |key: &&CaseKey| key.value("op") == Some(op) && key.value("type") == Some("u32");
        let mut rows: Vec<u64> =
            keys.iter().filter(of_op).filter_map(|key| key.number("row_bytes")).collect();
        rows.sort_unstable();
        rows.dedup();
        for row in rows {
            let of_row = |key: &&CaseKey| key.number("row_bytes") == Some(row);
            let widest =
                keys.iter().filter(of_op).filter(of_row).filter_map(|key| key.number("align_bytes")).max();
            let Some(align) = widest.filter(|align| *align > 1) else { continue };
            let id = |align: u64| format!("pitch/op={op}/type=u32/row_bytes={row}/align_bytes={align}");
            question.compare(format!("{what} of {row} B padded to {align}"), &id(1), &id(align));
        }
    }
    question.line("rows padded to a boundary instead of packed", None)
}
