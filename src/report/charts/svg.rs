//! A [`Scene`] as SVG: plotters draws the elements; what it has no words for (title, description, layers,
//! links, dash patterns) is written around them.

use std::fmt::Write;
use std::sync::LazyLock;

use plotters::prelude::{IntoDrawingArea, SVGBackend};
use regex::Regex;

use super::font::FAMILY;
use super::render::{draw, failed, pixel};
use super::scene::{Bounds, Hotspot, Scene, Shape};
use super::style::{Colour, Dash};
use crate::report::ReportError;
use crate::report::text::escaped;

/// Where a place that reacts leads, by its layer and its case.
pub(super) type Link<'a> = dyn Fn(Option<&str>, &str) -> Option<String> + 'a;

/// The drawing as a self-contained SVG, with title, description, layers and places that react. Every id in
/// it starts with `id`.
pub(super) fn svg(scene: &Scene, id: &str, link: &Link<'_>) -> Result<String, ReportError> {
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" \
         font-family=\"{FAMILY}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\n\
         <title id=\"{id}-t\">{}</title>\n<desc id=\"{id}-d\">{}</desc>\n",
        escaped(&scene.title),
        escaped(&scene.description),
        w = scene.width,
        h = scene.height,
        id = escaped(id),
    );
    let mut rest = scene.shapes.as_slice();
    let mut first = true;
    while let Some((layer, shape)) = rest.first() {
        let drawn = if let Some(line) = dashed(shape) {
            rest = &rest[1..];
            line
        } else {
            let alike = |(other, shape): &&(Option<usize>, Shape)| other == layer && dashed(shape).is_none();
            let length = rest.iter().take_while(alike).count();
            let (run, after) = rest.split_at(length);
            rest = after;
            drawn_by_plotters(scene, run, first)?
        };
        first = false;
        wrap(&mut out, &drawn, layer.map(|layer| scene.layers[layer].as_str()));
    }
    if !scene.hotspots.is_empty() {
        out.push_str("<g class=\"spots\" fill=\"none\" pointer-events=\"all\">\n");
        scene.hotspots.iter().for_each(|spot| out.push_str(&hotspot(scene, spot, link)));
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    Ok(out)
}

fn drawn_by_plotters(
    scene: &Scene,
    shapes: &[(Option<usize>, Shape)],
    ground: bool,
) -> Result<String, ReportError> {
    let mut drawn = String::new();
    {
        let area = SVGBackend::with_string(&mut drawn, (scene.width, scene.height)).into_drawing_area();
        draw(&area, shapes.iter().map(|(_, shape)| shape), ground).map_err(|e| failed(scene, &e))?;
    }
    Ok(compact(elements(&drawn)))
}

/// What stands between the outermost tags of an SVG.
fn elements(document: &str) -> &str {
    let start = document.find('>').map_or(0, |at| at + 1);
    let end = document.rfind("</svg>").unwrap_or(document.len());
    document.get(start..end).unwrap_or_default().trim_start_matches('\n')
}

/// Leaves out what plotters repeats on each element and the root says once, and digits that no screen shows.
/// Text is safe from this: its quotes are escaped.
fn compact(elements: &str) -> String {
    static NOISE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r#" opacity="1"| font-family="sans-serif"| text-anchor="start"|(font-size="\d+\.\d)\d+"#)
            .ok()
    });
    let text = match NOISE.as_ref() {
        Some(noise) => noise.replace_all(elements, "$1"),
        None => elements.into(),
    };
    let text =
        text.replace(">\n<", "\u{0}").replace(">\n", ">").replace("\n</", "</").replace('\u{0}', ">\n<");
    joined(&text)
}

/// Lines of one look that follow one another, such as those of an error bar, as one path.
fn joined(elements: &str) -> String {
    let mut out = String::with_capacity(elements.len());
    let mut open: Option<&str> = None;
    for element in elements.lines() {
        let line = element
            .strip_prefix("<polyline ")
            .and_then(|rest| rest.strip_suffix(" \"/>")?.split_once(" points=\""));
        if open != line.map(|(look, _)| look) && open.take().is_some() {
            out.push_str("\"/>\n");
        }
        match line {
            Some((look, points)) => {
                if open.is_none() {
                    let _ = write!(out, "<path {look} d=\"");
                }
                let _ = write!(out, "M{points}");
                open = Some(look);
            }
            None => {
                out.push_str(element);
                out.push('\n');
            }
        }
    }
    if open.is_some() {
        out.push_str("\"/>\n");
    }
    out
}

/// A dashed line as one element; plotters would write one for each dash.
fn dashed(shape: &Shape) -> Option<String> {
    let Shape::Line { points, colour, width, dash: Some((dash, gap)) } = shape else { return None };
    Some(polyline(points, *colour, *width, (*dash, *gap)))
}

