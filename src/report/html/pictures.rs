//! The pictures of the patterns. They show what a pattern asks for and depend on no run, so each is drawn once.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use crate::model::Machine;
use crate::pattern;
use crate::picture::{Picture, of_pattern};

/// The machine of the pictures, which their titles name: the same on every page, whatever was measured.
const MACHINE: &str = "nvidia";

/// The picture of a pattern; none for a pattern of another version.
pub(super) fn of(name: &str) -> Option<&'static Picture> {
    static DRAWN: LazyLock<BTreeMap<&str, OnceLock<Option<Picture>>>> =
        LazyLock::new(|| pattern::registry().iter().map(|row| (row.name, OnceLock::new())).collect());
    let draw = || of_pattern(pattern::find(name)?, Machine::preset(MACHINE)?).ok();
    DRAWN.get(name)?.get_or_init(draw).as_ref()
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
