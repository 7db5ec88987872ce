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

/// Elements in the order in which they are painted.
pub(super) struct Canvas {
    elements: String,
}

impl Canvas {
    pub(super) fn new() -> Canvas {
        let mut canvas = Canvas { elements: String::new() };
        canvas.write(format_args!(
            "<defs><pattern id=\"{ID}-hatch\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" \
             patternTransform=\"rotate(45)\"><line x1=\"1\" y1=\"0\" x2=\"1\" y2=\"5\" stroke=\"{}\" \
             stroke-width=\"1.6\"/></pattern></defs>",
            Colour::Wasted.hex()
        ));
        canvas
    }

    fn write(&mut self, element: std::fmt::Arguments<'_>) {
        // Writing to a string can't fail.
        let _ = self.elements.write_fmt(element);
        self.elements.push('\n');
    }

    /// A box.
    pub(super) fn rect(&mut self, [x, y, width, height]: [f64; 4], fill: Fill, stroke: Option<Colour>) {
        let fill = match fill {
            Fill::Plain(colour) => colour.hex().to_owned(),
            Fill::Hatched => format!("url(#{ID}-hatch)"),
        };
        let stroke = stroke.map_or_else(String::new, |colour| format!(" stroke=\"{}\"", colour.hex()));
        self.write(format_args!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{fill}\"{stroke}/>"
        ));
    }

    /// A thin line.
    pub(super) fn line(&mut self, from: [f64; 2], to: [f64; 2], stroke: Colour) {
        self.write(format_args!(
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{}\" stroke-opacity=\"0.55\"/>",
            from[0],
            from[1],
            to[0],
            to[1],
            stroke.hex()
        ));
    }

    /// A line of text.
    pub(super) fn text(&mut self, x: f64, y: f64, text: &str, fill: Colour, anchor: Anchor) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        self.write(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" fill=\"{}\" text-anchor=\"{anchor}\">{}</text>",
            fill.hex(),
            escaped(text)
        ));
    }

    pub(super) fn finish(self) -> String {
        self.elements
    }
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
         aria-labelledby=\"{id}-t {id}-d\" font-family=\"system-ui, sans-serif\" font-size=\"14\">\n\
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
    [stroke=\"#202020\"] { stroke: #E8E8E8 } [stroke=\"#555555\"] { stroke: #B0B4BA }\n\
    [stroke=\"#DDDDDD\"] { stroke: #44484F } [fill=\"#0072B2\"] { fill: #56B4E9 } [stroke=\"#D55E00\"] { stroke: #F08A3C }\n\
    }</style>\n";