fn polyline(points: &[(f64, f64)], (red, green, blue): Colour, width: u32, (dash, gap): Dash) -> String {
    if points.len() < 2 {
        return String::new();
    }
    let mut text = format!(
        "<polyline fill=\"none\" stroke=\"#{red:02X}{green:02X}{blue:02X}\" stroke-width=\"{width}\" \
         stroke-dasharray=\"{dash} {gap}\" points=\""
    );
    for point in points {
        let (x, y) = pixel(*point);
        // Writing to a string can't fail.
        let _ = write!(text, "{x},{y} ");
    }
    text.truncate(text.trim_end().len());
    text + "\"/>\n"
}

fn wrap(out: &mut String, elements: &str, layer: Option<&str>) {
    match layer {
        _ if elements.is_empty() => {}
        Some(name) => {
            out.push_str(&format!("<g data-layer=\"{}\">\n{elements}</g>\n", escaped(name)));
        }
        None => out.push_str(elements),
    }
}

fn hotspot(scene: &Scene, spot: &Hotspot, link: &Link<'_>) -> String {
    let Bounds { left, top, right, bottom } = spot.bounds;
    let layer = spot.layer.map(|layer| scene.layers[layer].as_str());
    let attribute = |name: &str, value: Option<&str>| {
        value.map_or(String::new(), |value| format!(" {name}=\"{}\"", escaped(value)))
    };
    let place = format!(
        " x=\"{left:.0}\" y=\"{top:.0}\" width=\"{:.0}\" height=\"{:.0}\"",
        right - left,
        bottom - top
    );
    let layer_attribute = attribute("data-layer", layer);
    let title = format!("<title>{}</title>", escaped(&spot.tip));
    match spot.case.as_deref().and_then(|case| link(layer, case)) {
        Some(target) => format!(
            "<a{} tabindex=\"-1\"{layer_attribute}><rect{place}>{title}</rect></a>\n",
            attribute("href", Some(&target))
        ),
        None => format!(
            "<rect class=\"spot\"{place}{}{layer_attribute}>{title}</rect>\n",
            attribute("data-case", spot.case.as_deref())
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::charts::scene::Anchor;

    fn plain(scene: &Scene) -> String {
        svg(scene, "t", &|_, _| None).unwrap()
    }

    #[test]
    fn hostile_names_stay_text() {
        let mut scene = Scene::new(300, 100, "a <script>", "b & \"c\"");
        scene.enter_layer(Some("</g>"));
        scene.text((10.0, 50.0), "<script>\u{7} opacity=\"1\"", 18.0, (0, 0, 0), Anchor::Start);
        scene.hotspot(Bounds { left: 0.0, top: 0.0, right: 9.0, bottom: 9.0 }, "]]>", Some("x<y"));
        for text in [plain(&scene), svg(&scene, "\"", &|_, case| Some(format!("#\"{case}"))).unwrap()] {
            let document = roxmltree::Document::parse(&text).unwrap();
            assert!(document.descendants().all(|node| node.tag_name().name() != "script"));
            let shown = document.descendants().find(|node| {
                node.has_tag_name((document.root_element().tag_name().namespace().unwrap(), "text"))
            });
            assert_eq!(shown.unwrap().text(), Some("<script>\u{fffd} opacity=\"1\""));
        }
    }

    #[test]
    fn a_dashed_line_is_one_element_and_an_empty_one_none() {
        let mut scene = Scene::new(300, 100, "", "");
        scene.dashed(&[(0.0, 0.0), (300.0, 100.0)], (1, 2, 255), 2, (8.0, 6.0));
        scene.dashed(&[], (1, 2, 255), 2, (8.0, 6.0));
        let text = plain(&scene);
        assert_eq!(text.matches("<polyline").count(), 1);
        assert!(
            text.contains(
                "stroke=\"#0102FF\" stroke-width=\"2\" stroke-dasharray=\"8 6\" points=\"0,0 300,100\""
            ),
            "{text}"
        );
    }

    #[test]
    fn lines_of_one_look_are_one_path() {
        let mut scene = Scene::new(300, 100, "", "");
        scene.line(&[(0.0, 1.0), (2.0, 3.0)], (1, 2, 255), 2);
        scene.line(&[(4.0, 5.0), (6.0, 7.0), (8.0, 9.0)], (1, 2, 255), 2);
        scene.line(&[(0.0, 0.0), (1.0, 1.0)], (1, 2, 255), 1);
        let text = plain(&scene);
        assert!(
            text.contains("stroke=\"#0102FF\" stroke-width=\"2\" d=\"M0,1 2,3M4,5 6,7 8,9\"/>"),
            "{text}"
        );
        assert_eq!((text.matches("<path").count(), text.matches("<polyline").count()), (2, 0));
    }

    #[test]
    fn places_that_react_lead_where_the_page_says() {
        let mut scene = Scene::new(300, 100, "", "");
        scene.enter_layer(Some("d1"));
        scene.hotspot(Bounds { left: 0.0, top: 0.0, right: 9.0, bottom: 9.0 }, "tip", Some("case"));
        let text = svg(&scene, "t", &|layer, case| Some(format!("#{}/{case}", layer?))).unwrap();
        assert!(text.contains("<a href=\"#d1/case\" tabindex=\"-1\" data-layer=\"d1\"><rect"), "{text}");
        assert!(plain(&scene).contains("data-case=\"case\""));
    }
}
