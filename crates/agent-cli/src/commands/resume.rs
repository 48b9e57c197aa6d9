//! `agent resume`, and which session `agent run` goes on with.

use std::{path::Path, process::ExitCode};

use agent_core::{
    Sessions,
    session::{Past, SessionError, Summary},
};
use agent_tools::Workspace;

use super::run;
use crate::{
    args,
    environment::Environment,
    error::Error,
    setup::{self, state_error},
};

const LIST: &str = "`agent sessions` lists those of this directory, `agent sessions --all` all";

pub(crate) async fn run(
    arguments: args::Resume,
    environment: Environment,
) -> Result<ExitCode, Error> {
    let args::Resume { id, mut run } = arguments;
    match id {
        Some(id) => run.resume = Some(id),
        None => run.go_on = run.resume.is_none(),
    }
    run::run(run, environment).await
}

/// Which workspace, and which session.
#[derive(Debug, Clone, Copy)]
pub(super) struct Which<'a> {
    /// The directory that was named.
    pub(super) directory: Option<&'a Path>,
    /// The beginning of the session's id.
    pub(super) resume: Option<&'a str>,
    /// Whether it is to be the last one of the directory.
    pub(super) go_on: bool,
}

/// The workspace that is to be worked in, and the session that is to be gone on with.
pub(super) fn place(
    Which { directory, resume, go_on }: Which<'_>,
    environment: Environment,
) -> Result<(Workspace, Option<Past>), Error> {
    let sessions = Sessions::at(environment.state_dir());
    let Some(prefix) = resume else {
        let workspace = setup::workspace(directory, environment)?;
        let past = match go_on {
            true => Some(last(&sessions, &workspace)?),
            false => None,
        };
        return Ok((workspace, past));
    };
    let summary = find(&sessions, prefix)?;
    // A session belongs to its directory, wherever it is called up from.
    let workspace = setup::workspace(Some(&summary.workspace), environment)?;
    if directory.is_some() && setup::workspace(directory, environment)?.root() != workspace.root() {
        let message = format!("the session is one of {}", summary.workspace.display());
        return Err(Error::usage("session", message, "leave `-C` out"));
    }
    let past = sessions.past(&summary).map_err(|error| session_error(&error))?;
    Ok((workspace, Some(past)))
}

/// The session whose id begins with `prefix`.
pub(super) fn find(sessions: &Sessions, prefix: &str) -> Result<Summary, Error> {
    sessions.find(prefix).map_err(|error| session_error(&error))
}

pub(super) fn last(sessions: &Sessions, workspace: &Workspace) -> Result<Past, Error> {
    let none = || {
        let message = format!("there is no session in {}", workspace.root().display());
        Error::usage("session", message, LIST)
    };
    if !sessions.exists() {
        return Err(none());
    }
    let listed = sessions.list(Some(workspace.root())).map_err(|error| state_error(&error))?;
    let summary = listed.into_iter().next().ok_or_else(none)?;
    sessions.past(&summary).map_err(|error| session_error(&error))
}

/// A session that can't be had.
pub(super) fn session_error(error: &SessionError) -> Error {
    match error {
        SessionError::Store(error) => state_error(error),
        SessionError::Unknown(_) => Error::usage("session", error, LIST),
        SessionError::Ambiguous { .. } => {
            Error::usage("session", error, "give more of the id that is meant")
        }
        SessionError::Note { .. } => Error::config(
            "session",
            error,
            "it was written by another version of this program: use that one, or begin a new \
             session",
        ),
    }
}

/// Fails where there is nothing to go on with.
pub(super) fn check_unfinished(past: &Past) -> Result<(), Error> {
    if past.outcome() != Some("finished") {
        return Ok(());
    }
    let id = past.summary.id.get(..13).unwrap_or(&past.summary.id);
    let help = format!("give the next task: `agent resume {id} \"TASK\"`");
    Err(Error::usage("no_task", "the session's last request is finished", help))
}
