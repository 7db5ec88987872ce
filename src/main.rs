//! Parses the command line, calls the verb, prints at most one error.

use std::process::ExitCode;

use clap::Parser;
use stridemark::cli::Cli;
use stridemark::cmd;

fn main() -> ExitCode {
    match cmd::dispatch(Cli::parse()) {
        Ok(exit) => exit.into(),
        Err(error) => {
            cmd::complain(&error);
            cmd::Exit::of_error(&error).into()
        }
    }
}
