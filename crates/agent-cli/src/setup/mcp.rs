//! MCP servers: which are declared, which may be started, and in what surroundings.

use std::sync::Arc;

use agent_core::{
    config::Config,
    mcp::{Declared, Servers, Surroundings, Trusted},
};
use agent_tools::Workspace;

use super::{commands::unconfined_runner, state::state_error};
use crate::{environment::Environment, error::Error};

/// The file in which hosts of all kinds declare a workspace's servers.
pub(super) const WORKSPACE_FILE: &str = ".mcp.json";

/// Whom it takes to start what came with a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trusting {
    /// The user has trusted it before.
    Before,
    /// The user trusts all of it for this run.
    Now,
}

/// What the user trusts, not opened yet.
pub(crate) fn trusted(environment: Environment) -> Trusted {
    Trusted::at(environment.state_dir())
}

/// The servers that may be started, and warnings about the others.
pub(crate) fn permitted(
    config: &Config,
    workspace: &Workspace,
    trusting: Trusting,
    environment: Environment,
) -> Result<(Vec<Declared>, Vec<String>), Error> {
    let trusted = trusted(environment);
    let (mut permitted, mut warnings) = (Vec::new(), Vec::new());
    for server in config.servers() {
        let root = workspace.root();
        let known = || trusted.permits(server, root).map_err(|error| state_error(&error));
        if trusting == Trusting::Now || known()? {
            permitted.push(server.clone());
        } else {
            let Declared { name, origin, .. } = server;
            warnings.push(format!(
                "{origin}: the MCP server `{name}` came with this directory and is not started: \
                 look at it with `agent mcp get {name}`, trust it with `agent mcp trust {name}`"
            ));
        }
    }
    Ok((permitted, warnings))
}

/// The servers, none of them started.
pub(crate) fn servers(
    declared: Vec<Declared>,
    workspace: &Workspace,
    environment: Environment,
) -> Servers {
    let surroundings = Surroundings {
        runner: unconfined_runner(environment),
        dir: workspace.root().to_owned(),
        variables: environment.variables().collect(),
    };
    Servers::new(declared, &Arc::new(surroundings))
}
