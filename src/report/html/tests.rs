//! What must hold of the page whatever is in the runs.

use std::collections::BTreeSet;

use roxmltree::{Document, Node, ParsingOptions};

use super::*;
use crate::pattern::Depth;
use crate::record::{Check, Status};
use crate::report::{Run, synthetic};

const HOSTILE: &str = "</title></style><script>alert(1)</script> \"'&amp;]]> {{ x }} \u{1}\u{202e}";

fn page(runs: &[Run]) -> String {
    render(&Report::new(runs, vec![HOSTILE.to_owned()])).unwrap()
}

/// The page as an XML reader sees it, after the checks that every page must pass.
fn checked(text: &str) -> Document<'_> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).unwrap();
    let elements = || document.descendants().filter(Node::is_element);
    let mut ids = BTreeSet::new();
    for id in elements().filter_map(|node| node.attribute("id")) {
        assert!(ids.insert(id), "two elements are `{id}`");
    }
    for node in elements() {
        let name = node.tag_name().name();
        assert!(
            !["link", "img", "iframe", "object", "embed", "base", "image", "use"].contains(&name),
            "<{name}>"
        );
        for attribute in node.attributes() {
            let (key, value) = (attribute.name(), attribute.value());
            assert!(!key.starts_with("on") && key != "src", "{key}=\"{value}\" in <{name}>");
            if key == "href" {
                let target = value.strip_prefix('#').unwrap_or_else(|| panic!("{value} leaves the page"));
                assert!(ids.contains(target), "nothing is called {target}");
            }
            if ["aria-labelledby", "aria-describedby", "for"].contains(&key) {
                assert!(value.split(' ').all(|id| ids.contains(id)), "{key}=\"{value}\" in <{name}>");
            }
            if key != "title" {
                assert!(!value.replace("url(#", "").contains("url("), "{key}=\"{value}\"");
            }
        }
    }
    let texts = |name: &str| -> Vec<String> {
        let found = elements().filter(|node| node.tag_name().name() == name);
        found.map(|node| node.text().unwrap_or_default().to_owned()).collect()
    };
    let scripts = texts("script");
    assert_eq!(scripts.len(), 1);
    assert_eq!(scripts[0].trim_matches(['\n', '/']).trim(), include_str!("page.js").trim());
    let styles = texts("style").concat();
    assert!(["url(", "@import", "://", "<"].iter().all(|outside| !styles.contains(outside)));
    document
}

fn named<'a>(document: &'a Document<'a>, name: &'a str) -> impl Iterator<Item = Node<'a, 'a>> {
    document.descendants().filter(move |node| node.tag_name().name() == name)
}

#[test]
fn every_case_of_every_run_has_a_row_and_every_link_arrives() {
    let runs = [
        synthetic::run("one", "cpu", Depth::Default),
        synthetic::run("two", "discrete", Depth::Quick),
        synthetic::run("two", "discrete", Depth::Quick),
    ];
    let text = page(&runs);
    let document = checked(&text);
    for (index, run) in runs.iter().enumerate() {
        for row in &run.rows {
            let id = format!("d{index}/{}", row.case);
            assert!(named(&document, "tr").any(|tr| tr.attribute("id") == Some(&id)), "{id}");
        }
    }
    let charts = named(&document, "svg").count();
    assert!(charts > 3 * 13, "{charts}");
}

