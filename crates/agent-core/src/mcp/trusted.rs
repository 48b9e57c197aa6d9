//! Servers that came with a workspace and that the user has looked at.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use super::declared::Declared;
use crate::{StoreError, config::Trust, store::Store};

/// The user's word for servers that others have declared, in a state directory. It is opened when
/// it is first needed.
#[derive(Debug)]
pub struct Trusted {
    directory: Option<PathBuf>,
    store: Mutex<Option<Store>>,
}

impl Trusted {
    /// What was trusted in the state directory `directory`. Without one nothing is.
    pub fn at(directory: Option<PathBuf>) -> Self {
        Self { directory, store: Mutex::new(None) }
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
        if !self.directory.as_deref().is_some_and(Store::is_in) {
            return Ok(false);
        }
        self.with(|store| store.is_trusted(&server.hash(workspace)))
    }

    /// Trusts a server as it stands.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the store can't be written.
    pub fn trust(&self, server: &Declared, workspace: &Path) -> Result<(), StoreError> {
        self.with(|store| store.trust(&server.hash(workspace), &server.line()))
    }

    fn with<T>(
        &self,
        work: impl FnOnce(&mut Store) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let directory = self.directory.as_deref().ok_or(StoreError::Nowhere)?;
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        work(Store::opened(&mut store, directory)?)
    }
}
