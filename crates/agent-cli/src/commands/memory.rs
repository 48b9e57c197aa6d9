//! `agent memory`

use std::process::ExitCode;

use agent_core::{
    Sessions,
    memory::{
        Changed, Earlier, KnownFile, Memory, MemoryError, Remembered, SessionMemory, Shown,
        Standing, Touch, Turn,
    },
    session::Past,
};
use agent_tools::Workspace;
use serde_json::{Value, json};

use super::resume::{find, last, session_error};
use crate::{
    args::{self, MemoryCommand, Shape},
    environment::Environment,
    error::Error,
    setup::{self, Flags, state_error},
    ui::{self, Stdout},
};

pub(crate) fn run(arguments: &args::Memory, environment: Environment) -> Result<ExitCode, Error> {
    let workspace = setup::workspace(arguments.place.directory.as_deref(), environment)?;
    let shape = arguments.place.output_format;
    let command = arguments.command.as_ref().unwrap_or(&MemoryCommand::Show);
    carry_out(command, &workspace, shape, environment)?;
    Ok(ExitCode::SUCCESS)
}

/// Carries a command out for a workspace.
pub(super) fn carry_out(
    command: &MemoryCommand,
    workspace: &Workspace,
    shape: Shape,
    environment: Environment,
) -> Result<(), Error> {
    let sessions = Sessions::at(environment.state_dir());
    let memory = sessions.memory(workspace.root());
    match command {
        MemoryCommand::Show => show(memory, workspace, shape, environment),
        MemoryCommand::List => list(memory, shape),
        MemoryCommand::Session { id } => {
            let past = match id {
                Some(id) => {
                    let found = sessions.past(&find(&sessions, id)?);
                    found.map_err(|error| session_error(&error))?
                }
                None => last(&sessions, workspace)?,
            };
            session(&past, shape)
        }
        MemoryCommand::Add { text } => {
            let added = memory.add(&text.join(" "), &environment.redactor());
            said("remembered", &added.map_err(|error| refused(&error))?, shape)
        }
        MemoryCommand::Accept { number } => {
            let accepted = memory.accept(*number).map_err(|error| refused(&error))?;
            said("accepted", &accepted, shape)
        }
        MemoryCommand::Remove { number } => {
            let removed = memory.remove(*number).map_err(|error| refused(&error))?;
            said("forgotten", &removed, shape)
        }
        MemoryCommand::Clear => {
            let (notes, conversations) = memory.clear().map_err(|error| state_error(&error))?;
            match shape {
                Shape::Json => {
                    Stdout.json(&json!({ "notes": notes, "conversations": conversations }))
                }
                Shape::Text => Stdout
                    .text(&format!("forgotten: {notes} notes, {conversations} conversations\n")),
            }
        }
    }
}

fn refused(error: &MemoryError) -> Error {
    let help = match error {
        MemoryError::Store(error) => return state_error(error),
        MemoryError::Empty => {
            "for example: `agent memory add \"the tests need a running database\"`"
        }
        MemoryError::TooLong(_) => "say it shorter, or write it into AGENTS.md",
        MemoryError::Secret => "say it without: a model never needs the secret itself",
        MemoryError::Full => "`agent memory list` shows them, `agent memory remove N` makes room",
        MemoryError::Unknown(_) => "`agent memory list` shows the numbers",
    };
    Error::usage("memory", error, help)
}

fn said(what: &str, one: &Remembered, shape: Shape) -> Result<(), Error> {
    match shape {
        Shape::Json => Stdout.json(one),
        Shape::Text => {
            Stdout.text(&format!("{what}: {}  {}\n", one.number, ui::harmless(&one.text)))
        }
    }
}

/// Prints exactly what a model is shown.
fn show(
    memory: Memory<'_>,
    workspace: &Workspace,
    shape: Shape,
    environment: Environment,
) -> Result<(), Error> {
    let configured = setup::configure(workspace, Flags::default(), environment)?;
    let most = setup::settings(&configured.config).memory_bytes;
    let shown = memory.shown(workspace, most).map_err(|error| state_error(&error))?;
    if shape == Shape::Json {
        return Stdout.json(&shown);
    }
    let Shown { text, left_out, .. } = &shown;
    if text.is_empty() {
        ui::say("nothing is shown to a model here: nothing is remembered, or there is no room\n");
        return Ok(());
    }
    let text = environment.redactor().clean(text).into_owned();
    Stdout.text(&format!("{}\n", ui::harmless(&text)))?;
    let more = match left_out {
        0 => String::new(),
        count => format!(", {count} left out"),
    };
    ui::say(&format!("{} of at most {most} bytes{more}\n", text.len()));
    Ok(())
}

fn list(memory: Memory<'_>, shape: Shape) -> Result<(), Error> {
    let notes = memory.remembered().map_err(|error| state_error(&error))?;
    let earlier = memory.earlier().map_err(|error| state_error(&error))?;
    if shape == Shape::Json {
        return Stdout.json(&json!({ "notes": notes, "conversations": earlier }));
    }
    if notes.is_empty() && earlier.is_empty() {
        ui::say("nothing is remembered of this directory\n");
        return Ok(());
    }
    let notes = notes.iter().map(|one| {
        let standing = match one.standing {
            Standing::User => "you",
            Standing::Proposed => "proposed",
            Standing::Accepted => "accepted",
        };
        format!("{:>5}  {:.0}  {standing:<8}  {}\n", one.number, one.time, ui::harmless(&one.text))
    });
    let earlier = earlier.iter().map(|one| {
        let Earlier { session, time, request, outcome, .. } = one;
        let id = session.get(..13).unwrap_or(session);
        let request = request.replace('\n', "; ");
        format!("    -  {time:.0}  {id}  {outcome}: {}\n", ui::harmless(&request))
    });
    Stdout.text(&notes.chain(earlier).collect::<String>())
}

fn session(past: &Past, shape: Shape) -> Result<(), Error> {
    let memory = past.memory();
    let id = &past.summary.id;
    if shape == Shape::Json {
        let mut object: Value = json!(memory);
        object["session"] = json!(id);
        return Stdout.json(&object);
    }
    let SessionMemory { files, changes, failed, turns } = memory;
    let short = |hash: &Option<String>| match hash {
        Some(hash) => hash.get(..12).unwrap_or(hash).to_owned(),
        None => "-".to_owned(),
    };
    let file = |file: &KnownFile| {
        let touch = match file.touch {
            Touch::Read => "read",
            Touch::Created => "created",
            Touch::Edited => "edited",
            Touch::Deleted => "deleted",
        };
        format!("{touch:<8} {:<12}  {}", short(&file.sha256), file.path)
    };
    let change = |change: &Changed| {
        let Changed { tool, file, before_sha256, after_sha256 } = change;
        format!("{tool}: {file}, {} to {}", short(before_sha256), short(after_sha256))
    };
    let turn = |turn: &Turn| match &turn.answer {
        Some(answer) => format!("{}\n    {}", turn.request, answer.replace('\n', "\n    ")),
        None => turn.request.clone(),
    };
    let lists = [
        ("Files", files.iter().map(file).collect::<Vec<_>>()),
        ("Changes", changes.iter().map(change).collect()),
        ("Attempts that failed", failed),
        ("Turns", turns.iter().map(turn).collect()),
    ];
    let mut text = format!("session {id}\n");
    for (head, lines) in lists.iter().filter(|(_, lines)| !lines.is_empty()) {
        text += &format!("\n{head}\n");
        lines.iter().for_each(|line| text += &format!("  {line}\n"));
    }
    Stdout.text(&ui::harmless(&text))
}
