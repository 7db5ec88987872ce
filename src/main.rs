//! Parses the command line, calls the verb, prints at most one error.

use std::process::ExitCode;

use clap::Parser;
use stridemark::cli::Cli;
use stridemark::cmd;

fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_env_filter(
            tracing_subscriber::EnvFilter::try_from_env("STRIDEMARK_LOG").unwrap_or_else(|_| "off".into()),
        )
        .init();
    match cmd::dispatch(Cli::parse()) {
        Ok(exit) => exit.into(),
        Err(error) => {
            cmd::complain(&error);
            cmd::Exit::of_error(&error).into()
        }
    }
}
