//! `agent mcp`

use std::process::ExitCode;

use crate::{args::Mcp, environment::Environment, error::Error};

mod serve;

pub(crate) async fn run(arguments: Mcp, environment: Environment) -> Result<ExitCode, Error> {
    match arguments {
        Mcp::Serve(arguments) => serve::run(arguments, environment).await,
    }
}
