//! Every kernel of the suite must compile for every backend, also those that no test machine has: each case
//! at full depth is specialised as a device would and translated by naga to SPIR-V, HLSL, MSL and GLSL, both
//! as it is timed by default (unchecked) and with run-time checks. SPIR-V also goes through `spirv-val`.
//!
//! Without `spirv-val` its part is left out with a message, but under `CI=true` that is a failure.

use std::collections::BTreeMap;
use std::io::Write;
use std::process::{Command, Stdio};

use naga::back::{glsl, hlsl, msl, spv};
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::{AddressSpace, ShaderStage};
use rayon::prelude::*;
use stridemark::pattern::{Depth, Limits, Plan, cases};
use stridemark::shader::Specialized;

/// A device that runs every case of the suite, so that none escapes as skipped.
const ROOMY: Limits = Limits {
    footprint: 2 << 30,
    random_footprint: 512 << 20,
    max_binding: 2 << 30,
    max_workgroup_memory: 256 << 10,
    max_invocations: 1024,
    last_level_cache: Some(1 << 30),
};

/// And with a cache for the largest of the sets, of which the other patterns have no use.
const LARGE_CACHE: Limits =
    Limits { footprint: 16 << 30, max_binding: 8 << 30, last_level_cache: Some(8 << 30), ..ROOMY };

/// How a shader module is created: as it is timed, or as `--runtime-checks` times it.
#[derive(Clone, Copy, Debug)]
enum Checks {
    Off,
    On,
}

impl Checks {
    fn on(self) -> bool {
        matches!(self, Checks::On)
    }

    fn bounds(self) -> BoundsCheckPolicies {
        let policy = if self.on() { BoundsCheckPolicy::Restrict } else { BoundsCheckPolicy::Unchecked };
        BoundsCheckPolicies { index: policy, buffer: policy, image_load: policy, binding_array: policy }
    }
}

/// The distinct kernels of the full suite by the first case that uses each. Cases that share text, entry
/// point and constants share the module.
fn kernels() -> BTreeMap<String, Specialized> {
    let mut first_case: BTreeMap<String, String> = BTreeMap::new();
    let mut kernels = BTreeMap::new();
    for case in cases(Depth::Full) {
        let limits = if case.pattern.name == "working_set" { LARGE_CACHE } else { ROOMY };
        let plan: Plan = (case.pattern.plan)(&case, &limits)
            .unwrap_or_else(|skip| panic!("{case} is skipped on a device with room for every case: {skip}"));
        let key = format!("{} {} {} {:?}", case.pattern.name, plan.element, plan.entry, plan.constants);
        if first_case.insert(key, case.id()).is_none() {
            let kernel =
                Specialized::new(case.pattern.wgsl, &plan).unwrap_or_else(|error| panic!("{case}: {error}"));
            kernels.insert(case.id(), kernel);
        }
    }
    kernels
}

/// Runs a translation over every kernel, with and without run-time checks, and reports all that failed.
fn each_kernel(translate: impl Fn(&Specialized, Checks) -> Result<(), String> + Sync) {
    let kernels = kernels();
    assert!(!kernels.is_empty(), "the registry has no cases");
    let failures: Vec<String> = kernels
        .par_iter()
        .flat_map_iter(|(case, kernel)| [(case, kernel, Checks::Off), (case, kernel, Checks::On)])
        .filter_map(|(case, kernel, checks)| {
            translate(kernel, checks).err().map(|error| format!("{case}, checks {checks:?}: {error}"))
        })
        .collect();
    assert!(failures.is_empty(), "{} of {} kernels:\n{}", failures.len(), kernels.len(), failures.join("\n"));
}

fn to_spirv(kernel: &Specialized, checks: Checks) -> Result<Vec<u32>, String> {
    use spv::ZeroInitializeWorkgroupMemoryMode::{None, Polyfill};
    let options = spv::Options {
        lang_version: (1, 3),
        bounds_check_policies: checks.bounds(),
        zero_initialize_workgroup_memory: if checks.on() { Polyfill } else { None },
        force_loop_bounding: checks.on(),
        emit_int_div_checks: checks.on(),
        ..Default::default()
    };
    let pipeline =
        spv::PipelineOptions { shader_stage: ShaderStage::Compute, entry_point: kernel.entry.clone() };
    spv::write_vec(&kernel.module, &kernel.info, &options, Some(&pipeline)).map_err(|error| error.to_string())
}

