//! The picture of a user's shader: a typical request of each access that was executed.

use crate::analyze::Analysis;
use crate::explain::verb;
use crate::model::AccessOp;

use super::{Panel, Picture};

/// The picture of an analysis, accesses in source order. An access with requests of several kinds is drawn
/// by the one that wastes most.
pub fn of_analysis(analysis: &Analysis) -> Picture {
    let panels: Vec<Panel> = analysis
        .accesses
        .iter()
        .filter_map(|of| {
            let (access, request) = (&of.access, of.representative.as_ref()?);
            Some(Panel {
                title: format!(
                    "line {}: {} of {} B, `{}`",
                    access.at.line,
                    verb(access.op),
                    access.bytes,
                    access.variable
                ),
                space: access.space,
                reads: access.op == AccessOp::Load,
                lanes: request.lanes.clone(),
                addresses: request.addresses.clone(),
                bytes: request.bytes,
            })
        })
        .collect();
    let title =
        format!("{}: entry point {}, on {}", analysis.file, analysis.entry_point, analysis.machine.name);
    Picture::new(&title, &panels, &analysis.machine)
}
