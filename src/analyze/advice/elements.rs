//! Arrays of structures, vectors and rows, of whose elements the lanes take parts.

use crate::analyze::collect::SampleRequest;
use crate::model::Element;

use super::{Advice, Cause, Situation};

/// What the elements of a runtime-sized array are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Structures,
    Vectors,
    /// Arrays or matrices.
    Rows,
}

pub(super) fn kind(element: &Element) -> Kind {
    match element.leaves.first().and_then(|leaf| leaf.path.chars().next()) {
        Some('.') => Kind::Vectors,
        Some('[') => Kind::Rows,
        Some(_) | None => Kind::Structures,
    }
}

/// The name and the bytes of the array in a structure that a request takes elements of.
fn array_member<'a>(element: &'a Element, request: &SampleRequest) -> Option<(&'a str, u64)> {
    let at =
        request.addresses.first()?.checked_sub(u64::from(element.offset))? % u64::from(element.stride.max(1));
    let leaf = element.leaves.iter().find(|leaf| u64::from(leaf.offset) == at)?;
    let (name, _) = leaf.path.split_once('[')?;
    let of_member = element
        .leaves
        .iter()
        .filter(|leaf| leaf.path.strip_prefix(name).is_some_and(|rest| rest.starts_with('[')));
    let bytes = of_member.clone().map(|leaf| leaf.offset + leaf.num.bytes()).max()?
        - of_member.map(|leaf| leaf.offset).min()?;
    (u64::from(bytes) > u64::from(request.bytes)).then_some((name, u64::from(bytes)))
}

/// A part of each element of an array of structures, vectors or rows.
pub(super) fn member(situation: &Situation<'_>, request: &SampleRequest, stride: u32) -> Advice {
    let bytes = situation.access.bytes.max(request.bytes);
    let over_all = situation.used.bytes_of(situation.access).max(u64::from(bytes));
    let is_vec3 = situation.element.is_some_and(|element| {
        element.leaves.len() == 3 && element.stride == 4 * element.leaves[0].num.bytes()
    });
    if is_vec3 {
        let sentence = format!(
            "an array of three-component vectors has a stride of {stride} bytes: {bytes} of {stride} are used; \
             use the fourth component, or keep x, y and z in arrays of their own"
        );
        return Advice { cause: Cause::PaddedVector, sentence };
    }
    let is_more = over_all > u64::from(bytes);
    let together = if is_more {
        format!(" ({over_all} of {stride} by all accesses of the kernel together)")
    } else {
        String::new()
    };
    // a structure with an atomic can't be taken for vectors
    let is_atomic = situation.siblings.iter().any(|(access, _)| access.atomic.is_some());
    let offset = situation.element.map_or(0, |element| element.offset);
    let fits_vectors = over_all > u64::from(request.bytes)
        && stride.is_multiple_of(16)
        && offset.is_multiple_of(16)
        && !is_atomic;
    let (cause, sentence) = match situation.element.map_or(Kind::Structures, kind) {
        Kind::Vectors if is_more => (
            Cause::RowWalk,
            format!(
                "each lane takes its vector of {stride} bytes in parts: {bytes} of {stride} bytes used{together}; \
                 take the vector whole and pick the components from it"
            ),
        ),
        Kind::Vectors => (
            Cause::ArrayOfStructures,
            format!(
                "array of vectors with a stride of {stride} bytes: {bytes} of {stride} bytes used; keep the \
                 component in an array of its own"
            ),
        ),
        Kind::Rows => {
            let whole = match fits_vectors && bytes < 16 {
                true => ", or declare the rows as vectors of 16 bytes and take those whole",
                false => "",
            };
            (
                Cause::RowWalk,
                format!(
                    "lanes walk rows: neighbouring lanes are in neighbouring rows of {stride} bytes: {bytes} of \
                     {stride} bytes used{together}; store element j of all rows side by side (at j * rows + row), \
                     or stage the rows in workgroup memory{whole}"
                ),
            )
        }
        Kind::Structures => {
            let row = situation.element.and_then(|element| array_member(element, request));
            let remedy = match row {
                Some((name, row)) => format!(
                    "`{name}` is a row of {row} bytes, and stays one in an array of its own: store element j of \
                     all rows side by side (at j * rows + row), or stage the structures in workgroup memory"
                ),
                None if fits_vectors && 2 * over_all >= u64::from(stride) => {
                    "keep each member in an array of its own, or load whole structures as vectors of 16 bytes"
                        .to_owned()
                }
                None if is_more => {
                    "keep each member in an array of its own, or stage the structures in workgroup memory"
                        .to_owned()
                }
                None => "keep each member in an array of its own".to_owned(),
            };
            (
                Cause::ArrayOfStructures,
                format!(
                    "array of structures with a stride of {stride} bytes: {bytes} of {stride} bytes \
                     used{together}; {remedy}"
                ),
            )
        }
    };
    Advice { cause, sentence }
}
