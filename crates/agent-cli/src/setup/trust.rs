//! What came with a workspace: inert until the user has trusted it.

use std::io::Read;

use agent_core::{
    config::{Layer, Trust},
    trust::{Brought, Trusted},
};
use agent_tools::{PathError, Workspace};

use super::{state::state_error, unreadable};
use crate::{environment::Environment, error::Error};

/// The workspace's own configuration file.
pub(crate) const WORKSPACE_FILE: &str = ".agent/config.toml";

/// The most that a configuration file may hold.
const LARGEST_FILE: u64 = 1024 * 1024;

/// Whom it takes to heed what came with a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Trusting {
    /// The user has trusted it before.
    #[default]
    Before,
    /// The user trusts all of it for this run.
    Now,
}

impl Trusting {
    /// What `--trust` says.
    pub(crate) fn of(now: bool) -> Self {
        if now { Self::Now } else { Self::Before }
    }
}

/// What the user trusts, not opened yet.
pub(crate) fn trusted(environment: Environment) -> Trusted {
    Trusted::at(environment.state_dir())
}

/// What the workspace's configuration file says, as far as it counts.
pub(super) fn workspace_file(
    workspace: &Workspace,
    trusting: Trusting,
    environment: Environment,
) -> Result<Layer, Error> {
    let Some(text) = in_workspace(workspace, WORKSPACE_FILE)? else {
        return Ok(Layer::default());
    };
    let layer = Layer::file(WORKSPACE_FILE, &text, Trust::Workspace)?;
    // Where all of it counts anyway, nobody has to be looked up.
    let heeded = trusting == Trusting::Now || {
        let brought = Brought::file(workspace.root(), WORKSPACE_FILE, &text);
        trusted(environment).holds(&brought).map_err(|error| state_error(&error))?
    };
    Ok(if heeded { Layer::file(WORKSPACE_FILE, &text, Trust::Full)? } else { layer })
}

/// Trusts the workspace's configuration file as it stands, and gives what counts from now on that
/// did not before; none where there is no such file.
pub(crate) fn trust_file(
    workspace: &Workspace,
    environment: Environment,
) -> Result<Option<Vec<String>>, Error> {
    let Some(text) = in_workspace(workspace, WORKSPACE_FILE)? else { return Ok(None) };
    let layer = Layer::file(WORKSPACE_FILE, &text, Trust::Workspace)?;
    let brought = Brought::file(workspace.root(), WORKSPACE_FILE, &text);
    trusted(environment).trust(&brought).map_err(|error| state_error(&error))?;
    Ok(Some(layer.withheld()))
}

/// The text of a file that came with the workspace; none where there is no such file.
pub(super) fn in_workspace(workspace: &Workspace, path: &str) -> Result<Option<String>, Error> {
    let found = workspace.resolve(path);
    if found.as_ref().is_ok_and(|path| workspace.lacks(path)) {
        return Ok(None);
    }
    let file = match found.and_then(|path| workspace.open_file(&path)) {
        Ok(file) => file,
        // Where `.agent` is a file, it is somebody else's.
        Err(PathError::Missing { .. } | PathError::NotADirectory { .. }) => return Ok(None),
        Err(error) => return Err(unreadable(path, &error)),
    };
    let mut text = String::new();
    let read = file.take(LARGEST_FILE).read_to_string(&mut text);
    read.map_err(|error| unreadable(path, &error))?;
    Ok(Some(text))
}
