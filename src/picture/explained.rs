//! The picture of a pattern: the requests that `explain` tells of, drawn.

use crate::explain::{Drawing, Explanation, verb};
use crate::model::{Access, AccessOp, Machine};
use crate::pattern::Pattern;
use crate::predict::NoPrediction;
use crate::report::CaseKey;

use super::{Panel, Picture};

/// The picture of a pattern's examples, executed by the model on a machine.
///
/// # Errors
/// [`NoPrediction`]: numbers of the machine that can't be used; anything else is a mistake in the pattern.
pub fn of_pattern(pattern: &'static Pattern, machine: Machine) -> Result<Picture, NoPrediction> {
    Ok(of_explanation(&Explanation::new(pattern, machine)?))
}

/// The picture of an explanation.
pub fn of_explanation(explanation: &Explanation) -> Picture {
    let alike = |a: &Drawing, b: &Drawing| {
        a.access.span == b.access.span
            && a.request.lanes == b.request.lanes
            && a.request.addresses == b.request.addresses
    };
    // An access that asks for the same in every example (filling a tile) is drawn once.
    let drawings = explanation.drawings.iter().enumerate();
    let panels: Vec<Panel> = drawings
        .filter(|(index, drawing)| {
            !explanation.drawings[..*index].iter().any(|earlier| alike(earlier, drawing))
        })
        .map(|(_, drawing)| panel(drawing))
        .collect();
    let (pattern, machine) = (explanation.pattern, &explanation.machine);
    let title = format!("{}: {}, on {}", pattern.name, pattern.summary, machine.name);
    Picture::new(&title, &panels, machine)
}

fn panel(drawing: &Drawing) -> Panel {
    let Drawing { case, access, request } = drawing;
    Panel {
        title: format!("{}: {}", CaseKey::parse(&case.id()).short(), what(access)),
        space: access.space,
        reads: access.op == AccessOp::Load,
        lanes: request.lanes.clone(),
        addresses: request.addresses.clone(),
        bytes: request.bytes,
    }
}

/// What an access does, in words.
fn what(access: &Access) -> String {
    let preposition = if access.op == AccessOp::Load { "from" } else { "to" };
    format!(
        "{} of {} B {preposition} `{}`, line {}",
        verb(access.op),
        access.bytes,
        access.variable,
        access.at.line
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::registry;

    #[test]
    fn every_pattern_has_a_picture_of_what_it_asks() {
        for pattern in registry() {
            let picture = of_pattern(pattern, Machine::preset("nvidia").unwrap()).unwrap();
            let id = format!("picture-{}", pattern.name);
            assert!(roxmltree::Document::parse(&picture.svg(&id)).is_ok(), "{}", pattern.name);
            assert!(picture.description.contains("lanes"), "{}: {}", pattern.name, picture.description);
        }
    }
}
