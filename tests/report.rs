//! `stridemark report` on recorded runs: its renderings, its exit codes, and runs that are odd or broken.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{Finished, Lab, runs_below};
use serde_json::Value;

const QUICK: [&str; 6] = ["--no-charts", "--quick", "--filter", "stride/*", "--filter", "embedding/*"];

/// A run on a scripted device of that name.
fn measured(lab: &Lab, name: &str) -> PathBuf {
    let before = runs_below(&lab.out());
    let finished = lab.run_fake(&format!("name = {name:?}"), &QUICK);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    runs_below(&lab.out()).into_iter().find(|run| !before.contains(run)).expect("a new run")
}

fn report(lab: &Lab, runs: &[&Path], options: &[&str]) -> Finished {
    let mut args = vec!["report"];
    args.extend(runs.iter().map(|run| run.to_str().expect("a path in UTF-8")));
    args.extend(options);
    lab.run(&args)
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("one JSON document")
}

/// Replaces text in a file of a run.
fn edit(file: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(file).expect("a file of the run");
    assert!(text.contains(from), "{from} is in {}", file.display());
    fs::write(file, text.replace(from, to)).expect("it is written");
}

#[test]
fn the_extension_decides_and_the_option_overrules_it() {
    let lab = Lab::new();
    let run = measured(&lab, "<b>one</b>");
    for (name, options, start) in [
        ("page.html", vec![], "<!DOCTYPE html>"),
        ("PAGE.HTM", vec![], "<!DOCTYPE html>"),
        ("page.md", vec![], "# &lt;b&gt;one"),
        ("page.json", vec![], "{"),
        ("page.txt", vec![], "          device  <b>one"),
        ("page.out", vec!["--format", "html"], "<!DOCTYPE html>"),
    ] {
        let mut all = vec!["--out", name];
        all.extend(options);
        let finished = report(&lab, &[&run], &all);
        assert_eq!((finished.code, finished.stdout.as_str()), (Some(0), ""), "{name}: {}", finished.stderr);
        let text = fs::read_to_string(lab.path().join(name)).expect("the report");
        assert!(text.starts_with(start), "{name}: {}", &text[..text.len().min(80)]);
    }
    let finished = report(&lab, &[&run], &["--out", "page.pdf"]);
    assert_eq!(finished.code, Some(2));
    assert!(
        finished.stderr.contains("page.pdf") && finished.stderr.contains("--format"),
        "{}",
        finished.stderr
    );
    let finished = report(&lab, &[&run], &["--out", "page.html", "--format", "json"]);
    assert_eq!(finished.code, Some(2));
    assert!(
        finished.stderr.contains("page.html") && finished.stderr.contains("--format"),
        "{}",
        finished.stderr
    );
    for options in [["--out", "nowhere/page.html"], ["--charts", "page.html/charts"]] {
        let finished = report(&lab, &[&run], &options);
        assert_eq!(finished.code, Some(1));
        let told = &finished.stderr;
        assert!(told.contains(options[1]) && told.contains("give another place"), "{told}");
        assert!(!told.contains("--out") && told.matches("os error").count() == 1, "{told}");
    }
    let printed = report(&lab, &[&run], &["--format", "html"]);
    assert!(printed.stdout.starts_with("<!DOCTYPE html>") && printed.code == Some(0));
}

#[test]
fn every_rendering_has_the_same_figures() {
    let lab = Lab::new();
    let run = measured(&lab, "one");
    let document = json(&report(&lab, &[&run], &["--format", "json"]).stdout);
    let markdown = report(&lab, &[&run], &["--format", "markdown"]).stdout;
    let text = report(&lab, &[&run], &[]).stdout;
    let page = report(&lab, &[&run], &["--format", "html"]).stdout;
    let patterns = document["runs"][0]["summary"]["patterns"].as_array().expect("patterns");
    let lines = patterns.iter().flat_map(|pattern| pattern["lines"].as_array().expect("lines"));
    let mut count = 0;
    for line in lines {
        let cells: Vec<&str> = line["cells"]
            .as_array()
            .expect("cells")
            .iter()
            .filter_map(|cell| cell["text"].as_str())
            .collect();
        assert!(markdown.contains(&format!("| {} | {} |", cells[0], cells[1])), "{cells:?}");
        assert!(text.lines().any(|line| line.contains(cells[0]) && line.contains(cells[1])), "{cells:?}");
        let id = line["id"].as_str().expect("a case id");
        assert!(page.contains(&format!("id=\"d0/{id}\"")), "{id}");
        count += 1;
    }
    assert!(count > 5);
}

