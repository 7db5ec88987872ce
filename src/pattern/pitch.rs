//! `pitch`: a matrix whose rows are packed tightly or padded to an alignment.

use std::sync::Arc;

use super::plan::{fold, splat};
use super::*;

/// Row lengths that are no multiple of 32 bytes; 848 and 3408 are multiples of 16 for the wide types.
const ROWS: &[u64] = &[100, 848, 852, 3408, 3412];

/// Alignments of a row's start; 1 is none: rows follow one another tightly.
const ALIGNMENTS: &[u64] = &[1, 32, 128, 256];

pub(super) const PATTERN: Pattern = Pattern {
    name: "pitch",
    summary: "rows of a matrix packed tightly, or padded to an alignment",
    why: "When a row's length is no multiple of a sector, tightly packed rows start anywhere within a sector, \
          and subgroups that take one row each touch one sector more than the row needs. Padding every row \
          to a pitch that is a multiple of the sector (or line) avoids it and costs memory. The same lanes \
          read the same columns in all cases; only the distance between rows differs. useful bytes leave \
          the padding out.",
    wgsl: include_str!("../../shaders/pitch.wgsl"),
    axes: &[
        Axis::names("op", "load or store", &["read", "write"]),
        Axis::TYPE,
        Axis::ints("row_bytes", "length of a row", ROWS),
        Axis::ints("align_bytes", "alignment that each row is padded to; 1 packs tightly", ALIGNMENTS),
    ],
    depth,
    plan,
    host: Some(crate::device::host::loops::pitch),
    purpose: |_| Purpose::Plain,
    chart: Chart::Bars { group: "row_bytes", bar: "align_bytes" },
    examples: &[
        Example::drawn("op=read/type=u32/row_bytes=852/align_bytes=1"),
        Example::counted("op=read/type=u32/row_bytes=852/align_bytes=32"),
        Example::counted("op=read/type=u32/row_bytes=852/align_bytes=128"),
        Example::counted("op=read/type=u32/row_bytes=100/align_bytes=1"),
        Example::counted("op=read/type=u32/row_bytes=100/align_bytes=32"),
    ],
};

fn depth(case: &Case) -> Option<Depth> {
    let (element, row, align) = (case.element(), case.int("row_bytes"), case.int("align_bytes"));
    // No row of that type, or the same pitch as with a smaller alignment.
    let repeated = ALIGNMENTS.iter().any(|&a| a < align && row.next_multiple_of(a) == pitch(case));
    if !row.is_multiple_of(element.bytes()) || repeated {
        return None;
    }
    Some(match (case.op(), element, row, align) {
        ("read", Element::U32, 852, 1 | 32 | 128) => Depth::Quick,
        ("read", Element::U32, 100, 1 | 32) | ("read", Element::U32, 3412, 1 | 128) => Depth::Default,
        ("write", Element::U32, 852, 1 | 128) => Depth::Default,
        _ => Depth::Full,
    })
}

/// Bytes from the start of a row to the start of the next.
fn pitch(case: &Case) -> u64 {
    case.int("row_bytes").next_multiple_of(case.int("align_bytes"))
}

