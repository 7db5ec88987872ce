//! A recorded run as the reports see it.

use std::path::Path;

use crate::pattern::Purpose;
use crate::record::{CaseRow, RecordError, RunDir, RunInfo, Status, WORKGROUP_SECTORS, last_of_each};

use super::CaseKey;
use super::text::printable;

/// A recorded run: what is known about it and its rows, in the order of `cases.csv`.
#[derive(Clone, Debug)]
pub struct Run {
    /// The content of `run.json`.
    pub info: RunInfo,
    /// The rows of `cases.csv`, one for each case.
    pub rows: Vec<CaseRow>,
    /// Which cases had several rows, in words.
    pub repeated: Option<String>,
}

impl Run {
    /// A run of which only the last row of a case counts.
    pub fn new(info: RunInfo, rows: Vec<CaseRow>) -> Run {
        let (rows, repeated) = last_of_each(rows, |row| &row.case);
        Run { info, rows, repeated }
    }

    /// Reads a run directory.
    ///
    /// # Errors
    /// When one of its files is missing or can't be understood.
    pub fn read(path: &Path) -> Result<Run, RecordError> {
        let dir = RunDir::open(path)?;
        Ok(Run::new(dir.info()?, dir.cases()?))
    }

    /// Whether the figures are of a processor rather than of a GPU.
    pub fn is_software(&self) -> bool {
        self.info.backend == "host" || self.info.device.kind == "cpu"
    }

    /// The sentence that every rendering shows beside figures of a processor.
    pub fn caution(&self) -> Option<&'static str> {
        self.is_software().then_some("CPU / software adapter: not a GPU figure")
    }

    /// Device and backend in one line.
    pub fn device_line(&self) -> String {
        format!("{} ({})", self.info.device.name, self.info.backend)
    }

    /// The names of the patterns in the run, in the order of their first rows.
    pub fn patterns(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !names.contains(&row.pattern.as_str()) {
                names.push(&row.pattern);
            }
        }
        names
    }

    /// The rows of a pattern.
    pub fn of_pattern<'a>(&'a self, pattern: &'a str) -> impl Iterator<Item = &'a CaseRow> {
        self.rows.iter().filter(move |row| row.pattern == pattern)
    }

    /// The measured cases of a pattern that have a bandwidth, with their ids taken apart.
    pub fn measured<'a>(&'a self, pattern: &'a str) -> Vec<(CaseKey, &'a CaseRow)> {
        self.of_pattern(pattern)
            .filter(|row| row.status == Status::Ok && row.bandwidth_gb_per_s.is_some())
            .map(|row| (CaseKey::parse(&row.case), row))
            .collect()
    }

    /// Best contiguous bandwidth of the run.
    pub fn roof(&self) -> Option<f64> {
        self.info.roofline.roof_gb_per_s.filter(|roof| *roof > 0.0)
    }

    /// What the bandwidth of a row is held against: the roof or, in workgroup memory, which has none, the
    /// pattern's own ceiling for that operation and type.
    pub fn ceiling(&self, row: &CaseRow) -> Option<f64> {
        let roof = self.roof()?;
        if row.roof_fraction.is_some() {
            return Some(roof);
        }
        let own = CaseKey::parse(&row.case);
        let alike = |key: &CaseKey| ["op", "type"].into_iter().all(|axis| key.value(axis) == own.value(axis));
        self.ceilings(&row.pattern).find(|(key, _)| alike(key)).and_then(|(_, row)| row.bandwidth_gb_per_s)
    }

    /// What a pattern without a roof is held against, in words: `stride 1`. Absent for those that have one.
    pub fn ceiling_in_words(&self, pattern: &str) -> Option<String> {
        if self.roof().is_none() || self.of_pattern(pattern).any(|row| row.roof_fraction.is_some()) {
            return None;
        }
        let (key, _) = self.ceilings(pattern).next()?;
        Some(key.words(|axis| !["op", "type"].contains(&axis)))
    }

    /// The measured cases that the others of their pattern are held against.
    fn ceilings<'a>(&'a self, pattern: &'a str) -> impl Iterator<Item = (CaseKey, &'a CaseRow)> {
        let is_ceiling =
            |key: &CaseKey| key.case().is_some_and(|case| (case.pattern.purpose)(&case) == Purpose::Ceiling);
        self.measured(pattern).into_iter().filter(move |(key, _)| is_ceiling(key))
    }

    /// The fraction of its ceiling that a row reaches.
    pub fn ceiling_fraction(&self, row: &CaseRow) -> Option<f64> {
        Some(row.bandwidth_gb_per_s? / self.ceiling(row)?)
    }

    /// What the model predicts for a row: the roof, cut by the bytes that the sectors carry beyond the
    /// requested ones and never above the roof (`docs/methodology.md`). Absent without a prediction.
    pub fn predicted(&self, row: &CaseRow) -> Option<f64> {
        let sector = f64::from(self.info.machine.as_ref()?.sector_bytes);
        let fetched = row.sectors.filter(|sectors| *sectors > 0.0)? * sector;
        Some(self.roof()? * (row.useful_bytes? as f64 / fetched).min(1.0))
    }

    /// The prediction for caches that never fetch a sector twice within a workgroup: an upper bound, where
    /// the model's count of them was recorded among the parameters.
    pub fn predicted_perfect_cache(&self, row: &CaseRow) -> Option<f64> {
        let sector = f64::from(self.info.machine.as_ref()?.sector_bytes);
        let parameters: serde_json::Value = serde_json::from_str(&row.parameters).ok()?;
        let sectors = parameters.get(WORKGROUP_SECTORS)?.as_f64().filter(|sectors| *sectors > 0.0)?;
        Some(self.roof()? * (row.useful_bytes? as f64 / (sectors * sector)).min(1.0))
    }

    /// The 95 % interval of a row's bandwidth, low before high.
    pub fn interval(row: &CaseRow) -> Option<(f64, f64)> {
        let (bandwidth, median) = (row.bandwidth_gb_per_s?, row.median_ns?);
        let (low, high) = (row.ci95_low_ns?, row.ci95_high_ns?);
        (low > 0.0 && high > 0.0).then(|| (bandwidth * median / high, bandwidth * median / low))
    }
}

