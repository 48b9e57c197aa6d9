//! The store of a state directory, opened when it is first needed.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, OnceLock, PoisonError},
};

use super::{Lock, Store, StoreError};

/// The store of a state directory. Looking for something in a directory without one makes none.
#[derive(Debug)]
pub(crate) struct StateDirectory {
    path: Option<PathBuf>,
    store: OnceLock<Mutex<Store>>,
}

/// A store while no other process makes changes.
#[derive(Debug)]
pub(crate) struct Held<'a> {
    pub(crate) store: MutexGuard<'a, Store>,
    _alone: Lock,
}

impl StateDirectory {
    /// The state directory at `path`, which is made when it is first needed. Without a path every
    /// use of it fails.
    pub(crate) fn at(path: Option<PathBuf>) -> Self {
        Self { path, store: OnceLock::new() }
    }

    /// Whether anything was ever written down here.
    pub(crate) fn exists(&self) -> bool {
        self.path.as_deref().is_some_and(Store::is_in)
    }

    /// Does `work` with the store.
    pub(crate) fn with<T>(
        &self,
        work: impl FnOnce(&mut Store) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        work(&mut *self.opened()?)
    }

    /// The store, once no other process makes changes.
    pub(crate) fn hold(&self) -> Result<Held<'_>, StoreError> {
        let store = self.opened()?;
        Ok(Held { store, _alone: Store::lock(self.path()?)? })
    }

    fn path(&self) -> Result<&Path, StoreError> {
        self.path.as_deref().ok_or(StoreError::Nowhere)
    }

    fn opened(&self) -> Result<MutexGuard<'_, Store>, StoreError> {
        let store = match self.store.get() {
            Some(store) => store,
            None => {
                let store = Store::open(self.path()?)?;
                self.store.get_or_init(|| Mutex::new(store))
            }
        };
        // Whoever broke down with the store in hand left no transaction of it open.
        Ok(store.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
