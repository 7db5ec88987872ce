//! From text to a program: parsing, the choice of an entry point, override constants.

use std::borrow::Cow;
use std::sync::LazyLock;

use naga::back::PipelineConstants;
use naga::back::pipeline_constants::PipelineConstantError;
use naga::valid::{Capabilities, ModuleInfo, ValidationFlags, Validator};
use naga::{ArraySize, EntryPoint, Expression, Handle, Module, Override, ScalarKind, ShaderStage, TypeInner};
use regex::{Captures, Regex};

use crate::model::{AssumedConstants, ModelError, Program, ResolveError, resolve};

use super::error::AnalyzeError;
use super::grid;
use super::input::Source;
use super::setup::{nearest, twice, unknown};
use super::spec::OverrideSpec;

/// A shader that naga has accepted, an entry point of it, and what it needs beyond its text.
pub(super) struct Compiled {
    pub(super) program: Program,
    pub(super) entry: String,
    /// Axes of the grid that the entry point uses.
    pub(super) axes: [bool; 3],
    /// Override constants without a value.
    pub(super) assumed: Vec<AssumedConstant>,
}

/// An override constant without a value.
pub(super) struct AssumedConstant {
    pub(super) name: String,
    /// The value assumed, as `--override` takes it.
    pub(super) shown: String,
}

/// Compiles an entry point of a shader.
///
/// # Errors
/// What naga or the model refuses, no or several entry points, override constants that don't fit.
pub(super) fn compile(
    source: &Source,
    entry: Option<&str>,
    overrides: &[OverrideSpec],
) -> Result<Compiled, AnalyzeError> {
    let (module, info) = parse(source)?;
    let point = choose(source, &module, entry)?;
    let mut constants = given(&module, overrides)?;
    let mut assumed = Vec::new();
    // the shader says which constants it lacks one at a time
    let resolved = loop {
        let refused = |reason: String| AnalyzeError::Overrides {
            entry: point.name.clone(),
            values: values(overrides, &assumed),
            reason,
        };
        let error = match resolve(&module, &info, &point.name, &constants) {
            Ok(resolved) => break resolved,
            Err(ResolveError::Constants(error)) => *error,
            Err(error @ ResolveError::Naga) => return Err(wgsl(source, error.to_string())),
        };
        match error {
            PipelineConstantError::MissingValue(key) if !constants.contains_key(&key) => {
                let value = guess(&module, point, &key);
                assumed.push(AssumedConstant { name: name_of(&module, &key), shown: value.to_string() });
                constants.insert(key, value);
            }
            // the shader passed before: these values make it wrong
            PipelineConstantError::ValidationError(error) if !constants.is_empty() => {
                return Err(refused(innermost(error.as_inner())));
            }
            PipelineConstantError::ValidationError(error) => {
                return Err(wgsl(source, error.emit_to_string_with_path(&source.text, &source.name)));
            }
            error => return Err(refused(error.to_string())),
        }
    };
    let names = assumed.iter().map(|constant| constant.name.clone()).collect();
    let unset = AssumedConstants::new(&module, names);
    let (file, text) = (&source.name, &source.text);
    let program = Program::with_assumed(file, text, &resolved.0, &resolved.1, &point.name, &unset);
    let program = program.map_err(|error| match in_source(source, &point.name, error) {
        AnalyzeError::Model { error, excerpt, .. } => {
            AnalyzeError::Model { error, excerpt, overridden: !overrides.is_empty() }
        }
        other => other,
    })?;
    Ok(Compiled { axes: grid::axes(&module, point), program, entry: point.name.clone(), assumed })
}

/// The values of override constants as they would be given, in parentheses; nothing where there are none.
fn values(given: &[OverrideSpec], assumed: &[AssumedConstant]) -> String {
    let given = given.iter().map(|given| format!("{}={}", given.name, given.value));
    let assumed = assumed.iter().map(|AssumedConstant { name, shown }| format!("{name}={shown} assumed"));
    let all: Vec<String> = given.chain(assumed).collect();
    if all.is_empty() { String::new() } else { format!(" ({})", all.join(", ")) }
}

/// The last reason of a chain of errors, which is the one that says what is wrong.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    last.to_string()
}

