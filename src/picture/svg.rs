//! Writing SVG. Colours are the constants of the charts, so that a page's dark mode treats both alike.

use std::fmt::Write;

use crate::report::text::escaped;

use super::ID;

/// A colour, as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Colour {
    /// Text and outlines.
    Ink,
    /// Secondary text, links from lanes to memory.
    Muted,
    /// Outlines of what is not touched.
    Grid,
    /// The ground.
    Paper,
    /// What is asked for.
    Used,
    /// What is paid for without being asked for.
    Wasted,
}

impl Colour {
    fn hex(self) -> &'static str {
        match self {
            Colour::Ink => "#202020",
            Colour::Muted => "#555555",
            Colour::Grid => "#DDDDDD",
            Colour::Paper => "#FFFFFF",
            Colour::Used => "#0072B2",
            Colour::Wasted => "#D55E00",
        }
    }
}

/// How a box is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fill {
    /// With a colour.
    Plain(Colour),
    /// With diagonal lines of [`Colour::Wasted`].
    Hatched,
}

impl Fill {
    /// The layer of what is asked for.
    const ASKED: u8 = 2;

    /// What lies above what: the bytes asked for above the sectors that hold them.
    fn layer(self) -> u8 {
        match self {
            Fill::Plain(Colour::Paper) => 0,
            Fill::Hatched => 1,
            Fill::Plain(_) => Fill::ASKED,
        }
    }
}

/// Which end of a text its place is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    /// The left end.
    Start,
    /// The middle.
    Middle,
    /// The right end.
    End,
}

/// A kind of box: boxes of one kind become one path.
type Kind = (Fill, Option<Colour>);

/// Elements in the order in which they are painted. Boxes and lines gather until [`Canvas::paint`], so that a
/// picture with hundreds of them stays a few elements.
pub(super) struct Canvas {
    elements: String,
    boxes: Vec<(Kind, String)>,
    links: String,
    texts: String,
}

impl Canvas {
    pub(super) fn new() -> Canvas {
        let mut canvas =
            Canvas { elements: String::new(), boxes: Vec::new(), links: String::new(), texts: String::new() };
        let _ = writeln!(
            canvas.elements,
            "<defs><pattern id=\"{ID}-hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" \
             patternTransform=\"rotate(45)\"><line x1=\"1\" x2=\"1\" y2=\"5\" stroke=\"{}\" \
             stroke-width=\"1.6\"/></pattern></defs>",
            Colour::Wasted.hex()
        );
        canvas
    }

    /// A box: left, top, width, height.
    pub(super) fn rect(&mut self, [x, y, width, height]: [f64; 4], fill: Fill, stroke: Option<Colour>) {
        let [x, y, w, h] = [x, y, width, height].map(number);
        let path = format!("M{x} {y}h{w}v{h}h-{w}z");
        match self.boxes.iter_mut().find(|(kind, _)| *kind == (fill, stroke)) {
            Some((_, paths)) => paths.push_str(&path),
            None => self.boxes.push(((fill, stroke), path)),
        }
    }

    /// A thin line from a lane to what it asks for.
    pub(super) fn link(&mut self, from: [f64; 2], to: [f64; 2]) {
        let [a, b, c, d] = [from[0], from[1], to[0], to[1]].map(number);
        let _ = write!(self.links, "M{a} {b}L{c} {d}");
    }

    /// A line of text, above all boxes and lines of its panel and with a rim that keeps it readable there.
    pub(super) fn text(&mut self, x: f64, y: f64, text: &str, fill: Colour, anchor: Anchor) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let (x, y, fill, text) = (number(x), number(y), fill.hex(), escaped(text));
        let _ = writeln!(self.texts, "<text x=\"{x}\" y=\"{y}\" fill=\"{fill}\"{anchor}>{text}</text>");
    }

    /// Paints what has gathered: boxes by the layer of their fill, lines below what they lead to and above all
    /// other boxes, texts.
    pub(super) fn paint(&mut self) {
        let mut boxes = std::mem::take(&mut self.boxes);
        boxes.sort_by_key(|((fill, _), _)| fill.layer());
        let asked = boxes.iter().position(|((fill, _), _)| fill.layer() >= Fill::ASKED);
        let asked = boxes.split_off(asked.unwrap_or(boxes.len()));
        self.paint_boxes(boxes);
        let links = std::mem::take(&mut self.links);
        if !links.is_empty() {
            let stroke = Colour::Muted.hex();
            let _ = writeln!(
                self.elements,
                "<path d=\"{links}\" fill=\"none\" stroke=\"{stroke}\" stroke-opacity=\"0.55\"/>"
            );
        }
        self.paint_boxes(asked);
        let texts = std::mem::take(&mut self.texts);
        if !texts.is_empty() {
            let rim = Colour::Paper.hex();
            let _ = writeln!(
                self.elements,
                "<g stroke=\"{rim}\" stroke-width=\"4\" paint-order=\"stroke\">\n{texts}</g>"
            );
        }
    }

    fn paint_boxes(&mut self, boxes: Vec<(Kind, String)>) {
        for ((fill, stroke), path) in boxes {
            let fill = match fill {
                Fill::Plain(colour) => colour.hex().to_owned(),
                Fill::Hatched => format!("url(#{ID}-hatch)"),
            };
            let stroke = stroke.map_or_else(String::new, |colour| format!(" stroke=\"{}\"", colour.hex()));
            let _ = writeln!(self.elements, "<path d=\"{path}\" fill=\"{fill}\"{stroke}/>");
        }
    }

    /// Everything painted.
    pub(super) fn finish(mut self) -> String {
        self.paint();
        self.elements
    }
}

/// A coordinate to a tenth, as short as it can be.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// What an `<svg>` element is made of.
pub(super) struct Parts<'a> {
    pub(super) id: &'a str,
    pub(super) title: &'a str,
    pub(super) description: &'a str,
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) style: &'a str,
    pub(super) ground: &'a str,
    pub(super) body: &'a str,
}

pub(super) fn element(parts: &Parts<'_>) -> String {
    let Parts { id, title, description, width, height, style, ground, body } = parts;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" \
         aria-labelledby=\"{id}-t {id}-d\" font-family=\"sans-serif\" font-size=\"14\">\n\
         <title id=\"{id}-t\">{}</title>\n<desc id=\"{id}-d\">{}</desc>\n{style}{ground}{body}</svg>",
        escaped(title),
        escaped(description)
    )
}

/// A prefix for ids: what XML does not take in a name becomes `-`.
pub(super) fn identifier(text: &str) -> String {
    let mut id: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
    if !id.starts_with(|c: char| c.is_ascii_alphabetic()) {
        id.insert(0, 'p');
    }
    id
}

/// The ground of a file.
pub(super) const GROUND: &str = "<rect width=\"100%\" height=\"100%\" fill=\"#FFFFFF\"/>\n";

/// The colours of a file on a dark screen.
pub(super) const STYLE: &str = "<style>@media screen and (prefers-color-scheme: dark) {\n\
    [fill=\"#FFFFFF\"] { fill: #16181C } [fill=\"#202020\"] { fill: #E8E8E8 } [fill=\"#555555\"] { fill: #B0B4BA }\n\
    [stroke=\"#FFFFFF\"] { stroke: #16181C } [stroke=\"#555555\"] { stroke: #B0B4BA }\n\
    [stroke=\"#DDDDDD\"] { stroke: #44484F } [fill=\"#0072B2\"] { fill: #56B4E9 } [stroke=\"#D55E00\"] { stroke: #F08A3C }\n\
    }</style>\n";
