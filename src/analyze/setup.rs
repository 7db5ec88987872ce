//! Buffers for a shader of which nothing but its text is known, and a name for everything assumed.
//!
//! An analysis has to start without set-up, so every input has a default, the best case where there is a
//! choice. Each default becomes an assumption of the model: it travels with the values read, and an access
//! whose address or execution depends on one says so, with the option that replaces it.

use std::collections::BTreeMap;
use std::path::Path;

use crate::model::{AssumptionId, Binding, Buffers, Contents, Leaf, ModelError, Program, Source, Space};

use super::contents::{Rule, Scalars, UNSET};
use super::error::AnalyzeError;
use super::module::{AssumedConstant, Compiled};
use super::number::is_whole;
use super::spec::{BufferSpec, FillSpec, SetSpec};

/// What `arrayLength` says of a buffer without a length.
pub const UNSET_LENGTH: u32 = 1 << 20;
/// The largest file that a buffer is read from, in bytes.
pub const MAX_FILE_BYTES: u64 = 256 << 20;
/// Buffers of a fixed size up to this are kept whole; of others only what is stored.
const WHOLE_BYTES: u64 = 1 << 20;

/// How to say what a texture holds: there is no option for it.
const TEXTURE_FLAG: &str = "a number in its place in the shader";

/// An input that was not given.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Assumption {
    /// The input, as WGSL would call it: `params.n`, `indices`, `arrayLength(&data)`.
    pub name: String,
    /// What was assumed, to be read behind the name: `is 1024`.
    pub assumed: String,
    /// The option that gives it.
    pub flag: String,
}

/// The assumptions behind the model's ids; the last id may stand for several.
#[derive(Clone, Debug, Default)]
pub(super) struct Assumptions {
    by_id: BTreeMap<AssumptionId, Vec<Assumption>>,
}

impl Assumptions {
    /// The assumptions behind some ids.
    pub(super) fn of(&self, ids: &[AssumptionId]) -> Vec<Assumption> {
        ids.iter().filter_map(|id| self.by_id.get(id)).flatten().cloned().collect()
    }

    fn add(&mut self, buffers: &mut Buffers, assumption: Assumption) -> AssumptionId {
        let id = buffers.assume(assumption.name.clone());
        self.by_id.entry(id).or_default().push(assumption);
        id
    }
}

/// The buffers of a run and what they assume.
pub(super) struct Setup {
    pub(super) buffers: Buffers,
    pub(super) assumptions: Assumptions,
}

/// Gives every buffer of a program its contents.
///
/// # Errors
/// Names that the program does not have, numbers that a type can't hold, files that can't be read.
pub(super) fn set_up(
    compiled: &Compiled,
    specs: &[BufferSpec],
    sets: &[SetSpec],
) -> Result<Setup, AnalyzeError> {
    let program = &compiled.program;
    let given = settings(program, sets)?;
    check_names(program, specs)?;
    let mut setup = Setup { buffers: Buffers::new(program), assumptions: Assumptions::default() };
    // buffers first: there are 64 ids, and an index buffer says more than the 60th uniform
    for (position, binding) in program.bindings().iter().enumerate() {
        let spec = specs.iter().find(|spec| spec.name == binding.name);
        setup.array(position, binding, spec, &given[position])?;
    }
    for (position, source) in program.sources().iter().enumerate() {
        setup.outside(position, source, &compiled.assumed);
    }
    for (position, binding) in program.bindings().iter().enumerate() {
        let spec = specs.iter().find(|spec| spec.name == binding.name);
        setup.fixed(position, binding, spec, &given[position])?;
    }
    Ok(setup)
}

