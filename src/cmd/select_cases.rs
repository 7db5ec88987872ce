//! Which cases a run measures: the depth, the filters, and what the roof needs.

use std::collections::HashSet;

use globset::GlobBuilder;

use crate::pattern::{self, Case, Depth};
use crate::record::SettingsInfo;

use super::Usage;

/// The cases that settings ask for, in registry order.
///
/// # Errors
/// A filter that is no glob, filters that match nothing, or a depth that there is not.
pub(super) fn select(settings: &SettingsInfo) -> Result<Vec<Case>, Usage> {
    let depth = match settings.depth.as_str() {
        "quick" => Depth::Quick,
        "default" => Depth::Default,
        "full" => Depth::Full,
        other => return Err(Usage(format!("`{other}` is no depth; there are quick, default and full"))),
    };
    let filters = &settings.filters;
    if filters.is_empty() {
        return Ok(pattern::cases(depth));
    }
    let mut chosen = HashSet::new();
    for filter in filters {
        chosen.extend(matching(filter, depth)?);
    }
    Ok(pattern::cases(Depth::Full).into_iter().filter(|case| chosen.contains(&case.id())).collect())
}

/// The ids of the cases that one filter matches.
fn matching(filter: &str, depth: Depth) -> Result<Vec<String>, Usage> {
    let glob = GlobBuilder::new(filter)
        .literal_separator(false)
        .build()
        .map_err(|error| Usage(format!("--filter {filter}: {error}")))?
        .compile_matcher();
    let of = |depth| -> Vec<String> {
        pattern::cases(depth).iter().map(Case::id).filter(|id| glob.is_match(id)).collect()
    };
    let found = of(depth);
    if !found.is_empty() {
        return Ok(found);
    }
    // A case named outright is meant, whether or not the default suite has it.
    match (depth, of(Depth::Full)) {
        (Depth::Default, found) if !found.is_empty() => Ok(found),
        (_, found) if !found.is_empty() => Err(Usage(format!(
            "--filter {filter} matches no case of this depth, but {} of --full",
            found.len()
        ))),
        _ => {
            Err(Usage(format!("--filter {filter} matches no case; near names:\n{}", near(filter).join("\n"))))
        }
    }
}

/// The names nearest to a filter that matches nothing: patterns first, then cases.
fn near(filter: &str) -> Vec<String> {
    const MOST: usize = 5;
    let likeness = |name: &str| strsim::jaro_winkler(filter, name);
    let mut names: Vec<(f64, String)> = pattern::registry()
        .iter()
        .map(|pattern| format!("{}/*", pattern.name))
        .chain(pattern::cases(Depth::Full).iter().map(Case::id))
        .map(|name| (likeness(&name), name))
        .collect();
    names.sort_by(|a, b| b.0.total_cmp(&a.0));
    names.into_iter().take(MOST).map(|(_, name)| format!("  {name}")).collect()
}
