//! `stridemark list`: the devices.

use comfy_table::{Table, presets};

use crate::cli::{Format, FormatArgs};
use crate::device::select::{self, Candidate};
use crate::units;

use super::{Exit, print};

pub(super) fn run(args: &FormatArgs) -> anyhow::Result<Exit> {
    let candidates = select::candidates();
    match args.format {
        Format::Text => print(table(&candidates))?,
        Format::Json => {
            let devices: Vec<_> = candidates
                .iter()
                .map(|candidate| serde_json::json!({ "index": candidate.index, "device": candidate.info }))
                .collect();
            print(serde_json::to_string_pretty(&serde_json::json!({ "devices": devices }))?)?;
        }
    }
    Ok(Exit::Done)
}

fn table(candidates: &[Candidate]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["#", "backend", "name", "type", "driver", "PCI", "binds", "workgroup memory"]);
    for candidate in candidates {
        let info = &candidate.info;
        let limit = |name: &str| info.limits.get(name).map(|bytes| units::bytes(*bytes)).unwrap_or_default();
        table.add_row([
            candidate.index.map(|index| index.to_string()).unwrap_or_default(),
            info.backend.clone(),
            info.name.clone(),
            format!("{:?}", info.kind).to_lowercase(),
            info.driver_info.clone().or_else(|| info.driver.clone()).unwrap_or_default(),
            info.pci.clone().unwrap_or_default(),
            limit("max_binding_bytes"),
            limit("max_workgroup_memory_bytes"),
        ]);
    }
    table
}
