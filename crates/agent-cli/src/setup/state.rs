//! The state directory: what is kept between runs.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use agent_core::{
    Journal, Sessions, StoreError, approval::SavedRules, journal::Fate, policy::Rule, session::Past,
};
use agent_tools::Workspace;

use tempfile::TempDir;

use crate::{args, environment::Environment, error::Error};

/// What `--ephemeral` costs.
pub(crate) const UNRECORDED: &str =
    "with --ephemeral no record is kept: `agent undo` can't take back what is changed now";

/// The journal, not opened yet.
pub(crate) fn journal(environment: Environment) -> Arc<Journal> {
    Arc::new(Journal::at(environment.state_dir()))
}

/// Where a run writes itself down, nothing of it opened yet.
pub(crate) struct State {
    pub(crate) journal: Arc<Journal>,
    pub(crate) sessions: Arc<Sessions>,
    directory: Option<PathBuf>,
    /// A state directory that is gone as soon as this value is.
    _scratch: Option<TempDir>,
}

impl State {
    /// The user's own, or for a run that leaves nothing and is recorded all the same one that is
    /// gone after it: a recording is made of what a state directory holds.
    pub(crate) fn of(
        arguments: &args::Run,
        past: Option<&Past>,
        environment: Environment,
    ) -> Result<Self, Error> {
        if !arguments.ephemeral || arguments.record.is_none() {
            return Ok(Self::at(environment.state_dir(), None));
        }
        if past.is_some() {
            let help = "leave out `--ephemeral`, or `--record`";
            return Err(Error::usage("record", "only a session that is kept is recorded", help));
        }
        let failed = |error| Error::system("make a scratch directory", &error);
        let scratch = tempfile::tempdir().map_err(failed)?;
        Ok(Self::at(Some(scratch.path().to_owned()), Some(scratch)))
    }

    /// Where that is.
    pub(crate) fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    fn at(directory: Option<PathBuf>, scratch: Option<TempDir>) -> Self {
        Self {
            journal: Arc::new(Journal::at(directory.clone())),
            sessions: Arc::new(Sessions::at(directory.clone())),
            directory,
            _scratch: scratch,
        }
    }
}

/// Opens the journal, if there is to be one, and tells of changes that were cut off and are not as
/// they were to be.
pub(crate) async fn prepared(journal: Option<Arc<Journal>>) -> Result<Vec<String>, Error> {
    let Some(journal) = journal else { return Ok(Vec::new()) };
    let prepared = tokio::task::spawn_blocking(move || journal.prepare()).await;
    let prepared = prepared.map_err(|error| Error::system("open the journal", &error.into()))?;
    let settled = prepared.map_err(|error| state_error(&error))?;
    let worth_telling = settled.iter().filter(|settled| match settled.fate {
        Fate::TakenBack | Fate::LeftAlone => true,
        Fate::Made | Fate::NotBegun => false,
    });
    Ok(worth_telling.map(ToString::to_string).collect())
}

/// What was answered with "always", not opened yet.
pub(crate) fn saved_rules(environment: Environment) -> SavedRules {
    SavedRules::at(environment.state_dir())
}

/// The rules that such answers made for the workspace.
pub(crate) fn saved(saved: &SavedRules, workspace: &Workspace) -> Result<Vec<Rule>, Error> {
    let rules = saved.list(workspace.root()).map_err(|error| state_error(&error))?;
    Ok(rules.into_iter().map(|(_, rule)| rule).collect())
}

/// A store that can't be used.
pub(crate) fn state_error(error: &StoreError) -> Error {
    let code = match error {
        StoreError::Newer { .. } | StoreError::Damaged { .. } | StoreError::Busy { .. } => {
            format!("state_{}", error.name())
        }
        StoreError::Nowhere | StoreError::Unusable { .. } => "state".to_owned(),
    };
    Error::config(&code, error, error.help())
}
