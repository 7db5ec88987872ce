//! `working_set`: the same read from smaller and larger sets, to see the caches.

use std::sync::Arc;

use super::*;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

/// Powers of two from 4 KiB to four times the largest last-level cache that devices have: servers share up to
/// 2 GiB among their cores. [`admit`] says where a device stops.
const SETS: &[u64] = &[
    4 * KIB,
    8 * KIB,
    16 * KIB,
    32 * KIB,
    64 * KIB,
    128 * KIB,
    256 * KIB,
    512 * KIB,
    MIB,
    2 * MIB,
    4 * MIB,
    8 * MIB,
    16 * MIB,
    32 * MIB,
    64 * MIB,
    128 * MIB,
    256 * MIB,
    512 * MIB,
    GIB,
    2 * GIB,
    4 * GIB,
    8 * GIB,
];

/// The largest set where the last-level cache is not known: four times 32 MiB.
const UNKNOWN_CACHE: u64 = 128 * MIB;

pub(super) const PATTERN: Pattern = Pattern {
    name: "working_set",
    summary: "the same contiguous read from sets of 4 KiB up to beyond every cache",
    why: "The same number of contiguous loads, from a set that is walked over and over. As long as the set \
          fits a cache the loads are served from there; each step down in bandwidth is the size of a cache. \
          Only the level part at the right is memory, which is why every other pattern keeps its footprint \
          well above the last-level cache. With `cache=cold` a set that fits is walked once, after another \
          kernel has taken the caches: what the first touch of such data costs.",
    wgsl: include_str!("../../shaders/working_set.wgsl"),
    axes: &[
        Axis::TYPE,
        Axis::ints("footprint_bytes", "size of the set", SETS),
        Axis::names("cache", "walked over and over, or once after the caches were taken", &["hot", "cold"])
            .appended(Value::Name("hot")),
    ],
    depth,
    plan,
    host: Some(crate::device::host::loops::working_set),
    purpose: |_| Purpose::Plain,
    chart: Chart::Curve { axis: "footprint_bytes", log: true },
    examples: &[
        Example::drawn("type=u32x4/footprint_bytes=16384"),
        Example::counted("type=u32x4/footprint_bytes=67108864"),
    ],
};

/// The smallest set that is worth a pass of its own.
const LEAST_COLD: u64 = MIB;

fn depth(case: &Case) -> Option<Depth> {
    Some(match (case.element(), case.int("footprint_bytes")) {
        (_, set) if case.is_cold() && set < LEAST_COLD => return None,
        (Element::U32x4, set) if case.is_cold() && (4 * MIB..=64 * MIB).contains(&set) => Depth::Default,
        _ if case.is_cold() => Depth::Full,
        (Element::U32x4, set) if set == 16 * KIB || set == MIB || set == 64 * MIB => Depth::Quick,
        (Element::U32x4, _) => Depth::Default,
        _ => Depth::Full,
    })
}

fn plan(case: &Case, limits: &Limits) -> Result<Plan, Skip> {
    let (element, set) = (case.element(), case.int("footprint_bytes"));
    admit(case, limits)?;
    // Cold, a set is walked once. Hot, as many loads as a pass over the footprint; a larger set needs a whole
    // pass of its own to be the set.
    let granule = WORKGROUP * ACCESSES * element.bytes();
    let wanted = if case.is_cold() { set } else { limits.footprint.max(set) };
    let useful = Sizing::new(wanted, u64::MAX, granule).bytes;
    let elements = set / element.bytes();
    let expected: Expected = Arc::new(move |fill, index| {
        let (group, lane) = (index / WORKGROUP, index % WORKGROUP);
        let first = group * WORKGROUP * ACCESSES + lane;
        let walked = (0..ACCESSES).map(|row| (first + row * WORKGROUP) % elements);
        fold(element, walked.map(|place| fill.element(element, 0, place)))
    });
    Ok(Plan {
        entry: "load",
        element,
        constants: vec![("LANES", WORKGROUP as f64), ("ACCESSES", ACCESSES as f64)],
        buffers: vec![
            BufferPlan::random("src", Role::Subject, set, 0),
            BufferPlan::output("dst", Role::Sink, useful / ACCESSES, expected),
        ],
        groups: useful / granule,
        twin_mask: Some(window_mask(LOAD_WINDOW, element)),
        accesses_per_lane: ACCESSES,
        useful_bytes: useful,
        distinct_bytes: set,
        workgroup_subject: false,
        clamped: None,
        notes: Vec::new(),
    })
}

/// Whether a device has room for a set that shows something new: none beyond the first that is four times
/// the last-level cache or more.
pub(crate) fn admit(case: &Case, limits: &Limits) -> Result<(), Skip> {
    let set = case.int("footprint_bytes");
    if set > limits.max_binding {
        return Err(Skip::because(format!(
            "a set of {set} bytes is more than the {} bytes that the device binds",
            limits.max_binding
        )));
    }
    let largest = limits.last_level_cache.map_or(UNKNOWN_CACHE, |cache| cache.saturating_mul(4));
    if set / 2 >= largest {
        return Err(Skip::because(format!(
            "a set of {set} bytes shows nothing new: half of it already holds the {largest} bytes of four \
             last-level caches"
        )));
    }
    if case.is_cold() { cold(set, limits) } else { Ok(()) }
}

