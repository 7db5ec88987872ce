use super::*;
use crate::pattern::{self, Depth};

/// A GPU of ordinary limits.
fn limits() -> Limits {
    Limits {
        footprint: 64 << 20,
        random_footprint: 64 << 20,
        max_binding: 128 << 20,
        max_workgroup_memory: 32 << 10,
        max_invocations: 256,
        last_level_cache: None,
    }
}

fn predicted(id: &str) -> Prediction {
    let cases = pattern::cases(Depth::Full);
    let case = cases.iter().find(|case| case.id() == id).unwrap_or_else(|| panic!("no case {id}"));
    let machine = Machine::preset("nvidia").unwrap();
    predict(case, &limits(), Fill::new(1), &machine).unwrap_or_else(|error| panic!("{id}: {error}"))
}

#[test]
fn strides_touch_the_sectors_of_the_textbook() {
    let per_request = |bytes: u64| {
        let prediction = predicted(&format!("stride/op=read/type=u32/stride_bytes={bytes}"));
        (prediction.sectors_per_request.unwrap(), prediction.over_fetch.unwrap())
    };
    for (bytes, sectors, over_fetch) in
        [(4, 4.0, 1.0), (8, 8.0, 2.0), (16, 16.0, 4.0), (32, 32.0, 8.0), (4096, 32.0, 8.0)]
    {
        assert_eq!(per_request(bytes), (sectors, over_fetch), "{bytes} bytes");
    }
}

#[test]
fn counts_are_those_of_the_whole_grid() {
    // 64 MiB of words, read by subgroups of 32 lanes, 4 bytes each: every sector once
    let prediction = predicted("contiguous/op=read/type=u32");
    let bytes = f64::from(64 << 20);
    assert_eq!(prediction.requests, bytes / 128.0);
    assert_eq!(prediction.sectors, Some(bytes / 32.0));
    assert_eq!(prediction.lines, Some(bytes / 128.0));
    assert_eq!(prediction.workgroup_sectors, Some(bytes / 32.0));
    assert_eq!(prediction.conflict_degree, None);
}

#[test]
fn index_streams_and_sinks_do_not_count() {
    let gather = predicted("gather/type=u32/indices=permutation");
    assert!(gather.sectors_per_request.unwrap() > 31.0, "{gather:?}");
    let same = predicted("gather/type=u32/indices=same");
    assert_eq!((same.sectors_per_request, same.over_fetch), (Some(1.0), Some(8.0)));
}

#[test]
fn a_perfect_cache_undoes_what_a_workgroup_uses_later() {
    let walk = predicted("traversal/op=read/type=u32/walk=lane_per_row/row_elements=4096");
    assert_eq!(walk.over_fetch, Some(8.0));
    assert_eq!(walk.workgroup_sectors.unwrap() * 8.0, walk.sectors.unwrap());
}

#[test]
fn padding_and_swizzling_undo_conflicts() {
    let degree = |op: &str| {
        predicted(&format!("transpose/op={op}/type=u32/matrix=1024x1024/tile_elements=32/ballast_bytes=0"))
            .conflict_degree
    };
    assert_eq!(degree("copy"), None);
    assert_eq!(degree("tile"), Some(32));
    assert_eq!(degree("tile_padded"), Some(1));
    assert_eq!(degree("tile_swizzled"), Some(1));
}

#[test]
fn workgroup_memory_has_conflicts_and_no_sectors() {
    let prediction = predicted("bank/op=read/type=u32/stride_elements=2");
    assert_eq!((prediction.conflict_degree, prediction.sectors, prediction.lines), (Some(2), None, None));
    assert_eq!((prediction.over_fetch, prediction.workgroup_sectors), (None, None));
    assert!(prediction.requests > 0.0);
}

#[test]
fn every_default_case_is_predicted() {
    let machine = Machine::preset("nvidia").unwrap();
    for case in pattern::cases(Depth::Default) {
        match predict(&case, &limits(), Fill::new(1), &machine) {
            Ok(prediction) => assert!(prediction.requests > 0.0, "{case}"),
            Err(NoPrediction::Skip(_)) => {}
            Err(error) => panic!("{case}: {error}"),
        }
    }
}
