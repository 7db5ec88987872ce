//! `stridemark explain`: a pattern in words, pictures and counts.

use std::path::PathBuf;

use clap::Args;

use crate::cli::Format;
use crate::explain::{self, Explanation};
use crate::pattern::{self, Pattern};
use crate::picture;

use super::{Exit, Usage, machine, nearest, print, write_picture};

/// Options of `explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The pattern, as `stridemark patterns` lists it
    pub pattern: String,
    /// Numbers of a machine: nvidia, amd-rdna, amd-cdna3, amd-cdna4, intel-xe, apple, host, or a TOML file
    #[arg(long, value_name = "NAME|FILE", default_value = "nvidia")]
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
    let machine = machine::named(&args.machine)?;
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
        let hint = nearest(name, &names).map(|near| format!("did you mean `{near}`? ")).unwrap_or_default();
        Usage(format!("no pattern `{name}`; {hint}there are: {}", names.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_names_are_told_the_nearest() {
        let error = |name: &str| find(name).err().unwrap().to_string();
        let text = error("strides");
        assert!(
            text.starts_with("no pattern `strides`; did you mean `stride`? there are: contiguous, "),
            "{text}"
        );
        let text = error("xyz");
        assert!(text.starts_with("no pattern `xyz`; there are: contiguous, "), "{text}");
    }
}
