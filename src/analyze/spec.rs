//! What `--buffer`, `--set`, `--override`, `--grid` and `--workgroups` say.

use std::path::PathBuf;

use crate::model::Workgroups;

use super::number::Number;

/// What a buffer is given: `idx=len:1Mi,fill:random:7`.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferSpec {
    /// The variable.
    pub name: String,
    /// Elements of the runtime-sized array.
    pub len: Option<u64>,
    /// What it holds.
    pub fill: Option<FillSpec>,
}

/// What a buffer holds.
#[derive(Clone, Debug, PartialEq)]
pub enum FillSpec {
    /// Zeros.
    Zero,
    /// Each element holds its index.
    Iota,
    /// Pseudo-random numbers: whole ones below a bound, floats from 0 to 1.
    Random {
        /// The seed; equal seeds give equal buffers.
        seed: u64,
        /// Above the largest whole number; the number of elements by default.
        below: Option<u64>,
    },
    /// The same number everywhere.
    Constant(Number),
    /// The bytes of a file.
    File(PathBuf),
}

const FILLS: &str = "zero, iota, random[:SEED[:BELOW]], const:V or file:PATH";

impl BufferSpec {
    /// Reads `NAME=SPEC`, where SPEC is `len:N`, a fill, or both, separated by a comma; `fill:` may stand
    /// before the fill. A path takes all that follows it.
    ///
    /// # Errors
    /// Text of another form, with what is expected instead.
    pub fn parse(text: &str) -> Result<BufferSpec, String> {
        let (name, mut rest) = named(text, "idx=len:1Mi,fill:random:7")?;
        let mut spec = BufferSpec { name, len: None, fill: None };
        while !rest.is_empty() {
            let file = rest.strip_prefix("fill:").unwrap_or(rest).strip_prefix("file:");
            if let Some(path) = file {
                if path.is_empty() {
                    return Err(format!("`{text}` names no file after `file:`"));
                }
                spec.set_fill(text, FillSpec::File(path.into()))?;
                break;
            }
            let (part, after) = rest.split_once(',').unwrap_or((rest, ""));
            rest = after;
            match part.strip_prefix("len:") {
                Some(_) if spec.len.is_some() => return Err(format!("`{text}` gives two lengths")),
                Some(count) => spec.len = Some(Number::parse_count(count)?),
                None => spec.set_fill(text, FillSpec::parse(part.strip_prefix("fill:").unwrap_or(part))?)?,
            }
        }
        if spec.len.is_none() && spec.fill.is_none() {
            return Err(format!(
                "`{text}` says nothing of the buffer; write len:N, contents ({FILLS}), or both with a comma between"
            ));
        }
        Ok(spec)
    }

    fn set_fill(&mut self, text: &str, fill: FillSpec) -> Result<(), String> {
        match self.fill.replace(fill) {
            None => Ok(()),
            Some(_) => Err(format!("`{text}` gives two fills")),
        }
    }
}

impl FillSpec {
    fn parse(text: &str) -> Result<FillSpec, String> {
        let (word, argument) = match text.split_once(':') {
            Some((word, argument)) => (word, Some(argument)),
            None => (text, None),
        };
        match (word, argument) {
            ("zero", None) => Ok(FillSpec::Zero),
            ("iota", None) => Ok(FillSpec::Iota),
            ("random", None) => Ok(FillSpec::Random { seed: 1, below: None }),
            ("random", Some(argument)) => {
                let (seed, below) = match argument.split_once(':') {
                    Some((seed, below)) => (seed, Some(Number::parse_count(below)?)),
                    None => (argument, None),
                };
                let seed = seed
                    .parse()
                    .map_err(|_| format!("`{seed}` is no seed; write a whole number, as in 7"))?;
                Ok(FillSpec::Random { seed, below })
            }
            ("const", Some(value)) => Ok(FillSpec::Constant(Number::parse(value)?)),
            _ => Err(format!("`{text}` is neither len:N nor contents of a buffer; write {FILLS}")),
        }
    }
}

/// Numbers for one input or for a vector, matrix or array of them: `params.n=1024`, `params.size=64,64`.
#[derive(Clone, Debug, PartialEq)]
pub struct SetSpec {
    /// The variable, and members below it.
    pub path: String,
    /// One number for each scalar, or one for all.
    pub values: Vec<Number>,
}

impl SetSpec {
    /// Reads `PATH=V` or `PATH=V,V,…`.
    ///
    /// # Errors
    /// Text of another form, with what is expected instead.
    pub fn parse(text: &str) -> Result<SetSpec, String> {
        let (path, values) = named(text, "params.n=1024")?;
        let values = values.split(',').map(Number::parse).collect::<Result<_, _>>()?;
        Ok(SetSpec { path, values })
    }
}

