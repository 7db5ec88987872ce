//! Bad input gets one clear error that names the value and the next step, and the designed exit code.

mod common;

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use common::{Finished, Lab, finish, runs_below};
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
fn a_footprint_below_what_a_case_needs_is_raised_and_flagged() {
    for device in ["fake", "host"] {
        let lab = Lab::new();
        let args = [
            "--footprint",
            "1",
            "--no-charts",
            "--budget",
            "0.01",
            "--filter",
            "contiguous/op=read/type=u32",
        ];
        let finished = match device {
            "fake" => lab.run_fake("", &args),
            _ => lab.run(&[&["--device", "host"], &args[..]].concat()),
        };
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        let row = &lab.rows()[0];
        assert!(row.flags.contains(Flag::Clamped), "{row:?}");
        let reason = row.reason.as_deref().unwrap_or_default();
        assert!(reason.starts_with("buffer of 1 bytes raised to "), "{reason}");
    }
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
fn a_time_beyond_any_clock_is_no_limit() {
    let lab = Lab::new();
    let ever = "100000000000000000000000";
    let args =
        ["--no-charts", "--budget", ever, "--max-time", ever, "--filter", "contiguous/op=read/type=u32"];
    let finished = lab.run_fake("", &args);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
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
    if cfg!(target_os = "linux") {
        let finished = lab.run_fake("", &["--quick", "--out", "/proc/below"]);
        assert_eq!(finished.code, Some(1), "{}", finished.stderr);
        assert!(
            finished.stderr.contains("can't write /proc/below") && finished.stderr.contains("--out"),
            "{}",
            finished.stderr
        );
    }
}

/// Runs the program where a file may grow to so many KiB; with the signal ignored, the write fails as on a full disk.
#[cfg(target_os = "linux")]
fn with_small_files(lab: &Lab, kib: u32, args: &[&str]) -> Finished {
    let mut command = std::process::Command::new("bash");
    let script = format!("trap '' XFSZ; ulimit -f {kib}; exec \"$@\"");
    command
        .args(["-c", &script, "bash", env!("CARGO_BIN_EXE_stridemark")])
        .args(args)
        .current_dir(lab.path());
    finish(command.output().expect("bash starts"))
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_fills_up_ends_the_run_with_the_file_named_and_the_run_goes_on_later() {
    let lab = Lab::new();
    let device = lab.fake("");
    let selected = ["run", "--device", &device, "--no-charts", "--filter", "stride/*"];
    let finished = with_small_files(&lab, 4, &selected);
    assert_eq!(finished.code, Some(1), "{}", finished.stderr);
    let told = finished.stderr.lines().find(|line| line.starts_with("error: ")).expect("an error");
    assert!(told.starts_with("error: can't write results/") && told.contains("samples.csv: "), "{told}");
    assert!(told.contains("free some space") && told.contains("--out"), "{told}");
    let run = &runs_below(&lab.out())[0];
    assert!(stridemark::record::read_samples(&run.join("samples.csv")).is_ok_and(|rows| !rows.is_empty()));

    let run = run.to_str().expect("UTF-8");
    for verb in [&["report", run][..], &["compare", run, run]] {
        let refused = lab.run(verb);
        assert_eq!(refused.code, Some(1), "{}", refused.stderr);
        assert!(refused.stderr.contains(&format!("run --resume {run}")), "{}", refused.stderr);
    }
    let resumed = lab.run(&["run", "--device", &device, "--no-charts", "--resume", run]);
    assert_eq!(resumed.code, Some(0), "{}", resumed.stderr);
    assert_eq!(lab.run(&["report", run]).code, Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_fills_up_leaves_no_part_of_a_chart() {
    let lab = Lab::new();
    let finished = lab.run_fake("", &["--no-charts", "--filter", "stride/*"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let run = lab.only_run();
    // Room for the SVG of the chart, then for nothing.
    for kib in [32, 0] {
        let folder = lab.path().join("charts");
        let args = ["report", run.path().to_str().expect("UTF-8"), "--charts", "charts"];
        let finished = with_small_files(&lab, kib, &args);
        assert_eq!(finished.code, Some(1), "{}", finished.stderr);
        let told = &finished.stderr;
        assert!(told.starts_with("error: can't write charts/") && told.contains("free some space"), "{told}");
        assert!(!told.contains("report this") && !told.contains(".stridemark"), "{told}");
        for entry in std::fs::read_dir(&folder).expect("the folder").flatten() {
            let text = std::fs::read_to_string(entry.path()).expect("an SVG");
            assert!(text.ends_with("</svg>\n"), "{:?}", entry.path());
        }
    }
}

/// Runs the program with a standard output that nobody reads.
fn unread(lab: &Lab, args: &[&str]) -> Finished {
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    finish(lab.command(args).stdout(writer).output().expect("the program starts"))
}

#[test]
fn a_closed_pipe_is_no_error() {
    let finished = unread(&Lab::new(), &["patterns", "--format", "json"]);
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_closed_pipe_hides_no_failure_and_loses_no_file() {
    let lab = Lab::new();
    let healthy = lab.fake("");
    let wrong = lab.path().join("wrong.toml");
    let script = "name = \"Other GPU\"\n[[event]]\ncase = \"contiguous/op=copy/*\"\nfails = \"wrong-result\"";
    std::fs::write(&wrong, script).expect("the script is written");
    let wrong = format!("fake:{}", wrong.display());
    let filter = ["--filter", "contiguous/*"];
    let finished = unread(&lab, &[&["--device", &wrong, "--no-charts"], &filter[..]].concat());
    assert_eq!(finished.code, Some(1), "{}", finished.stderr);
    assert!(finished.stderr.contains("contiguous/op=copy/type=u32: wrong result"), "{}", finished.stderr);

    let finished = unread(&lab, &[&["--device", &healthy, "--device", &healthy], &filter[..]].concat());
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(!finished.stderr.contains("error"), "{}", finished.stderr);
    let compared = runs_below(&lab.out());
    assert_eq!(compared.len(), 3, "{compared:?}");
    let charts = std::fs::read_dir(lab.out()).expect("the folder").flatten().find(|entry| {
        entry.file_name().to_string_lossy().ends_with("-devices")
            && entry.path().join("compare-contiguous.svg").is_file()
    });
    assert!(charts.is_some(), "{}", finished.stderr);
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