#[test]
fn a_run_that_can_t_be_read_is_named_and_left_out() {
    let lab = Lab::new();
    let (one, old, torn) = (measured(&lab, "one"), measured(&lab, "old"), measured(&lab, "torn"));
    edit(&old.join("run.json"), "\"schema_version\": 1", "\"schema_version\": 0");
    let cases = fs::read(torn.join("cases.csv")).expect("cases.csv");
    fs::write(torn.join("cases.csv"), &cases[..cases.len() - 9]).expect("it is cut");
    let nowhere = lab.path().join("nowhere");

    let finished = report(&lab, &[&nowhere, &one, &old, &torn], &["--format", "json"]);
    assert_eq!(finished.code, Some(1));
    let document = json(&finished.stdout);
    assert_eq!(document["runs"].as_array().map(Vec::len), Some(1));
    let told = document["unreadable"].to_string();
    for part in ["nowhere", "has schema 0", "measure again", "cases.csv", "the middle of a row"] {
        assert!(told.contains(part) && finished.stderr.contains(part), "{part}: {told}");
    }
    let page = report(&lab, &[&one, &old], &["--format", "html"]);
    assert_eq!(page.code, Some(1));
    assert!(page.stdout.contains("1 of the given runs") && page.stdout.contains("has schema 0"));

    let heading = "1 of the given runs can't be read and is left out";
    for format in ["text", "markdown"] {
        let finished = report(&lab, &[&one, &old], &["--format", format]);
        assert_eq!(finished.code, Some(1));
        let told = &finished.stdout;
        assert!(told.contains(heading) && told.contains("has schema 0") && told.contains("one"), "{told}");
    }

    let alone = report(&lab, &[&old], &[]);
    assert_eq!((alone.code, alone.stdout.as_str()), (Some(1), ""));
    assert!(alone.stderr.contains("has schema 0 and this stridemark reads 1"), "{}", alone.stderr);
    let none = report(&lab, &[&old, &nowhere], &["--out", "page.html"]);
    assert_eq!(none.code, Some(1));
    assert!(none.stderr.contains("none of the 2") && none.stderr.contains("schema 0"), "{}", none.stderr);
    assert!(!lab.path().join("page.html").exists());
}

#[test]
fn a_file_for_a_directory_and_an_empty_table_are_told_what_to_do() {
    let lab = Lab::new();
    let run = measured(&lab, "one");
    let told = report(&lab, &[&run.join("run.json")], &[]).stderr;
    assert!(told.contains("is a file: give the directory of a run"), "{told}");
    assert!(told.trim_end().ends_with(&format!("here {}", run.display())), "{told}");
    fs::write(run.join("cases.csv"), "").expect("it is emptied");
    let told = report(&lab, &[&run], &[]).stderr;
    assert!(told.contains("cases.csv is empty: copy it again"), "{told}");
}

#[test]
fn rows_of_one_case_are_named_in_every_rendering() {
    let lab = Lab::new();
    let run = measured(&lab, "Twice");
    let table = run.join("cases.csv");
    let text = fs::read_to_string(&table).expect("cases.csv");
    let last = text.lines().last().expect("a row");
    fs::write(&table, format!("{text}{last}\n")).expect("it is written");
    for format in ["text", "markdown", "json", "html"] {
        let told = report(&lab, &[&run], &["--format", format]).stdout;
        assert!(told.contains("several rows of a case"), "{format}: {told}");
        assert!(!told.contains("cut or changed"), "{format}: {told}");
    }
}

#[test]
fn a_table_that_was_cut_between_rows_is_named() {
    let lab = Lab::new();
    let run = measured(&lab, "Cut");
    let whole = report(&lab, &[&run], &[]).stdout;
    assert!(!whole.contains("cut or changed"), "{whole}");
    let table = run.join("cases.csv");
    let text = fs::read_to_string(&table).expect("cases.csv");
    let kept: Vec<&str> = text.lines().take(3).collect();
    fs::write(&table, format!("{}\n", kept.join("\n"))).expect("it is written");
    let cut = report(&lab, &[&run], &[]).stdout;
    assert!(cut.contains("cases.csv holds 2 measured") && cut.contains("cut or changed"), "{cut}");
}

#[test]
fn runs_without_cases_or_with_one_have_every_rendering() {
    let lab = Lab::new();
    let (empty, single, failed) =
        (measured(&lab, "empty"), measured(&lab, "single"), measured(&lab, "failed"));
    let keep = |run: &Path, rows: usize| {
        let file = run.join("cases.csv");
        let text = fs::read_to_string(&file).expect("cases.csv");
        let kept: String = text.lines().take(rows + 1).map(|line| format!("{line}\n")).collect();
        fs::write(&file, kept).expect("it is written");
    };
    keep(&empty, 0);
    keep(&single, 1);
    edit(&failed.join("cases.csv"), ",ok,,", ",failed,device lost,");
    for format in ["text", "markdown", "json", "html"] {
        for runs in [vec![empty.as_path()], vec![&single], vec![&failed], vec![&empty, &single, &failed]] {
            let finished = report(&lab, &runs, &["--format", format]);
            assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""), "{format} of {runs:?}");
            assert!(!finished.stdout.trim().is_empty());
        }
    }
    let text = report(&lab, &[&empty, &failed], &[]).stdout;
    assert!(text.contains("the run has no cases") && text.contains("device lost"), "{text}");
}

#[test]
fn a_gallery_is_made_where_the_runs_are_and_is_stable() {
    let lab = Lab::new();
    let (one, two) = (measured(&lab, "one"), measured(&lab, "two"));
    let gallery = lab.out();
    fs::write(gallery.join("README.md"), "# Mine\n\nBy hand.\n").expect("a file");
    let make = || report(&lab, &[&one, &two], &["--gallery", "results"]);
    let finished = make();
    assert_eq!((finished.code, finished.stdout.as_str()), (Some(0), ""), "{}", finished.stderr);
    let text = fs::read_to_string(gallery.join("README.md")).expect("the gallery");
    assert!(text.starts_with("# Mine\n\nBy hand.\n") && text.contains("compare-stride.svg"), "{text}");
    for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        assert!(gallery.join(link).is_file(), "{link}");
    }
    assert_eq!(make().code, Some(0));
    assert_eq!(fs::read_to_string(gallery.join("README.md")).expect("the gallery"), text);
    let elsewhere = report(&lab, &[&one, &two], &["--gallery", one.to_str().expect("a path")]);
    assert_eq!(elsewhere.code, Some(1));
    assert!(elsewhere.stderr.contains("--gallery"), "{}", elsewhere.stderr);
}