impl Setup {
    /// Contents of a buffer, and what is assumed of its runtime-sized array.
    fn array(
        &mut self,
        position: usize,
        binding: &Binding,
        spec: Option<&BufferSpec>,
        set: &BTreeMap<u32, u64>,
    ) -> Result<(), AnalyzeError> {
        let len = spec.and_then(|spec| spec.len);
        let fill = spec.and_then(|spec| spec.fill.as_ref());
        let elements = len.unwrap_or(u64::from(UNSET_LENGTH));
        let sized = len.map(|len| bytes_of(binding, len)).transpose()?;
        let Some(rule) = Rule::of(fill, elements) else {
            let Some(FillSpec::File(path)) = fill else { return Ok(()) };
            let bytes = read_file(path, sized)?;
            return self.give(position, Contents::Bytes(patched(bytes, binding, set)));
        };
        let counts = binding.space == Space::Storage;
        let fill = Scalars::new(binding, rule, counts, set).fill();
        let Some(element) = &binding.element else {
            let bytes = binding.fixed_bytes;
            return self.give(
                position,
                if bytes <= WHOLE_BYTES {
                    Contents::Filled { bytes, fill }
                } else {
                    Contents::Bounded { bytes, fill }
                },
            );
        };
        match sized {
            Some(bytes) => self.give(position, Contents::Bounded { bytes, fill })?,
            None => {
                let name = format!("arrayLength(&{})", member_path(binding));
                let assumed = format!("is {UNSET_LENGTH}");
                let flag = format!("--buffer {}=len:N", binding.name);
                let id = self.assumptions.add(&mut self.buffers, Assumption { name, assumed, flag });
                let length_assumption = Some(id);
                self.give(position, Contents::Sparse { fill, length: UNSET_LENGTH, length_assumption })?;
            }
        }
        if rule == Rule::Unset && binding.read {
            let whole = element.leaves.iter().any(|leaf| is_whole(leaf.num));
            let assumption = Assumption {
                name: binding.name.clone(),
                assumed: if whole { "counts up 0, 1, 2, …" } else { "holds 1 everywhere" }.to_owned(),
                flag: format!("--buffer {}=random", binding.name),
            };
            let id = self.assumptions.add(&mut self.buffers, assumption);
            self.mark(position, element.offset..u32::MAX, id)?;
        }
        Ok(())
    }

    /// What is assumed of a buffer's scalars outside of a runtime-sized array.
    fn fixed(
        &mut self,
        position: usize,
        binding: &Binding,
        spec: Option<&BufferSpec>,
        set: &BTreeMap<u32, u64>,
    ) -> Result<(), AnalyzeError> {
        let filled = spec.and_then(|spec| spec.fill.as_ref());
        let whole_buffer = binding.element.is_none() || matches!(filled, Some(FillSpec::File(_)));
        if !binding.read || filled.is_some() && whole_buffer {
            return Ok(());
        }
        let unset: Vec<&Leaf> =
            binding.leaves.iter().filter(|leaf| !set.contains_key(&leaf.offset)).collect();
        // an array or matrix is one input, however many scalars it has
        for leaves in unset.chunk_by(|a, b| input(a) == input(b)) {
            let (Some(first), Some(last)) = (leaves.first(), leaves.last()) else { continue };
            let path = input(first);
            let counts = binding.space == Space::Storage && leaves.len() > 1;
            let assumed = match (is_whole(first.num), counts) {
                (true, true) => "counts up 0, 1, 2, …".to_owned(),
                (true, false) => format!("is {UNSET}"),
                (false, _) => "is 1".to_owned(),
            };
            let assumption = Assumption { name: path.to_owned(), assumed, flag: format!("--set {path}=V") };
            let id = self.assumptions.add(&mut self.buffers, assumption);
            self.mark(position, first.offset..last.offset + last.num.bytes(), id)?;
        }
        Ok(())
    }

