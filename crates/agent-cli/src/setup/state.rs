//! The state directory: what is kept between runs.

use std::sync::Arc;

use agent_core::{Journal, Sessions, StoreError, journal::Fate};

use crate::{environment::Environment, error::Error};

/// What `--ephemeral` costs.
pub(crate) const UNRECORDED: &str =
    "with --ephemeral no record is kept: `agent undo` can't take back what is changed now";

/// The journal, not opened yet.
pub(crate) fn journal(environment: Environment) -> Arc<Journal> {
    Arc::new(Journal::at(environment.state_dir()))
}

/// The sessions, not opened yet.
pub(crate) fn sessions(environment: Environment) -> Arc<Sessions> {
    Arc::new(Sessions::at(environment.state_dir()))
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
