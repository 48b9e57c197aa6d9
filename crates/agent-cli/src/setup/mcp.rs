//! MCP servers: which are declared, which may be started, and in what surroundings.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use agent_core::{
    config::{self, Config, Key, Origin, Trust},
    mcp::{self, Declared, Known, Learning, Own, Servers, Surroundings},
};
use agent_tools::Workspace;

use super::{
    commands::unconfined_runner,
    state::state_error,
    trust::{Trusting, trusted},
};
use crate::{environment::Environment, error::Error};

/// The file in which hosts of all kinds declare a workspace's servers.
pub(super) const WORKSPACE_FILE: &str = ".mcp.json";

/// What is known of servers, not opened yet.
pub(crate) fn known(learning: Learning, environment: Environment) -> Arc<Known> {
    Arc::new(Known::at(environment.state_dir(), learning))
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
        let known = || server.is_permitted(root, &trusted).map_err(|error| state_error(&error));
        if trusting == Trusting::Now {
            // As if the user had declared it, and nothing of that is kept.
            permitted.push(Declared { trust: Trust::Full, ..server.clone() });
        } else if known()? {
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

/// The servers that carry out the agent's own tools, where the configuration wants that.
pub(crate) fn own(
    config: &Config,
    workspace: &Workspace,
    state: Option<&Path>,
    environment: Environment,
) -> Option<Own> {
    if config.text(Key::McpRoute) != Some("mcp") {
        return None;
    }
    let program = environment.own_program()?.to_str()?.to_owned();
    // What this run was told, they are told: by the files, and by variables for the rest.
    let told = config.settings().iter().filter_map(|setting| match setting.origin {
        Origin::Flag(_) | Origin::Environment(_) => {
            let value = match setting.value.as_ref()? {
                config::Value::Text(text) => text.clone(),
                other @ (config::Value::Count(_) | config::Value::Number(_)) => other.to_string(),
            };
            Some((setting.key.spec().variable(), value))
        }
        Origin::Default | Origin::File { .. } => None,
    });
    let place = ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "AGENT_HOME", "AGENT_LOG"];
    let placed =
        place.into_iter().filter_map(|name| Some((name.to_owned(), environment.variable(name)?)));
    let state_dir =
        state.and_then(Path::to_str).map(|dir| ("AGENT_HOME".to_owned(), dir.to_owned()));
    let variables: BTreeMap<String, String> = placed.chain(told).chain(state_dir.clone()).collect();
    let nothing = Arc::new(Known::at(None, Learning::Forgotten));
    let surroundings = surroundings(workspace, nothing, environment);
    let server = |part: &str| {
        let mut args = ["mcp", "serve", part, "--for-agent"].map(str::to_owned).to_vec();
        if state_dir.is_none() {
            args.push("--ephemeral".to_owned());
        }
        let declared = Declared::own(part, &program, args, variables.clone());
        Arc::new(mcp::Server::new(declared, Arc::clone(&surroundings)))
    };
    Some(Own { fs: server("fs"), exec: server("exec") })
}

/// The servers, none of them started.
pub(crate) fn servers(
    declared: Vec<Declared>,
    workspace: &Workspace,
    known: Arc<Known>,
    environment: Environment,
) -> Servers {
    Servers::new(declared, &surroundings(workspace, known, environment))
}

fn surroundings(
    workspace: &Workspace,
    known: Arc<Known>,
    environment: Environment,
) -> Arc<Surroundings> {
    Arc::new(Surroundings {
        runner: unconfined_runner(environment),
        dir: workspace.root().to_owned(),
        variables: environment.variables().collect(),
        known,
    })
}
