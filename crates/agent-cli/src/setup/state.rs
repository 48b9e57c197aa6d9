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
    journal: Arc<Journal>,
    sessions: Arc<Sessions>,
    rules: Arc<SavedRules>,
    directory: Option<PathBuf>,
    stays: Stays,
    /// A state directory that is gone as soon as this value is.
    _scratch: Option<TempDir>,
}

/// How much of what is written down stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stays {
    /// All of it.
    Everything,
    /// What a recording is made of, until that is done.
    ForRecording,
    Nothing,
}

impl State {
    /// The user's own.
    pub(crate) fn lasting(environment: Environment) -> Self {
        Self::at(environment.state_dir(), Stays::Everything, None)
    }

    /// The user's own, or for a run that leaves nothing and is recorded all the same one that is
    /// gone after it: a recording is made of what a state directory holds.
    pub(crate) fn of(
        arguments: &args::Run,
        past: Option<&Past>,
        environment: Environment,
    ) -> Result<Self, Error> {
        match (arguments.ephemeral, &arguments.record) {
            (false, _) => return Ok(Self::lasting(environment)),
            (true, None) => return Ok(Self::at(environment.state_dir(), Stays::Nothing, None)),
            (true, Some(_)) => {}
        }
        if past.is_some() {
            let help = "leave out `--ephemeral`, or `--record`";
            return Err(Error::usage("record", "only a session that is kept is recorded", help));
        }
        let failed = |error| Error::system("make a scratch directory", &error);
        let scratch = tempfile::tempdir().map_err(failed)?;
        let directory = Some(scratch.path().to_owned());
        Ok(Self::at(directory, Stays::ForRecording, Some(scratch)))
    }

    fn at(directory: Option<PathBuf>, stays: Stays, scratch: Option<TempDir>) -> Self {
        let sessions = Sessions::at(directory.clone());
        Self {
            journal: Arc::new(Journal::beside(&sessions)),
            rules: Arc::new(SavedRules::beside(&sessions)),
            sessions: Arc::new(sessions),
            directory,
            stays,
            _scratch: scratch,
        }
    }

    /// Where that is.
    pub(crate) fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// Whether what is written down is there for other runs.
    pub(crate) fn lasts(&self) -> bool {
        self.stays == Stays::Everything
    }

    /// Where changes are recorded, if they are.
    pub(crate) fn record(&self) -> Option<Arc<Journal>> {
        (self.stays != Stays::Nothing).then(|| Arc::clone(&self.journal))
    }

    /// Where sessions are kept, if they are.
    pub(crate) fn kept(&self) -> Option<Arc<Sessions>> {
        (self.stays != Stays::Nothing).then(|| Arc::clone(&self.sessions))
    }

    /// Where sessions are kept for other runs, if they are.
    pub(crate) fn lasting_sessions(&self) -> Option<Arc<Sessions>> {
        self.kept().filter(|_| self.lasts())
    }

    /// What was answered with "always", where that counts.
    pub(crate) fn rules(&self) -> Option<Arc<SavedRules>> {
        self.lasts().then(|| Arc::clone(&self.rules))
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
