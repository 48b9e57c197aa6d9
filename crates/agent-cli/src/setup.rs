//! The composition root: from what was typed and what is configured to a workspace, settings and a
//! provider. The only place that picks implementations.

use std::path::{Path, PathBuf};

use agent_core::{
    Approval, Budget, Limits, Protocol, Settings,
    command::permission,
    config::{self, Chosen, Config, Key, Layer, Origin, Trust},
    mcp::Declared,
    policy::{Policy, Rule, Source, Verdict},
};
use agent_tools::Workspace;

use crate::{args::Target, environment::Environment, error::Error, user_files};

mod above;
mod commands;
mod discreet;
mod facts;
pub(crate) mod mcp;
mod provider;
mod state;
mod trust;
mod wiring;

pub(crate) use above::above;
pub(crate) use commands::{commands, confined, tests, unconfined_runner};
pub(crate) use facts::{described, for_model};
pub(crate) use provider::{
    NO_MODEL, NONE, Server, choose, named_provider, provider, provider_for, servers,
};
pub(crate) use state::{State, UNRECORDED, journal, prepared, saved, saved_rules, state_error};
pub(crate) use trust::{Trusting, WORKSPACE_FILE, trust_file, trusted};
pub(crate) use wiring::{Cache, Wanted, Wired, Wiring};

/// The configuration with what there is to be said about it.
#[derive(Debug, Clone)]
pub(crate) struct Configured {
    pub(crate) config: Config,
    pub(crate) warnings: Vec<String>,
}

/// Values that flags give.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Flags<'a> {
    pub(crate) model: Option<&'a str>,
    pub(crate) base_url: Option<&'a str>,
    pub(crate) preset: Option<&'a str>,
    /// The mode with the flag that gave it.
    pub(crate) approval: Option<(&'static str, &'a str)>,
    /// Values of keys, each with the flag that gave it.
    pub(crate) limits: &'a [(&'static str, Key, &'a str)],
    pub(crate) protocol: Option<&'a str>,
    pub(crate) planner: Option<&'a str>,
    /// The beginnings of commands that are permitted.
    pub(crate) allow_commands: &'a [permission::Pattern],
    pub(crate) sandbox: Option<&'a str>,
    pub(crate) test: Option<&'a str>,
    pub(crate) retries: Option<&'a str>,
    /// Whether what came with the workspace is heeded.
    pub(crate) trusting: Trusting,
}

impl<'a> Flags<'a> {
    pub(crate) fn of(target: &'a Target) -> Self {
        Self {
            model: target.model.as_deref(),
            base_url: target.base_url.as_deref(),
            preset: target.preset.as_deref(),
            ..Self::default()
        }
    }

    fn layer(self) -> Result<Layer, config::Error> {
        let mut layer = Layer::default();
        let values = [
            self.model.map(|model| ("--model", Key::Model, model)),
            self.approval.map(|(flag, mode)| (flag, Key::Approval, mode)),
            self.sandbox.map(|mode| ("--sandbox", Key::SandboxMode, mode)),
            self.test.map(|command| ("--test", Key::TestCommand, command)),
            self.retries.map(|retries| ("--retries", Key::TestRetries, retries)),
            self.protocol.map(|name| ("--protocol", Key::Protocol, name)),
            self.planner.map(|choice| ("--planner", Key::Planner, choice)),
        ];
        for (flag, key, text) in values.into_iter().flatten().chain(self.limits.iter().copied()) {
            layer = layer.flag(flag, key, text)?;
        }
        for begin in self.allow_commands {
            let flag = Source::Given(Origin::Flag("--allow-command"));
            let command = Some(begin.clone());
            layer = layer.rule(Rule { command, ..Rule::any(Verdict::Allow, flag) });
        }
        Ok(layer)
    }
}

/// Opens the directory that was asked for, or the working directory.
pub(crate) fn workspace(
    directory: Option<&Path>,
    environment: Environment,
) -> Result<Workspace, Error> {
    let help = "name a directory that is there and may be read: `-C DIR`";
    let here = match directory {
        Some(directory) => directory.to_owned(),
        None => environment.working_dir().map_err(|error| {
            Error::usage(
                "directory",
                format!("the working directory can't be found: {error}"),
                help,
            )
        })?,
    };
    Workspace::open(&here).map_err(|error| Error::usage("directory", error, help))
}

