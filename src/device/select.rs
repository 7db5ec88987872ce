//! Which device a run measures: the list, the selector language and the default choice.

use crate::device::gpu::{self, OpenOptions};
use crate::device::{Device, DeviceInfo, DeviceKind, Fault, fake, host};

/// What a missing adapter should be told.
pub const NO_ADAPTER: &str = "no graphics adapter was found; a software Vulkan is in the package \
                          mesa-vulkan-drivers (Debian, Ubuntu) or mesa-vulkan-drivers / vulkan-swrast (others)";

/// Something that can be measured.
#[derive(Clone)]
pub struct Candidate {
    /// Its number in `stridemark list`; `None` for scripted devices.
    pub index: Option<usize>,
    /// What it says of itself.
    pub info: DeviceInfo,
    /// What tells it apart from another device of the same backend and name.
    pub distinction: Option<String>,
    source: Source,
}

#[derive(Clone)]
enum Source {
    Adapter(Box<wgpu::Adapter>),
    Host,
    Script(Box<fake::Script>),
}

/// Why a selector picks nothing.
#[derive(Debug, thiserror::Error)]
pub enum SelectError {
    /// No device of that number, name or address.
    #[error("no device matches {selector:?}; there are:\n{candidates}")]
    Unknown {
        /// As given.
        selector: String,
        /// One a line.
        candidates: String,
    },
    /// More than one.
    #[error("{selector:?} matches {count} devices; name one by its index:\n{candidates}")]
    Ambiguous {
        /// As given.
        selector: String,
        /// How many.
        count: usize,
        /// The ones that match, one a line.
        candidates: String,
    },
    /// `gpu` without an adapter.
    #[error("{NO_ADAPTER}")]
    NoAdapter,
    /// A script of the fake device that can't be read.
    #[error(transparent)]
    Script(#[from] fake::ScriptError),
}

impl Candidate {
    /// `backend:name`, what a selector's text is looked for in.
    pub fn label(&self) -> String {
        format!("{}:{}", self.info.backend, self.info.name)
    }

    /// Opens the device.
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn open(&self, options: &OpenOptions) -> Result<Box<dyn Device>, Fault> {
        Ok(match &self.source {
            Source::Adapter(adapter) => Box::new(gpu::open(adapter, options)?),
            Source::Host => Box::new(host::open(options)),
            Source::Script(script) => Box::new(fake::Fake::new((**script).clone(), options)),
        })
    }

    fn line(&self) -> String {
        let index = self.index.map_or_else(|| "-".to_owned(), |index| index.to_string());
        let pci = self.info.pci.as_deref().map(|pci| format!(" at {pci}")).unwrap_or_default();
        format!("  {index}  {}{pci}", self.label())
    }

    /// Whether both are the same physical device: by their PCI ids where both have one. Else two adapters of
    /// one backend are two devices, and those of two backends are one where vendor and device agree; GL knows
    /// no device numbers and decorates names, so there the vendor or a part of the name must do.
    fn is_same_device(&self, other: &Candidate) -> bool {
        let (one, two) = (&self.info, &other.info);
        if let (Some(one), Some(two)) = (&one.pci, &two.pci) {
            return one == two;
        }
        if one.backend == two.backend || one.backend == "host" || two.backend == "host" {
            return false;
        }
        let same = |one: Option<u32>, two: Option<u32>| one.is_some_and(|id| id != 0) && one == two;
        let (name, other_name) = (one.name.to_lowercase(), two.name.to_lowercase());
        if one.backend == "gl" || two.backend == "gl" {
            let contained = name.contains(&other_name) || other_name.contains(&name);
            return contained || same(one.vendor, two.vendor);
        }
        same(one.vendor, two.vendor) && same(one.device, two.device)
    }
}

/// Every device, adapters first as the backends list them, the host last.
pub fn candidates() -> Vec<Candidate> {
    let instance = gpu::instance();
    let adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()));
    let mut found: Vec<Candidate> = adapters
        .into_iter()
        .map(|adapter| Candidate {
            index: None,
            info: gpu::describe(&adapter),
            distinction: None,
            source: Source::Adapter(Box::new(adapter)),
        })
        .collect();
    found.push(Candidate { index: None, info: host::info(), distinction: None, source: Source::Host });
    number(&mut found);
    found
}

/// Gives each its index and, where backend and name repeat, what tells it apart: its PCI id, else the index.
fn number(found: &mut [Candidate]) {
    let labels: Vec<String> = found.iter().map(Candidate::label).collect();
    for (index, candidate) in found.iter_mut().enumerate() {
        candidate.index = Some(index);
        if labels.iter().filter(|other| **other == labels[index]).count() > 1 {
            candidate.distinction = candidate.info.pci.clone().or_else(|| Some(index.to_string()));
        }
    }
}

/// The devices that the selectors name, in their order; the default one without any.
///
/// # Errors
/// [`SelectError`], which lists the candidates.
pub fn select(selectors: &[String]) -> Result<Vec<Candidate>, SelectError> {
    // Scripted devices need no driver, and loading the drivers takes a while.
    let scripted = !selectors.is_empty() && selectors.iter().all(|selector| selector.starts_with("fake:"));
    let found = if scripted { Vec::new() } else { candidates() };
    let mut chosen: Vec<Candidate> = Vec::new();
    if selectors.is_empty() {
        let index = best(&found).unwrap_or(found.len() - 1);
        return Ok(vec![found[index].clone()]);
    }
    for selector in selectors {
        if let Some(file) = selector.strip_prefix("fake:") {
            let script = fake::Script::read(file.as_ref())?;
            let info = script.info();
            chosen.push(Candidate {
                index: None,
                info,
                distinction: None,
                source: Source::Script(Box::new(script)),
            });
            continue;
        }
        let index = find(&found, selector)?;
        if chosen.iter().any(|c| c.index == found[index].index) {
            continue;
        }
        chosen.push(found[index].clone());
    }
    Ok(chosen)
}

