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

    /// The same physical device behind several backends has one key.
    fn physical(&self) -> (Option<u32>, Option<u32>, String) {
        let place = self.info.pci.clone().unwrap_or_else(|| self.info.name.clone());
        (self.info.vendor, self.info.device, place)
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
    for (index, candidate) in found.iter_mut().enumerate() {
        candidate.index = Some(index);
    }
    let labels: Vec<String> = found.iter().map(Candidate::label).collect();
    for candidate in &mut found {
        let label = candidate.label();
        if labels.iter().filter(|other| **other == label).count() > 1 {
            let index = candidate.index.map(|index| index.to_string());
            candidate.distinction = candidate.info.pci.clone().or(index);
        }
    }
    found
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
    let mut found = candidates();
    found.sort_by_key(|candidate| (candidate.info.backend == "gl", candidate.index));
    let mut seen = Vec::new();
    found.retain(|candidate| {
        let physical = candidate.physical();
        let new = !seen.contains(&physical);
        seen.push(physical);
        new
    });
    found
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
