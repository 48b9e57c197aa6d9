//! `agent models`

use std::process::ExitCode;

use agent_llm::{ModelName, Vendor};

use crate::{
    args,
    environment::Environment,
    error::Error,
    setup::{self, Flags, Server},
    ui::{self, Stdout},
};

pub(crate) async fn run(
    arguments: args::Models,
    environment: Environment,
) -> Result<ExitCode, Error> {
    let workspace = setup::workspace(arguments.target.directory.as_deref(), environment)?;
    let configured = setup::configure(&workspace, Flags::of(&arguments.target), environment)?;
    for warning in &configured.warnings {
        ui::warn(warning, environment);
    }
    let config = &configured.config;
    let servers = match arguments.provider.as_deref() {
        None => setup::servers(config, environment).await?,
        Some(name) => vec![Server::of(vendor(name)?, config, environment)?],
    };
    // Where no model can be chosen, none is marked, and the list still helps to choose one.
    let chosen = setup::choose(config, environment).await;
    if let (true, Err(error)) = (servers.is_empty(), &chosen) {
        return Err(error.clone());
    }
    let chosen = chosen.ok();
    let mut failure = None;
    let mut answered = false;
    let mut marked = false;
    for server in &servers {
        match server.models(config).await {
            Ok(models) => {
                answered = true;
                for model in models {
                    let name = format!("{}/{model}", server.vendor.name());
                    let is_chosen = chosen.as_ref().is_some_and(|it| it.to_string() == name);
                    marked |= is_chosen;
                    let mark = if is_chosen { "  (would be used)" } else { "" };
                    Stdout.text(&ui::harmless(&format!("{name}{mark}")))?;
                }
            }
            Err(error) => {
                ui::warn(&error.failure.message, environment);
                failure = failure.or(Some(error));
            }
        }
    }
    if let (Some(chosen), false, None) = (&chosen, marked, &arguments.provider) {
        ui::say(&format!("would be used: {}\n", shown(chosen)));
    }
    match failure {
        Some(error) if !answered => Err(error),
        Some(_) | None => Ok(ExitCode::SUCCESS),
    }
}

fn shown(model: &ModelName) -> String {
    ui::harmless(&model.to_string()).into_owned()
}

fn vendor(name: &str) -> Result<Vendor, Error> {
    Vendor::named(name).ok_or_else(|| {
        let message = format!("there is no provider `{name}`");
        Error::usage("provider", message, "choose openai, anthropic, gemini or ollama")
    })
}