/// A line for each device, as error messages list them.
pub fn lines(candidates: &[Candidate]) -> String {
    candidates.iter().map(Candidate::line).collect::<Vec<_>>().join("\n")
}

/// Each physical device once, by its native backend, and the host.
pub fn all() -> Vec<Candidate> {
    each_once(candidates())
}

fn each_once(mut found: Vec<Candidate>) -> Vec<Candidate> {
    found.sort_by_key(|candidate| (candidate.info.backend == "gl", candidate.index));
    let mut once: Vec<Candidate> = Vec::new();
    for candidate in found {
        if !once.iter().any(|known| known.is_same_device(&candidate)) {
            once.push(candidate);
        }
    }
    once
}

/// The best adapter: discrete before integrated before virtual before software, native backends before GL.
fn best(found: &[Candidate]) -> Option<usize> {
    (0..found.len())
        .filter(|&index| matches!(found[index].source, Source::Adapter(_)))
        .min_by_key(|&index| (rank(found[index].info.kind), found[index].info.backend == "gl", index))
}

fn rank(kind: DeviceKind) -> u8 {
    match kind {
        DeviceKind::Discrete => 0,
        DeviceKind::Integrated => 1,
        DeviceKind::Virtual => 2,
        DeviceKind::Other => 3,
        DeviceKind::Cpu => 4,
    }
}

fn find(found: &[Candidate], selector: &str) -> Result<usize, SelectError> {
    let list = |which: &[usize]| -> String {
        which.iter().map(|&index| found[index].line()).collect::<Vec<_>>().join("\n")
    };
    let every: Vec<usize> = (0..found.len()).collect();
    let matching: Vec<usize> = if selector == "gpu" {
        return best(found).ok_or(SelectError::NoAdapter);
    } else if let Ok(number) = selector.parse::<usize>() {
        every.iter().copied().filter(|&index| found[index].index == Some(number)).collect()
    } else if selector == "host" {
        every.iter().copied().filter(|&index| matches!(found[index].source, Source::Host)).collect()
    } else {
        let wanted = selector.to_lowercase();
        let holds = |text: &str| text.to_lowercase().contains(&wanted);
        every
            .iter()
            .copied()
            .filter(|&index| {
                holds(&found[index].label()) || found[index].info.pci.as_deref().is_some_and(holds)
            })
            .collect()
    };
    match matching[..] {
        [index] => Ok(index),
        [] => Err(SelectError::Unknown { selector: selector.to_owned(), candidates: list(&every) }),
        _ => Err(SelectError::Ambiguous {
            selector: selector.to_owned(),
            count: matching.len(),
            candidates: list(&matching),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device that is listed as `backend:name`, with vendor, device and PCI id.
    fn listed(backend: &str, name: &str, ids: (u32, u32), pci: Option<&str>) -> Candidate {
        let info = DeviceInfo {
            name: name.to_owned(),
            backend: backend.to_owned(),
            vendor: Some(ids.0),
            device: Some(ids.1),
            pci: pci.map(str::to_owned),
            kind: DeviceKind::Discrete,
            ..host::info()
        };
        Candidate { index: None, info, distinction: None, source: Source::Host }
    }

    fn numbered(mut found: Vec<Candidate>) -> Vec<Candidate> {
        number(&mut found);
        found
    }

    fn labels(found: &[Candidate]) -> Vec<String> {
        found.iter().map(Candidate::label).collect()
    }

    #[test]
    fn equal_names_are_told_apart() {
        let card = |pci| listed("vulkan", "Card", (1, 2), pci);
        let found =
            numbered(vec![card(Some("01:00.0")), card(Some("02:00.0")), listed("gl", "Card", (1, 0), None)]);
        let distinctions: Vec<_> = found.iter().map(|c| c.distinction.as_deref()).collect();
        assert_eq!(distinctions, [Some("01:00.0"), Some("02:00.0"), None]);
        let unplaced = numbered(vec![card(None), card(None)]);
        assert_eq!(unplaced[1].distinction.as_deref(), Some("1"));

        let error = find(&found, "vulkan:card").expect_err("two match").to_string();
        assert!(error.contains("2 devices") && error.contains("02:00.0"), "{error}");
        assert_eq!(find(&found, "02:00").expect("one matches"), 1);
        assert_eq!(find(&found, "0").expect("an index"), 0);
    }

    #[test]
    fn a_physical_device_is_taken_once_by_its_native_backend() {
        let found = numbered(vec![
            listed("gl", "Card X/PCIe/SSE2", (1, 0), None),
            listed("vulkan", "Card X", (1, 2), Some("01:00.0")),
            listed("vulkan", "Card X", (1, 2), Some("02:00.0")),
            listed("vulkan", "Card X (another driver)", (1, 2), Some("01:00.0")),
            listed("dx12", "Card X", (1, 2), None),
            listed("host", "Card X", (1, 2), None),
        ]);
        assert_eq!(labels(&each_once(found)), ["vulkan:Card X", "vulkan:Card X", "host:Card X"]);
    }

    #[test]
    fn devices_of_which_nothing_is_known_are_all_taken() {
        let found = numbered(vec![
            listed("vulkan", "A", (0, 0), None),
            listed("vulkan", "A", (0, 0), None),
            listed("dx12", "B", (0, 0), None),
            listed("gl", "C", (0, 0), None),
        ]);
        assert_eq!(each_once(found).len(), 4);
    }
}
