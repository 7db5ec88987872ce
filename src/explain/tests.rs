use super::*;
use crate::pattern::{self, Depth};

fn explained(pattern: &str) -> Explanation {
    let pattern = pattern::find(pattern).unwrap();
    Explanation::new(pattern, Machine::preset("nvidia").unwrap()).unwrap()
}

/// Sectors per request and excess of the subject, or degree, of an example.
fn counts(explanation: &Explanation, case: &str, op: AccessOp) -> Counts {
    let id = format!("{}/{case}", explanation.pattern.name);
    let row = explanation.rows.iter().find(|row| row.case.id() == id && row.access.op == op);
    row.unwrap_or_else(|| panic!("no row {id}")).counts
}

#[test]
fn every_example_is_a_case_and_every_pattern_is_explained() {
    for pattern in pattern::registry() {
        let ids: Vec<String> = pattern.cases(Depth::Full).iter().map(Case::id).collect();
        for example in pattern.examples {
            let id = format!("{}/{}", pattern.name, example.case);
            assert!(ids.contains(&id), "no case {id}");
        }
        // the numbers of the machine change figures, not the code that is run
        let machines: &[&str] = if pattern.name == "stride" { &["nvidia", "host"] } else { &["nvidia"] };
        for machine in machines {
            let explanation = Explanation::new(pattern, Machine::preset(machine).unwrap()).unwrap();
            assert!(!explanation.rows.is_empty() && !explanation.drawings.is_empty(), "{}", pattern.name);
            let text = text::render(&explanation);
            assert!(text.contains(pattern.summary), "{text}");
            assert!(text.lines().all(|line| line.chars().count() <= 132), "{}: {text}", pattern.name);
            let json = json::render(&explanation);
            assert_eq!(json["accesses"].as_array().unwrap().len(), explanation.rows.len());
        }
    }
}

#[test]
fn the_classic_tables_come_out() {
    let load = AccessOp::Load;
    let stride = explained("stride");
    for (bytes, sectors, excess) in [(4, 4.0, 1.0), (8, 8.0, 2.0), (16, 16.0, 4.0), (32, 32.0, 8.0)] {
        let counts = counts(&stride, &format!("op=read/type=u32/stride_bytes={bytes}"), load);
        assert_eq!((counts.sectors_per_request(), counts.excess()), (Some(sectors), Some(excess)), "{bytes}");
    }
    let misalign = explained("misalign");
    let slice = |run: &str| {
        counts(&misalign, &format!("op=read/type=u32/cause=slice/run={run}/offset_bytes=4"), load)
    };
    assert_eq!((slice("endless").sectors_per_request(), slice("endless").excess()), (Some(5.0), Some(1.25)));
    // four runs of 32 bytes a request, two sectors for one each
    assert_eq!((slice("32B").sectors_per_request(), slice("32B").excess()), (Some(8.0), Some(2.0)));
    let walk =
        counts(&explained("traversal"), "op=read/type=u32/walk=lanes_along_column/row_elements=64", load);
    assert_eq!((walk.sectors_per_request(), walk.excess()), (Some(32.0), Some(8.0)));
    let transpose = explained("transpose");
    let degree = |op: &str| {
        let id = format!("transpose/op={op}/type=u32/matrix=1024x1024/tile_elements=32/ballast_bytes=0");
        let rows = transpose.rows.iter().filter(|row| row.case.id() == id);
        rows.map(|row| row.counts.conflict_degree).max()
    };
    assert_eq!((degree("tile"), degree("tile_padded")), (Some(32), Some(1)));
}

#[test]
fn the_text_of_a_stride() {
    insta::assert_snapshot!(text::render(&explained("stride")));
}