    /// What is assumed of an override constant or a texture.
    fn outside(&mut self, position: usize, source: &Source, constants: &[AssumedConstant]) {
        let assumption = match source {
            Source::Constant(name) => {
                let constant = constants.iter().find(|constant| constant.name == *name);
                let assumed = constant.map_or_else(String::new, |constant| format!("is {}", constant.shown));
                Assumption { name: name.clone(), assumed, flag: format!("--override {name}=V") }
            }
            Source::Texels(name) => Assumption {
                name: name.clone(),
                assumed: "holds 0 everywhere".to_owned(),
                flag: TEXTURE_FLAG.to_owned(),
            },
            Source::Extent(name) => Assumption {
                name: format!("textureDimensions({name})"),
                assumed: "is 1024".to_owned(),
                flag: TEXTURE_FLAG.to_owned(),
            },
        };
        let id = self.assumptions.add(&mut self.buffers, assumption);
        self.buffers.mark_source(position, id);
    }

    fn give(&mut self, position: usize, contents: Contents) -> Result<(), AnalyzeError> {
        self.buffers.set(position, contents).map_err(from_model)
    }

    fn mark(
        &mut self,
        position: usize,
        range: std::ops::Range<u32>,
        id: AssumptionId,
    ) -> Result<(), AnalyzeError> {
        self.buffers.mark_assumed(position, range, id).map_err(from_model)
    }
}

fn from_model(error: ModelError) -> AnalyzeError {
    AnalyzeError::Model { error, excerpt: String::new(), overridden: false }
}

/// The path of the input that a scalar belongs to: without indices.
fn input(leaf: &Leaf) -> &str {
    leaf.path.split('[').next().unwrap_or(&leaf.path)
}

/// The runtime-sized array as an expression of the shader, as far as the model knows its name.
fn member_path(binding: &Binding) -> String {
    match &binding.element {
        Some(element) if element.offset > 0 => format!("{}.…", binding.name),
        _ => binding.name.clone(),
    }
}

/// Bytes of a buffer with so many elements.
fn bytes_of(binding: &Binding, len: u64) -> Result<u64, AnalyzeError> {
    match &binding.element {
        Some(element) => {
            Ok(len.saturating_mul(u64::from(element.stride)).saturating_add(u64::from(element.offset)))
        }
        None => Err(AnalyzeError::Option(format!(
            "--buffer {}=len:{len}: `{}` has no runtime-sized array, its type fixes its size; leave the \
             length out",
            binding.name, binding.name
        ))),
    }
}

/// The bytes of a file, cut to a size where one is given.
fn read_file(path: &Path, size: Option<u64>) -> Result<Vec<u8>, AnalyzeError> {
    let file = path.display().to_string();
    let read = |reason| AnalyzeError::Read { file: file.clone(), reason };
    let limit = size.unwrap_or(MAX_FILE_BYTES).min(MAX_FILE_BYTES);
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(path).map_err(read)?;
    std::io::Read::read_to_end(&mut std::io::Read::take(opened, limit + 1), &mut bytes).map_err(read)?;
    if size.is_none() && bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(AnalyzeError::Option(format!(
            "{file} has more than {MAX_FILE_BYTES} bytes; give the buffer a length with len:N"
        )));
    }
    if let Some(size) = size
        && (bytes.len() as u64) < size
    {
        return Err(AnalyzeError::Option(format!(
            "{file} has {} bytes, the length asks for {size}; give a smaller len",
            bytes.len()
        )));
    }
    bytes.truncate(limit as usize);
    Ok(bytes)
}

/// Bytes with the numbers of `--set` in their places.
fn patched(mut bytes: Vec<u8>, binding: &Binding, set: &BTreeMap<u32, u64>) -> Vec<u8> {
    for leaf in &binding.leaves {
        if let Some(bits) = set.get(&leaf.offset) {
            let (at, width) = (leaf.offset as usize, leaf.num.bytes() as usize);
            if let Some(to) = bytes.get_mut(at..at + width) {
                to.copy_from_slice(&bits.to_le_bytes()[..width]);
            }
        }
    }
    bytes
}

