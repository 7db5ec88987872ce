//! The pictures of the patterns: they show what a pattern asks for and depend on no run.

use crate::model::Machine;
use crate::pattern;
use crate::picture::{Picture, of_pattern};

/// The machine of the pictures, which their titles name: the same on every page, whatever was measured.
const MACHINE: &str = "nvidia";

/// The picture of a pattern; none for a pattern of another version.
///
/// Not cached: the model draws on all cores, and a lock held over that waits for threads that wait for it.
pub(super) fn of(name: &str) -> Option<Picture> {
    of_pattern(pattern::find(name)?, Machine::preset(MACHINE)?).ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_pattern_has_a_picture() {
        for row in crate::pattern::registry() {
            assert!(super::of(row.name).is_some_and(|picture| !picture.title.is_empty()), "{}", row.name);
        }
        assert!(super::of("zigzag").is_none());
    }
}
