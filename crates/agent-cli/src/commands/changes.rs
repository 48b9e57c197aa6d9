//! `agent changes` and `agent diff`

use std::{collections::BTreeMap, path::Path, process::ExitCode};

use agent_core::{
    Journal, StoreError,
    changes::difference,
    journal::{FileRecord, Record, Stamp, State, first, standing},
};
use agent_tools::{Workspace, write::Entry};
use serde_json::{Value, json};

use crate::{
    args::{self, Shape},
    environment::Environment,
    error::Error,
    setup::{self, state_error},
    ui::{self, Stdout, Stream},
};

/// The workspace, and the journal where there is one.
pub(super) fn opened(
    directory: Option<&Path>,
    environment: Environment,
) -> Result<(Workspace, Option<Journal>), Error> {
    let workspace = setup::workspace(directory, environment)?;
    let journal = Journal::at(environment.state_dir());
    let journal = journal.exists().then_some(journal);
    Ok((workspace, journal))
}

/// The recorded changes of the workspace, the first first.
fn recorded(
    directory: Option<&Path>,
    environment: Environment,
) -> Result<Option<(Journal, Vec<Record>)>, Error> {
    let (workspace, journal) = opened(directory, environment)?;
    let Some(journal) = journal else { return Ok(None) };
    let mut records = journal.records(workspace.root()).map_err(|error| state_error(&error))?;
    records.retain(|record| match record.state {
        State::Done | State::LeftAlone => true,
        State::Pending | State::Void => false,
    });
    Ok(Some((journal, records)))
}

pub(crate) fn list(arguments: &args::Changes, environment: Environment) -> Result<ExitCode, Error> {
    let recorded = recorded(arguments.place.directory.as_deref(), environment)?;
    let records = recorded.map(|(_, records)| records).unwrap_or_default();
    let (standing, _) = standing(&records);
    let standing: Vec<i64> = standing.iter().map(|record| first(&records, record).id).collect();
    let told = |record: &Record| match (record.state, record.reverts) {
        (State::LeftAlone, _) => "left_alone",
        (_, Some(_)) => "done",
        (_, None) if standing.contains(&record.id) => "done",
        (_, None) => "undone",
    };
    match arguments.place.output_format {
        Shape::Json => {
            let changes: Vec<Value> =
                records.iter().rev().map(|record| object(record, told(record))).collect();
            Stdout.json(&json!({ "changes": changes }))?;
        }
        Shape::Text => {
            let lines: Vec<String> =
                records.iter().rev().map(|record| line(record, told(record))).collect();
            if lines.is_empty() {
                ui::say("no changes are recorded for this directory\n");
            } else {
                Stdout.text(&lines.concat())?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// `12  2026-11-21T09:30:00Z  0199f3c1-2a4b  edit_file  src/a.rs +2 -1`
fn line(record: &Record, state: &str) -> String {
    let session = record.session.get(..13).unwrap_or(&record.session);
    let what = match record.reverts {
        Some(reverts) => format!("{} of {reverts}", record.tool),
        None => record.tool.clone(),
    };
    let note = match state {
        "left_alone" => "  (cut off, and left alone)",
        "undone" => "  (undone)",
        _ => "",
    };
    let time = record.time;
    format!("{:>5}  {time:.0}  {session}  {what:<14}  {}{note}\n", record.id, files(record))
}

/// The files of a change, each with its lines: `a.rs +2 -1, b.rs`.
pub(super) fn files(record: &Record) -> String {
    let file = |file: &FileRecord| {
        let path = file.path.display();
        let text = match (file.added, file.removed) {
            (Some(added), Some(removed)) => format!("{path} +{added} -{removed}"),
            (_, _) => path.to_string(),
        };
        ui::harmless(&text).into_owned()
    };
    record.files.iter().map(file).collect::<Vec<_>>().join(", ")
}

fn object(record: &Record, state: &str) -> Value {
    let files = record.files.iter().map(|file| {
        json!({
            "file": file.path,
            "kind": match (&file.before, &file.after) {
                (Stamp::Absent, _) => "create",
                (_, Stamp::Absent) => "delete",
                (_, _) => "edit",
            },
            "before_sha256": file.before.sha256(),
            "after_sha256": file.after.sha256(),
            "added": file.added,
            "removed": file.removed,
        })
    });
    json!({
        "id": record.id,
        "time": record.time.to_string(),
        "session": record.session,
        "tool": record.tool,
        "reverts": record.reverts,
        "state": state,
        "files": files.collect::<Vec<_>>(),
    })
}

pub(crate) fn diff(arguments: &args::Diff, environment: Environment) -> Result<ExitCode, Error> {
    let recorded = recorded(arguments.directory.as_deref(), environment)?;
    let (journal, chosen) = match (recorded, arguments.id) {
        (Some((journal, records)), Some(id)) => {
            let chosen: Vec<_> = records.into_iter().filter(|record| record.id == id).collect();
            (Some(journal), chosen)
        }
        (Some((journal, mut records)), None) => {
            let last = records.last().map(|record| record.session.clone());
            records.retain(|record| {
                Some(&record.session) == last.as_ref() && record.state == State::Done
            });
            (Some(journal), records)
        }
        (None, _) => (None, Vec::new()),
    };
    let Some(journal) = journal.filter(|_| !chosen.is_empty()) else {
        return match arguments.id {
            None => {
                ui::say("no changes are recorded for this directory\n");
                Ok(ExitCode::SUCCESS)
            }
            Some(id) => {
                let message = format!("there is no change {id} in this directory");
                Err(Error::usage("change", message, "`agent changes` lists what is recorded"))
            }
        };
    };
    let text = together(&journal, &chosen).map_err(|error| state_error(&error))?;
    // What is recorded is exact; what is printed need not be.
    let text = environment.redactor().redacted(&text).into_owned();
    match environment.is_terminal(Stream::Output) {
        _ if text.is_empty() => ui::say("everything is as it was before\n"),
        true => Stdout.text(&ui::whole_diff(text.lines(), environment.style(Stream::Output)))?,
        false => Stdout.text(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What the changes did together: for each file from before the first to after the last.
fn together(journal: &Journal, records: &[Record]) -> Result<String, StoreError> {
    let mut files: BTreeMap<&Path, (&Stamp, &Stamp)> = BTreeMap::new();
    for file in records.iter().flat_map(|record| &record.files) {
        let both = files.entry(&file.path).or_insert((&file.before, &file.after));
        both.1 = &file.after;
    }
    let mut text = String::new();
    for (path, (before, after)) in files {
        if before.sha256() == after.sha256() {
            continue;
        }
        let (before, after) = (journal.entry(before)?, journal.entry(after)?);
        text += &one(&path.to_string_lossy(), &before, &after);
    }
    Ok(text)
}

fn one(path: &str, before: &Entry, after: &Entry) -> String {
    let diff = difference(path, before, after);
    if !diff.is_empty() {
        return diff;
    }
    let link = |entry: &Entry| matches!(entry, Entry::Link { .. });
    let kind = if link(before) || link(after) { "Symbolic links" } else { "Binary files" };
    format!("{kind} a/{path} and b/{path} differ\n")
}