fn plan(case: &Case, limits: &Limits) -> Result<Plan, Skip> {
    let (element, pitch) = (case.element(), pitch(case) / case.element().bytes());
    let width = case.int("row_bytes") / element.bytes();
    let team = width.next_power_of_two().min(WORKGROUP);
    let parts = width.div_ceil(team);
    let turns = ACCESSES / parts;
    // The number of rows is that of the widest pitch, so that all pitches hold the same matrix.
    let group_rows = WORKGROUP / team * turns;
    let widest = case.int("row_bytes").next_multiple_of(256) * group_rows;
    let size = Sizing::new(limits.footprint, limits.max_binding, widest);
    let groups = size.bytes / widest;
    let rows = groups * group_rows;
    let bytes = (rows * pitch * element.bytes()).next_multiple_of(16);
    if bytes > limits.max_binding {
        return Err(Skip::because(format!(
            "the smallest matrix has {bytes} bytes; the device binds {} bytes",
            limits.max_binding
        )));
    }
    let reads = case.op() == "read";
    let buffers = if reads {
        let expected: Expected = Arc::new(move |fill, index| {
            let (team_index, member) = (index / team, index % team);
            let teams = WORKGROUP / team;
            let (group, team_in_group) = (team_index / teams, team_index % teams);
            let rows_of_team = (0..turns).map(|turn| group * group_rows + turn * teams + team_in_group);
            let places = rows_of_team.flat_map(|row| {
                (member..width).step_by(team as usize).map(move |column| row * pitch + column)
            });
            fold(element, places.map(|place| fill.element(element, 0, place)))
        });
        vec![
            BufferPlan::random("src", Role::Subject, bytes, 0),
            BufferPlan::output("dst", Role::Sink, groups * WORKGROUP * element.bytes(), expected),
        ]
    } else {
        let expected: Expected = Arc::new(move |_, i| {
            let in_matrix = i / pitch < rows && i % pitch < width;
            splat(element, if in_matrix { i as u32 + 1 } else { 0 })
        });
        vec![BufferPlan::output("dst", Role::Subject, bytes, expected)]
    };
    Ok(Plan {
        entry: if reads { "load" } else { "store" },
        element,
        constants: vec![
            ("LANES", WORKGROUP as f64),
            ("TEAM_LOG2", f64::from(team.ilog2())),
            ("PARTS", parts as f64),
            ("ROWS", turns as f64),
            ("WIDTH", width as f64),
            ("PITCH", pitch as f64),
        ],
        buffers,
        groups,
        twin_mask: Some(window_mask(if reads { LOAD_WINDOW } else { STORE_WINDOW }, element)),
        accesses_per_lane: turns * parts,
        useful_bytes: rows * width * element.bytes(),
        distinct_bytes: rows * width * element.bytes(),
        workgroup_subject: false,
        clamped: size.clamped,
        notes: vec![("rows", rows.to_string()), ("pitch_bytes", (pitch * element.bytes()).to_string())],
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{case, counts, limits, specialises_everywhere};
    use super::*;

    #[test]
    fn every_case_specialises() {
        specialises_everywhere("pitch");
    }

    #[test]
    fn depths_hold_what_they_should() {
        // u32: 100 has pitches 100, 128, 256, the other four rows four each; the wide types two rows each
        assert_eq!(counts("pitch"), [3, 9, 2 * (3 + 4 * 4 + 2 * (2 * 4))]);
    }

    #[test]
    fn pitches_are_the_rows_rounded_up() {
        let pitches: Vec<u64> = [1, 32, 128, 256]
            .iter()
            .map(|align| pitch(&case(&format!("pitch/op=read/type=u32/row_bytes=852/align_bytes={align}"))))
            .collect();
        assert_eq!(pitches, [852, 864, 896, 1024]);
    }

    #[test]
    fn every_pitch_holds_the_same_matrix() {
        let useful = |align: u64| {
            let case = case(&format!("pitch/op=read/type=u32/row_bytes=852/align_bytes={align}"));
            let plan = plan(&case, &limits(4 << 20)).unwrap();
            (plan.useful_bytes, plan.groups, plan.buffers[0].bytes)
        };
        // 4096 rows of 1024 bytes fill 4 MiB
        assert_eq!(useful(1), (4096 * 852, 256, 4096 * 852));
        assert_eq!(useful(256), (4096 * 852, 256, 4 << 20));
    }

    #[test]
    fn lanes_fold_their_columns_and_those_past_the_end_rest() {
        let fill = Fill::new(3);
        // 25 elements: eight teams of 32 lanes, 16 turns
        let narrow = case("pitch/op=read/type=u32/row_bytes=100/align_bytes=32");
        let narrow = plan(&narrow, &limits(1 << 20)).unwrap();
        let mut sum = 0u32;
        for turn in 0..16u64 {
            sum = sum.wrapping_mul(5).wrapping_add(fill.word(0, (turn * 8 + 1) * 32 + 2));
        }
        assert_eq!((narrow.output().1)(&fill, 32 + 2)[0], sum);
        assert_eq!((narrow.output().1)(&fill, 25)[0], 0, "lane 25 of a team has no column");
        // 853 elements: four parts of 256 lanes, the last one short
        let wide = case("pitch/op=read/type=u32/row_bytes=3412/align_bytes=1");
        let wide = plan(&wide, &limits(1 << 20)).unwrap();
        let lane = |lane: u64| {
            let places = (0..4).flat_map(|row| (0..4).map(move |part| (row, part * 256 + lane)));
            places.filter(|(_, column)| *column < 853).fold(0u32, |sum, (row, column)| {
                sum.wrapping_mul(5).wrapping_add(fill.word(0, row * 853 + column))
            })
        };
        for at in [0, 84, 85, 255] {
            assert_eq!((wide.output().1)(&fill, at)[0], lane(at), "lane {at}");
        }
    }

    #[test]
    fn padding_stays_zero_when_written() {
        let case = case("pitch/op=write/type=u32/row_bytes=100/align_bytes=32");
        let plan = plan(&case, &limits(1 << 20)).unwrap();
        let at = |i| (plan.output().1)(&Fill::new(0), i)[0];
        assert_eq!([at(0), at(24), at(25), at(31), at(32)], [1, 25, 0, 0, 33]);
        let elements = plan.buffers[0].bytes / 4;
        let written = (0..elements).filter(|&i| at(i) != 0).count() as u64;
        assert_eq!(written * 4, plan.distinct_bytes);
    }
}
