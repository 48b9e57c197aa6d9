//! `run_command`

use std::time::Duration;

use agent_llm::ToolSpec;
use agent_tools::EntryKind;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::params::{self, Explanation};
use crate::{
    BadParams, Call, Cx, Effect, Observation, Tool,
    command::{
        CommandLine, CommandResult,
        permission::Execution,
        sandbox::{self, Confined},
    },
    snapshot::{Recorded, watched},
};

pub(crate) const NAME: &str = "run_command";

/// How long a command may take where nothing else is asked for.
const TIMEOUT: f64 = 120.0;

/// The most names of changed files that a result holds.
const SHOWN: usize = 30;

/// How long a command may take at most.
const LONGEST: f64 = 3600.0;

/// Runs a command.
pub(super) struct RunCommand;

#[derive(Debug, Deserialize, JsonSchema)]
struct Params {
    #[schemars(with = "String")]
    #[serde(alias = "cmd")]
    command: Asked,
    #[serde(alias = "timeout")]
    timeout_seconds: Option<f64>,
    #[serde(alias = "working_dir", alias = "workdir")]
    cwd: Option<String>,
}

/// A command as models write it.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "give a line for the shell, or a list of words")]
enum Asked {
    Line(String),
    Arguments(Vec<String>),
}

impl Tool for RunCommand {
    fn spec(&self) -> ToolSpec {
        params::spec::<Params>(
            NAME,
            "Run a shell command in the workspace, without input.",
            Explanation::Required,
        )
    }

    fn prepare(&self, params: &Value) -> Result<Call, BadParams> {
        let params: Params = params::parse(NAME, params)?;
        let bad = |problem: &str| params::refuse::<Params>(NAME, problem);
        let execution = match &params.command {
            Asked::Line(line) if line.trim().is_empty() => {
                return Err(bad("`command`: it is empty"));
            }
            Asked::Arguments(words) if words.is_empty() => {
                return Err(bad("`command`: it is empty"));
            }
            Asked::Line(line) => Execution::line(line),
            Asked::Arguments(words) => Execution::arguments(words),
        };
        let seconds = params.timeout_seconds.unwrap_or(TIMEOUT);
        if !(seconds > 0.0 && seconds <= LONGEST) {
            return Err(bad("`timeout_seconds`: give a number of seconds from 1 to 3600"));
        }
        let timeout = Duration::from_secs_f64(seconds);
        let effects = vec![Effect::Execute(execution)];
        Ok(Call::waiting(effects, async move |cx| run(&cx, params, timeout).await))
    }
}

async fn run(cx: &Cx, params: Params, timeout: Duration) -> Observation {
    let place = super::resolve(cx, params.cwd.as_deref().unwrap_or("."));
    let path = match place {
        Ok(path) => path,
        Err(refusal) => return refusal,
    };
    match cx.workspace.kind(&path) {
        Ok(EntryKind::Dir) => {}
        Ok(EntryKind::File | EntryKind::Symlink | EntryKind::Other) => {
            let message =
                format!("`{path}` is no directory to run a command in; give another `cwd`.");
            return Observation::failure(message);
        }
        Err(error) => return Observation::failure(error.to_string()),
    }
    let dir = cx.workspace.absolute(&path);
    let limit = cx.commands.output_bytes;
    let command = match params.command {
        Asked::Line(line) => CommandLine::shell(&line, dir, timeout, limit),
        Asked::Arguments(words) => {
            let mut words = words.into_iter();
            let program = words.next().unwrap_or_default();
            CommandLine { program, args: words.collect(), dir, timeout, max_output: limit }
        }
    };
    match watched(cx, cx.commands.runner.run(&command, &cx.cancel)).await {
        Ok((Ok(result), recorded)) => with_changes(observation(&result, timeout), recorded),
        Ok((Err(error), recorded)) => {
            let failure = format!("failed to {error}. Try another command.");
            with_changes(Observation::failure(failure), recorded)
        }
        Err(broken) => broken,
    }
}

/// The observation with what the command changed.
fn with_changes(mut observation: Observation, recorded: Recorded) -> Observation {
    let Recorded { changes, changed, lost, cut, problem, restored } = recorded;
    if let Some(words) = restored.words() {
        let message = observation.result.get("message").and_then(Value::as_str);
        let message = message.map_or_else(|| words.clone(), |said| format!("{said} {words}"));
        observation.result["message"] = message.into();
        observation.result["put_back"] = restored.put_back.into();
    }
    let result = &mut observation.result;
    for (field, names) in [("changed", &changed), ("changed_for_good", &lost)] {
        if !names.is_empty() {
            result[field] = names.iter().take(SHOWN).cloned().collect();
        }
        if names.len() > SHOWN {
            result[format!("{field}_total")] = names.len().into();
        }
    }
    if cut && (!changed.is_empty() || !lost.is_empty()) {
        result["more_may_have_changed"] = true.into();
    }
    if let Some(problem) = problem {
        result["not_recorded"] = problem.into();
    }
    observation.changes = changes;
    observation
}

fn observation(result: &CommandResult, timeout: Duration) -> Observation {
    let mut fields = json!({
        "success": result.exit_code == Some(0),
        "exit_code": result.exit_code,
        "stdout": result.stdout,
        "stderr": result.stderr,
        "timed_out": result.timed_out,
        "truncated": result.truncated,
    });
    if result.confined != Confined::Not {
        fields["sandbox"] = result.confined.words().into();
    }
    if let Some(mut message) = message(result, timeout) {
        if let Some(denied) = denied(result) {
            message += &denied;
        }
        fields["message"] = message.into();
    }
    Observation::of(fields)
}

/// What the sandbox may have denied to a command that failed.
fn denied(result: &CommandResult) -> Option<String> {
    let Confined::By(_) = result.confined else { return None };
    let output = format!("{}\n{}", result.stderr, result.stdout);
    let denials = sandbox::denials(&output);
    (!denials.is_empty()).then(|| {
        format!(
            " A command may write in the workspace and in $TMPDIR alone, not to .git/hooks, \
             .git/config and the like, and has no network; denied, as it seems: {}",
            denials.join(" | ")
        )
    })
}

/// What there is to say about a command that did not succeed.
fn message(result: &CommandResult, timeout: Duration) -> Option<String> {
    let Some(code) = result.exit_code else {
        return Some(format!(
            "stopped after {} s, with everything that it had started. Run less at a time, or give \
             it more `timeout_seconds`.",
            timeout.as_secs_f64()
        ));
    };
    match code {
        0 => None,
        126 => Some("exit code 126: it can't be executed. Read stderr.".to_owned()),
        127 => Some("exit code 127: there is no such program here. Try another one.".to_owned()),
        129..=192 => Some(format!("exit code {code}: ended by signal {}.", code - 128)),
        _ => Some(format!("exit code {code}. Read stdout and stderr for the reason.")),
    }
}
