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
mod ratios;
mod render;
mod scale;
mod scene;
mod style;
#[cfg(test)]
mod tests;

use std::fs;
use std::path::{Path, PathBuf};

pub use figure::Figure;
pub(crate) use figure::{Axis, Bar, Frame, Measured, Ratios};
pub use scale::Unit;
pub use scene::Scene;

use super::{ReportError, Run};

/// The charts of a pattern in a run, a few at most; none where nothing was measured.
pub fn figures(run: &Run, pattern: &str) -> Vec<Figure> {
    build::figures(run, pattern)
}

/// The drawing of a chart.
pub fn scene(figure: &Figure) -> Scene {
    match figure {
        Figure::Curves(chart) => curves::layout(figure, chart),
        Figure::Bars(chart) => bars::layout(figure, chart),
        Figure::Ratios(chart) => ratios::layout(figure, chart),
    }
}

/// A chart as SVG; `id` must be unique in the page that it is put into.
///
/// # Errors
/// When the drawing library fails.
pub fn svg(figure: &Figure, id: &str) -> Result<String, ReportError> {
    render::svg(&scene(figure), id)
}

/// Writes the charts of a run into a folder, SVG and PNG, and returns the files in their order.
///
/// # Errors
/// When the folder or a file can't be written.
pub fn write(run: &Run, dir: &Path) -> Result<Vec<PathBuf>, ReportError> {
    let figures: Vec<Figure> = run.patterns().into_iter().flat_map(|pattern| figures(run, pattern)).collect();
    write_all(&figures, dir)
}

/// Writes the comparison charts of several runs: what fraction of its own roof each device reaches.
///
/// # Errors
/// When the folder or a file can't be written.
pub fn write_comparison(runs: &[Run], dir: &Path) -> Result<Vec<PathBuf>, ReportError> {
    write_all(&comparison::figures(runs), dir)
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
        let scene = scene(figure);
        let vector = dir.join(format!("{stem}.svg"));
        fs::write(&vector, render::svg(&scene, stem)?)
            .map_err(|error| ReportError::writing(&vector, error))?;
        let bitmap = dir.join(format!("{stem}.png"));
        render::png(&scene, &bitmap)?;
        files.extend([vector, bitmap]);
    }
    Ok(files)
}
