//! The handful of numbers that decide what an access costs, and where each of them comes from.
//!
//! A number without a published source is marked as assumed: a reader must be able to tell a data sheet
//! from a guess.

use serde::{Deserialize, Serialize};

use super::error::ModelError;

/// How wide accesses to workgroup memory are served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phases {
    /// As many consecutive lanes at a time as fill the banks.
    Consecutive,
    /// AMD CDNA 3: 16-byte reads take eight lanes from two places.
    Cdna3Read,
    /// AMD CDNA 4: 16-byte reads take sixteen lanes from four places.
    Cdna4Read,
}

impl Phases {
    /// The name of a rule that belongs to one GPU, and the banks of 4 bytes that its phases fill.
    /// Source: as for the tables of [`count`](super::count).
    fn wants(self) -> Option<(&'static str, u32)> {
        match self {
            Self::Consecutive => None,
            Self::Cdna3Read => Some(("cdna3-read", 32)),
            Self::Cdna4Read => Some(("cdna4-read", 64)),
        }
    }
}

/// Where a number of a machine comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// Published: the document and place.
    Published(String),
    /// Not published, or not found: what is assumed and why.
    Unknown(String),
    /// Set by the user: a flag or a file.
    Set(String),
}

/// One number with its source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Figure<T> {
    /// The number.
    pub value: T,
    /// Where it comes from.
    pub source: Source,
}

impl<T> Figure<T> {
    pub(super) fn published(value: T, source: &str) -> Self {
        Self { value, source: Source::Published(source.into()) }
    }

    pub(super) fn unknown(value: T, why: &str) -> Self {
        Self { value, source: Source::Unknown(why.into()) }
    }

    /// Replaces the number; `by` names the flag or file.
    pub fn set(&mut self, value: T, by: &str) {
        *self = Self { value, source: Source::Set(by.into()) };
    }
}

/// What the model needs to know of a GPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Machine {
    /// The preset or the file.
    pub name: String,
    /// Lanes of a subgroup.
    pub subgroup_size: Figure<u32>,
    /// The smallest unit fetched.
    pub sector_bytes: Figure<u32>,
    /// A cache line.
    pub line_bytes: Figure<u32>,
    /// Banks of workgroup memory.
    pub banks: Figure<u32>,
    /// Bytes that a bank serves in one pass.
    pub bank_bytes: Figure<u32>,
    /// How wide accesses are served.
    pub phases: Figure<Phases>,
}

/// The numbers of a machine file; those left out come from `base`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct MachineFile {
    name: Option<String>,
    base: Option<String>,
    subgroup_size: Option<u32>,
    sector_bytes: Option<u32>,
    line_bytes: Option<u32>,
    banks: Option<u32>,
    bank_bytes: Option<u32>,
    phases: Option<Phases>,
}

/// The largest subgroup that the model executes; WGSL allows up to 128 lanes.
pub const MAX_SUBGROUP: u32 = 128;

impl Machine {
    /// The names of the presets.
    pub const PRESETS: [&'static str; 7] =
        ["nvidia", "amd-rdna", "amd-cdna3", "amd-cdna4", "intel-xe", "apple", "host"];

    /// Reads a machine file: TOML with any of `name`, `base` (a preset, `nvidia` by default),
    /// `subgroup_size`, `sector_bytes`, `line_bytes`, `banks`, `bank_bytes`, `phases`.
    ///
    /// `origin` names the file in messages and as the source of its numbers.
    ///
    /// # Errors
    /// Text that is no TOML, an unknown key or base, or numbers that [`Machine::check`] refuses.
    pub fn from_toml(text: &str, origin: &str) -> Result<Self, ModelError> {
        let error = |reason: String| ModelError::Machine { machine: origin.into(), reason };
        let file: MachineFile = toml::from_str(text).map_err(|e| error(e.message().to_owned()))?;
        let base = file.base.as_deref().unwrap_or("nvidia");
        let mut machine = Self::preset(base)
            .ok_or_else(|| error(format!("no preset `{base}`; there are: {}", Self::PRESETS.join(", "))))?;
        machine.name = file.name.unwrap_or_else(|| origin.to_owned());
        let replace = |figure: &mut Figure<u32>, value: Option<u32>| {
            if let Some(value) = value {
                figure.set(value, origin);
            }
        };
        replace(&mut machine.subgroup_size, file.subgroup_size);
        replace(&mut machine.sector_bytes, file.sector_bytes);
        replace(&mut machine.line_bytes, file.line_bytes);
        replace(&mut machine.banks, file.banks);
        replace(&mut machine.bank_bytes, file.bank_bytes);
        if let Some(phases) = file.phases {
            machine.phases.set(phases, origin);
        }
        machine.check()?;
        Ok(machine)
    }

    /// Whether the numbers can be used.
    ///
    /// # Errors
    /// A subgroup that is no power of two or above [`MAX_SUBGROUP`]; sector, line or bank sizes that are no
    /// powers of two; a line below a sector; no banks or more than 1024; the phases of one GPU with the banks
    /// of another.
    pub fn check(&self) -> Result<(), ModelError> {
        let error = |reason: String| Err(ModelError::Machine { machine: self.name.clone(), reason });
        for (what, value, limit) in [
            ("subgroup_size", self.subgroup_size.value, MAX_SUBGROUP),
            ("sector_bytes", self.sector_bytes.value, 1 << 20),
            ("line_bytes", self.line_bytes.value, 1 << 20),
            ("bank_bytes", self.bank_bytes.value, 64),
        ] {
            if !value.is_power_of_two() || value > limit {
                return error(format!("{what} is {value}; it must be a power of two up to {limit}"));
            }
        }
        if self.line_bytes.value < self.sector_bytes.value {
            return error(format!(
                "line_bytes is {}, below sector_bytes {}; a line holds whole sectors",
                self.line_bytes.value, self.sector_bytes.value
            ));
        }
        if self.phases.value != Phases::Consecutive && self.subgroup_size.value > 64 {
            return error(format!(
                "subgroup_size is {}; the phases of AMD CDNA are known for at most 64 lanes",
                self.subgroup_size.value
            ));
        }
        if !(1..=1024).contains(&self.banks.value) {
            return error(format!("banks is {}; it must be 1 to 1024", self.banks.value));
        }
        if let Some((rule, banks)) = self.phases.value.wants()
            && (self.banks.value, self.bank_bytes.value) != (banks, 4)
        {
            return error(format!(
                "phases is {rule}, which serves {banks} banks of 4 bytes, not {} of {}; set banks to {banks} \
                 and bank_bytes to 4, or phases to consecutive",
                self.banks.value, self.bank_bytes.value
            ));
        }
        Ok(())
    }
}
