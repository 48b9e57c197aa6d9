//! `agent mcp`

use std::process::ExitCode;

use agent_core::{
    config::{Config, Trust, add_server, remove_server},
    mcp::{Declared, Launch, Reach, Remote},
    trust::Trusted,
};
use agent_tools::Workspace;

use crate::{
    args::{self, Mcp, Target},
    environment::Environment,
    error::Error,
    setup::{self, Configured, Flags},
    ui, user_files,
};

use list::Form;

mod call;
mod list;
mod serve;

pub(crate) async fn run(arguments: Mcp, environment: Environment) -> Result<ExitCode, Error> {
    match arguments {
        Mcp::Serve(arguments) => serve::run(arguments, environment).await,
        Mcp::List { json, target } => {
            list::list(&Place::open(&target, environment)?, Form::of(json), environment).await
        }
        Mcp::Get { name, json, target } => {
            let place = Place::open(&target, environment)?;
            list::get(&place, &name, Form::of(json), environment).await
        }
        Mcp::Add(args::Add { name, env, url, header, command }) => {
            let mut words = command.into_iter();
            let reach = match url {
                Some(url) => Reach::Http(Remote { url, headers: header.into_iter().collect() }),
                None => Reach::Process(Launch {
                    command: words.next().unwrap_or_default(),
                    args: words.collect(),
                    env: env.into_iter().collect(),
                    cwd: None,
                }),
            };
            change(environment, |path, text| Ok(add_server(path, text, &name, &reach)?))
        }
        Mcp::Remove { name } => change(environment, |path, text| {
            remove_server(path, text, &name)?.ok_or_else(|| unknown(&name, &[]))
        }),
        Mcp::Call { server, tool, params, target } => {
            call::run((&server, &tool, &params), &target, environment).await
        }
        Mcp::Trust { name, target } => {
            trust(&Place::open(&target, environment)?, &name, environment)
        }
    }
}

/// A directory with the servers that are declared for it.
struct Place {
    workspace: Workspace,
    configured: Configured,
}

impl Place {
    fn open(target: &Target, environment: Environment) -> Result<Self, Error> {
        let workspace = setup::workspace(target.directory.as_deref(), environment)?;
        let configured = setup::configure(&workspace, Flags::of(target), environment)?;
        for warning in &configured.warnings {
            ui::warn(warning, environment);
        }
        Ok(Self { workspace, configured })
    }

    fn config(&self) -> &Config {
        &self.configured.config
    }

    fn server(&self, name: &str) -> Result<&Declared, Error> {
        let servers = self.config().servers();
        servers.iter().find(|server| server.name == name).ok_or_else(|| unknown(name, servers))
    }

    fn permits(&self, trusted: &Trusted, server: &Declared) -> Result<bool, Error> {
        let permitted = server.is_permitted(self.workspace.root(), trusted);
        permitted.map_err(|error| setup::state_error(&error))
    }
}

fn unknown(name: &str, known: &[Declared]) -> Error {
    let names: Vec<&str> = known.iter().map(|server| server.name.as_str()).collect();
    let help = match names.as_slice() {
        [] => "`agent mcp list` lists the servers, `agent mcp add NAME -- COMMAND` declares one"
            .into(),
        names => format!("the servers are {}", names.join(", ")),
    };
    Error::usage("unknown_server", format!("no MCP server `{name}` is declared"), help)
}

/// Trusts a server as it stands, and says what that is.
fn trust(place: &Place, name: &str, environment: Environment) -> Result<ExitCode, Error> {
    let server = place.server(name)?;
    if server.trust == Trust::Full {
        ui::say(&format!("`{name}` is your own: {}\n", server.origin));
        return Ok(ExitCode::SUCCESS);
    }
    let brought = server.brought(place.workspace.root());
    let trusted = setup::trusted(environment).trust(&brought);
    trusted.map_err(|error| setup::state_error(&error))?;
    let seen = match server.reach.given().as_slice() {
        [] => String::new(),
        names => format!(", with {} set", names.join(", ")),
    };
    ui::say(&ui::harmless(&format!("trusted, as it stands: {}{seen}\n", server.line())));
    Ok(ExitCode::SUCCESS)
}

/// Changes the user's configuration file.
fn change(
    environment: Environment,
    change: impl FnOnce(&str, &str) -> Result<String, Error>,
) -> Result<ExitCode, Error> {
    let path = super::config::config_file(environment)?;
    let shown = path.display().to_string();
    let text = user_files::read(&path).map_err(|error| setup::unreadable(&shown, &error))?;
    let text = change(&shown, &text.unwrap_or_default())?;
    user_files::replace(&path, &text).map_err(|error| Error::output(&shown, &error))?;
    Ok(ExitCode::SUCCESS)
}