#[test]
fn hostile_names_are_text_everywhere() {
    let mut runs =
        [synthetic::run(HOSTILE, "cpu", Depth::Quick), synthetic::run(HOSTILE, "cpu", Depth::Quick)];
    for run in &mut runs {
        run.info.device.driver = Some(HOSTILE.to_owned());
        run.info.command = HOSTILE.to_owned();
        run.info.notes = vec![HOSTILE.to_owned()];
        run.info.backend = HOSTILE.to_owned();
        run.info.roofline.peak_gb_per_s = Some(1.0);
        run.info.roofline.peak_source = Some(HOSTILE.to_owned());
        run.info.limits.insert(HOSTILE.to_owned(), 1);
        run.info.checks =
            vec![Check { name: HOSTILE.to_owned(), passed: Some(false), detail: HOSTILE.to_owned() }];
        run.rows[0].case = format!("contiguous/op={HOSTILE}");
        run.rows[1].case = run.rows[0].case.clone();
        run.rows[2].status = Status::Failed;
        run.rows[2].reason = Some(HOSTILE.to_owned());
        run.rows[3].pattern = HOSTILE.to_owned();
        run.rows[3].case = format!("{HOSTILE}/op=read");
    }
    let text = page(&runs);
    let document = checked(&text);
    let shown = document
        .descendants()
        .filter_map(|node| node.text())
        .filter(|text| text.contains("<script>alert(1)"));
    assert!(shown.count() > 20);
    assert!(!text.contains("<script>alert") && !text.contains('\u{1}'));
}

#[test]
fn runs_with_little_in_them_have_a_page_that_says_so() {
    let mut failed = synthetic::run("failed", "discrete", Depth::Quick);
    for row in &mut failed.rows {
        row.status = Status::Failed;
        row.reason = Some("device lost".to_owned());
    }
    let mut empty = synthetic::run("empty", "discrete", Depth::Quick);
    empty.rows.clear();
    empty.info.counts = None;
    let mut single = synthetic::run("single", "discrete", Depth::Quick);
    single.rows.truncate(1);
    for run in [&failed, &empty, &single] {
        checked(&page(std::slice::from_ref(run)));
    }
    let text = page(&[failed.clone(), empty.clone(), single.clone()]);
    let document = checked(&text);
    assert!(text.contains("none of the") && text.contains("the run has no cases"));
    assert_eq!(named(&document, "article").count(), 3);
    let failed_rows = named(&document, "tr").filter(|tr| tr.attribute("class") == Some("missing"));
    assert_eq!(failed_rows.count(), failed.rows.len());
    let alone = page(&[empty]);
    assert!(named(&checked(&alone), "form").next().is_none(), "one run needs no controls");
}

#[test]
fn drawings_and_headings_tell_screen_readers_what_they_are() {
    let text =
        page(&[synthetic::run("one", "cpu", Depth::Quick), synthetic::run("two", "cpu", Depth::Quick)]);
    let document = checked(&text);
    for svg in named(&document, "svg") {
        assert!(svg.attribute("aria-labelledby").is_some() && svg.attribute("role") == Some("img"));
        for name in ["title", "desc"] {
            let told =
                svg.children().find(|node| node.tag_name().name() == name).and_then(|node| node.text());
            assert!(told.is_some_and(|text| !text.is_empty()));
        }
    }
    for table in named(&document, "table") {
        let caption = table.first_element_child().filter(|child| child.tag_name().name() == "caption");
        assert!(caption.and_then(|caption| caption.text()).is_some_and(|text| text.len() > 10));
        let headings = table.descendants().filter(|node| node.attribute("scope") == Some("col"));
        for heading in headings {
            assert_eq!(heading.attribute("aria-sort"), Some("none"));
            assert!(heading.children().any(|node| node.tag_name().name() == "button"));
        }
    }
    for input in named(&document, "input").filter(|input| input.attribute("type") == Some("search")) {
        assert!(input.attribute("aria-label").is_some_and(|label| label.contains(" on ")));
    }
    let levels: Vec<u32> = document
        .descendants()
        .filter_map(|node| node.tag_name().name().strip_prefix('h')?.parse().ok())
        .collect();
    assert_eq!(levels.iter().filter(|level| **level == 1).count(), 1);
    assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{levels:?}");
}

#[test]
fn pages_are_the_same_every_time() {
    let runs = [synthetic::run("one", "cpu", Depth::Quick), synthetic::run("two", "cpu", Depth::Quick)];
    assert_eq!(page(&runs), page(&runs));
}
