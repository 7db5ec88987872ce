//! `stridemark explain`: a pattern in words, pictures and counts.

use std::path::PathBuf;

use clap::Args;

use crate::cli::Format;
use crate::explain::{self, Explanation};
use crate::model::Machine;
use crate::pattern::{self, Pattern};
use crate::picture;

use super::{Exit, Usage, print, write_picture};

/// Options of `explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The pattern, as `stridemark patterns` lists it
    pub pattern: String,
    /// The machine to count on: nvidia, amd-rdna, amd-cdna3, amd-cdna4, intel-xe, apple or host
    #[arg(long, value_name = "NAME", default_value = "nvidia")]
    pub machine: String,
    /// Also draw the requests into an SVG file
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

pub(super) fn run(args: &ExplainArgs) -> anyhow::Result<Exit> {
    let pattern = find(&args.pattern)?;
    let machine = machine(&args.machine)?;
    let explanation = Explanation::new(pattern, machine)?;
    if let Some(path) = &args.svg {
        write_picture(path, &picture::of_explanation(&explanation))?;
    }
    match args.format {
        Format::Text => print(explain::text::render(&explanation))?,
        Format::Json => print(serde_json::to_string_pretty(&explain::json::render(&explanation))?)?,
    }
    Ok(Exit::Done)
}

fn find(name: &str) -> Result<&'static Pattern, Usage> {
    pattern::find(name).ok_or_else(|| {
        let names: Vec<&str> = pattern::registry().iter().map(|pattern| pattern.name).collect();
        Usage(unknown("pattern", name, &names))
    })
}

fn machine(name: &str) -> Result<Machine, Usage> {
    Machine::preset(name).ok_or_else(|| Usage(unknown("machine", name, &Machine::PRESETS)))
}

/// What to say of a name that is none of a list: the nearest, and all of them.
fn unknown(what: &str, name: &str, names: &[&str]) -> String {
    const NEAR: f64 = 0.75;
    let likeness = |other: &str| strsim::jaro_winkler(&name.to_ascii_lowercase(), other);
    let nearest = names.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    let hint = match nearest.filter(|nearest| likeness(nearest) >= NEAR) {
        Some(nearest) => format!("; did you mean `{nearest}`?"),
        None => String::new(),
    };
    format!("no {what} `{name}`{hint} There are: {}", names.join(", ")).replace("` There", "`; there")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_are_told_the_nearest() {
        let error = find("strides").err().unwrap().to_string();
        assert!(
            error.starts_with("no pattern `strides`; did you mean `stride`? There are: contiguous, "),
            "{error}"
        );
        let error = find("xyz").err().unwrap().to_string();
        assert!(error.starts_with("no pattern `xyz`; there are: contiguous, "), "{error}");
        let error = machine("NVIDIA").err().unwrap().to_string();
        assert!(error.contains("did you mean `nvidia`?"), "{error}");
    }
}