/// An error of the model with the line it points at; what has no place of its own is about the entry point.
pub(super) fn in_source(source: &Source, entry: &str, mut error: ModelError) -> AnalyzeError {
    let at = match &mut error {
        ModelError::UnresolvedOverride { at, .. }
        | ModelError::Unsupported { at, .. }
        | ModelError::TooLarge { at, .. }
        | ModelError::StepLimit { at, .. }
        | ModelError::SparseMemory { at, .. } => Some(at),
        ModelError::NoEntryPoint { .. }
        | ModelError::MissingBuffer { .. }
        | ModelError::NoSuchBuffer { .. }
        | ModelError::BufferTooSmall { .. }
        | ModelError::BufferTooLarge { .. }
        | ModelError::Machine { .. }
        | ModelError::Grid(_) => None,
    };
    let at = at.map(|at| {
        if at.line == 0 {
            *at = source.entry_place(entry).unwrap_or_else(|| at.clone());
        }
        &*at
    });
    let excerpt = at
        .filter(|at| at.line > 0)
        .map(|at| super::excerpt::lines(source, at.line, &[(at.column, 1, String::new())]));
    let excerpt = excerpt.map_or(String::new(), |excerpt| format!("\n{}", excerpt.trim_end()));
    AnalyzeError::Model { error, excerpt, overridden: false }
}

fn parse(source: &Source) -> Result<(Module, ModuleInfo), AnalyzeError> {
    let text = without_subgroups_directive(&source.text);
    let module = naga::front::wgsl::parse_str(&text).map_err(|error| {
        source.template().unwrap_or_else(|| wgsl(source, error.emit_to_string_with_path(&text, &source.name)))
    })?;
    let info = Validator::new(ValidationFlags::all(), Capabilities::all())
        .validate(&module)
        .map_err(|error| wgsl(source, error.emit_to_string_with_path(&source.text, &source.name)))?;
    Ok((module, info))
}

/// The text with `enable subgroups` blanked out: WGSL asks for it, while naga 30 takes subgroup operations
/// without it and refuses the directive. Nothing else moves.
fn without_subgroups_directive(text: &str) -> Cow<'_, str> {
    static DIRECTIVE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\benable\s+([\w\s,]*);").expect("a valid pattern"));
    DIRECTIVE.replace_all(text, |found: &Captures<'_>| {
        let (kept, dropped): (Vec<&str>, Vec<&str>) =
            found[1].split(',').map(str::trim).partition(|name| *name != "subgroups");
        if dropped.is_empty() || found[0].contains('\n') {
            return found[0].to_owned();
        }
        let left = if kept.is_empty() { String::new() } else { format!("enable {};", kept.join(", ")) };
        format!("{left:width$}", width = found[0].len())
    })
}

/// naga's message. The program itself says that it is an error; naga names the file only where it has a
/// place in it.
fn wgsl(source: &Source, message: String) -> AnalyzeError {
    let message = message.trim_end();
    let message = message.strip_prefix("error: ").unwrap_or(message);
    AnalyzeError::Wgsl(if message.contains(&source.name) {
        message.to_owned()
    } else {
        format!("{}: {message}", source.name)
    })
}

fn choose<'m>(
    source: &Source,
    module: &'m Module,
    wanted: Option<&str>,
) -> Result<&'m EntryPoint, AnalyzeError> {
    let compute: Vec<_> =
        module.entry_points.iter().filter(|point| point.stage == ShaderStage::Compute).collect();
    if let Some(wanted) = wanted {
        return compute.iter().copied().find(|point| point.name == wanted).ok_or_else(|| {
            let names: Vec<&str> = compute.iter().map(|point| point.name.as_str()).collect();
            let near = nearest(wanted, &names);
            let near = near.map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            let there_are = if names.is_empty() { other_stages(module) } else { listed(&compute) };
            AnalyzeError::Option(format!(
                "--entry {wanted}: {} has no compute entry point of this name{near}\n{there_are}",
                source.name
            ))
        });
    }
    match compute.as_slice() {
        [] => Err(AnalyzeError::NoCompute { file: source.name.clone(), instead: other_stages(module) }),
        [point] => Ok(point),
        several => Err(AnalyzeError::SeveralEntries {
            file: source.name.clone(),
            count: several.len(),
            list: listed(several),
        }),
    }
}

/// One line for each entry point.
fn listed(points: &[&EntryPoint]) -> String {
    points.iter().map(|point| format!("  {}", describe(point))).collect::<Vec<_>>().join("\n")
}

