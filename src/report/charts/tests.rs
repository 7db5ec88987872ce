//! What must hold of every chart of every pattern.

use super::figure::Curves;
use super::*;
use crate::pattern::{Depth, registry};
use crate::record::Status;
use crate::report::synthetic;

const LONG: &str =
    "A vendor's graphics adapter with <a very> long & \"winding\" name, revision 17 (LLVM 15.0.6, 256 bits)";

fn every_figure() -> Vec<Figure> {
    let mut all = Vec::new();
    for depth in [Depth::Quick, Depth::Default, Depth::Full] {
        for kind in ["discrete", "cpu"] {
            let run = synthetic::run(LONG, kind, depth);
            all.extend(run.patterns().into_iter().flat_map(|pattern| figures(&run, pattern)));
        }
    }
    let devices: Vec<Run> =
        (0..8).map(|index| synthetic::run(&format!("{index} {LONG}"), "cpu", Depth::Default)).collect();
    all.extend(registry().iter().filter_map(|row| comparison::figures(&devices, row.name)).flatten());
    all
}

#[test]
fn no_label_covers_another_or_leaves_the_chart() {
    let faults: Vec<String> = every_figure()
        .iter()
        .flat_map(|figure| {
            let stem = &figure.frame().stem;
            [Canvas::FILE, Canvas::PAGE, Canvas::COLUMN]
                .into_iter()
                .flat_map(|canvas| scene(figure, canvas).collisions())
                .map(move |fault| format!("{stem}: {fault}"))
        })
        .collect();
    assert!(
        faults.is_empty(),
        "{} faults, such as\n{}",
        faults.len(),
        faults[..faults.len().min(20)].join("\n")
    );
}

#[test]
fn every_chart_is_xml_that_names_and_describes_itself() {
    for figure in every_figure() {
        let text = svg(&figure, "chart", &|_, _| None).unwrap();
        let document = roxmltree::Document::parse(&text).unwrap();
        let root = document.root_element();
        for (tag, id) in [("title", "chart-t"), ("desc", "chart-d")] {
            let element =
                root.children().find(|node| node.has_tag_name(("http://www.w3.org/2000/svg", tag))).unwrap();
            assert_eq!(element.attribute("id"), Some(id));
            assert!(
                !element.text().unwrap_or_default().is_empty(),
                "{} has an empty {tag}",
                figure.frame().stem
            );
        }
        let links = document.descendants().flat_map(|node| node.attributes()).filter(|a| a.name() == "href");
        assert_eq!(links.count(), 0, "a chart refers to nothing outside itself");
    }
}

#[test]
fn every_pattern_has_a_few_charts_with_names_of_their_own() {
    let run = synthetic::run("device", "discrete", Depth::Full);
    let mut stems: Vec<String> = Vec::new();
    for pattern in registry() {
        let charts = figures(&run, pattern.name);
        assert!((1..=24).contains(&charts.len()), "{} has {} charts", pattern.name, charts.len());
        stems.extend(charts.iter().map(|figure| figure.frame().stem.clone()));
    }
    let count = stems.len();
    stems.sort();
    stems.dedup();
    assert_eq!(stems.len(), count);
}

#[test]
fn figures_of_a_processor_say_so() {
    let caution = "CPU / software adapter: not a GPU figure";
    for (kind, expected) in [("cpu", true), ("integrated", false)] {
        let run = synthetic::run("device", kind, Depth::Quick);
        for figure in run.patterns().into_iter().flat_map(|pattern| figures(&run, pattern)) {
            assert_eq!(scene(&figure, Canvas::FILE).texts().any(|text| text.text == caution), expected);
        }
    }
}

