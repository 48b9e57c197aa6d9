//! `agent sessions`

use std::process::ExitCode;

use agent_core::{
    Sessions,
    session::{Note, Summary},
};
use serde_json::{Value, json};

use super::{
    prune, recording,
    resume::{find, session_error},
};
use crate::{
    args::{self, SessionsCommand, Shape},
    environment::Environment,
    error::Error,
    setup::{self, state_error},
    ui::{self, Stdout},
};

pub(crate) fn run(arguments: &args::Sessions, environment: Environment) -> Result<ExitCode, Error> {
    let sessions = Sessions::at(environment.state_dir());
    match &arguments.command {
        None => list(&sessions, &arguments.list, environment)?,
        Some(SessionsCommand::List(arguments)) => list(&sessions, arguments, environment)?,
        Some(SessionsCommand::Show(arguments)) => show(&sessions, arguments)?,
        Some(SessionsCommand::Export(arguments)) => {
            recording::export(&sessions, arguments, environment)?;
        }
        Some(SessionsCommand::Prune(arguments)) => prune::run(&sessions, arguments)?,
        Some(SessionsCommand::Rm(arguments)) => remove(&sessions, arguments)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list(
    sessions: &Sessions,
    arguments: &args::Scope,
    environment: Environment,
) -> Result<(), Error> {
    let workspace = match arguments.all {
        true => None,
        false => Some(setup::workspace(arguments.directory.as_deref(), environment)?),
    };
    let listed = match sessions.exists() {
        true => sessions.list(workspace.as_ref().map(agent_tools::Workspace::root)),
        false => Ok(Vec::new()),
    };
    let listed = listed.map_err(|error| state_error(&error))?;
    match arguments.output_format {
        Shape::Json => {
            let listed: Vec<Value> = listed.iter().map(object).collect();
            Stdout.json(&json!({ "sessions": listed }))
        }
        Shape::Text if listed.is_empty() => {
            ui::say("no sessions are kept for this directory\n");
            Ok(())
        }
        Shape::Text => {
            let lines: Vec<String> =
                listed.iter().map(|summary| line(summary, arguments.all)).collect();
            Stdout.text(&lines.concat())
        }
    }
}

/// `0199f3c1-2a4b  2026-11-21T09:30:00Z  finished     12 actions  rename total to sum_of`
fn line(summary: &Summary, with_directory: bool) -> String {
    let id = summary.id.get(..13).unwrap_or(&summary.id);
    let outcome = summary.outcome.as_deref().unwrap_or("unfinished");
    let (time, actions) = (summary.changed, summary.actions);
    let task: String = summary.task.lines().next().unwrap_or_default().chars().take(60).collect();
    let task = ui::harmless(&task);
    let directory = match with_directory {
        true => format!("  {}", ui::harmless(&summary.workspace.display().to_string())),
        false => String::new(),
    };
    format!("{id}  {time:.0}  {outcome:<11}  {actions:>4} actions{directory}  {task}\n")
}

fn object(summary: &Summary) -> Value {
    let Summary { id, workspace, begun, changed, task, model, requests, actions, outcome } =
        summary;
    json!({
        "id": id,
        "workspace": workspace,
        "begun": begun.to_string(),
        "changed": changed.to_string(),
        "task": task,
        "model": model,
        "requests": requests,
        "actions": actions,
        "outcome": outcome,
    })
}

fn show(sessions: &Sessions, arguments: &args::Show) -> Result<(), Error> {
    let summary = find(sessions, &arguments.id)?;
    let notes = sessions.notes(&summary.id).map_err(|error| session_error(&error))?;
    match arguments.output_format {
        Shape::Json => Stdout.json(&json!({ "session": object(&summary), "notes": notes })),
        Shape::Text => {
            let head = format!("{}\n{}\n", summary.id, summary.workspace.display());
            let told: Vec<String> = notes.iter().filter_map(told).collect();
            Stdout.text(&ui::harmless(&format!("{head}{}", told.concat())))
        }
    }
}

/// What a person is shown of a note.
fn told(note: &Note) -> Option<String> {
    Some(match note {
        Note::Requested(requested) => {
            format!("\n> {}\n  ({}, {:.0})\n", requested.task, requested.model, requested.time)
        }
        Note::Said { text } => format!("  {text}\n"),
        Note::Acted { action: Some(action), changes, .. } => {
            let mark = if action.succeeded() { "" } else { ": failed" };
            let files: Vec<_> = changes.iter().map(|change| change.file.as_str()).collect();
            let files =
                if files.is_empty() { String::new() } else { format!(" {}", files.join(", ")) };
            format!("  {}{files}{mark}\n", action.tool)
        }
        Note::Ended(ended) => match &ended.response {
            Some(answer) => format!("{answer}\n"),
            None => format!("  ended: {}\n", ended.outcome),
        },
        Note::Waits { changes, .. } => {
            let files: Vec<_> = changes.iter().map(|change| change.file.as_str()).collect();
            format!("  waits to be allowed: {}\n", files.join(", "))
        }
        Note::Prefix { .. }
        | Note::Looked(_)
        | Note::Replied { .. }
        | Note::Aside { .. }
        | Note::Began { .. }
        | Note::Tested(_)
        | Note::Compacted(_)
        | Note::Acted { action: None, .. } => return None,
    })
}

fn remove(sessions: &Sessions, arguments: &args::Remove) -> Result<(), Error> {
    // All are looked up first, so that a slip removes nothing.
    let found: Vec<Summary> =
        arguments.ids.iter().map(|id| find(sessions, id)).collect::<Result<_, _>>()?;
    for summary in found {
        sessions.remove(&summary.id).map_err(|error| state_error(&error))?;
        Stdout.text(&format!("removed: {}", line(&summary, true)))?;
    }
    Ok(())
}
