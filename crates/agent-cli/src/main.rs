//! `agent`, a coding agent for the command line.

use std::process::ExitCode;

use clap::Parser;
use tokio::runtime;

mod args;
mod bench;
mod commands;
mod diagnostic;
mod environment;
mod error;
mod evaluation;
mod log;
mod mcp_server;
mod report;
mod setup;
mod signals;
mod task;
mod ui;
mod user_files;

use crate::{args::Arguments, environment::Environment, error::Error};

fn main() -> ExitCode {
    if let Some(code) = agent_core::command::supervise(std::env::args_os()) {
        return code;
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Where its stream is closed there is nobody to tell.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() {
                error::End::Usage.exit_code()
            } else {
                0
            });
        }
    };
    let environment = Environment;
    let runtime = match runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return end(Err(Error::system("start the event loop", &error)), environment),
    };
    let result = runtime.block_on(commands::dispatch(arguments.chosen(), environment));
    // What still runs beside the event loop has nobody left to tell, so it is not waited for.
    runtime.shutdown_background();
    end(result, environment)
}

fn end(result: Result<ExitCode, Error>, environment: Environment) -> ExitCode {
    result.unwrap_or_else(|error| {
        ui::say(&diagnostic::render(&error.failure, environment.style(ui::Stream::Errors)));
        ExitCode::from(error.end.exit_code())
    })
}
