//! The commands, one file each.

use std::process::ExitCode;

use crate::{
    args::{Command, Volume},
    environment::Environment,
    error::Error,
    log,
};

mod config;
mod demo;
mod models;
mod run;
mod tool;

/// Runs one command. What it returns is the process's exit code.
pub(crate) async fn dispatch(
    command: Command,
    environment: Environment,
) -> Result<ExitCode, Error> {
    // `run` starts the log by its own flags, and tells of an error in its own format.
    if !matches!(command, Command::Run(_)) {
        log::start(Volume::default(), environment)?;
    }
    match command {
        Command::Run(arguments) => run::run(arguments, environment).await,
        Command::Demo(arguments) => demo::run(arguments, environment).await,
        Command::Tool(arguments) => tool::run(arguments, environment).await,
        Command::Models(arguments) => models::run(arguments, environment).await,
        Command::Config(arguments) => config::run(arguments, environment),
    }
}
