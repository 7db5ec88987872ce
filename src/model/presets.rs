//! The machines that come with the tool.

use super::machine::{Figure, Machine, Phases};

const CUDA: &str = "NVIDIA, CUDA C++ Programming Guide (device memory accesses, shared memory)";
const NSIGHT: &str =
    "NVIDIA, Nsight Compute Profiling Guide (memory tables: 32-byte sectors, 128-byte lines)";
const CK: &str = "ROCm, composable_kernel documentation, LDS bank conflicts";
const ROCM: &str = "ROCm documentation, AMD GPU specifications (wavefront size)";
const INTEL: &str = "Intel, SDK for OpenCL, Developer Guide for Processor Graphics, Memory Access Overview (64-byte L3 lines; requests of a hardware thread to one line are collapsed), written of generations before Xe";
const ONEAPI: &str = "Intel, oneAPI GPU Optimization Guide, shared local memory (16 banks of 4 bytes)";
const NO_SOURCE: &str = "no published figure known to this project";

impl Machine {
    /// A preset by name; see [`Machine::PRESETS`].
    pub fn preset(name: &str) -> Option<Self> {
        let machine = match name {
            "nvidia" => Self {
                name: name.into(),
                subgroup_size: Figure::published(32, CUDA),
                sector_bytes: Figure::published(32, NSIGHT),
                line_bytes: Figure::published(128, NSIGHT),
                banks: Figure::published(32, CUDA),
                bank_bytes: Figure::published(4, CUDA),
                phases: Figure::published(
                    Phases::Consecutive,
                    "NVIDIA developer forum, topic 339143: 16-byte accesses in phases of 8 lanes",
                ),
            },
            "amd-rdna" => Self {
                name: name.into(),
                subgroup_size: Figure::unknown(32, "RDNA runs waves of 32 or 64; the driver decides"),
                sector_bytes: Figure::unknown(64, NO_SOURCE),
                line_bytes: Figure::unknown(128, NO_SOURCE),
                banks: Figure::unknown(32, NO_SOURCE),
                bank_bytes: Figure::unknown(4, NO_SOURCE),
                phases: Figure::unknown(Phases::Consecutive, NO_SOURCE),
            },
            "amd-cdna3" => Self::cdna(name, Figure::published(32, CK), Phases::Cdna3Read),
            "amd-cdna4" => Self::cdna(
                name,
                Figure::unknown(64, "as many words as the published phases of 16 lanes by 16 bytes move"),
                Phases::Cdna4Read,
            ),
            "intel-xe" => Self {
                name: name.into(),
                subgroup_size: Figure::unknown(16, "Xe compiles for 8, 16 or 32 lanes; the driver decides"),
                sector_bytes: Figure::published(64, INTEL),
                line_bytes: Figure::published(64, INTEL),
                banks: Figure::published(16, ONEAPI),
                bank_bytes: Figure::published(4, ONEAPI),
                phases: Figure::unknown(Phases::Consecutive, NO_SOURCE),
            },
            "apple" => Self {
                name: name.into(),
                subgroup_size: Figure::unknown(32, NO_SOURCE),
                sector_bytes: Figure::unknown(32, NO_SOURCE),
                line_bytes: Figure::unknown(128, NO_SOURCE),
                banks: Figure::unknown(32, NO_SOURCE),
                bank_bytes: Figure::unknown(4, NO_SOURCE),
                phases: Figure::unknown(Phases::Consecutive, NO_SOURCE),
            },
            "host" => Self {
                name: name.into(),
                subgroup_size: Figure::unknown(8, "as many lanes as 256-bit vectors of 32-bit words hold"),
                sector_bytes: Figure::unknown(64, "a CPU moves whole cache lines, of 64 bytes on most"),
                line_bytes: Figure::unknown(64, "cache lines of most CPUs"),
                banks: Figure::unknown(1, "workgroup memory is ordinary memory"),
                bank_bytes: Figure::unknown(64, "workgroup memory is ordinary memory"),
                phases: Figure::unknown(Phases::Consecutive, "workgroup memory is ordinary memory"),
            },
            _ => return None,
        };
        Some(machine)
    }

    fn cdna(name: &str, banks: Figure<u32>, phases: Phases) -> Self {
        Self {
            name: name.into(),
            subgroup_size: Figure::published(64, ROCM),
            sector_bytes: Figure::published(
                64,
                "ROCm, composable_kernel, bank_conflict_slides: 64-byte lines",
            ),
            line_bytes: Figure::unknown(128, NO_SOURCE),
            banks,
            bank_bytes: Figure::published(4, CK),
            phases: Figure::published(phases, CK),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::machine::Source;
    use super::*;

    #[test]
    fn every_preset_can_be_used_and_says_where_its_numbers_come_from() {
        for name in Machine::PRESETS {
            let machine = Machine::preset(name).unwrap();
            assert_eq!(machine.name, name);
            machine.check().unwrap();
            let sources = [
                &machine.subgroup_size.source,
                &machine.sector_bytes.source,
                &machine.line_bytes.source,
                &machine.banks.source,
                &machine.bank_bytes.source,
                &machine.phases.source,
            ];
            for source in sources {
                let (Source::Published(text) | Source::Unknown(text) | Source::Set(text)) = source;
                assert!(!text.is_empty(), "{name}");
            }
        }
        assert_eq!(Machine::preset("voodoo"), None);
    }

    #[test]
    fn a_file_changes_what_it_names() {
        let machine =
            Machine::from_toml("base = \"intel-xe\"\nbanks = 32\nphases = \"cdna3-read\"", "my.toml")
                .unwrap();
        assert_eq!((machine.banks.value, &machine.banks.source), (32, &Source::Set("my.toml".into())));
        assert_eq!((machine.line_bytes.value, machine.phases.value), (64, Phases::Cdna3Read));
        assert_eq!(machine.name, "my.toml");
    }

    #[test]
    fn a_file_with_a_mistake_is_refused_with_the_value() {
        let error = |text: &str| Machine::from_toml(text, "my.toml").unwrap_err().to_string();
        assert_eq!(
            error("subgroup_size = 33"),
            "machine `my.toml`: subgroup_size is 33; it must be a power of two up to 128"
        );
        assert!(error("base = \"voodoo\"").contains("no preset `voodoo`; there are: nvidia, amd-rdna"));
        assert!(error("sectors = 1").contains("unknown field `sectors`"));
        assert!(error("sector_bytes = 256").contains("line_bytes is 128, below sector_bytes 256"));
        assert!(error("banks = 0").contains("banks is 0"));
        assert!(error("subgroup_size = 128\nphases = \"cdna4-read\"").contains("at most 64 lanes"));
        assert_eq!(
            error("phases = \"cdna4-read\""),
            "machine `my.toml`: phases is cdna4-read, which serves 64 banks of 4 bytes, not 32 of 4; set banks to \
             64 and bank_bytes to 4, or phases to consecutive"
        );
        assert!(error("base = \"amd-cdna3\"\nbank_bytes = 8").contains("not 32 of 8"));
    }
}