/// A value of an override constant: `TILE=32`.
#[derive(Clone, Debug, PartialEq)]
pub struct OverrideSpec {
    /// Its name or its `@id`.
    pub name: String,
    /// Its value; booleans are 0 and 1.
    pub value: f64,
}

impl OverrideSpec {
    /// Reads `NAME=V`.
    ///
    /// # Errors
    /// Text of another form, with what is expected instead.
    pub fn parse(text: &str) -> Result<OverrideSpec, String> {
        let (name, value) = named(text, "TILE=32")?;
        let value = match value {
            "true" => 1.0,
            "false" => 0.0,
            number => Number::parse(number)?.value(),
        };
        Ok(OverrideSpec { name, value })
    }
}

/// Reads `X`, `X,Y` or `X,Y,Z`: workgroups along the axes, 1 where left out.
///
/// # Errors
/// Text of another form, zero, or numbers above 2³² − 1.
pub fn parse_grid(text: &str) -> Result<[u32; 3], String> {
    let wrong = || format!("`{text}` is no grid; write 1 to 3 counts of workgroups, such as 64,64,1");
    let mut grid = [1; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > 3 {
        return Err(wrong());
    }
    for (axis, part) in grid.iter_mut().zip(parts) {
        *axis = part.trim().parse().ok().filter(|&count| count > 0).ok_or_else(wrong)?;
    }
    Ok(grid)
}

/// Reads `all` or the number of workgroups to execute.
///
/// # Errors
/// Text of another form.
pub fn parse_workgroups(text: &str) -> Result<Workgroups, String> {
    if text == "all" {
        return Ok(Workgroups::All);
    }
    match text.parse() {
        Ok(count) if count > 0 => Ok(Workgroups::Spread(count)),
        _ => Err(format!("`{text}` is no number of workgroups; write all, or a number from 1")),
    }
}

fn named<'t>(text: &'t str, example: &str) -> Result<(String, &'t str), String> {
    match text.split_once('=') {
        Some((name, rest)) if !name.trim().is_empty() => Ok((name.trim().to_owned(), rest.trim())),
        _ => Err(format!("`{text}` has no name before a `=`; write it as in {example}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers() {
        let random = |seed, below| Some(FillSpec::Random { seed, below });
        let of = |text| BufferSpec::parse(text).unwrap();
        assert_eq!(
            of("idx=len:1Mi,fill:random:7"),
            BufferSpec { name: "idx".into(), len: Some(1 << 20), fill: random(7, None) }
        );
        assert_eq!(of("a=random").fill, random(1, None));
        assert_eq!(of("a=random:3:1Ki").fill, random(3, Some(1024)));
        assert_eq!(of("a=iota").fill, Some(FillSpec::Iota));
        assert_eq!(of("a=fill:const:-2").fill, Some(FillSpec::Constant(Number::Whole(-2))));
        let file = of("a=len:5,file:x,y=z.bin");
        assert_eq!((file.len, file.fill), (Some(5), Some(FillSpec::File("x,y=z.bin".into()))));
    }

    #[test]
    fn what_is_no_spec_says_what_would_be() {
        let mut messages = Vec::new();
        for text in [
            "idx",
            "=zero",
            "idx=",
            "idx=len:0",
            "idx=len:x",
            "idx=len:1,len:2",
            "idx=zero,iota",
            "idx=sorted",
            "idx=random:x",
            "idx=const:",
            "idx=file:",
        ] {
            messages.push(BufferSpec::parse(text).unwrap_err());
        }
        messages.push(SetSpec::parse("params.n").unwrap_err());
        messages.push(SetSpec::parse("params.n=many").unwrap_err());
        messages.push(OverrideSpec::parse("TILE=x").unwrap_err());
        for text in ["", "0", "1,2,3,4", "a,b", "-1", "5000000000"] {
            messages.push(parse_grid(text).unwrap_err());
        }
        messages.push(parse_workgroups("0").unwrap_err());
        insta::assert_snapshot!(messages.join("\n"));
    }

    #[test]
    fn grids_and_samples() {
        assert_eq!(parse_grid("7"), Ok([7, 1, 1]));
        assert_eq!(parse_grid("7, 8,9"), Ok([7, 8, 9]));
        assert_eq!(parse_workgroups("all"), Ok(Workgroups::All));
        assert_eq!(parse_workgroups("4"), Ok(Workgroups::Spread(4)));
        assert_eq!(OverrideSpec::parse("FAST=true").unwrap().value, 1.0);
        assert_eq!(SetSpec::parse("p.size=1,2").unwrap().values.len(), 2);
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "[a-z=:,0-9.]{0,24}") {
            let _ = BufferSpec::parse(&text);
            let _ = SetSpec::parse(&text);
            let _ = parse_grid(&text);
        }
    }
}
