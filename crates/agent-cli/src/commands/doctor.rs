//! `agent doctor`: whether everything is there.

use std::{process::ExitCode, time::Duration};

use agent_core::{
    Cancel,
    command::{CommandLine, sandbox::Confined},
    config::{Config, Key},
};
use agent_llm::{ModelName, ServedModel, Support, Vendor};
use agent_tools::Workspace;
use serde_json::{Value, json};

use crate::{
    args,
    environment::Environment,
    error::Error,
    setup::{self, Configured, Flags, Server},
    ui::{self, Paint, Stdout, Stream, Style},
    user_files,
};

/// How long another program has to say its version.
const PATIENCE: Duration = Duration::from_secs(10);

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Check {
    name: &'static str,
    state: State,
    found: String,
    /// What to do, where something is to be done.
    help: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Fine,
    /// It works, though not as well as it could.
    Lacking,
    Broken,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            Self::Fine => "ok",
            Self::Lacking => "warning",
            Self::Broken => "broken",
        }
    }
}

pub(crate) async fn run(
    arguments: args::Doctor,
    environment: Environment,
) -> Result<ExitCode, Error> {
    let workspace = setup::workspace(arguments.target.directory.as_deref(), environment)?;
    let configured = setup::configure(&workspace, Flags::of(&arguments.target), environment);
    let (config, mut checks) = configuration(configured, environment);
    checks.extend(match &config {
        Some(config) => model(config, environment).await,
        None => Vec::new(),
    });
    let config = config.unwrap_or_else(|| Config::layered([]));
    checks.push(sandbox(&workspace, &config, environment).await);
    checks.push(state(environment).await);
    checks.push(program("git", Needed::Here, &workspace, environment).await);
    if cfg!(target_os = "linux") {
        checks.push(program("bwrap", Needed::ForASandbox, &workspace, environment).await);
    }
    let broken = checks.iter().any(|check| check.state == State::Broken);
    if arguments.json {
        Stdout.json(&json!({
            "ok": !broken,
            "version": env!("CARGO_PKG_VERSION"),
            "checks": checks.iter().map(object).collect::<Vec<_>>(),
        }))?;
    } else {
        let style = environment.style(Stream::Output);
        Stdout.text(&checks.iter().map(|check| line(check, style)).collect::<String>())?;
    }
    Ok(ExitCode::from(u8::from(broken)))
}

fn object(check: &Check) -> Value {
    json!({
        "name": check.name,
        "status": check.state.name(),
        "message": check.found,
        "help": check.help,
    })
}

fn line(check: &Check, style: Style) -> String {
    let paint = match check.state {
        State::Fine => Paint::Green,
        State::Lacking => Paint::Yellow,
        State::Broken => Paint::Red,
    };
    let state = style.paint(paint, &format!("{:<7}", check.state.name()));
    let mut text = format!("{state}  {:<13}  {}\n", check.name, ui::harmless(&check.found));
    for line in check.help.iter().flat_map(|help| help.lines()) {
        text += &format!("{:24} {}\n", "", style.paint(Paint::Dim, &ui::harmless(line)));
    }
    text
}

impl Check {
    fn fine(name: &'static str, found: impl Into<String>) -> Self {
        Self { name, state: State::Fine, found: found.into(), help: None }
    }

    fn lacking(name: &'static str, found: impl Into<String>, help: &str) -> Self {
        let help = Some(help.to_owned());
        Self { name, state: State::Lacking, found: found.into(), help }
    }

    fn broken(name: &'static str, error: Error) -> Self {
        let (found, help) = (error.failure.message, error.failure.help);
        Self { name, state: State::Broken, found, help }
    }
}

fn configuration(
    configured: Result<Configured, Error>,
    environment: Environment,
) -> (Option<Config>, Vec<Check>) {
    const NAME: &str = "configuration";
    match configured {
        Err(error) => (None, vec![Check::broken(NAME, error)]),
        Ok(Configured { config, warnings }) => {
            let found = match environment.config_file() {
                None => "defaults: there is no home directory".to_owned(),
                Some(path) => match user_files::read(&path) {
                    Ok(None) => format!(
                        "defaults: there is no {} (`agent config init` writes one)",
                        path.display()
                    ),
                    Ok(Some(_)) | Err(_) => path.display().to_string(),
                },
            };
            let mut checks = vec![Check::fine(NAME, found)];
            let help = "`agent config show --origin` says where each value comes from";
            checks.extend(warnings.into_iter().map(|text| Check::lacking(NAME, text, help)));
            (Some(config), checks)
        }
    }
}

