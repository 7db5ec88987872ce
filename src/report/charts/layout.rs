//! What the layouts of all charts share: sizes, head, foot and legend.

use super::figure::{Figure, Frame};
use super::font::{shortened, width, wrapped};
use super::scene::{Anchor, Scene};
use super::style::{CAUTION, INK, MUTED};

/// Where a chart will stand, which decides what it must say itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Canvas {
    /// Width in pixels.
    pub width: f64,
    /// Height of curves whose legend fits.
    pub height: f64,
    /// Whether title, device and caution are written into the drawing.
    pub head: bool,
}

impl Canvas {
    /// A file of its own, which tells everything.
    pub const FILE: Canvas = Canvas { width: 1200.0, height: 675.0, head: true };
    /// A part of a page, whose headings tell the rest; narrower, so that text stays legible on a phone.
    pub const PAGE: Canvas = Canvas { width: 960.0, height: 470.0, head: false };
    /// The same for bars, which need no width to be read: a phone shows them without scrolling.
    pub const COLUMN: Canvas = Canvas { width: 640.0, height: 0.0, head: false };
}

/// Space between the border and what stands next to it.
pub(super) const MARGIN: f64 = 24.0;
/// Font size of titles.
const TITLE: f64 = 28.0;
/// Font size of names.
pub(super) const LABEL: f64 = 20.0;
/// Font size of ticks.
pub(super) const TICK: f64 = 19.0;
/// Font size of the foot.
const FOOT: f64 = 17.0;

/// The height of the head.
pub(super) fn head_height(frame: &Frame, canvas: Canvas) -> f64 {
    if !canvas.head {
        return MARGIN;
    }
    let lines = if frame.caution.is_some() { 2.0 } else { 1.0 };
    MARGIN + TITLE + lines * (LABEL + 6.0) + 20.0
}

/// Draws title, subtitle and caution; returns the height they take.
pub(super) fn head(scene: &mut Scene, frame: &Frame, canvas: Canvas) -> f64 {
    if !canvas.head {
        return MARGIN;
    }
    let room = canvas.width - 2.0 * MARGIN;
    let mut y = MARGIN + TITLE / 2.0;
    scene.text((MARGIN, y), &shortened(&frame.title, TITLE, room), TITLE, INK, Anchor::Start);
    y += TITLE / 2.0 + LABEL / 2.0 + 6.0;
    scene.text((MARGIN, y), &shortened(&frame.subtitle, LABEL, room), LABEL, MUTED, Anchor::Start);
    if let Some(caution) = &frame.caution {
        y += LABEL + 6.0;
        scene.text((MARGIN, y), &shortened(caution, LABEL, room), LABEL, CAUTION, Anchor::Start);
    }
    head_height(frame, canvas)
}

/// The lines of the foot.
pub(super) fn foot_lines(figure: &Figure, canvas: Canvas) -> Vec<String> {
    wrapped(&figure.reading(), FOOT, canvas.width - 2.0 * MARGIN)
}

/// The height of a foot.
pub(super) fn foot_height(lines: &[String]) -> f64 {
    lines.len() as f64 * (FOOT + 4.0) + if lines.is_empty() { 0.0 } else { 8.0 }
}

/// Draws the foot at the bottom of a drawing.
pub(super) fn foot(scene: &mut Scene, lines: &[String]) {
    let mut y = f64::from(scene.height) - MARGIN / 2.0 - foot_height(lines) + FOOT / 2.0 + 8.0;
    for line in lines {
        scene.text((MARGIN, y), line, FOOT, MUTED, Anchor::Start);
        y += FOOT + 4.0;
    }
}

/// The widest of some texts, cut at a limit.
pub(super) fn widest<'a>(texts: impl IntoIterator<Item = &'a str>, size: f64, limit: f64) -> f64 {
    texts.into_iter().map(|text| width(text, size)).fold(0.0, f64::max).min(limit)
}
