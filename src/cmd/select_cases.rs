//! Which cases a run measures: the depth, the filters, and what the roof needs.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

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
    let filter = globs(filters)?;
    let matching = |depth| -> Vec<Case> {
        pattern::cases(depth).into_iter().filter(|case| filter.is_match(case.id())).collect()
    };
    let found = matching(depth);
    if !found.is_empty() {
        return Ok(found);
    }
    // A case named outright is meant, whether or not the default suite has it.
    match (depth, matching(Depth::Full)) {
        (Depth::Default, found) if !found.is_empty() => Ok(found),
        (_, found) if !found.is_empty() => Err(Usage(format!(
            "--filter {} matches no case of this depth, but {} of --full",
            filters.join(" --filter "),
            found.len()
        ))),
        _ => Err(Usage(format!(
            "--filter {} matches no case; near names:\n{}",
            filters.join(" --filter "),
            near(filters).join("\n")
        ))),
    }
}

fn globs(filters: &[String]) -> Result<GlobSet, Usage> {
    let mut set = GlobSetBuilder::new();
    for filter in filters {
        let glob = GlobBuilder::new(filter)
            .literal_separator(false)
            .build()
            .map_err(|error| Usage(format!("--filter {filter}: {error}")))?;
        set.add(glob);
    }
    set.build().map_err(|error| Usage(format!("--filter: {error}")))
}

/// The names nearest to filters that match nothing: patterns first, then cases.
fn near(filters: &[String]) -> Vec<String> {
    const MOST: usize = 5;
    let likeness =
        |name: &str| filters.iter().map(|filter| strsim::jaro_winkler(filter, name)).fold(0.0f64, f64::max);
    let mut names: Vec<(f64, String)> = pattern::registry()
        .iter()
        .map(|pattern| format!("{}/*", pattern.name))
        .chain(pattern::cases(Depth::Full).iter().map(Case::id))
        .map(|name| (likeness(&name), name))
        .collect();
    names.sort_by(|a, b| b.0.total_cmp(&a.0));
    names.into_iter().take(MOST).map(|(_, name)| format!("  {name}")).collect()
}