#[test]
fn issue_bound_points_are_hollow_and_the_foot_says_what_that_means() {
    let mut run = synthetic::run("device", "discrete", Depth::Quick);
    run.rows.retain(|row| row.pattern == "stride");
    let hollow = |run: &Run| -> usize {
        let shapes = figures(run, "stride")
            .iter()
            .flat_map(|figure| scene(figure, Canvas::FILE).shapes)
            .collect::<Vec<_>>();
        shapes.iter().filter(|(_, shape)| matches!(shape, scene::Shape::Mark { hollow: true, .. })).count()
    };
    let bound = run.rows.iter().filter(|row| row.bound == Some(crate::record::Bound::Issue)).count();
    assert!(bound > 0);
    assert_eq!(hollow(&run), bound);
    assert!(figures(&run, "stride")[0].reading().contains("issue-bound"));
}

#[test]
fn lines_join_powers_of_two_and_leave_their_neighbours_alone() {
    let run = synthetic::run("device", "discrete", Depth::Default);
    let charts = figures(&run, "stride");
    let Figure::Curves(chart) = &charts[0] else { panic!("strides are curves") };
    let points = || chart.curves.iter().flat_map(|curve| &curve.points);
    assert!(points().all(|point| point.joined == (point.x as u64).is_power_of_two()));
    assert!(points().any(|point| !point.joined) && charts[0].reading().contains("join the powers of two"));
    let texts = scene(&charts[0], Canvas::PAGE).texts().filter(|text| text.text == "in between").count();
    assert_eq!(texts, 1, "the legend explains the small marks");
    let alone = figures(&run, "bank");
    assert!(!alone[0].reading().contains("powers of two"), "a plain axis has one line");
}

#[test]
fn lines_over_linear_axes_end_where_the_next_value_was_not_measured() {
    let drawn = |depth: Depth, pattern: &str| -> Vec<Curves> {
        let run = synthetic::run("device", "discrete", depth);
        let charts = figures(&run, pattern).into_iter();
        let charts: Vec<Curves> =
            charts.map(|figure| if let Figure::Curves(chart) = figure { chart } else { panic!() }).collect();
        charts
    };
    for pattern in ["misalign", "bank"] {
        for chart in drawn(Depth::Default, pattern) {
            let figure = Figure::Curves(chart.clone());
            assert_eq!(chart.has_gaps(), figure.reading().contains("nothing was measured"), "{pattern}");
            for stretch in chart.curves.iter().flat_map(figure::Curve::stretches) {
                let apart = |pair: &[&figure::Point]| pair[1].x - pair[0].x;
                assert!(stretch.windows(2).all(|pair| apart(pair) <= 4.0), "{pattern}: {stretch:?}");
            }
        }
    }
    let reads = &drawn(Depth::Default, "misalign")[0];
    assert!(reads.has_gaps());
    let stairs: Vec<f64> = scene(&Figure::Curves(reads.clone()), Canvas::FILE)
        .shapes
        .iter()
        .filter_map(|(_, shape)| match shape {
            scene::Shape::Line { points, width: 2, .. } if points.len() > 3 => {
                Some(points.last()?.0 - points.first()?.0)
            }
            _ => None,
        })
        .collect();
    // An element of 4 bytes is a thirty-second of an axis of 128 bytes.
    assert!(!stairs.is_empty() && stairs.iter().all(|extent| *extent < 1200.0 / 32.0), "{stairs:?}");
    let whole = drawn(Depth::Full, "misalign");
    let slices = || whole.iter().flat_map(|chart| &chart.curves).filter(|curve| curve.points.len() > 1);
    assert!(slices().count() > 0 && slices().all(|curve| curve.stretches().len() == 1));
}

#[test]
fn names_of_bars_tell_them_apart_in_a_narrow_chart() {
    let run = synthetic::run("device", "discrete", Depth::Full);
    for figure in run.patterns().into_iter().flat_map(|pattern| figures(&run, pattern)) {
        let Figure::Bars(chart) = &figure else { continue };
        let narrow = scene(&figure, Canvas::COLUMN);
        let shown: Vec<&str> = narrow.texts().map(|text| text.text.as_str()).collect();
        for (_, bars) in &chart.groups {
            let mut cut: Vec<String> = bars
                .iter()
                .filter(|bar| !shown.contains(&bar.name.as_str()))
                .map(|bar| bar.name.clone())
                .collect();
            cut.retain(|name| !name.is_empty());
            let starts = |start: &str| cut.iter().filter(|name| name.starts_with(start)).count();
            for start in shown.iter().filter_map(|text| text.strip_suffix('…')) {
                assert!(
                    starts(start) <= 1,
                    "{}: `{start}…` stands for several of {cut:?}",
                    figure.frame().stem
                );
            }
        }
    }
}