fn check_names(program: &Program, specs: &[BufferSpec]) -> Result<(), AnalyzeError> {
    for (index, spec) in specs.iter().enumerate() {
        if !program.bindings().iter().any(|binding| binding.name == spec.name) {
            let names = program.bindings().iter().map(|binding| binding.name.as_str());
            return Err(unknown("--buffer", &spec.name, "buffer", names));
        }
        if specs[..index].iter().any(|other| other.name == spec.name) {
            return Err(twice("--buffer", &spec.name));
        }
        if let (Some(FillSpec::Constant(number)), Some(binding)) =
            (&spec.fill, program.bindings().iter().find(|binding| binding.name == spec.name))
        {
            let leaves = binding.element.as_ref().map_or(&binding.leaves, |element| &element.leaves);
            for leaf in leaves {
                number.bits(leaf.num).map_err(|reason| {
                    AnalyzeError::Option(format!("--buffer {}=const:{number}: {reason}", spec.name))
                })?;
            }
        }
    }
    Ok(())
}

/// The bits that `--set` gives, by binding and offset.
fn settings(program: &Program, sets: &[SetSpec]) -> Result<Vec<BTreeMap<u32, u64>>, AnalyzeError> {
    let mut given = vec![BTreeMap::new(); program.bindings().len()];
    for (index, set) in sets.iter().enumerate() {
        if sets[..index].iter().any(|other| other.path == set.path) {
            return Err(twice("--set", &set.path));
        }
        let mut found = false;
        for (binding, given) in program.bindings().iter().zip(&mut given) {
            let below: Vec<_> =
                binding.leaves.iter().filter(|leaf| is_below(&leaf.path, &set.path)).collect();
            if below.is_empty() {
                continue;
            }
            found = true;
            if set.values.len() != 1 && set.values.len() != below.len() {
                return Err(AnalyzeError::Option(format!(
                    "--set {}: {} numbers for {} scalars; give one for each, or one for all",
                    set.path,
                    set.values.len(),
                    below.len()
                )));
            }
            for (leaf, number) in below.iter().zip(set.values.iter().cycle()) {
                let wrong = |reason| AnalyzeError::Option(format!("--set {}: {reason}", leaf.path));
                given.insert(leaf.offset, number.bits(leaf.num).map_err(wrong)?);
            }
        }
        if !found {
            let buffer = set.path.split(['.', '[']).next().unwrap_or(&set.path);
            if program.bindings().iter().any(|b| b.name == buffer && b.element.is_some()) {
                return Err(AnalyzeError::Option(format!(
                    "--set {}: no single number of `{buffer}` has this name; give its array contents with \
                     --buffer {buffer}=const:V or another fill",
                    set.path
                )));
            }
            let inputs = program.bindings().iter().flat_map(|b| b.leaves.iter().map(input));
            return Err(unknown("--set", &set.path, "input", inputs));
        }
    }
    Ok(given)
}

/// Whether a scalar is that one, or a part of it.
fn is_below(leaf: &str, path: &str) -> bool {
    leaf.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// An option that gives one thing two values.
pub(super) fn twice(option: &str, name: &str) -> AnalyzeError {
    AnalyzeError::Option(format!("{option} {name} is given twice; give it once"))
}

/// The name most like another one, where there is one that could be meant.
pub(super) fn nearest<'n>(name: &str, names: &[&'n str]) -> Option<&'n str> {
    let nearest = names.iter().copied().min_by_key(|other| strsim::levenshtein(other, name));
    nearest.filter(|other| strsim::levenshtein(other, name) <= 2 + name.len() / 3)
}

/// An option that names something the shader does not have.
pub(super) fn unknown<'n>(
    option: &str,
    name: &str,
    kind: &str,
    available: impl Iterator<Item = &'n str>,
) -> AnalyzeError {
    const LISTED: usize = 12;
    let mut names: Vec<&str> = available.collect();
    names.dedup();
    let near = nearest(name, &names).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
    let listed = names.iter().take(LISTED).copied().collect::<Vec<_>>().join(", ");
    let more = if names.len() > LISTED { ", …" } else { "" };
    let there_are =
        if names.is_empty() { "it has none".to_owned() } else { format!("there are: {listed}{more}") };
    AnalyzeError::Option(format!(
        "{option} {name}: the entry point has no {kind} of this name; {there_are}{near}"
    ))
}
