//! Pictures of requests: the lanes of a subgroup on the left, what they touch on the right.
//!
//! Numbers say that a stride wastes seven eighths of what it fetches; a picture shows which ones. Everything
//! drawn is a request that the model has executed, so that a picture can't be kinder than the kernel is.
//! Storage and uniform buffers are drawn as sectors in lines (`memory`), workgroup memory as banks with the
//! words that are asked of each (`banks`).
//!
//! The result is plain SVG without fonts, scripts or references. [`Picture::svg`] is to be embedded: its
//! colours are attributes that a page can restyle. [`Picture::standalone`] is a file of its own, with a dark
//! mode and, in print, a light one.

mod analyzed;
mod banks;
mod explained;
mod memory;
mod svg;
#[cfg(test)]
mod tests;

use crate::model::{Machine, Space};

pub use analyzed::of_analysis;
pub use explained::{of_explanation, of_pattern};

use svg::{Anchor, Canvas, Colour, Fill};

/// Width of a picture; it is meant to be shown about as wide in pixels.
const WIDTH: f64 = 860.0;
/// Empty space at the edges.
const MARGIN: f64 = 16.0;
/// Height of a line of text.
const LINE: f64 = 20.0;
/// Empty space between two panels.
const GAP: f64 = 24.0;

/// One request to be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panel {
    /// What the kernel is and what of it is drawn, in a line.
    pub title: String,
    /// Where the memory is.
    pub space: Space,
    /// Whether it is read.
    pub reads: bool,
    /// Active lanes by their position in the subgroup, ascending.
    pub lanes: Vec<u32>,
    /// Byte address of each of these lanes.
    pub addresses: Vec<u64>,
    /// Bytes per lane.
    pub bytes: u32,
}

/// Requests drawn below one another.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// What it shows, for a reader who can't see it: the title.
    pub title: String,
    /// What it shows, in a sentence for each request.
    pub description: String,
    height: f64,
    /// SVG elements; `{id}` stands for the prefix of every id.
    body: String,
}

/// Stands in the body for the prefix of ids until it is known.
const ID: &str = "{id}";

impl Picture {
    /// Draws requests on a machine.
    ///
    /// The machine's numbers are those that [`Machine::check`] accepts.
    pub fn new(title: &str, panels: &[Panel], machine: &Machine) -> Picture {
        let mut canvas = Canvas::new();
        let mut y = MARGIN;
        let mut descriptions = Vec::new();
        let (in_memory, in_banks): (Vec<&Panel>, Vec<&Panel>) =
            panels.iter().partition(|panel| panel.space != Space::Workgroup);
        if !in_memory.is_empty() {
            y = memory::legend(&mut canvas, y, machine);
        }
        if !in_banks.is_empty() {
            y = banks::legend(&mut canvas, y);
        }
        for panel in panels {
            canvas.text(MARGIN, y + LINE * 0.8, &panel.title, Colour::Ink, Anchor::Start);
            y += LINE + 8.0;
            let (bottom, sentence) = match panel.space {
                Space::Storage | Space::Uniform => memory::draw(&mut canvas, y, panel, machine),
                Space::Workgroup => banks::draw(&mut canvas, y, panel, machine),
            };
            canvas.text(MARGIN, bottom + LINE, &sentence, Colour::Muted, Anchor::Start);
            canvas.paint();
            descriptions.push(format!("{}: {sentence}", panel.title));
            y = bottom + LINE + GAP;
        }
        Picture {
            title: title.to_owned(),
            description: descriptions.join(". "),
            height: y.max(MARGIN + LINE),
            body: canvas.finish(),
        }
    }

    /// The picture as an `<svg>` element whose ids begin with `id`: title `{id}-t`, description `{id}-d`.
    pub fn svg(&self, id: &str) -> String {
        self.element(id, "", "")
    }

    /// The picture as a file.
    pub fn standalone(&self) -> String {
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n",
            self.element("picture", svg::STYLE, svg::GROUND)
        )
    }

    fn element(&self, id: &str, style: &str, ground: &str) -> String {
        let id = svg::identifier(id);
        svg::element(&svg::Parts {
            id: &id,
            title: &self.title,
            description: &self.description,
            width: WIDTH,
            height: self.height,
            style,
            ground,
            body: &self.body.replace(ID, &id),
        })
    }
}

/// Draws what boxes mean, one below the other, as nothing is known of the font; returns where it ends.
fn legend(canvas: &mut Canvas, y: f64, items: &[(Fill, Option<Colour>, String)]) -> f64 {
    for (row, (fill, stroke, text)) in items.iter().enumerate() {
        let y = y + row as f64 * LINE;
        canvas.rect([MARGIN, y + 3.0, 26.0, 13.0], *fill, *stroke);
        canvas.text(MARGIN + 36.0, y + LINE * 0.75, text, Colour::Ink, Anchor::Start);
    }
    y + items.len() as f64 * LINE + 10.0
}

/// The positions in the subgroup where the drawn lanes carry their number: as many as there is room for.
fn labelled(lane: u32, pitch: f64) -> bool {
    let every = [1, 2, 4, 8, 16, 32].into_iter().find(|every| f64::from(*every) * pitch >= LINE * 0.8);
    lane.is_multiple_of(every.unwrap_or(64))
}

/// How many lanes ask.
fn asking(lanes: usize) -> String {
    if lanes == 1 { "1 lane asks".to_owned() } else { format!("{lanes} lanes ask") }
}
