//! The machines that come with the tool.

use super::machine::{Figure, Machine, Phases};

const CUDA: &str = "NVIDIA, CUDA C++ Programming Guide (device memory accesses, shared memory)";
const NSIGHT: &str =
    "NVIDIA, Nsight Compute Profiling Guide (memory tables: 32-byte sectors, 128-byte lines)";
const CK: &str = "ROCm, composable_kernel documentation, LDS bank conflicts";
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
            "amd-cdna3" => Self::cdna(name, 32, Phases::Cdna3Read),
            "amd-cdna4" => Self::cdna(name, 64, Phases::Cdna4Read),
            "intel-xe" => Self {
                name: name.into(),
                subgroup_size: Figure::unknown(16, "Xe compiles for 8, 16 or 32 lanes; the driver decides"),
                sector_bytes: Figure::unknown(64, NO_SOURCE),
                line_bytes: Figure::unknown(64, NO_SOURCE),
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

    fn cdna(name: &str, banks: u32, phases: Phases) -> Self {
        Self {
            name: name.into(),
            subgroup_size: Figure::published(64, CK),
            sector_bytes: Figure::published(
                64,
                "ROCm, composable_kernel, bank_conflict_slides: 64-byte lines",
            ),
            line_bytes: Figure::unknown(128, NO_SOURCE),
            banks: Figure::published(banks, CK),
            bank_bytes: Figure::published(4, CK),
            phases: Figure::published(phases, CK),
        }
    }
}
