//! Which machine the model predicts for on a device.

use crate::device::{DeviceInfo, DeviceKind};
use crate::model::Machine;
use crate::model::machine::{Figure, MAX_SUBGROUP, Source};
use crate::record::MachineInfo;

/// PCI vendor ids.
const NVIDIA: u32 = 0x10de;
const AMD: u32 = 0x1002;
const INTEL: u32 = 0x8086;
const APPLE: u32 = 0x106b;

/// The preset whose numbers stand in where a vendor has none.
const STAND_IN: &str = "nvidia";

/// The preset for a device's vendor, with the subgroup size that the device told. Software adapters are
/// CPUs and get the preset `host`.
pub fn of_device(info: &DeviceInfo) -> Machine {
    let name = match (info.kind, info.vendor) {
        (DeviceKind::Cpu, _) => Some("host"),
        (_, Some(NVIDIA)) => Some("nvidia"),
        (_, Some(AMD)) => Some(amd(&info.name)),
        (_, Some(INTEL)) => Some("intel-xe"),
        (_, Some(APPLE)) => Some("apple"),
        _ if info.backend == "metal" && info.name.starts_with("Apple") => Some("apple"),
        _ => None,
    };
    let mut machine = preset(name.unwrap_or(STAND_IN));
    if name.is_none() {
        assume(&mut machine, info.vendor);
    }
    if let Some(lanes) = info.subgroup_size.filter(|n| n.is_power_of_two() && *n <= MAX_SUBGROUP) {
        machine.subgroup_size.set(lanes, &info.subgroup_source);
    }
    machine
}

/// AMD's families by the marketing or architecture name that drivers give.
fn amd(name: &str) -> &'static str {
    let name = name.to_ascii_lowercase();
    let any = |words: &[&str]| words.iter().any(|word| name.contains(word));
    if any(&["gfx950", "mi350", "mi355"]) {
        "amd-cdna4"
    } else if any(&["gfx94", "mi300", "mi308", "mi325"]) {
        "amd-cdna3"
    } else {
        "amd-rdna"
    }
}

fn preset(name: &str) -> Machine {
    Machine::preset(name).expect("every name here is a preset; a test asks for each")
}

/// Marks every number as a guess.
fn assume(machine: &mut Machine, vendor: Option<u32>) {
    let vendor = vendor.map_or_else(|| "unknown".to_owned(), |id| format!("{id:#06x}"));
    let why = format!("no preset for vendor {vendor}: the number of {STAND_IN} stands in");
    let guess = |source: &mut Source| *source = Source::Unknown(why.clone());
    machine.name = format!("{STAND_IN} (stand-in)");
    guess(&mut machine.subgroup_size.source);
    guess(&mut machine.sector_bytes.source);
    guess(&mut machine.line_bytes.source);
    guess(&mut machine.banks.source);
    guess(&mut machine.bank_bytes.source);
    guess(&mut machine.phases.source);
}

/// A machine as `run.json` records it.
pub fn describe(machine: &Machine) -> MachineInfo {
    let number = |name: &str, figure: &Figure<u32>| format!("{name}: {}", origin(&figure.source));
    let sources = [
        number("subgroup_size", &machine.subgroup_size),
        number("sector_bytes", &machine.sector_bytes),
        number("line_bytes", &machine.line_bytes),
        number("banks", &machine.banks),
        number("bank_bytes", &machine.bank_bytes),
        format!("phases {:?}: {}", machine.phases.value, origin(&machine.phases.source)),
    ];
    MachineInfo {
        name: machine.name.clone(),
        subgroup_size: machine.subgroup_size.value,
        sector_bytes: machine.sector_bytes.value,
        line_bytes: machine.line_bytes.value,
        banks: machine.banks.value,
        bank_bytes: machine.bank_bytes.value,
        source: sources.join("; "),
    }
}

fn origin(source: &Source) -> String {
    match source {
        Source::Published(text) | Source::Set(text) => text.clone(),
        Source::Unknown(why) => format!("assumed, {why}"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn device(kind: DeviceKind, vendor: Option<u32>, name: &str) -> DeviceInfo {
        DeviceInfo {
            name: name.to_owned(),
            backend: "vulkan".to_owned(),
            kind,
            vendor,
            device: None,
            pci: None,
            driver: None,
            driver_info: None,
            shader_compiler: None,
            subgroup_size: Some(64),
            subgroup_source: "probe".to_owned(),
            timestamp_period_ns: None,
            features: Vec::new(),
            limits: BTreeMap::new(),
            runtime_checks: false,
        }
    }

    #[test]
    fn a_vendor_has_its_preset_and_the_adapter_its_subgroup() {
        let name = |kind, vendor, name: &str| of_device(&device(kind, vendor, name)).name;
        let discrete = |vendor, model: &str| name(DeviceKind::Discrete, Some(vendor), model);
        assert_eq!(discrete(NVIDIA, "NVIDIA H200"), "nvidia");
        assert_eq!(discrete(AMD, "AMD Radeon RX 7900 XTX (RADV NAVI31)"), "amd-rdna");
        assert_eq!(discrete(AMD, "AMD Instinct MI300X (RADV GFX942)"), "amd-cdna3");
        assert_eq!(discrete(AMD, "AMD Instinct MI355X"), "amd-cdna4");
        assert_eq!(discrete(INTEL, "Intel(R) Arc(tm) A770 Graphics (DG2)"), "intel-xe");
        assert_eq!(discrete(APPLE, "Apple M2"), "apple");
        assert_eq!(name(DeviceKind::Cpu, Some(0x10005), "llvmpipe (LLVM 15.0.6, 256 bits)"), "host");
        let machine = of_device(&device(DeviceKind::Discrete, Some(AMD), "AMD Radeon"));
        assert_eq!(machine.subgroup_size, Figure { value: 64, source: Source::Set("probe".to_owned()) });
        machine.check().unwrap();
    }

    #[test]
    fn a_vendor_without_preset_gets_numbers_that_say_so() {
        let machine = of_device(&device(DeviceKind::Integrated, Some(0x5143), "Adreno (TM) 740"));
        assert_eq!((machine.name.as_str(), machine.sector_bytes.value), ("nvidia (stand-in)", 32));
        let described = describe(&machine);
        assert!(described.source.starts_with("subgroup_size: probe; sector_bytes: assumed, no preset for"));
        assert!(described.source.contains("vendor 0x5143"), "{}", described.source);
    }
}
