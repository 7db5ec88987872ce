//! Charts: the shape of a pattern's cost shows in a picture before it shows in a table.
//!
//! Rows become a [`Figure`], which knows what is shown but no pixel; a figure becomes a [`Scene`], which
//! knows every pixel but no file format; a scene becomes SVG and PNG by the same drawing function.

mod bars;
mod build;
mod comparison;
mod curves;
mod figure;
mod font;
mod layout;
mod legend;
mod ratios;
mod render;
mod scale;
mod scene;
mod style;
mod svg;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};

pub use figure::Figure;
pub(crate) use figure::{Axis, Bar, Frame, Measured, Ratios};
pub use layout::Canvas;
pub use scale::Unit;
pub use scene::Scene;

use super::{ReportError, Run};
use crate::pattern;
use crate::record::replace;

/// The charts of a pattern in a run, a few at most; none where nothing was measured.
pub fn figures(run: &Run, pattern: &str) -> Vec<Figure> {
    build::figures(run, pattern)
}

/// The charts of a pattern over several runs, fractions of each roof first, then absolute figures; none
/// where fewer than two runs have measured it.
pub fn comparison_figures(runs: &[Run], pattern: &str) -> Option<[Figure; 2]> {
    comparison::figures(runs, pattern)
}

/// The layer of the run of that number in charts over several runs, by which a page shows and hides it.
pub(crate) fn layer(run: usize) -> String {
    format!("d{run}")
}

/// The number of the colour that the run of that number has in charts over several runs.
pub(crate) fn colour_class(run: usize) -> usize {
    run % style::PALETTE.len()
}

/// The drawing of a chart.
pub fn scene(figure: &Figure, canvas: Canvas) -> Scene {
    match figure {
        Figure::Curves(chart) => curves::layout(figure, chart, canvas),
        Figure::Bars(chart) => bars::layout(figure, chart, canvas),
        Figure::Ratios(chart) => ratios::layout(figure, chart, canvas),
    }
}

/// A chart as SVG for a page. `id` must be unique in the page; `link` leads from a layer and a case to a
/// place in the page.
///
/// # Errors
/// When the drawing library fails.
pub fn svg(
    figure: &Figure,
    id: &str,
    link: &dyn Fn(Option<&str>, &str) -> Option<String>,
) -> Result<String, ReportError> {
    let canvas = match figure {
        Figure::Bars(_) => Canvas::COLUMN,
        Figure::Curves(_) | Figure::Ratios(_) => Canvas::PAGE,
    };
    svg::svg(&scene(figure, canvas), id, link)
}

/// Writes the charts of a run into a folder, SVG and PNG, and returns the files in their order.
///
/// # Errors
/// When the folder or a file can't be written.
pub fn write(run: &Run, dir: &Path) -> Result<Vec<PathBuf>, ReportError> {
    let figures: Vec<Figure> = run.patterns().into_iter().flat_map(|pattern| figures(run, pattern)).collect();
    write_all(&figures, dir)
}

/// Writes the comparison charts of several runs: what fraction of its own roof each device reaches, and
/// the absolute figures.
///
/// # Errors
/// When the folder or a file can't be written.
pub fn write_comparison(runs: &[Run], dir: &Path) -> Result<Vec<PathBuf>, ReportError> {
    let patterns = pattern::registry().iter();
    let figures: Vec<Figure> =
        patterns.filter_map(|row| comparison::figures(runs, row.name)).flatten().collect();
    write_all(&figures, dir)
}

/// Writes charts into a folder, SVG and PNG, and returns the files in their order.
///
/// # Errors
/// When the folder or a file can't be written.
pub(crate) fn write_all(figures: &[Figure], dir: &Path) -> Result<Vec<PathBuf>, ReportError> {
    fs::create_dir_all(dir).map_err(|error| ReportError::writing(dir, error))?;
    let mut files = Vec::new();
    for figure in figures {
        let stem = &figure.frame().stem;
        let scene = scene(figure, Canvas::FILE);
        let renderings =
            [("svg", svg::svg(&scene, stem, &|_, _| None)?.into_bytes()), ("png", render::png(&scene)?)];
        for (extension, bytes) in renderings {
            let path = dir.join(format!("{stem}.{extension}"));
            replace(&path, &bytes).map_err(|error| ReportError::writing(&path, error))?;
            files.push(path);
        }
    }
    Ok(files)
}
