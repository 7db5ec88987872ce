//! Matrices: which index runs along the lanes, and whether a tile in workgroup memory is worth its barrier.

use crate::report::Run;
use crate::units;

use super::line::{Advice, Question};
use super::pair::{About, Pair, cost, percent};
use super::{Fix, Verdict};

/// A fraction of the roof from which a traversal leaves little to gain.
const NEAR_THE_ROOF: f64 = 0.9;

/// Lanes along a row instead of along a column.
pub(super) fn traversal(run: &Run) -> Option<Advice> {
    let mut question = Question::new(run, "traversal", Fix::Traversal, About::Memory);
    for (op, what) in [("read", "reads"), ("write", "writes")] {
        for columns in [64, 1024, 4096] {
            let id = |walk: &str| format!("traversal/op={op}/type=u32/walk={walk}/row_elements={columns}");
            let what = format!("{what} of rows of {columns}");
            question.compare(what, &id("lanes_along_column"), &id("lanes_along_row"));
        }
    }
    let conclusion = enough(question.pairs());
    question.line("lanes along a row instead of along a column", conclusion)
}

/// Whether the traversals that gain leave anything to gain.
fn enough(pairs: &[(String, Pair<'_>)]) -> Option<String> {
    let reached = pairs
        .iter()
        .filter(|(_, pair)| pair.verdict == Verdict::Do)
        .filter_map(|(_, pair)| pair.after.row.roof_fraction)
        .min_by(f64::total_cmp)?;
    let reached_text = units::percent(reached);
    Some(if reached >= NEAR_THE_ROOF {
        format!("Changing the traversal is enough: at least {reached_text} of the roof")
    } else {
        format!("Changing the traversal is not all there is to gain: {reached_text} of the roof at the least")
    })
}

/// Who sums what: a lane its row, a lane its column, or a workgroup its row.
pub(super) fn sums(run: &Run) -> Option<Advice> {
    let id = |walk: &str| format!("traversal/op=read/type=u32/walk={walk}/row_elements=4096");
    let mut question = Question::new(run, "sums", Fix::Traversal, About::Memory);
    question.compare("a lane per column", &id("lane_per_row"), &id("lane_per_column"));
    question.compare("a workgroup per row", &id("lane_per_row"), &id("workgroup_per_row"));
    question.line("sums of a matrix, instead of a lane per row", None)
}

fn transpose(op: &str, matrix: &str, tile: u64) -> String {
    format!("transpose/op={op}/type=u32/matrix={matrix}/tile_elements={tile}/ballast_bytes=0")
}

/// Padding or swizzling a tile that is read by columns.
pub(super) fn tile_padding(run: &Run) -> Option<Advice> {
    let mut question = Question::new(run, "tile_padding", Fix::TileShape, About::Memory);
    for tile in [16, 32, 64] {
        let id = |op: &str| transpose(op, "2048x2048", tile);
        question.compare(format!("padding a tile of {tile}"), &id("tile"), &id("tile_padded"));
        question.compare(format!("swizzling a tile of {tile}"), &id("tile"), &id("tile_swizzled"));
    }
    question.line("a tile read by columns", None)
}

/// Other sizes of a padded tile.
pub(super) fn tile_size(run: &Run) -> Option<Advice> {
    let mut question = Question::new(run, "tile_size", Fix::TileShape, About::Memory);
    let id = |tile| transpose("tile_padded", "2048x2048", tile);
    for tile in [16, 64] {
        question.compare(format!("{tile} instead of 32"), &id(32), &id(tile));
    }
    question.line("the side of a padded tile", None)
}

/// A padded tile instead of the faster of the two direct transposes.
pub(super) fn staging(run: &Run) -> Option<Advice> {
    const MATRICES: [&str; 4] = ["1024x1024", "2048x2048", "4096x4096", "1000x3016"];
    const TILE: u64 = 32;
    let mut question = Question::new(run, "staging", Fix::Staging, About::Memory);
    for matrix in MATRICES {
        let id = |op: &str| transpose(op, matrix, TILE);
        let naive = faster(run, &id("naive_coalesced_writes"), &id("naive_coalesced_reads"));
        question.compare(matrix, &naive, &id("tile_padded"));
    }
    let ceilings: Vec<String> = MATRICES
        .iter()
        .filter_map(|matrix| {
            let id = |op: &str| transpose(op, matrix, TILE);
            let pair = Pair::of(run, &id("copy"), &id("tile_padded"), About::Memory)?;
            let of_copy = pair.gain.filter(|_| pair.doubt.is_none())?;
            Some(format!("{matrix} {}", percent(of_copy)))
        })
        .collect();
    let conclusion = (!ceilings.is_empty())
        .then(|| format!("Of the speed of a copy the padded tile reaches: {}", ceilings.join(", ")));
    question.line("a transpose through a padded tile of 32 instead of the faster direct one", conclusion)
}

/// The faster of two cases, or the one that was measured.
fn faster(run: &Run, first: &str, second: &str) -> String {
    let faster = match (cost(run, first), cost(run, second)) {
        (Some(a), Some(b)) if b.median_per_byte < a.median_per_byte => second,
        (None, Some(_)) => second,
        _ => first,
    };
    faster.to_owned()
}
