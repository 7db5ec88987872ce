//! From WGSL text and override constants to one naga module: one module per case, from which
//! bindings and workgroup sizes are read.

use std::collections::BTreeMap;

use naga::back::pipeline_constants::{PipelineConstantError, process_overrides};
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};

use crate::pattern::{Element, Plan};

/// The start of the one line of a kernel file that is substituted.
const ELEMENT_LINE: &str = "alias E = ";

/// A result that equals this passes the closed gate: one in 2³² of random data, and it is the right value.
const KEY: u32 = 0x5bd1_e995;

/// The `Params` block of every kernel, as the WGSL declares it: the same for devices and the model.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Params {
    /// All ones, or the twin's window.
    pub mask: u32,
    /// See [`Gate`].
    pub gate: u32,
    /// See [`Gate`].
    pub key: u32,
    /// Workgroups of earlier dispatches, where a grid is split.
    pub first_group: u32,
    /// Workgroups along x, where a grid is folded.
    pub row_groups: u32,
    /// One past the last workgroup.
    pub groups: u32,
    padding: [u32; 2],
}

/// Whether a kernel stores the results that only keep its loads alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// Every result is stored, to be checked.
    Open,
    /// As good as none is: so passes are timed.
    Closed,
}

impl Params {
    /// The block for a linear grid of `groups` workgroups in one dispatch.
    pub fn new(mask: u32, gate: Gate, groups: u32) -> Params {
        let (gate, key) = match gate {
            Gate::Open => (0, 0),
            Gate::Closed => (u32::MAX, KEY),
        };
        Params { mask, gate, key, first_group: 0, row_groups: groups, groups, padding: [0; 2] }
    }
}

/// Why a kernel of the suite is no valid shader: a mistake in this program, never the user's.
#[derive(Debug, thiserror::Error)]
pub enum ShaderError {
    /// naga's parser rejected the text.
    #[error("{0}")]
    Parse(String),
    /// naga's validator rejected the module.
    #[error("{0}")]
    Validate(String),
    /// An override constant that the shader does not declare, or a value that does not fit.
    #[error("override constants of entry point {entry}: {source}")]
    Constants {
        /// The entry point.
        entry: String,
        /// naga's reason.
        source: Box<PipelineConstantError>,
    },
    /// No such compute entry point.
    #[error("the shader has no compute entry point {0}")]
    Entry(String),
}

/// What a binding is to the pipeline layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindingKind {
    /// `var<uniform>`
    Uniform,
    /// `var<storage, read>`
    ReadOnlyStorage,
    /// `var<storage, read_write>`
    ReadWriteStorage,
}

/// A resource that the entry point uses, as naga read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The WGSL variable.
    pub name: String,
    /// `@binding`; kernels use group 0 only.
    pub index: u32,
    /// How it is bound.
    pub kind: BindingKind,
}

/// A kernel with its element type and constants in place.
#[derive(Debug)]
pub struct Specialized {
    /// The text with the element line substituted: what the device compiles.
    pub wgsl: String,
    /// The entry point.
    pub entry: String,
    /// Override constants by name, for the pipeline; only those that the entry point uses.
    pub constants: Vec<(String, f64)>,
    /// The module with the same constants resolved: what the model executes.
    pub module: naga::Module,
    /// naga's findings on that module.
    pub info: ModuleInfo,
    /// Lanes along x, y, z.
    pub workgroup_size: [u32; 3],
    /// The resources of the entry point, by binding index.
    pub bindings: Vec<Binding>,
}

impl Specialized {
    /// Specialises a pattern's WGSL file for a plan.
    ///
    /// # Errors
    /// When the file is no valid WGSL or does not declare what the plan names.
    pub fn new(wgsl: &str, plan: &Plan) -> Result<Specialized, ShaderError> {
        let wgsl = substitute(wgsl, plan.element);
        let (module, info) = parse(&wgsl)?;
        let entry = plan.entry.to_owned();
        let constants: naga::back::PipelineConstants =
            plan.constants.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        let (module, info) =
            process_overrides(&module, &info, Some((naga::ShaderStage::Compute, &entry)), &constants)
                .map_err(|source| ShaderError::Constants {
                    entry: entry.clone(),
                    source: Box::new(source),
                })?;
        let (module, info) = (module.into_owned(), info.into_owned());
        let (index, point) = module
            .entry_points
            .iter()
            .enumerate()
            .find(|(_, point)| point.name == entry)
            .ok_or_else(|| ShaderError::Entry(entry.clone()))?;
        let workgroup_size = point.workgroup_size;
        let bindings = bindings(&module, info.get_entry_point(index));
        let constants = plan.constants.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        Ok(Specialized { wgsl, entry, constants, module, info, workgroup_size, bindings })
    }

    /// Lanes of a workgroup.
    pub fn lanes(&self) -> u32 {
        self.workgroup_size.iter().product()
    }
}

/// Parses and validates WGSL with the capabilities that the suite's kernels may use.
///
/// # Errors
/// naga's message with the excerpt it points at.
pub fn parse(wgsl: &str) -> Result<(naga::Module, ModuleInfo), ShaderError> {
    let module =
        naga::front::wgsl::parse_str(wgsl).map_err(|error| ShaderError::Parse(error.emit_to_string(wgsl)))?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::default())
        .validate(&module)
        .map_err(|error| ShaderError::Validate(error.emit_to_string(wgsl)))?;
    Ok((module, info))
}

/// The kernel with its element line replaced by that of the type.
pub fn substitute(wgsl: &str, element: Element) -> String {
    let line = match element {
        Element::U32 => return wgsl.to_owned(),
        Element::U32x2 => "alias E = vec2<u32>; fn same(a: E, b: E) -> bool { return all(a == b); }",
        Element::U32x4 => "alias E = vec4<u32>; fn same(a: E, b: E) -> bool { return all(a == b); }",
    };
    let mut text: String = wgsl
        .lines()
        .flat_map(|original| [if original.starts_with(ELEMENT_LINE) { line } else { original }, "\n"])
        .collect();
    text.shrink_to_fit();
    text
}

fn bindings(module: &naga::Module, used: &naga::valid::FunctionInfo) -> Vec<Binding> {
    let by_index: BTreeMap<u32, Binding> = module
        .global_variables
        .iter()
        .filter(|(handle, _)| !used[*handle].is_empty())
        .filter_map(|(_, variable)| {
            let index = variable.binding?.binding;
            let kind = match variable.space {
                naga::AddressSpace::Uniform => BindingKind::Uniform,
                naga::AddressSpace::Storage { access } if access.contains(naga::StorageAccess::STORE) => {
                    BindingKind::ReadWriteStorage
                }
                naga::AddressSpace::Storage { .. } => BindingKind::ReadOnlyStorage,
                _ => return None,
            };
            Some((index, Binding { name: variable.name.clone().unwrap_or_default(), index, kind }))
        })
        .collect();
    by_index.into_values().collect()
}
