//! An entry point, compiled, with what can be said of it before it runs.

use super::error::ModelError;
use super::ir::{Function, IndexSite, Input, Reg};
use super::layout::Leaf;
use super::report::{Access, Note, Space};
use super::sources::{AssumedConstants, Source, Sources};

/// A buffer that the entry point can reach.
#[derive(Clone, Debug)]
pub struct Binding {
    /// The variable.
    pub name: String,
    /// Group and binding; none for immediate data.
    pub group: Option<(u32, u32)>,
    /// Storage or uniform.
    pub space: Space,
    /// Whether the entry point stores to it or changes it atomically.
    pub written: bool,
    /// Whether the entry point loads from it or changes it atomically.
    pub read: bool,
    /// Size of the part before the runtime-sized array, or of the whole type without one.
    pub fixed_bytes: u64,
    /// The scalars of the fixed part, with paths such as `params.n`.
    pub leaves: Vec<Leaf>,
    /// The runtime-sized array at the end.
    pub element: Option<Element>,
    pub(super) atomics: bool,
}

/// The element of a runtime-sized array.
#[derive(Clone, Debug)]
pub struct Element {
    /// Byte offset of the array in the buffer.
    pub offset: u32,
    /// Bytes from one element to the next.
    pub stride: u32,
    /// The scalars of an element; offsets and paths are relative to it.
    pub leaves: Vec<Leaf>,
}

impl Binding {
    /// The smallest buffer: the fixed part and one element.
    pub fn least_bytes(&self) -> u64 {
        match &self.element {
            Some(element) => u64::from(element.offset) + u64::from(element.stride),
            None => self.fixed_bytes,
        }
    }
}

/// A variable in workgroup memory.
#[derive(Clone, Debug)]
pub(super) struct WorkgroupVar {
    pub(super) name: String,
    pub(super) bytes: u32,
    /// Bytes from one element to the next of the arrays that it is made of, outermost first.
    pub(super) strides: Vec<u32>,
}

/// An entry point, ready to run.
#[derive(Debug)]
pub struct Program {
    pub(super) entry: usize,
    pub(super) functions: Vec<Function>,
    pub(super) workgroup_size: [u32; 3],
    pub(super) lane_registers: u32,
    pub(super) uniform_registers: u32,
    pub(super) masks: usize,
    /// Uniform registers with a value from the start.
    pub(super) constants: Vec<(Reg, u32)>,
    /// What those that are assumed depend on.
    pub(super) assumed: Vec<(Reg, Sources)>,
    pub(super) sources: Vec<Source>,
    /// Private variables with a value from the start.
    pub(super) initial: Vec<(u32, Reg)>,
    pub(super) inputs: Vec<(Input, Reg)>,
    pub(super) accesses: Vec<Access>,
    pub(super) sites: Vec<IndexSite>,
    pub(super) bindings: Vec<Binding>,
    pub(super) workgroup_vars: Vec<WorkgroupVar>,
    pub(super) notes: Vec<Note>,
}

impl Program {
    /// Compiles the compute entry point `entry` of a module whose overrides are
    /// [resolved](super::resolve). `file` and `source` are for messages: the name and the text of the shader.
    ///
    /// # Errors
    /// No such entry point; a construct that the model does not execute; a shader beyond the model's limits.
    pub fn new(
        file: &str,
        source: &str,
        module: &naga::Module,
        info: &naga::valid::ModuleInfo,
        entry: &str,
    ) -> Result<Self, ModelError> {
        Self::with_assumed(file, source, module, info, entry, &AssumedConstants::default())
    }

    /// [`new`](Self::new), where the values of some override constants were assumed.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_assumed(
        file: &str,
        source: &str,
        module: &naga::Module,
        info: &naga::valid::ModuleInfo,
        entry: &str,
        assumed: &AssumedConstants,
    ) -> Result<Self, ModelError> {
        super::compile::compile(file, source, module, info, entry, assumed)
    }

    /// What values depend on beside buffers: first the override constants that were assumed, then textures.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// Lanes of a workgroup along x, y and z.
    pub fn workgroup_size(&self) -> [u32; 3] {
        self.workgroup_size
    }

    /// The access expressions that the entry point can reach, in source order.
    pub fn accesses(&self) -> &[Access] {
        &self.accesses
    }

    /// The buffers that the entry point can reach, in order of declaration.
    pub fn bindings(&self) -> &[Binding] {
        &self.bindings
    }

    /// Bytes of workgroup memory.
    pub fn workgroup_bytes(&self) -> u64 {
        self.workgroup_vars.iter().map(|var| u64::from(var.bytes)).sum()
    }

    /// Of a variable in workgroup memory, the bytes from one element to the next of each of its nested
    /// arrays, outermost first; nothing where it is no array or there is none of that name.
    pub fn workgroup_strides(&self, variable: &str) -> &[u32] {
        let found = self.workgroup_vars.iter().find(|var| var.name == variable);
        found.map_or(&[], |var| &var.strides)
    }

    pub(super) fn lanes(&self) -> usize {
        self.workgroup_size.iter().map(|&n| n as usize).product()
    }

    /// Whether no workgroup can see what another one writes, so that they may run in any order.
    pub(super) fn workgroups_are_independent(&self) -> bool {
        self.bindings.iter().all(|binding| !(binding.atomics || binding.read && binding.written))
    }
}
