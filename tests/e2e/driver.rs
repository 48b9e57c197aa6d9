//! The ways to run a case. Each gives the same [`Ran`].

use std::{
    fs::File,
    sync::{Arc, Mutex, PoisonError},
};

use agent_core::{
    Agent, Approval, Cancel, Event, EventSink, Journal, Protocol, Settings,
    command::permission::Pattern,
    config::Origin,
    event::stream_json,
    policy::{Rule, Source, Verdict},
};
use agent_llm::{
    RetryPolicy, Retrying,
    script::{Playback, Script, Scripted, ScriptedReply},
};
use agent_tools::Workspace;
use serde_json::Value;

use crate::{
    bed::Bed,
    case::{Case, Driver, Format},
    loopback::{Dialect, Loopback},
    program, wire,
};

/// What came of a run.
#[derive(Default)]
pub(crate) struct Ran {
    /// The exit code.
    pub(crate) exit: u8,
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
    /// The lines of the script that nothing asked for; a program that plays it alone keeps that to
    /// itself.
    pub(crate) unused: Option<Vec<usize>>,
    /// What was wrong with requests.
    pub(crate) problems: Vec<String>,
    /// Addresses and names that differ from run to run, with their placeholders.
    pub(crate) places: Vec<(String, &'static str)>,
}

/// Runs `case` in `bed`.
pub(crate) fn run(driver: Driver, case: &Case, bed: &Bed) -> Result<Ran, String> {
    let path = bed.script(case).map_err(|error| error.to_string())?;
    #[expect(clippy::disallowed_methods, reason = "scripts lie in the repository")]
    let reader = File::open(&path).map_err(|error| error.to_string())?;
    let script = Script::parse(reader).map_err(|error| format!("script.jsonl: {error}"))?;
    match driver {
        Driver::Process => in_process(case, bed, script),
        Driver::Binary | Driver::Mcp => {
            let model = format!("replay/{}", path.display());
            let route = if driver == Driver::Mcp { "mcp" } else { "direct" };
            let environment = environment(case, &[("AGENT_MCP_ROUTE", route)]);
            let ended = program::run(bed, &arguments(case, &model), &environment)?;
            let places = vec![(model, "<provider>")];
            Ok(Ran {
                exit: ended.exit,
                // That it went this way, and no other, is all that may be different.
                stdout: ended.stdout.replace(r#","route":"mcp""#, ""),
                stderr: ended.stderr,
                places,
                ..Ran::default()
            })
        }
        Driver::Openai => served(&OPENAI, case, bed, script),
        Driver::Compatible => served(&COMPATIBLE, case, bed, script),
        Driver::Responses => served(&RESPONSES, case, bed, script),
        Driver::Anthropic => served(&ANTHROPIC, case, bed, script),
        Driver::Gemini => served(&GEMINI, case, bed, script),
        Driver::Ollama => served(&OLLAMA, case, bed, script),
    }
}

fn arguments<'a>(case: &'a Case, model: &'a str) -> Vec<&'a str> {
    let format = match case.manifest.format {
        Format::Text => "text",
        Format::Json => "json",
        Format::StreamJson => "stream-json",
    };
    let mut arguments = vec!["run", "--model", model, "--output-format", format];
    arguments.extend(case.manifest.args.iter().map(String::as_str));
    arguments.extend(["--", &case.manifest.task]);
    arguments
}

fn environment<'a>(case: &'a Case, more: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let given = case.manifest.env.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    more.iter().copied().chain(given).collect()
}

/// A server, and how the program is told of it.
pub(crate) struct Served {
    pub(crate) dialect: Dialect,
    pub(crate) model: &'static str,
    /// The variable that holds its address.
    pub(crate) address: &'static str,
    /// What else has to be set.
    pub(crate) environment: &'static [(&'static str, &'static str)],
}

pub(crate) const OPENAI: Served = Served {
    dialect: Dialect::OpenAi,
    model: "openai/scripted",
    address: "OPENAI_BASE_URL",
    environment: &[("OPENAI_API_KEY", "sk-e2e")],
};

const COMPATIBLE: Served = Served { environment: &[], ..OPENAI };

pub(crate) const RESPONSES: Served = Served {
    dialect: Dialect::Responses,
    environment: &[("OPENAI_API_KEY", "sk-e2e"), ("AGENT_OPENAI_API", "responses")],
    ..OPENAI
};

pub(crate) const ANTHROPIC: Served = Served {
    dialect: Dialect::Anthropic,
    model: "anthropic/scripted",
    address: "ANTHROPIC_BASE_URL",
    environment: &[("ANTHROPIC_API_KEY", "sk-ant-e2e")],
};

pub(crate) const GEMINI: Served = Served {
    dialect: Dialect::Gemini,
    model: "gemini/scripted",
    address: "GEMINI_BASE_URL",
    environment: &[("GEMINI_API_KEY", "e2e")],
};

pub(crate) const OLLAMA: Served = Served {
    dialect: Dialect::Ollama,
    model: "ollama/scripted:latest",
    address: "OLLAMA_HOST",
    // Scripts say nothing of a plan, unless their case asks for one.
    environment: &[("AGENT_PLANNER", "off")],
};

/// Runs the program against a server that plays the script.
fn served(served: &Served, case: &Case, bed: &Bed, script: Script) -> Result<Ran, String> {
    let playback = Arc::new(Mutex::new(Playback::new("the script", script)));
    let shared = Arc::clone(&playback);
    let answer = move |asked: &_| {
        wire::answer(&mut shared.lock().unwrap_or_else(PoisonError::into_inner), asked)
    };
    let server =
        Loopback::start(served.dialect, Box::new(answer)).map_err(|error| error.to_string())?;
    let url = server.base_url();
    let mut variables = vec![(served.address, url.as_str())];
    variables.extend(served.environment);
    let environment = environment(case, &variables);
    let ended = program::run(bed, &arguments(case, served.model), &environment)?;
    let problems = server.stop().problems;
    let playback = playback.lock().unwrap_or_else(PoisonError::into_inner);
    let vendor = served.model.split('/').next().unwrap_or_default();
    Ok(Ran {
        exit: ended.exit,
        stdout: ended.stdout,
        stderr: ended.stderr,
        unused: Some(lines(&playback.unused())),
        problems,
        places: vec![(format!("{vendor} ({url})"), "<provider>")],
    })
}

fn lines(replies: &[ScriptedReply]) -> Vec<usize> {
    replies.iter().map(|reply| reply.line).collect()
}

/// Runs the library. Its events are written down as the program would print them.
fn in_process(case: &Case, bed: &Bed, script: Script) -> Result<Ran, String> {
    let settings = settings(&case.manifest.args)?;
    let workspace = Workspace::open(&bed.workspace()).map_err(|error| error.to_string())?;
    let scripted = Scripted::new("script", script);
    let provider = Arc::new(Retrying::new(scripted.clone(), RetryPolicy::default()));
    let sink = Arc::new(Lines::default());
    let agent = Agent::new(Arc::new(workspace), provider, settings, Arc::clone(&sink) as _)
        .journaled(Arc::new(Journal::at(Some(bed.home().join("state")))));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    let report = runtime.block_on(agent.run(&case.manifest.task, &Cancel::new()));
    let stdout = sink.0.lock().unwrap_or_else(PoisonError::into_inner).concat();
    Ok(Ran {
        exit: report.exit_code,
        stdout,
        unused: Some(lines(&scripted.unused())),
        places: vec![("replay/script".to_owned(), "<provider>")],
        ..Ran::default()
    })
}

/// The few arguments that a library user gives as settings.
fn settings(arguments: &[String]) -> Result<Settings, String> {
    let mut settings = Settings::default();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        match (argument.as_str(), arguments.as_slice()) {
            ("--read-only", _) => settings.approval = Approval::Plan,
            ("--planner", _) => settings.planner = true,
            ("--protocol", [name, ..]) => {
                settings.protocol = match name.as_str() {
                    "json" => Protocol::Json,
                    "tools" => Protocol::Tools,
                    _ => Protocol::Auto,
                };
                arguments.next();
            }
            ("--max-turns", [turns, ..]) => {
                settings.max_turns = turns.parse().map_err(|_| format!("`{turns}` turns"))?;
                arguments.next();
            }
            ("--approval", [mode, ..]) => {
                settings.approval = match mode.as_str() {
                    "all" => Approval::All,
                    "plan" => Approval::Plan,
                    _ => Approval::Edits,
                };
                arguments.next();
            }
            ("--allow-command", [pattern, ..]) => {
                let pattern = Pattern::parse(pattern).map_err(|error| error.to_string())?;
                let flag = Source::Given(Origin::Flag("--allow-command"));
                let command = Some(pattern);
                settings.rules.push(Rule { command, ..Rule::any(Verdict::Allow, flag) });
                arguments.next();
            }
            (other, _) => {
                return Err(format!("the driver `process` has no `{other}`: name the drivers"));
            }
        }
    }
    Ok(settings)
}

/// Writes events down.
#[derive(Default)]
struct Lines(Mutex<Vec<String>>);

impl EventSink for Lines {
    fn emit(&self, event: &Event) {
        let line: Option<Value> = stream_json::render(event, "in-process");
        if let Some(line) = line {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{line}\n"));
        }
    }
}
