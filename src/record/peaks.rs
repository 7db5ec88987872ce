//! Data-sheet facts of devices, so that a bandwidth can be held against the peak and a footprint sized
//! by the last-level cache. `data/devices.csv` is the data: each row with the source of its figures, and
//! absent where sources disagree or one adapter name covers several boards.

use std::sync::OnceLock;

use regex::{Regex, RegexSet, RegexSetBuilder};
use serde::Deserialize;

/// A row of `data/devices.csv`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct DeviceFacts {
    /// Who makes the device.
    pub vendor: String,
    /// Regular expression over the adapter name, in any case of letters.
    #[serde(rename = "match")]
    pub pattern: String,
    /// Family of the device.
    pub architecture: String,
    /// Peak memory bandwidth in 10⁹ bytes a second.
    pub peak_gb_per_s: Option<f64>,
    /// Last-level cache in MiB.
    pub last_level_cache_mib: Option<f64>,
    /// Memory, in words.
    pub memory: String,
    /// Lanes in lock-step.
    pub subgroup_size: Option<u32>,
    /// Smallest unit fetched from memory.
    pub l2_sector_bytes: Option<u32>,
    /// Cache line.
    pub line_bytes: Option<u32>,
    /// Banks of workgroup memory.
    pub lds_banks: Option<u32>,
    /// Width of a bank.
    pub lds_bank_bytes: Option<u32>,
    /// Where the figures come from.
    pub source: String,
    /// `high` or `medium`.
    pub confidence: String,
}

impl DeviceFacts {
    /// Last-level cache in bytes.
    pub fn last_level_cache_bytes(&self) -> Option<u64> {
        self.last_level_cache_mib.map(|mib| (mib * f64::from(1 << 20)).round() as u64)
    }
}

/// The embedded table.
const TABLE: &str = include_str!("../../data/devices.csv");

struct Facts {
    rows: Vec<DeviceFacts>,
    patterns: RegexSet,
}

fn facts() -> &'static Facts {
    static FACTS: OnceLock<Facts> = OnceLock::new();
    FACTS.get_or_init(|| {
        // A row that can't be read is left out here and fails the test below.
        let rows: Vec<DeviceFacts> = csv::Reader::from_reader(TABLE.as_bytes())
            .deserialize()
            .filter_map(Result::ok)
            .filter(|row: &DeviceFacts| Regex::new(&row.pattern).is_ok())
            .collect();
        // Drivers disagree on capitals: `Arc(TM)` and `Arc(tm)` are one board.
        let patterns = RegexSetBuilder::new(rows.iter().map(|row| &row.pattern))
            .case_insensitive(true)
            .build()
            .unwrap_or_default();
        Facts { rows, patterns }
    })
}

/// The facts of the device whose adapter has that name, when exactly one row matches it.
pub fn find(adapter_name: &str) -> Option<&'static DeviceFacts> {
    let facts = facts();
    let mut matches = facts.patterns.matches(adapter_name).into_iter();
    match (matches.next(), matches.next()) {
        (Some(index), None) => facts.rows.get(index),
        _ => None,
    }
}

/// Every row, in the order of the table.
pub fn all() -> &'static [DeviceFacts] {
    &facts().rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Name {
        adapter_name: String,
        matches: bool,
        peak_gb_per_s: Option<f64>,
        last_level_cache_mib: Option<f64>,
    }

    #[test]
    fn every_row_of_the_table_is_read() {
        let rows = csv::Reader::from_reader(TABLE.as_bytes()).into_records().count();
        assert_eq!(all().len(), rows);
        assert_eq!(facts().patterns.len(), rows);
        assert!(all().iter().all(|row| !row.source.is_empty()));
    }

    #[test]
    fn adapter_names_match_one_row_with_their_figures_or_none() {
        let names = include_str!("../../tests/data/adapter-names.csv");
        let mut count = 0;
        for name in csv::Reader::from_reader(names.as_bytes()).into_deserialize::<Name>() {
            let name = name.unwrap();
            let matches: Vec<usize> = facts().patterns.matches(&name.adapter_name).into_iter().collect();
            assert_eq!(matches.len(), usize::from(name.matches), "{}: rows {matches:?}", name.adapter_name);
            let found = find(&name.adapter_name);
            assert_eq!(found.and_then(|row| row.peak_gb_per_s), name.peak_gb_per_s, "{}", name.adapter_name);
            let cache = found.and_then(|row| row.last_level_cache_mib);
            assert_eq!(cache, name.last_level_cache_mib, "{}", name.adapter_name);
            count += 1;
        }
        assert!(count > 300, "{count} names");
    }

    #[test]
    fn cache_sizes_are_in_bytes() {
        let facts = find("NVIDIA GeForce GTX 1080 Ti").unwrap();
        assert_eq!(facts.last_level_cache_bytes(), Some(11 << 18));
    }
}
