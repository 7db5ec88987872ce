//! Records: where their fields lie, if whoever produces them can be changed.

use crate::report::Run;

use super::Fix;
use super::line::{Advice, Question};
use super::pair::About;

/// The records of the suite.
const RECORDS: [u64; 4] = [16, 32, 64, 256];

/// A case of the layout pattern with `u32` fields.
pub(super) fn case(op: &str, layout: &str, record: u64, fields: &str) -> String {
    format!("layout/op={op}/type=u32/layout={layout}/record_bytes={record}/fields={fields}")
}

/// Fields touched, in words.
pub(super) fn fields(fields: &str) -> String {
    match fields {
        "1" => "one field".to_owned(),
        "all" => "all fields".to_owned(),
        some => format!("{some} fields"),
    }
}

/// Structure of arrays, or tiles of both, instead of an array of structures.
pub(super) fn at_the_source(run: &Run) -> Vec<Advice> {
    [
        ("soa", "a structure of arrays instead of an array of structures"),
        ("aosoa32", "tiles of 32 records (AoSoA) instead of an array of structures"),
    ]
    .into_iter()
    .filter_map(|(layout, about)| {
        let mut question = Question::new(run, layout, Fix::Layout, About::Memory);
        for (op, verb) in [("read", "reading"), ("write", "writing")] {
            for touched in ["1", "2", "all"] {
                for record in RECORDS {
                    let what = format!("{verb} {} of {record} B", fields(touched));
                    question.compare(
                        what,
                        &case(op, "aos", record, touched),
                        &case(op, layout, record, touched),
                    );
                }
            }
        }
        question.line(about, None)
    })
    .collect()
}