/// Names by which the runs can be told apart, in their order: the device's; where two share one, the
/// backend stands before it, and where that is the same too, the number of the run. What differs comes
/// first, since legends cut long names at their end.
pub(super) fn names(runs: &[Run]) -> Vec<String> {
    let same_name =
        |run: &Run| runs.iter().filter(|other| other.info.device.name == run.info.device.name).count() > 1;
    let with_backend: Vec<String> = runs
        .iter()
        .map(|run| {
            let name = &run.info.device.name;
            if same_name(run) { format!("{}: {name}", run.info.backend) } else { name.clone() }
        })
        .collect();
    let shared = |name: &String| with_backend.iter().filter(|other| *other == name).count() > 1;
    with_backend
        .iter()
        .enumerate()
        .map(|(index, name)| if shared(name) { format!("run {}, {name}", index + 1) } else { name.clone() })
        .map(|name| printable(&name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Depth;
    use crate::report::synthetic;

    #[test]
    fn workgroup_memory_is_held_against_its_case_without_conflicts() {
        let mut run = synthetic::run("device", "discrete", Depth::Default);
        assert_eq!(run.ceiling_in_words("bank").as_deref(), Some("stride 1"));
        assert_eq!(run.ceiling_in_words("stride"), None);
        let row = |run: &Run, case: &str| run.rows.iter().find(|row| row.case == case).unwrap().clone();
        let [alone, conflicting, wide] = [
            "bank/op=read/type=u32/stride_elements=1",
            "bank/op=read/type=u32/stride_elements=32",
            "bank/op=read/type=u32x4/stride_elements=1",
        ]
        .map(|case| row(&run, case));
        assert_eq!(run.ceiling(&conflicting), alone.bandwidth_gb_per_s);
        assert_eq!([&alone, &wide].map(|row| run.ceiling_fraction(row)), [Some(1.0); 2]);
        let contiguous = row(&run, "contiguous/op=read/type=u32");
        assert_eq!(run.ceiling(&contiguous), run.roof());
        run.rows.retain(|row| row.case != alone.case);
        assert_eq!(run.ceiling(&conflicting), None);
    }

    #[test]
    fn devices_of_one_name_differ_at_the_start() {
        let run = |backend: &str| {
            let mut run = synthetic::run("llvmpipe (LLVM 15.0.6, 256 bits)", "cpu", Depth::Quick);
            run.info.backend = backend.to_owned();
            run
        };
        let pair = names(&[run("vulkan"), run("gl")]);
        assert!(pair[0].starts_with("vulkan: ") && pair[1].starts_with("gl: "), "{pair:?}");
        let again = names(&[run("gl"), run("gl")]);
        assert!(again[0].starts_with("run 1, gl: ") && again[1].starts_with("run 2, gl: "), "{again:?}");
    }
}
