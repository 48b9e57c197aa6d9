//! The commands, one file each.

use std::process::ExitCode;

use agent_core::journal::Direction;

use crate::{
    args::{Command, Volume},
    environment::Environment,
    error::Error,
    log,
};

mod cache;
mod changes;
mod chat;
mod config;
mod debug;
mod demo;
mod doctor;
mod eval;
mod mcp;
mod memory;
mod models;
mod prune;
mod recording;
mod reference;
mod resume;
mod revert;
mod run;
mod sessions;
mod tool;

/// Runs one command. What it returns is the process's exit code.
pub(crate) async fn dispatch(
    command: Command,
    environment: Environment,
) -> Result<ExitCode, Error> {
    // `run` starts the log by its own flags, and tells of an error in its own format.
    if !matches!(command, Command::Run(_) | Command::Resume(_)) {
        log::start(Volume::default(), environment)?;
    }
    match command {
        Command::Chat(arguments) => chat::run(*arguments, environment).await,
        Command::Run(arguments) => run::run(*arguments, environment).await,
        Command::Resume(arguments) => resume::run(*arguments, environment).await,
        Command::Replay(arguments) => recording::replay(arguments, environment).await,
        Command::Sessions(arguments) => sessions::run(&arguments, environment),
        Command::Demo(arguments) => demo::run(arguments, environment).await,
        Command::Tool(arguments) => tool::run(arguments, environment).await,
        Command::Undo(arguments) => revert::run(Direction::Undo, &arguments, environment),
        Command::Redo(arguments) => revert::run(Direction::Redo, &arguments, environment),
        Command::Changes(arguments) => changes::list(&arguments, environment),
        Command::Diff(arguments) => changes::diff(&arguments, environment),
        Command::Memory(arguments) => memory::run(&arguments, environment),
        Command::Eval(arguments) => eval::run(&arguments, environment),
        Command::Doctor(arguments) => doctor::run(arguments, environment).await,
        Command::Debug(arguments) => debug::run(arguments, environment).await,
        Command::Cache(arguments) => cache::run(&arguments, environment),
        Command::Models(arguments) => models::run(arguments, environment).await,
        Command::Mcp(arguments) => mcp::run(arguments, environment).await,
        Command::Config(arguments) => config::run(arguments, environment),
        Command::Completions(arguments) => reference::completions(&arguments),
        Command::Man(arguments) => reference::man(&arguments),
    }
}