/// Whether a set can be measured cold: it fits the last-level cache, which a kernel over the footprint empties.
fn cold(set: u64, limits: &Limits) -> Result<(), Skip> {
    let Some(cache) = limits.last_level_cache else {
        return Err(Skip::because(
            "the last-level cache of this device is not known, nor what would take a set out of it",
        ));
    };
    if set > cache {
        return Err(Skip::because(format!(
            "a set of {set} bytes does not fit the last-level cache of {cache} bytes: it is never hot"
        )));
    }
    if limits.footprint < 2 * cache {
        return Err(Skip::because(format!(
            "a footprint of {} bytes is less than two last-level caches of {cache} bytes and can't empty them",
            limits.footprint
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::testing::{case, limits};
    use super::*;
    use crate::shader::Specialized;

    #[test]
    fn kernels_are_valid() {
        // A footprint that empties the cache is more than this test has time for: cold cases up to 1 MiB only.
        let limits = Limits { last_level_cache: Some(2 * GIB), max_binding: 8 * GIB, ..limits(MIB) };
        let cases = find("working_set").expect("a registered pattern").cases(Depth::Full);
        let cold = SETS.iter().filter(|set| **set >= LEAST_COLD).count();
        assert_eq!(cases.len(), Element::ALL.len() * (SETS.len() + cold));
        let cases = cases.into_iter().filter(|case| !case.is_cold());
        for case in cases {
            let plan = plan(&case, &limits).unwrap_or_else(|skip| panic!("{case}: {skip}"));
            let shader =
                Specialized::new(PATTERN.wgsl, &plan).unwrap_or_else(|error| panic!("{case}: {error}"));
            assert_eq!(shader.lanes(), WORKGROUP as u32);
        }
    }

    #[test]
    fn the_number_of_loads_does_not_depend_on_the_set() {
        let useful = |set: u64| {
            let case = case(&format!("working_set/type=u32x4/footprint_bytes={set}"));
            plan(&case, &limits(MIB)).map(|plan| plan.useful_bytes)
        };
        assert_eq!(useful(4 * KIB), Ok(MIB));
        assert_eq!(useful(MIB), Ok(MIB));
    }

    #[test]
    fn sets_that_show_nothing_new_are_skipped() {
        let with_cache = |set: u64, cache: Option<u64>| {
            let case = case(&format!("working_set/type=u32/footprint_bytes={set}"));
            plan(&case, &Limits { last_level_cache: cache, ..limits(MIB) })
        };
        let skip = with_cache(256 * MIB, None).expect_err("beyond every cache");
        assert!(skip.0.contains("268435456"), "{skip}");
        // Four caches of 50 MiB are 200 MiB: the first set that reaches them is the last.
        assert!(with_cache(256 * MIB, Some(50 * MIB)).is_ok());
        assert!(with_cache(512 * MIB, Some(50 * MIB)).is_err());
        assert!(with_cache(128 * MIB, Some(32 * MIB)).is_ok());
        assert!(with_cache(256 * MIB, Some(32 * MIB)).is_err());
        let skip = with_cache(2 * GIB, Some(480 * MIB)).expect_err("the binding limit of 1 GiB comes first");
        assert!(skip.0.contains("binds"), "{skip}");
    }

    #[test]
    fn every_known_cache_is_left_behind() {
        let facts = crate::record::peaks::all();
        let largest = facts.iter().filter_map(|facts| facts.last_level_cache_bytes()).max().expect("a cache");
        assert!(SETS.last() >= Some(&(4 * largest)), "{largest}");
    }

    #[test]
    fn a_cold_set_is_walked_once_where_it_fits_and_can_be_taken_out() {
        let cold = |set: u64, footprint: u64, cache: Option<u64>| {
            let case = case(&format!("working_set/type=u32x4/footprint_bytes={set}/cache=cold"));
            plan(&case, &Limits { last_level_cache: cache, ..limits(footprint) })
        };
        let one_walk = cold(MIB, 8 * MIB, Some(2 * MIB)).expect("a plan");
        assert_eq!((one_walk.useful_bytes, one_walk.distinct_bytes), (MIB, MIB));
        assert!(Specialized::new(PATTERN.wgsl, &one_walk).is_ok());
        for (set, footprint, cache, why) in [
            (MIB, 8 * MIB, None, "not known"),
            (4 * MIB, 8 * MIB, Some(2 * MIB), "does not fit"),
            (MIB, 2 * MIB, Some(2 * MIB), "can't empty"),
        ] {
            let skip = cold(set, footprint, cache).expect_err(why);
            assert!(skip.0.contains(why), "{skip}");
        }
        let hot = case("working_set/type=u32x4/footprint_bytes=1048576");
        assert!(!hot.is_cold() && hot.id().ends_with("footprint_bytes=1048576"));
    }

    #[test]
    fn a_set_above_the_footprint_is_walked_once() {
        let case = case("working_set/type=u32/footprint_bytes=4194304");
        let plan = plan(&case, &limits(MIB)).expect("a plan");
        assert_eq!((plan.useful_bytes, plan.distinct_bytes), (4 * MIB, 4 * MIB));
    }
}
