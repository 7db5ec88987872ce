//! The closed list of things a reader must know before believing a row.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A reservation about a row of `cases.csv`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Flag {
    /// The distinct sectors of the case are under twice the last-level cache.
    CacheResident,
    /// The working set fits the last-level cache and stayed there on purpose; the case with `cache=cold` is its
    /// counterpart.
    Hot,
    /// Faster than the data sheet allows: the figure can't be memory bandwidth.
    AbovePeak,
    /// The reference kernel ran at another speed than before or after while this case was sampled.
    Drifted,
    /// The samples of the case, or of the reference kernel, fall into two separate speeds.
    Bimodal,
    /// A size was cut to what the device allows, or raised to the least that the case needs.
    Clamped,
    /// The budget was spent before the interval reached the precision.
    Imprecise,
    /// Samples lie beyond the outlier rule; they are kept in `samples.csv`.
    Outliers,
    /// The instruction ceiling could not be measured, so `bound` is unknown.
    TwinMissing,
    /// The twin took at least 1.25 times as long as the case it should bound; `bound` is unknown.
    TwinSlower,
    /// A pass lasts fewer than 900 ticks of the clock.
    CoarseTimer,
    /// A CPU or software adapter: not a GPU figure.
    Software,
}

impl Flag {
    /// Every flag, in the order in which a row lists them.
    pub const ALL: [Flag; 12] = [
        Flag::CacheResident,
        Flag::Hot,
        Flag::AbovePeak,
        Flag::Drifted,
        Flag::Bimodal,
        Flag::Clamped,
        Flag::Imprecise,
        Flag::Outliers,
        Flag::TwinMissing,
        Flag::TwinSlower,
        Flag::CoarseTimer,
        Flag::Software,
    ];

    /// The word in the `flags` column.
    pub const fn name(self) -> &'static str {
        match self {
            Flag::CacheResident => "cache-resident",
            Flag::Hot => "hot",
            Flag::AbovePeak => "above-peak",
            Flag::Drifted => "drifted",
            Flag::Bimodal => "bimodal",
            Flag::Clamped => "clamped",
            Flag::Imprecise => "imprecise",
            Flag::Outliers => "outliers",
            Flag::TwinMissing => "twin-missing",
            Flag::TwinSlower => "twin-slower",
            Flag::CoarseTimer => "coarse-timer",
            Flag::Software => "software",
        }
    }

    /// What the flag says about a row, to go on after its name.
    pub const fn meaning(self) -> &'static str {
        match self {
            Flag::CacheResident => "the distinct sectors are under twice the last-level cache",
            Flag::Hot => "the working set stays in the last-level cache, on purpose",
            Flag::AbovePeak => "faster than the data sheet allows, so not memory bandwidth",
            Flag::Drifted => "the reference kernel ran at another speed while the case was sampled",
            Flag::Bimodal => "the samples fall into two separate speeds",
            Flag::Clamped => "a size was cut to what the device allows, or raised to what the case needs",
            Flag::Imprecise => "the budget was spent before the interval reached the precision",
            Flag::Outliers => "samples lie beyond the outlier rule; they are kept",
            Flag::TwinMissing => "the instruction ceiling could not be measured, so the bound is unknown",
            Flag::TwinSlower => {
                "the twin took at least 1.25 times as long as the case, so the bound is unknown"
            }
            Flag::CoarseTimer => "a pass lasts fewer than 900 ticks of the clock",
            Flag::Software => "a CPU or software adapter, not a GPU figure",
        }
    }
}

impl fmt::Display for Flag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Flag {
    type Err = String;

    fn from_str(word: &str) -> Result<Flag, String> {
        Flag::ALL
            .into_iter()
            .find(|flag| flag.name() == word)
            .ok_or_else(|| format!("`{word}` is no flag this version knows"))
    }
}

/// The flags of a row, in a fixed order, without repeats; `;` between them in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Flags(BTreeSet<Flag>);

impl Flags {
    /// Adds a flag.
    pub fn insert(&mut self, flag: Flag) {
        self.0.insert(flag);
    }

    /// Whether a flag is set.
    pub fn contains(&self, flag: Flag) -> bool {
        self.0.contains(&flag)
    }

    /// Whether no flag is set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The flags, in their fixed order.
    pub fn iter(&self) -> impl Iterator<Item = Flag> + '_ {
        self.0.iter().copied()
    }
}

impl FromIterator<Flag> for Flags {
    fn from_iter<I: IntoIterator<Item = Flag>>(flags: I) -> Flags {
        Flags(flags.into_iter().collect())
    }
}

impl fmt::Display for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, flag) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { ";" };
            write!(f, "{separator}{flag}")?;
        }
        Ok(())
    }
}

impl FromStr for Flags {
    type Err = String;

    fn from_str(text: &str) -> Result<Flags, String> {
        text.split(';').filter(|word| !word.is_empty()).map(Flag::from_str).collect()
    }
}

impl Serialize for Flags {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Flags {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Flags, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flag_reads_back() {
        let all: Flags = Flag::ALL.into_iter().collect();
        assert_eq!(all.to_string().parse::<Flags>().unwrap(), all);
        assert_eq!(all.iter().count(), Flag::ALL.len());
    }

    #[test]
    fn order_and_repeats_do_not_matter() {
        let flags: Flags = "imprecise;hot;hot".parse().unwrap();
        assert_eq!(flags.to_string(), "hot;imprecise");
        assert!("".parse::<Flags>().unwrap().is_empty());
    }

    #[test]
    fn an_unknown_word_is_named() {
        assert_eq!("hot;warm".parse::<Flags>().unwrap_err(), "`warm` is no flag this version knows");
    }
}