/// Feeds a module to `spirv-val`; its own words when it finds fault.
fn spirv_val(words: &[u32]) -> Result<(), String> {
    let mut child = Command::new("spirv-val")
        .args(["--target-env", "vulkan1.1", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("spirv-val does not start: {error}"))?;
    let mut input = child.stdin.take().ok_or("spirv-val has no standard input")?;
    input.write_all(bytemuck::cast_slice(words)).map_err(|error| error.to_string())?;
    drop(input);
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    if output.status.success() { Ok(()) } else { Err(format!("spirv-val: {}", said.trim())) }
}

/// Whether `spirv-val` can be used; its absence is a failure in CI.
fn have_spirv_val() -> bool {
    let found = Command::new("spirv-val").arg("--version").output().is_ok_and(|out| out.status.success());
    let in_ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
    assert!(found || !in_ci, "CI needs spirv-val: install the package spirv-tools");
    if !found {
        eprintln!("spirv-val not found (package spirv-tools): SPIR-V is translated but not validated");
    }
    found
}

#[test]
fn every_kernel_is_valid_spirv() {
    let validate = have_spirv_val();
    each_kernel(|kernel, checks| {
        let words = to_spirv(kernel, checks)?;
        if validate { spirv_val(&words) } else { Ok(()) }
    });
}

#[test]
fn spirv_val_rejects_a_broken_module() {
    if !have_spirv_val() {
        return;
    }
    let kernels = kernels();
    let (_, kernel) = kernels.first_key_value().expect("the registry has cases");
    let mut words = to_spirv(kernel, Checks::Off).expect("translates");
    assert_eq!(spirv_val(&words), Ok(()));
    words.pop(); // the end of the last function
    assert!(spirv_val(&words).is_err(), "a truncated module passed");
}

#[test]
fn every_kernel_translates_to_hlsl() {
    each_kernel(|kernel, checks| {
        for shader_model in [hlsl::ShaderModel::V5_1, hlsl::ShaderModel::V6_0] {
            let options = hlsl::Options {
                shader_model,
                zero_initialize_workgroup_memory: checks.on(),
                restrict_indexing: checks.on(),
                force_loop_bounding: checks.on(),
                ..Default::default()
            };
            let pipeline =
                hlsl::PipelineOptions { entry_point: Some((ShaderStage::Compute, kernel.entry.clone())) };
            let mut text = String::new();
            let reflection = hlsl::Writer::new(&mut text, &options, &pipeline)
                .write(&kernel.module, &kernel.info, None)
                .map_err(|error| format!("{shader_model:?}: {error}"))?;
            let name = one_name(reflection.entry_point_names)?;
            holds(&text, &format!("void {name}("))?;
            let [x, y, z] = kernel.workgroup_size;
            holds(&text, &format!("[numthreads({x}, {y}, {z})]"))?;
        }
        Ok(())
    });
}

#[test]
fn every_kernel_translates_to_msl() {
    each_kernel(|kernel, checks| {
        let options = msl::Options {
            lang_version: (2, 2),
            bounds_check_policies: checks.bounds(),
            zero_initialize_workgroup_memory: checks.on(),
            force_loop_bounding: checks.on(),
            emit_int_div_checks: checks.on(),
            ..Default::default()
        };
        let pipeline = msl::PipelineOptions {
            entry_point: Some((ShaderStage::Compute, kernel.entry.clone())),
            ..Default::default()
        };
        let (text, translation) = msl::write_string(&kernel.module, &kernel.info, &options, &pipeline)
            .map_err(|error| error.to_string())?;
        let name = one_name(translation.entry_point_names)?;
        holds(&text, &format!("kernel void {name}("))
    });
}

#[test]
fn every_kernel_translates_to_glsl() {
    each_kernel(|kernel, checks| {
        for version in [glsl::Version::new_gles(310), glsl::Version::Desktop(430)] {
            let options = glsl::Options {
                version,
                zero_initialize_workgroup_memory: checks.on(),
                ..Default::default()
            };
            let pipeline = glsl::PipelineOptions {
                shader_stage: ShaderStage::Compute,
                entry_point: kernel.entry.clone(),
                multiview: None,
            };
            let mut text = String::new();
            glsl::Writer::new(&mut text, &kernel.module, &kernel.info, &options, &pipeline, checks.bounds())
                .and_then(|mut writer| writer.write())
                .map_err(|error| format!("{version}: {error}"))?;
            let [x, y, z] = kernel.workgroup_size;
            holds(&text, &format!("local_size_x = {x}, local_size_y = {y}, local_size_z = {z}"))?;
            holds(&text, "void main()")?;
        }
        Ok(())
    });
}

/// The kernels declare no workgroup memory beyond what their plan was allowed, on the smallest device that
/// wgpu describes as a default.
#[test]
fn workgroup_memory_stays_within_the_limit_that_was_planned_for() {
    let small = Limits { max_workgroup_memory: 16 << 10, max_invocations: 256, ..ROOMY };
    for case in cases(Depth::Full) {
        let Ok(plan) = (case.pattern.plan)(&case, &small) else { continue };
        let kernel =
            Specialized::new(case.pattern.wgsl, &plan).unwrap_or_else(|error| panic!("{case}: {error}"));
        let mut layouter = naga::proc::Layouter::default();
        layouter.update(kernel.module.to_ctx()).unwrap_or_else(|error| panic!("{case}: {error}"));
        let used = kernel.info.get_entry_point(0);
        let bytes: u32 = kernel
            .module
            .global_variables
            .iter()
            .filter(|(handle, variable)| {
                variable.space == AddressSpace::WorkGroup && !used[*handle].is_empty()
            })
            .map(|(_, variable)| layouter[variable.ty].to_stride())
            .sum();
        assert!(u64::from(bytes) <= small.max_workgroup_memory, "{case} declares {bytes} bytes");
        assert!(kernel.lanes() <= small.max_invocations, "{case} has {} lanes", kernel.lanes());
    }
}

fn one_name(names: Vec<Result<String, impl std::fmt::Display>>) -> Result<String, String> {
    match <[_; 1]>::try_from(names) {
        Ok([name]) => name.map_err(|error| error.to_string()),
        Err(names) => Err(format!("{} entry points instead of one", names.len())),
    }
}

fn holds(text: &str, wanted: &str) -> Result<(), String> {
    if text.contains(wanted) { Ok(()) } else { Err(format!("the text lacks `{wanted}`:\n{text}")) }
}
