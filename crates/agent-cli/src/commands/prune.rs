//! `agent sessions prune`

use std::{collections::BTreeMap, path::Path};

use agent_core::{Sessions, session::Pruned};
use serde_json::json;

use super::changes::files;
use crate::{
    args::{self, Shape},
    error::Error,
    setup::state_error,
    ui::{self, Stdout},
};

/// Changes that are named one by one for each directory.
const NAMED: usize = 10;

pub(super) fn run(sessions: &Sessions, arguments: &args::Prune) -> Result<(), Error> {
    let days = std::time::Duration::from_secs(u64::from(arguments.older_than) * 24 * 60 * 60);
    let pruned = match (sessions.exists(), arguments.dry_run) {
        (false, _) => Ok(Pruned::default()),
        (true, true) => sessions.older_than(days),
        (true, false) => sessions.prune(days),
    };
    let pruned = pruned.map_err(|error| state_error(&error))?;
    match arguments.output_format {
        Shape::Json => Stdout.json(&object(&pruned, arguments.dry_run)),
        Shape::Text => Stdout.text(&told(&pruned, arguments.dry_run)),
    }
}

fn told(pruned: &Pruned, dry_run: bool) -> String {
    let verb = if dry_run { "would be removed" } else { "removed" };
    let (sessions, changes) = (pruned.sessions.len(), pruned.changes.len());
    let mut text = format!("{verb}: sessions: {sessions}, changes: {changes}\n");
    let mut directories: BTreeMap<&Path, Vec<String>> = BTreeMap::new();
    for change in &pruned.changes {
        let line = format!("  {:>5}  {}\n", change.id, files(change));
        directories.entry(&change.workspace).or_default().push(line);
    }
    for (directory, lines) in directories {
        let directory = ui::harmless(&directory.display().to_string()).into_owned();
        let can = if dry_run { "could no longer" } else { "can no longer" };
        text += &format!("{can} be undone or redone in {directory}:\n");
        text.extend(lines.iter().take(NAMED).map(String::as_str));
        if let more @ 1.. = lines.len().saturating_sub(NAMED) {
            text += &format!("  and {more} more\n");
        }
    }
    text
}

fn object(pruned: &Pruned, dry_run: bool) -> serde_json::Value {
    let sessions = pruned.sessions.iter().map(|session| session.id.as_str());
    let changes = pruned.changes.iter().map(|change| {
        json!({ "id": change.id, "workspace": change.workspace, "session": change.session })
    });
    json!({
        "dry_run": dry_run,
        "sessions": sessions.collect::<Vec<_>>(),
        "changes": changes.collect::<Vec<_>>(),
    })
}
