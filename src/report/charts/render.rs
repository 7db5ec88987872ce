//! The elements of a [`Scene`] drawn by one function that is generic over plotters' backends, and the PNG
//! that comes of it.

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::font;
use super::scene::{Anchor, Bounds, Scene, Shape, Text};
use super::style::{Colour, Dash, Marker, PAPER};
use crate::report::ReportError;
use crate::report::text::printable;

/// Distance between the lines of a hatch.
const HATCH: f64 = 5.0;

/// The drawing as PNG.
pub(super) fn png(scene: &Scene) -> Result<Vec<u8>, ReportError> {
    let (width, height) = (scene.width, scene.height);
    let mut pixels = vec![0; 3 * width as usize * height as usize];
    let area = BitMapBackend::with_buffer(&mut pixels, (width, height)).into_drawing_area();
    draw(&area, scene.shapes.iter().map(|(_, shape)| shape), true).map_err(|e| failed(scene, &e))?;
    drop(area);
    encoded(&pixels, width, height).map_err(|error| failed(scene, &error.to_string()))
}

/// Rows of red, green and blue as a PNG file, filtered as suits each row.
fn encoded(pixels: &[u8], width: u32, height: u32) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_adaptive_filter(png::AdaptiveFilterType::Adaptive);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(file)
}

pub(super) fn failed(scene: &Scene, detail: &str) -> ReportError {
    ReportError::Draw { chart: scene.title.clone(), detail: detail.to_owned() }
}

/// A drawing area of any backend whose coordinates are pixels.
type Area<DB> = DrawingArea<DB, plotters::coord::Shift>;

/// Draws elements in their order, on paper where `ground` asks for it.
pub(super) fn draw<'a, DB: DrawingBackend>(
    area: &Area<DB>,
    shapes: impl Iterator<Item = &'a Shape>,
    ground: bool,
) -> Result<(), String> {
    font::register()?;
    let told = |error: DrawingAreaErrorKind<DB::ErrorType>| error.to_string();
    if ground {
        area.fill(&rgb(PAPER)).map_err(told)?;
    }
    for shape in shapes {
        match shape {
            Shape::Line { points, colour, width, dash } => {
                let style = rgb(*colour).stroke_width(*width);
                let pieces = match dash {
                    Some(dash) => dashes(points, *dash),
                    None => vec![points.clone()],
                };
                for piece in pieces {
                    area.draw(&PathElement::new(pixels(&piece), style)).map_err(told)?;
                }
            }
            Shape::Rect { bounds, fill, stroke, hatch } => {
                let corners = [pixel((bounds.left, bounds.top)), pixel((bounds.right, bounds.bottom))];
                if let Some(fill) = fill {
                    area.draw(&Rectangle::new(corners, rgb(*fill).filled())).map_err(told)?;
                }
                if let Some(hatch) = hatch {
                    for line in hatching(bounds) {
                        area.draw(&PathElement::new(pixels(&line), rgb(*hatch).stroke_width(1)))
                            .map_err(told)?;
                    }
                }
                if let Some(stroke) = stroke {
                    area.draw(&Rectangle::new(corners, rgb(*stroke).stroke_width(1))).map_err(told)?;
                }
            }
            Shape::Mark { at, marker, radius, colour, hollow } => {
                let corners = outline(*marker, *at, *radius);
                let fill = if *hollow { PAPER } else { *colour };
                if let Some(corners) = corners {
                    area.draw(&Polygon::new(pixels(&corners), rgb(fill).filled())).map_err(told)?;
                    let closed: Vec<_> = corners.iter().chain(corners.first()).copied().collect();
                    area.draw(&PathElement::new(pixels(&closed), rgb(*colour).stroke_width(2)))
                        .map_err(told)?;
                } else {
                    let radius = radius.round() as i32;
                    area.draw(&Circle::new(pixel(*at), radius, rgb(fill).filled())).map_err(told)?;
                    area.draw(&Circle::new(pixel(*at), radius, rgb(*colour).stroke_width(2)))
                        .map_err(told)?;
                }
            }
            Shape::Text(text) => {
                area.draw_text(&printable(&text.text), &text_style(text), pixel(text.at)).map_err(told)?
            }
        }
    }
    Ok(())
}