/// Which model would be used, whether its server answers, and how much it can be told.
async fn model(config: &Config, environment: Environment) -> Vec<Check> {
    let served = match setup::choose(config, environment).await {
        Err(error) => return vec![Check::broken("model", error)],
        Ok(ModelName::Replay(path)) => {
            let recording = setup::provider(config, environment).await;
            let found = format!("replay/{path}: a recording, which needs no server");
            return vec![match recording {
                Ok(_) => Check::fine("model", found),
                Err(error) => Check::broken("model", error),
            }];
        }
        Ok(ModelName::Served(served)) => served,
    };
    let name = format!("{}/{}", served.vendor.name(), served.model);
    let mut checks = vec![Check::fine("model", name)];
    match described(&served, config, environment).await {
        Ok(more) => checks.extend(more),
        Err(error) => checks.push(Check::broken("provider", error)),
    }
    checks
}

async fn described(
    served: &ServedModel,
    config: &Config,
    environment: Environment,
) -> Result<Vec<Check>, Error> {
    let server = Server::of(served.vendor, config, environment)?;
    server.may_be_asked()?;
    let description = server.describe(served, config).await?;
    let mut checks = vec![Check::fine("provider", format!("{} answers", server.endpoint.base_url))];
    let told = config.count(Key::OllamaNumCtx).filter(|_| served.vendor == Vendor::Ollama);
    checks.push(match (description.context_window, told) {
        (Some(window), Some(told)) if told > u64::from(window) => Check::lacking(
            "window",
            format!("{window} tokens, and it is asked for {told}"),
            "`agent config set ollama.num_ctx N` with no more than the model can do",
        ),
        (Some(window), Some(told)) => {
            Check::fine("window", format!("{told} tokens are used of {window}"))
        }
        (Some(window), None) => Check::fine("window", format!("{window} tokens")),
        (None, _) => Check::lacking(
            "window",
            "its server does not say how much the model can be told",
            "`agent config set context_window N`, or 32768 tokens are assumed",
        ),
    });
    if description.tools == Support::No {
        checks.push(Check::lacking(
            "tools",
            "the model has no tool calls of its own",
            "`--protocol json` has it decide by JSON; a model with tools does better",
        ));
    }
    Ok(checks)
}

async fn sandbox(workspace: &Workspace, config: &Config, environment: Environment) -> Check {
    const NAME: &str = "sandbox";
    let commands = setup::commands(workspace, config, environment);
    match commands.runner.confined().await {
        Ok(confined @ Confined::By(_)) => Check::fine(NAME, confined.words()),
        Ok(Confined::Not) => Check::lacking(
            NAME,
            "off: commands reach whatever you reach",
            "`agent config set sandbox.mode auto`",
        ),
        Ok(confined @ Confined::NotPossible(_)) => Check::lacking(
            NAME,
            confined.words(),
            "install bubblewrap, or use a kernel with Landlock (Linux 5.13)",
        ),
        Err(reason) => Check {
            name: NAME,
            state: State::Broken,
            found: format!("strict, and there is none: {reason}"),
            help: Some("install bubblewrap, or `agent config set sandbox.mode auto`".to_owned()),
        },
    }
}

async fn state(environment: Environment) -> Check {
    const NAME: &str = "state";
    let place = environment.state_dir().map(|path| path.display().to_string());
    match setup::prepared(Some(setup::journal(environment))).await {
        Ok(settled) if settled.is_empty() => Check::fine(NAME, place.unwrap_or_default()),
        Ok(settled) => {
            Check::lacking(NAME, settled.join("; "), "`agent changes` lists what is recorded")
        }
        Err(error) => Check::broken(NAME, error),
    }
}

/// What another program is good for.
#[derive(Debug, Clone, Copy)]
enum Needed {
    /// The model uses it.
    Here,
    /// Commands are confined by it.
    ForASandbox,
}

async fn program(
    name: &'static str,
    needed: Needed,
    workspace: &Workspace,
    environment: Environment,
) -> Check {
    let line = format!("{name} --version");
    let command = CommandLine::shell(&line, workspace.root().to_owned(), PATIENCE, 1024);
    let result = setup::unconfined_runner(environment).run(&command, &Cancel::new()).await;
    let version = result.ok().filter(|result| result.exit_code == Some(0));
    match version {
        Some(result) => Check::fine(name, result.stdout.lines().next().unwrap_or(name)),
        None => match needed {
            Needed::Here => Check::lacking(
                name,
                "not found",
                "install it: models use it in commands; undo works without it",
            ),
            Needed::ForASandbox => Check::lacking(
                name,
                "not found",
                "install bubblewrap: it confines commands most strictly; Landlock works without",
            ),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_is_found_and_what_to_do() {
        let check = Check::lacking("git", "not found\u{1b}", "install it\nor not");
        let expected =
            format!("warning  git            not found␛\n{0:24} install it\n{0:24} or not\n", "");
        assert_eq!(line(&check, Style::Plain), expected);
        assert_eq!(
            object(&Check::fine("git", "1")),
            json!({"name": "git", "status": "ok", "message": "1", "help": null})
        );
    }
}
