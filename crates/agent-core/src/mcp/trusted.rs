//! Servers that came with a workspace and that the user has looked at.

use std::path::{Path, PathBuf};

use super::declared::Declared;
use crate::{StoreError, config::Trust, store::StateDirectory};

/// The user's word for servers that others have declared, in a state directory. It is opened when
/// it is first needed.
#[derive(Debug)]
pub struct Trusted {
    state: StateDirectory,
}

impl Trusted {
    /// What was trusted in the state directory `directory`. Without one nothing is.
    pub fn at(directory: Option<PathBuf>) -> Self {
        Self { state: StateDirectory::at(directory) }
    }

    /// Whether the server may be started: the user wrote it, or trusts what it executes, to the
    /// letter.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the store can't be read.
    pub fn permits(&self, server: &Declared, workspace: &Path) -> Result<bool, StoreError> {
        if server.trust == Trust::Full {
            return Ok(true);
        }
        if !self.state.exists() {
            return Ok(false);
        }
        self.state.with(|store| store.is_trusted(&server.hash(workspace)))
    }

    /// Trusts a server as it stands.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the store can't be written.
    pub fn trust(&self, server: &Declared, workspace: &Path) -> Result<(), StoreError> {
        self.state.with(|store| store.trust(&server.hash(workspace), &server.line()))
    }
}