fn text_style(text: &Text) -> TextStyle<'static> {
    let horizontal = match text.anchor {
        Anchor::Start => HPos::Left,
        Anchor::Middle => HPos::Center,
        Anchor::End => HPos::Right,
    };
    let font = (font::FAMILY, text.size).into_font();
    let font = if text.upwards { font.transform(FontTransform::Rotate270) } else { font };
    font.color(&rgb(text.colour)).pos(Pos::new(horizontal, VPos::Center))
}

fn rgb((red, green, blue): Colour) -> RGBColor {
    RGBColor(red, green, blue)
}

pub(super) fn pixel((x, y): (f64, f64)) -> (i32, i32) {
    (x.round() as i32, y.round() as i32)
}

fn pixels(points: &[(f64, f64)]) -> Vec<(i32, i32)> {
    points.iter().copied().map(pixel).collect()
}

/// The corners of a marker, or none for a circle.
fn outline(marker: Marker, (x, y): (f64, f64), r: f64) -> Option<Vec<(f64, f64)>> {
    match marker {
        Marker::Circle => None,
        Marker::Square => {
            let r = r * 0.9;
            Some(vec![(x - r, y - r), (x + r, y - r), (x + r, y + r), (x - r, y + r)])
        }
        Marker::Triangle => {
            Some(vec![(x, y - r * 1.2), (x + r * 1.1, y + r * 0.8), (x - r * 1.1, y + r * 0.8)])
        }
        Marker::Down => Some(vec![(x, y + r * 1.2), (x + r * 1.1, y - r * 0.8), (x - r * 1.1, y - r * 0.8)]),
        Marker::Diamond => {
            let r = r * 1.25;
            Some(vec![(x, y - r), (x + r, y), (x, y + r), (x - r, y)])
        }
    }
}

/// The inked pieces of a dashed line; a piece follows the line around its corners.
fn dashes(points: &[(f64, f64)], (dash, gap): Dash) -> Vec<Vec<(f64, f64)>> {
    let mut pieces: Vec<Vec<(f64, f64)>> = Vec::new();
    let (mut inked, mut left) = (true, dash);
    for pair in points.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        let at = |along: f64| {
            let t = if length > 0.0 { along / length } else { 0.0 };
            (from.0 + (to.0 - from.0) * t, from.1 + (to.1 - from.1) * t)
        };
        match pieces.last_mut() {
            Some(piece) if inked => piece.push(from),
            _ if inked => pieces.push(vec![from]),
            _ => {}
        }
        let mut along = 0.0;
        while length - along > left {
            along += left;
            if inked {
                if let Some(piece) = pieces.last_mut() {
                    piece.push(at(along));
                }
            } else {
                pieces.push(vec![at(along)]);
            }
            inked = !inked;
            left = if inked { dash } else { gap };
        }
        left -= length - along;
        if inked && let Some(piece) = pieces.last_mut() {
            piece.push(to);
        }
    }
    pieces
}

/// Lines at 45° over a rectangle.
fn hatching(bounds: &Bounds) -> Vec<[(f64, f64); 2]> {
    let (width, height) = (bounds.right - bounds.left, bounds.bottom - bounds.top);
    let count = ((width + height) / HATCH).floor() as usize;
    (1..=count)
        .map(|index| {
            let offset = index as f64 * HATCH;
            let from = if offset <= height {
                (bounds.left, bounds.top + offset)
            } else {
                (bounds.left + offset - height, bounds.bottom)
            };
            let to = if offset <= width {
                (bounds.left + offset, bounds.top)
            } else {
                (bounds.right, bounds.top + offset - width)
            };
            [from, to]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_cover_their_share_of_a_line() {
        let pieces = dashes(&[(0.0, 0.0), (50.0, 0.0), (50.0, 50.0)], (6.0, 4.0));
        let ink: f64 = pieces
            .iter()
            .flat_map(|piece| piece.windows(2))
            .map(|pair| (pair[1].0 - pair[0].0).hypot(pair[1].1 - pair[0].1))
            .sum();
        assert!((ink - 60.0).abs() < 1e-6, "{ink}");
    }

    #[test]
    fn a_hatch_stays_inside() {
        let bounds = Bounds { left: 10.0, top: 20.0, right: 42.0, bottom: 31.0 };
        for line in hatching(&bounds) {
            for (x, y) in line {
                assert!((10.0..=42.0).contains(&x) && (20.0..=31.0).contains(&y), "{x} {y}");
            }
        }
    }
}
