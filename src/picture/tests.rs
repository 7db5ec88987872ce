use super::*;

fn panel(space: Space, bytes: u32, address: impl Fn(u64) -> u64) -> Panel {
    Panel {
        title: "made up <case> & \"more\"".to_owned(),
        space,
        reads: true,
        lanes: (0..32).collect(),
        addresses: (0..32).map(address).collect(),
        bytes,
    }
}

fn nvidia() -> Machine {
    Machine::preset("nvidia").unwrap()
}

/// The boxes of a fill.
fn boxes(svg: &str, fill: &str) -> usize {
    let document = roxmltree::Document::parse(svg).unwrap();
    document
        .descendants()
        .filter(|node| node.has_tag_name("path") && node.attribute("fill") == Some(fill))
        .map(|node| node.attribute("d").unwrap().matches('M').count())
        .sum()
}

fn all_panels() -> Vec<Panel> {
    vec![
        panel(Space::Storage, 4, |lane| 4 * lane),
        panel(Space::Storage, 4, |lane| 4096 * lane + 4),
        panel(Space::Storage, 16, |lane| 36 * lane),
        panel(Space::Uniform, 4, |_| 0),
        panel(Space::Workgroup, 4, |lane| 128 * lane),
        panel(Space::Workgroup, 16, |lane| 16 * lane),
    ]
}

#[test]
fn a_file_is_xml_with_title_and_description_and_nothing_from_outside() {
    for name in Machine::PRESETS {
        let machine = Machine::preset(name).unwrap();
        let file = Picture::new("title & <script>", &all_panels(), &machine).standalone();
        let document = roxmltree::Document::parse(&file).unwrap();
        let root = document.root_element();
        let first: Vec<&str> =
            root.children().filter(|n| n.is_element()).map(|n| n.tag_name().name()).take(2).collect();
        assert_eq!(first, ["title", "desc"]);
        assert_eq!(root.first_element_child().unwrap().text(), Some("title & <script>"));
        for node in document.descendants() {
            assert!(!["script", "image", "use", "foreignObject"].contains(&node.tag_name().name()));
            for attribute in node.attributes() {
                assert!(attribute.name() != "href" && !attribute.value().contains("NaN"), "{attribute:?}");
            }
        }
        assert!(file.contains("prefers-color-scheme: dark") && !file.contains("{id}"));
    }
}

#[test]
fn ids_are_those_of_the_place_it_is_put() {
    let picture = Picture::new("t", &all_panels(), &nvidia());
    let svg = picture.svg("1 stride/a");
    let document = roxmltree::Document::parse(&svg).unwrap();
    let ids: Vec<&str> = document.descendants().filter_map(|node| node.attribute("id")).collect();
    assert_eq!(ids, ["p1-stride-a-t", "p1-stride-a-d", "p1-stride-a-hatch"]);
    assert!(!svg.contains("<style"));
}

#[test]
fn every_sector_touched_is_hatched_once() {
    let sectors = |address: fn(u64) -> u64| {
        let svg = Picture::new("t", &[panel(Space::Storage, 4, address)], &nvidia()).svg("p");
        boxes(&svg, "url(#p-hatch)") - 1 // the legend
    };
    assert_eq!(sectors(|lane| 4 * lane), 4);
    assert_eq!(sectors(|lane| 4 * lane + 4), 5);
    assert_eq!(sectors(|lane| 8 * lane), 8);
    assert_eq!(sectors(|lane| 32 * lane), 32);
    assert_eq!(sectors(|lane| 4096 * lane), 32);
    assert_eq!(sectors(|_| 64), 1);
}

#[test]
fn only_what_is_asked_for_covers_the_lines_that_lead_to_it() {
    let svg = Picture::new("t", &[panel(Space::Storage, 4, |lane| 4096 * lane + 8)], &nvidia()).svg("p");
    let document = roxmltree::Document::parse(&svg).unwrap();
    let fills: Vec<&str> = document
        .descendants()
        .filter(|n| n.has_tag_name("path"))
        .filter_map(|n| n.attribute("fill"))
        .collect();
    let lines = fills.iter().position(|fill| *fill == "none").unwrap();
    assert_eq!(fills[lines + 1..], ["#0072B2"], "{fills:?}");
}

#[test]
fn words_beyond_the_first_of_a_bank_are_stacked() {
    let waiting = |address: fn(u64) -> u64| {
        let svg = Picture::new("t", &[panel(Space::Workgroup, 4, address)], &nvidia()).svg("p");
        boxes(&svg, "url(#p-hatch)") - 1
    };
    assert_eq!(waiting(|lane| 4 * lane), 0);
    assert_eq!(waiting(|lane| 8 * lane), 16);
    assert_eq!(waiting(|lane| 128 * lane), 31);
    assert_eq!(waiting(|lane| 132 * lane), 0);
    assert_eq!(waiting(|_| 0), 0);
}

#[test]
fn descriptions_say_what_the_model_counts() {
    let picture = Picture::new("t", &all_panels(), &nvidia());
    insta::assert_snapshot!(picture.description.replace(". ", "\n"), @r#"
    made up <case> & "more": 32 lanes ask for 128 B: 4 sectors (128 B) in 1 line, where 4 would hold it (excess 1.00)
    made up <case> & "more": 32 lanes ask for 128 B: 32 sectors (1 KiB) in 32 lines, where 4 would hold it (excess 8.00)
    made up <case> & "more": 32 lanes ask for 512 B: 36 sectors (1.12 KiB) in 9 lines, where 16 would hold it (excess 2.25)
    made up <case> & "more": 32 lanes ask for 4 B: 1 sector (32 B) in 1 line, where 1 would hold it (excess 1.00)
    made up <case> & "more": 32 lanes ask 32 banks of 4 B: 32-way conflicts, 32 passes where 1 would do
    made up <case> & "more": 32 lanes ask 32 banks of 4 B: no conflict, 4 passes where 4 would do
    "#);
}

#[test]
fn lines_without_end_are_cut_and_nothing_is_drawn_of_nothing() {
    let mut wide = panel(Space::Storage, 4, |lane| 4096 * lane);
    wide.lanes = (0..64).collect();
    wide.addresses = (0..64).map(|lane| 4096 * lane).collect();
    let svg = Picture::new("t", &[wide], &nvidia()).svg("p");
    assert!(svg.contains("… 32 more lines like these …"), "{svg}");
    let empty = Panel { lanes: Vec::new(), addresses: Vec::new(), ..panel(Space::Storage, 4, |_| 0) };
    let banks = Panel { space: Space::Workgroup, ..empty.clone() };
    let far = Panel { lanes: vec![0], addresses: vec![u64::from(u32::MAX)], ..empty.clone() };
    for panels in [vec![], vec![empty], vec![banks], vec![far]] {
        let file = Picture::new("t", &panels, &nvidia()).standalone();
        assert!(roxmltree::Document::parse(&file).is_ok(), "{file}");
    }
}
