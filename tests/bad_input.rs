//! Bad input gets one clear error that names the value and the next step, and the designed exit code.

mod common;

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use common::{Lab, finish, runs_below};
use stridemark::record::{Flag, RunDir, Status};

#[test]
fn unknown_selectors_list_the_candidates() {
    let finished = Lab::new().run(&["--device", "no-such-device"]);
    assert_eq!(finished.code, Some(2));
    assert!(
        finished.stderr.contains("\"no-such-device\"") && finished.stderr.contains("host"),
        "{}",
        finished.stderr
    );
    let finished = Lab::new().run(&["--device", "99"]);
    assert_eq!(finished.code, Some(2));
    assert!(finished.stderr.contains("\"99\""), "{}", finished.stderr);
}

#[test]
fn a_selector_that_several_devices_match_lists_them() {
    let lab = Lab::new();
    let listed = lab.run(&["list", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_str(&listed.stdout).expect("JSON alone");
    let devices = document["devices"].as_array().expect("devices").len();
    if devices < 2 {
        // No adapter beside the host: one device matches everything.
        return;
    }
    // Stands between backend and name of each.
    let finished = lab.run(&["--device", ":"]);
    assert_eq!(finished.code, Some(2), "{}", finished.stderr);
    assert!(finished.stderr.contains(&format!("matches {devices} devices")), "{}", finished.stderr);
    assert!(finished.stderr.contains("host:") && finished.stderr.contains("index"), "{}", finished.stderr);
}

#[test]
fn an_unreadable_script_is_named() {
    let finished = Lab::new().run(&["--device", "fake:missing.toml"]);
    assert_eq!(finished.code, Some(2));
    assert!(finished.stderr.contains("missing.toml"), "{}", finished.stderr);
    let lab = Lab::new();
    let finished = lab.run_fake("nonsense = 1", &[]);
    assert_eq!(finished.code, Some(2));
    assert!(finished.stderr.contains("nonsense"), "{}", finished.stderr);
}

#[test]
fn without_an_adapter_the_host_is_measured_and_gpu_names_the_package() {
    let bare = |args: &[&str]| {
        let lab = Lab::new();
        let mut command = lab.command(args);
        for driver in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES", "__EGL_VENDOR_LIBRARY_FILENAMES"] {
            command.env(driver, lab.path().join("none.json"));
        }
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        finish(command.output().expect("the program starts"))
    };
    let listed = bare(&["list", "--format", "json"]);
    let devices: serde_json::Value =
        serde_json::from_str(&listed.stdout).expect("JSON alone on standard output");
    if devices["devices"].as_array().is_none_or(|devices| devices.len() != 1) {
        // A platform whose adapters no variable can hide.
        return;
    }
    let finished = bare(&["--device", "gpu"]);
    assert_eq!(finished.code, Some(2));
    assert!(finished.stderr.contains("mesa-vulkan-drivers"), "{}", finished.stderr);
    let finished =
        bare(&["--quick", "--no-charts", "--footprint", "1MiB", "--filter", "contiguous/op=read/*"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(
        finished.stderr.contains("host") && finished.stderr.contains("mesa-vulkan-drivers"),
        "{}",
        finished.stderr
    );
}

#[test]
fn sizes_are_checked() {
    for bad in ["0", "-1", "many", "64Mib?", ""] {
        let finished = Lab::new().run_fake("", &["--footprint", bad]);
        assert_eq!(finished.code, Some(2), "{bad}: {}", finished.stderr);
        assert!(finished.stderr.contains("--footprint"), "{bad}: {}", finished.stderr);
    }
}

#[test]
fn sizes_over_the_limits_are_cut_and_flagged() {
    let lab = Lab::new();
    let script = "max_binding = 1048576";
    let args = ["--footprint", "100GiB", "--no-charts", "--filter", "contiguous/op=read/type=u32"];
    let finished = lab.run_fake(script, &args);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let row = &lab.rows()[0];
    assert_eq!(row.status, Status::Ok);
    assert!(row.flags.contains(Flag::Clamped), "{row:?}");
    assert!(row.reason.as_deref().is_some_and(|reason| reason.contains("1048576")), "{row:?}");
}

#[test]
fn a_filter_that_matches_nothing_lists_near_names() {
    let finished = Lab::new().run_fake("", &["--filter", "strid/*"]);
    assert_eq!(finished.code, Some(2));
    assert!(
        finished.stderr.contains("strid/*") && finished.stderr.contains("stride/"),
        "{}",
        finished.stderr
    );
    // Each filter is meant, not only their sum.
    let finished = Lab::new().run_fake("", &["--filter", "pitch/*", "--filter", "strid/*"]);
    assert_eq!(finished.code, Some(2), "{}", finished.stderr);
    assert!(
        finished.stderr.contains("strid/*") && !finished.stderr.contains("pitch/*,"),
        "{}",
        finished.stderr
    );
    let finished = Lab::new().run_fake("", &["--filter", "stride/["]);
    assert_eq!(finished.code, Some(2));
    assert!(finished.stderr.contains("stride/["), "{}", finished.stderr);
}

#[test]
fn precision_and_peak_are_checked() {
    for (option, bad) in
        [("--precision", "0"), ("--precision", "nan"), ("--peak-gbps", "-5"), ("--budget", "0")]
    {
        let finished = Lab::new().run_fake("", &[&format!("{option}={bad}")]);
        assert_eq!(finished.code, Some(2), "{option} {bad}: {}", finished.stderr);
        assert!(finished.stderr.contains(option), "{}", finished.stderr);
    }
}

#[cfg(unix)]
#[test]
fn an_output_folder_without_permission_is_named() {
    use std::fs::{Permissions, create_dir, set_permissions};
    use std::os::unix::fs::PermissionsExt;

    let lab = Lab::new();
    let closed = lab.path().join("closed");
    create_dir(&closed).expect("a folder");
    set_permissions(&closed, Permissions::from_mode(0o555)).expect("its permissions");
    if create_dir(closed.join("probe")).is_ok() {
        // Nothing is closed to the superuser.
        return;
    }
    let finished = lab.run_fake("", &["--quick", "--out", "closed/results"]);
    set_permissions(&closed, Permissions::from_mode(0o755)).expect("its permissions");
    assert_eq!(finished.code, Some(1), "{}", finished.stderr);
    assert!(
        finished.stderr.contains("closed/results") && finished.stderr.contains("--out"),
        "{}",
        finished.stderr
    );
}

#[test]
fn an_output_folder_that_cannot_be_written_is_named() {
    let lab = Lab::new();
    std::fs::write(lab.path().join("file"), "").expect("a file");
    let finished = lab.run_fake("", &["--quick", "--out", "file/below"]);
    assert_eq!(finished.code, Some(1), "{}", finished.stderr);
    assert!(
        finished.stderr.contains("file/below") && finished.stderr.contains("--out"),
        "{}",
        finished.stderr
    );
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_fills_up_ends_the_run_with_the_file_named() {
    let lab = Lab::new();
    let device = lab.fake("");
    // A file may grow to 4 KiB; with the signal ignored, the write fails as on a full disk.
    let script = format!(
        "trap '' XFSZ; ulimit -f 4; exec '{}' run --device '{device}' --quick --no-charts",
        env!("CARGO_BIN_EXE_stridemark")
    );
    let output = std::process::Command::new("bash").args(["-c", &script]).current_dir(lab.path()).output();
    let finished = finish(output.expect("bash starts"));
    assert_eq!(finished.code, Some(1), "{}", finished.stderr);
    assert!(
        finished.stderr.contains("samples.csv") || finished.stderr.contains("cases.csv"),
        "{}",
        finished.stderr
    );
    let runs = runs_below(&lab.out());
    assert!(
        stridemark::record::read_samples(&runs[0].join("samples.csv")).is_ok_and(|rows| !rows.is_empty())
    );
}

#[test]
fn a_closed_pipe_is_no_error() {
    let lab = Lab::new();
    let mut child = lab
        .command(&["patterns", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // Nobody reads.
    drop(child.stdout.take());
    let finished = finish(child.wait_with_output().expect("it ends"));
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_was_measured() {
    let lab = Lab::new();
    // A script without an end: noise that never reaches the precision, and no budget in sight.
    let device = lab.fake("noise = 0.5");
    let mut child = lab
        .command(&[
            "run",
            "--device",
            &device,
            "--quick",
            "--no-charts",
            "--budget",
            "100000",
            "--precision",
            "0.001",
        ])
        .stderr(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("the program starts");
    let mut lines = BufReader::new(child.stderr.take().expect("standard error")).lines();
    assert!(lines.next().is_some(), "the run announces itself");
    let out = lab.out();
    let started = std::time::Instant::now();
    while !runs_below(&out).iter().any(|run| run.join("cases.csv").exists()) {
        assert!(started.elapsed().as_secs() < 60, "no round ended");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(130));
    let run = RunDir::open(&runs_below(&out)[0]).expect("a run");
    assert!(
        run.cases().expect("cases.csv").iter().any(|row| row.status == Status::Ok && row.median_ns.is_some())
    );
    assert!(
        lines.map_while(Result::ok).any(|line| line.contains("what was measured is in")),
        "the place is named"
    );
}

#[test]
fn a_locale_with_decimal_commas_changes_nothing() {
    let lab = Lab::new();
    let device = lab.fake("");
    let output = lab
        .command(&["run", "--device", &device, "--quick", "--no-charts"])
        .env("LC_ALL", "de_DE.UTF-8")
        .env("LANG", "de_DE.UTF-8")
        .output();
    assert_eq!(finish(output.expect("the program starts")).code, Some(0));
    assert!(lab.rows().iter().any(|row| row.median_ns.is_some_and(|ns| ns.fract() != 0.0)));
}