#[test]
fn names_of_devices_stand_whole_beside_curves_and_bars() {
    let devices = ["NVIDIA GeForce RTX 4090 Laptop GPU", "llvmpipe (LLVM 15.0.6, 256 bits)"];
    let mut runs: Vec<Run> = ["vulkan", "gl"]
        .into_iter()
        .flat_map(|backend| devices.map(|name| (backend, synthetic::run(name, "discrete", Depth::Default))))
        .map(|(backend, mut run)| {
            run.info.backend = backend.to_owned();
            run
        })
        .collect();
    runs.push(synthetic::run("AMD Radeon RX 7900 XTX (RADV NAVI31)", "discrete", Depth::Default));
    for pattern in ["stride", "transpose"] {
        for figure in comparison::figures(&runs, pattern).unwrap() {
            let canvas = if pattern == "stride" { Canvas::PAGE } else { Canvas::COLUMN };
            for canvas in [Canvas::FILE, canvas] {
                let scene = scene(&figure, canvas);
                let cut: Vec<&str> =
                    scene.texts().map(|t| t.text.as_str()).filter(|t| t.contains('…')).collect();
                assert_eq!(cut, Vec::<&str>::new(), "{} at {}", figure.frame().stem, canvas.width);
            }
        }
    }
}

#[test]
fn curves_over_devices_have_the_axes_of_a_run_s_own() {
    let runs = ["one", "two"].map(|name| synthetic::run(name, "discrete", Depth::Default));
    for pattern in registry() {
        let Some(Figure::Curves(own)) = figures(&runs[0], pattern.name).into_iter().next() else { continue };
        for figure in comparison::figures(&runs, pattern.name).unwrap() {
            let Figure::Curves(compared) = figure else { panic!("{} is curves", pattern.name) };
            assert_eq!((own.x.log, own.y.log), (compared.x.log, compared.y.log), "{}", pattern.name);
        }
    }
}

#[test]
fn runs_without_measured_cases_have_no_charts() {
    let mut run = synthetic::run("device", "discrete", Depth::Quick);
    run.rows.iter_mut().for_each(|row| row.status = Status::Failed);
    assert!(registry().iter().all(|pattern| figures(&run, pattern.name).is_empty()));
    run.rows.clear();
    assert!(registry().iter().all(|pattern| figures(&run, pattern.name).is_empty()));
}

#[test]
fn one_case_without_roof_interval_or_prediction_is_still_a_chart() {
    for pattern in registry() {
        let mut run = synthetic::run("device", "discrete", Depth::Default);
        run.info.machine = None;
        run.info.roofline = Default::default();
        let mut row = run.of_pattern(pattern.name).next().unwrap().clone();
        (row.ci95_low_ns, row.ci95_high_ns) = (None, None);
        run.rows = vec![row];
        let charts = figures(&run, pattern.name);
        assert_eq!(charts.len(), 1);
        assert_eq!(scene(&charts[0], Canvas::FILE).collisions(), Vec::<String>::new());
    }
}

#[test]
fn vector_and_bitmap_of_each_chart_are_written() {
    let mut run = synthetic::run("device", "discrete", Depth::Quick);
    run.rows.retain(|row| row.pattern == "contiguous");
    let folder = tempfile::tempdir().unwrap();
    let files = write(&run, &folder.path().join("charts")).unwrap();
    let extensions: Vec<_> = files.iter().map(|file| file.extension().unwrap().to_str().unwrap()).collect();
    assert_eq!(extensions, ["svg", "png"]);
    assert!(files.iter().all(|file| file.metadata().unwrap().len() > 1000));
}
