//! What a drawing consists of, before any file format: layout can then be tested without rendering, and
//! SVG and PNG can't differ.

use super::font;
use super::style::{Colour, Dash, Marker};

/// Where a text hangs on its point, horizontally; vertically it is centred on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The text begins there.
    Start,
    /// The text is centred there.
    Middle,
    /// The text ends there.
    End,
}

/// One element of a drawing. Coordinates are pixels, y downwards.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// An open line.
    Line {
        /// Its corners.
        points: Vec<(f64, f64)>,
        /// Its colour.
        colour: Colour,
        /// Its width.
        width: u32,
        /// Dashes, or none for a solid line.
        dash: Option<Dash>,
    },
    /// A rectangle.
    Rect {
        /// Left, top, right, bottom.
        bounds: Bounds,
        /// Inside.
        fill: Option<Colour>,
        /// Border.
        stroke: Option<Colour>,
        /// Diagonal lines over the inside.
        hatch: Option<Colour>,
    },
    /// A point.
    Mark {
        /// Its centre.
        at: (f64, f64),
        /// Its form.
        marker: Marker,
        /// Half its size.
        radius: f64,
        /// Its colour.
        colour: Colour,
        /// Whether only the border is drawn.
        hollow: bool,
    },
    /// A line of text.
    Text(Text),
}

/// A line of text.
#[derive(Clone, Debug, PartialEq)]
pub struct Text {
    /// Where it hangs.
    pub at: (f64, f64),
    /// What it says.
    pub text: String,
    /// Font size.
    pub size: f64,
    /// Colour.
    pub colour: Colour,
    /// How it hangs there.
    pub anchor: Anchor,
    /// Turned to read upwards.
    pub upwards: bool,
}

/// A rectangle: left, top, right, bottom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Smallest x.
    pub left: f64,
    /// Smallest y.
    pub top: f64,
    /// Largest x.
    pub right: f64,
    /// Largest y.
    pub bottom: f64,
}

impl Bounds {
    /// Whether two rectangles share more than a border.
    pub fn overlaps(&self, other: &Bounds) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    /// Whether this rectangle lies inside another.
    pub fn within(&self, other: &Bounds) -> bool {
        self.left >= other.left
            && self.right <= other.right
            && self.top >= other.top
            && self.bottom <= other.bottom
    }
}

impl Text {
    /// The box that the text fills.
    pub fn bounds(&self) -> Bounds {
        let (width, height) = (font::width(&self.text, self.size), self.size);
        let before = match self.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => width / 2.0,
            Anchor::End => width,
        };
        let (x, y) = self.at;
        if self.upwards {
            Bounds {
                left: x - height / 2.0,
                right: x + height / 2.0,
                top: y + before - width,
                bottom: y + before,
            }
        } else {
            Bounds {
                left: x - before,
                right: x - before + width,
                top: y - height / 2.0,
                bottom: y + height / 2.0,
            }
        }
    }
}

/// A place that explains itself when pointed at or reached by keyboard.
#[derive(Clone, Debug, PartialEq)]
pub struct Hotspot {
    /// Where it reacts.
    pub bounds: Bounds,
    /// What it says.
    pub tip: String,
    /// The case it stands for, if it stands for one.
    pub case: Option<String>,
    /// The layer it belongs to.
    pub layer: Option<usize>,
}

/// A drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Scene {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
    /// For screen readers and window titles: what it is.
    pub title: String,
    /// For screen readers: what it shows.
    pub description: String,
    /// The elements from back to front, each with the layer that it is hidden with, if any.
    pub shapes: Vec<(Option<usize>, Shape)>,
    /// Places that react.
    pub hotspots: Vec<Hotspot>,
    /// The names of the layers.
    pub layers: Vec<String>,
    layer: Option<usize>,
}

impl Scene {
    /// An empty drawing.
    pub fn new(width: u32, height: u32, title: &str, description: &str) -> Scene {
        Scene {
            width,
            height,
            title: title.to_owned(),
            description: description.to_owned(),
            shapes: Vec::new(),
            hotspots: Vec::new(),
            layers: Vec::new(),
            layer: None,
        }
    }

    /// What follows belongs to the layer of that name, or to none.
    pub fn enter_layer(&mut self, name: Option<&str>) {
        self.layer = name.map(|name| {
            self.layers.iter().position(|layer| layer == name).unwrap_or_else(|| {
                self.layers.push(name.to_owned());
                self.layers.len() - 1
            })
        });
    }

    /// Adds an element in front of the others.
    pub fn push(&mut self, shape: Shape) {
        self.shapes.push((self.layer, shape));
    }

    /// Adds a solid line.
    pub fn line(&mut self, points: &[(f64, f64)], colour: Colour, width: u32) {
        self.push(Shape::Line { points: points.to_vec(), colour, width, dash: None });
    }

    /// Adds a dashed line.
    pub fn dashed(&mut self, points: &[(f64, f64)], colour: Colour, width: u32, dash: Dash) {
        self.push(Shape::Line { points: points.to_vec(), colour, width, dash: Some(dash) });
    }

    /// Adds a line of text that reads from left to right.
    pub fn text(&mut self, at: (f64, f64), text: &str, size: f64, colour: Colour, anchor: Anchor) {
        self.push(Shape::Text(Text { at, text: text.to_owned(), size, colour, anchor, upwards: false }));
    }

    /// Adds a place that reacts.
    pub fn hotspot(&mut self, bounds: Bounds, tip: &str, case: Option<&str>) {
        self.hotspots.push(Hotspot {
            bounds,
            tip: tip.to_owned(),
            case: case.map(str::to_owned),
            layer: self.layer,
        });
    }

    /// The texts, for checks of the layout.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        self.shapes.iter().filter_map(|(_, shape)| match shape {
            Shape::Text(text) => Some(text),
            _ => None,
        })
    }

    /// Pairs of texts that cover one another, and texts that leave the drawing.
    pub fn collisions(&self) -> Vec<String> {
        let canvas =
            Bounds { left: 0.0, top: 0.0, right: f64::from(self.width), bottom: f64::from(self.height) };
        let placed: Vec<(&Text, Bounds)> = self.texts().map(|text| (text, text.bounds())).collect();
        let mut found = Vec::new();
        for (index, (text, bounds)) in placed.iter().enumerate() {
            if !bounds.within(&canvas) {
                found.push(format!("`{}` leaves the drawing: {bounds:?}", text.text));
            }
            for (other, _) in placed[..index].iter().filter(|(_, other)| bounds.overlaps(other)) {
                found.push(format!("`{}` covers `{}`", text.text, other.text));
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn collisions_are_found() {
        let mut scene = Scene::new(200, 100, "", "");
        scene.text((10.0, 50.0), "one", 18.0, (0, 0, 0), Anchor::Start);
        assert!(scene.collisions().is_empty());
        scene.text((20.0, 55.0), "two", 18.0, (0, 0, 0), Anchor::Start);
        scene.text((195.0, 20.0), "outside", 18.0, (0, 0, 0), Anchor::Start);
        assert_eq!(scene.collisions().len(), 2);
    }

    #[test]
    fn turned_text_fills_a_tall_box() {
        let text = Text {
            at: (20.0, 50.0),
            text: "bandwidth".to_owned(),
            size: 18.0,
            colour: (0, 0, 0),
            anchor: Anchor::Middle,
            upwards: true,
        };
        let bounds = text.bounds();
        assert!(bounds.bottom - bounds.top > bounds.right - bounds.left);
    }
}