fn describe(point: &EntryPoint) -> String {
    if point.workgroup_size_overrides.is_some() {
        return format!("{} (workgroup size set by override constants)", point.name);
    }
    let [x, y, z] = point.workgroup_size;
    format!("{} (workgroups of {x}×{y}×{z})", point.name)
}

fn other_stages(module: &Module) -> String {
    if module.entry_points.is_empty() {
        return "it has no entry point at all; add one that calls its functions".to_owned();
    }
    let others: Vec<_> =
        module.entry_points.iter().map(|point| format!("{} ({:?})", point.name, point.stage)).collect();
    format!("it has {}; the model executes compute shaders only", others.join(", "))
}

/// The key of an override constant for naga: its id where it has one, else its name.
fn key_of(constant: &Override) -> Option<String> {
    constant.id.map(|id| id.to_string()).or_else(|| constant.name.clone())
}

fn name_of(module: &Module, key: &str) -> String {
    let named = module.overrides.iter().find(|(_, constant)| key_of(constant).as_deref() == Some(key));
    named.and_then(|(_, constant)| constant.name.clone()).unwrap_or_else(|| key.to_owned())
}

fn given(module: &Module, overrides: &[OverrideSpec]) -> Result<PipelineConstants, AnalyzeError> {
    let mut constants = PipelineConstants::default();
    for OverrideSpec { name, value } in overrides {
        let declared = module.overrides.iter().find(|(_, constant)| {
            constant.name.as_ref() == Some(name) || constant.id.is_some_and(|id| id.to_string() == *name)
        });
        let Some(key) = declared.and_then(|(_, constant)| key_of(constant)) else {
            let names = module.overrides.iter().filter_map(|(_, constant)| constant.name.as_deref());
            return Err(unknown("--override", name, "override constant", names));
        };
        if constants.insert(key, *value).is_some() {
            return Err(twice("--override", name));
        }
    }
    Ok(constants)
}

/// A value for an override constant that has none: sizes of workgroups and of workgroup memory are small,
/// other whole numbers are like unset inputs.
fn guess(module: &Module, point: &EntryPoint, key: &str) -> f64 {
    let Some((handle, constant)) =
        module.overrides.iter().find(|(_, constant)| key_of(constant).as_deref() == Some(key))
    else {
        return 1.0;
    };
    match module.types[constant.ty].inner {
        TypeInner::Scalar(scalar) if scalar.kind == ScalarKind::Bool => return 0.0,
        TypeInner::Scalar(scalar) if scalar.kind == ScalarKind::Float => return 1.0,
        _ => {}
    }
    let reached = |expr| reaches(module, expr, handle, 32);
    let axes = point
        .workgroup_size_overrides
        .map_or(0, |sizes| sizes.iter().flatten().filter(|&&expr| reached(expr)).count());
    let sizes_array = module.types.iter().any(|(_, ty)| match ty.inner {
        TypeInner::Array { size: ArraySize::Pending(size), .. } => {
            size == handle || module.overrides[size].init.is_some_and(reached)
        }
        _ => false,
    });
    match (axes, sizes_array) {
        (1, _) => 64.0,
        (2, _) | (0, true) => 16.0,
        (3, _) => 8.0,
        _ => super::contents::UNSET as f64,
    }
}

/// Whether the value of an expression depends on an override constant, as far as arithmetic shows; other
/// forms only cost a worse guess.
fn reaches(module: &Module, expr: Handle<Expression>, wanted: Handle<Override>, depth: u32) -> bool {
    let below = |expr| depth > 0 && reaches(module, expr, wanted, depth - 1);
    match module.global_expressions[expr] {
        Expression::Override(handle) => handle == wanted || module.overrides[handle].init.is_some_and(below),
        Expression::Unary { expr, .. } | Expression::As { expr, .. } => below(expr),
        Expression::Binary { left, right, .. } => below(left) || below(right),
        Expression::Select { accept, reject, .. } => below(accept) || below(reject),
        Expression::Math { arg, arg1, .. } => below(arg) || arg1.is_some_and(below),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::without_subgroups_directive;

    #[test]
    fn only_the_directive_for_subgroups_is_blanked_out() {
        let text = "enable subgroups; enable f16, subgroups;\nenable f16;\nfn f() {}\n";
        let left = "                  enable f16;           \nenable f16;\nfn f() {}\n";
        assert_eq!(without_subgroups_directive(text), left);
    }
}
