//! `--machine`: the numbers of a machine, a preset by name or a file.

use std::path::Path;

use anyhow::Context;

use crate::model::Machine;

use super::{Usage, nearest};

/// The preset of that name, or the machine that a TOML file describes.
///
/// # Errors
/// Neither, or a file that can't be read or followed.
pub(super) fn named(name: &str) -> anyhow::Result<Machine> {
    if let Some(machine) = Machine::preset(name) {
        return Ok(machine);
    }
    if !Path::new(name).exists() {
        let hint = nearest(name, &Machine::PRESETS).map(|near| format!("; did you mean `{near}`?"));
        let presets = Machine::PRESETS.join(", ");
        let hint = hint.unwrap_or_default();
        return Err(Usage(format!("--machine {name}: neither a preset ({presets}) nor a file{hint}")).into());
    }
    let text = std::fs::read_to_string(name).with_context(|| format!("machine file {name} can't be read"))?;
    Ok(Machine::from_toml(&text, name)?)
}