/// Reads every layer and puts them on top of each other.
pub(crate) fn configure(
    workspace: &Workspace,
    flags: Flags<'_>,
    environment: Environment,
) -> Result<Configured, Error> {
    let workspace_layer = trust::workspace_file(workspace, flags.trusting, environment)?;
    let (servers, problems) = match trust::in_workspace(workspace, mcp::WORKSPACE_FILE)? {
        Some(text) => Declared::of_json(mcp::WORKSPACE_FILE, &text),
        None => (Vec::new(), Vec::new()),
    };
    let named = environment.variable("AGENT_PRESET");
    let layers = config::with_preset(
        match (flags.preset, named.as_deref()) {
            (Some(name), _) => Some(Chosen::Flag("--preset", name)),
            (None, name) => name.map(|name| Chosen::Variable("AGENT_PRESET", name)),
        },
        [
            user_file(environment.config_file())?,
            workspace_layer,
            // What the user says of this directory counts for more than what came with it.
            user_file(environment.config_file_for(workspace.root()))?,
        ],
        Layer::environment(|name| environment.variable(name))?,
        flags.layer()?,
    )?;
    let inert = layers.iter().flat_map(Layer::inert).map(ToString::to_string);
    let warnings = inert.chain(problems).collect();
    let config = match flags.base_url {
        None => Config::layered(layers),
        // Whose address it is depends on the model, which any layer may name.
        Some(url) => {
            let model = Config::layered(layers.clone());
            let provider = model.text(Key::Model).and_then(|model| model.split('/').next());
            let key = match provider {
                Some("ollama") => Key::OllamaHost,
                Some("anthropic") => Key::AnthropicBaseUrl,
                Some("gemini") => Key::GeminiBaseUrl,
                Some(_) | None => Key::OpenaiBaseUrl,
            };
            let last = Layer::default().flag("--base-url", key, url)?;
            Config::layered(layers.into_iter().chain([last]))
        }
    };
    Ok(Configured { config: config.with_servers(servers), warnings })
}

fn user_file(path: Option<PathBuf>) -> Result<Layer, Error> {
    let Some(path) = path else { return Ok(Layer::default()) };
    let shown = path.display().to_string();
    match user_files::read(&path).map_err(|error| unreadable(&shown, &error))? {
        Some(text) => Ok(Layer::file(&shown, &text, Trust::Full)?),
        None => Ok(Layer::default()),
    }
}

/// A configuration file that is there and can't be read.
pub(crate) fn unreadable(path: &str, error: &impl std::fmt::Display) -> Error {
    let message = format!("{path} can't be read: {error}");
    Error::config("unreadable", message, "mend the file, or move it out of the way")
}

/// The policy of the configuration.
pub(crate) fn policy(config: &Config) -> Policy {
    let settings = settings(config);
    Policy::new(settings.approval, settings.rules)
}

/// What a run needs of the configuration.
pub(crate) fn settings(config: &Config) -> Settings {
    let default = Settings::default();
    let size = |key| config.count(key).and_then(|count| usize::try_from(count).ok());
    let mut limits = Limits { ..default.limits };
    if let Some(bytes) = size(Key::LimitsReadBytes) {
        limits.read_bytes = bytes;
    }
    if let Some(edits) = size(Key::LimitsEdits) {
        limits.edit.max_edits = edits;
    }
    if let Some(matches) = size(Key::LimitsMatches) {
        limits.matches = matches;
    }
    if let Some(bytes) = size(Key::LimitsObservationBytes) {
        limits.observation_bytes = bytes;
    }
    let turns = config.count(Key::MaxTurns).and_then(|turns| u32::try_from(turns).ok());
    let temperature = config.number(Key::Temperature).map(|degrees| degrees as f32);
    Settings {
        max_turns: turns.unwrap_or(default.max_turns),
        approval: match config.text(Key::Approval) {
            Some("ask") => Approval::Ask,
            Some("all") => Approval::All,
            Some("plan") => Approval::Plan,
            // The key takes no other word.
            Some(_) | None => Approval::Edits,
        },
        rules: config.rules().to_vec(),
        limits,
        temperature,
        budget: Budget {
            tool_calls: config.count(Key::MaxToolCalls),
            tokens: config.count(Key::MaxTokens),
            cost: config.number(Key::MaxCost),
            time: config.seconds(Key::TimeLimit),
        },
        protocol: match config.text(Key::Protocol) {
            Some("tools") => Protocol::Tools,
            Some("json") => Protocol::Json,
            Some(_) | None => Protocol::Auto,
        },
        planner: config.text(Key::Planner) == Some("on"),
        style: config.text(Key::Style).map(str::to_owned),
        memory_bytes: size(Key::MemoryBytes).unwrap_or(default.memory_bytes),
        ..default
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_any_configuration_the_settings_are_the_defaults() {
        assert_eq!(settings(&Config::layered([])), Settings::default());
    }

    #[test]
    fn every_setting_arrives() {
        let text = "approval = 'plan'\nmax_turns = 3\ntemperature = 0.5\nmax_tool_calls = 5\n\
                    max_tokens = 6\nmax_cost = 0.7\ntime_limit_seconds = 8\n[limits]\nread_bytes = 2048\n\
                    edits = 7\nmatches = 8\nobservation_bytes = 4096";
        let config = Config::layered([Layer::file("c", text, Trust::Full).unwrap()]);
        let arrived = settings(&config);
        assert_eq!((arrived.approval, arrived.max_turns), (Approval::Plan, 3));
        assert_eq!(arrived.temperature, Some(0.5));
        let time = Some(std::time::Duration::from_secs(8));
        let budget = Budget { tool_calls: Some(5), tokens: Some(6), cost: Some(0.7), time };
        assert_eq!(arrived.budget, budget);
        assert_eq!(arrived.limits.read_bytes, 2048);
        assert_eq!(arrived.limits.edit.max_edits, 7);
        assert_eq!(arrived.limits.matches, 8);
        assert_eq!(arrived.limits.observation_bytes, 4096);
    }
}
