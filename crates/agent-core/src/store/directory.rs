//! The store of a state directory, opened when it is first needed.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, TryLockError},
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

    /// The same where nothing has to be waited for: none where somebody else has the store or the
    /// database in hand, and nothing is done then.
    pub(crate) fn at_once<T>(
        &self,
        work: impl FnOnce(&mut Store) -> Result<T, StoreError>,
    ) -> Option<Result<T, StoreError>> {
        let mut store = match self.store.get()?.try_lock() {
            Ok(store) => store,
            Err(TryLockError::Poisoned(store)) => store.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        match store.at_once(work) {
            Err(StoreError::Busy { .. }) => None,
            done => Some(done),
        }
    }

    /// Does `work` here where nothing has to be waited for, and else beside the event loop. None
    /// where it broke down.
    pub(crate) async fn soon<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl Fn(&mut Store) -> Result<T, StoreError> + Send + 'static,
    ) -> Option<Result<T, StoreError>> {
        if let Some(done) = self.at_once(&work) {
            return Some(done);
        }
        let state = Arc::clone(self);
        tokio::task::spawn_blocking(move || state.with(work)).await.ok()
    }

    /// The store, once no other process makes changes.
    pub(crate) fn hold(&self) -> Result<Held<'_>, StoreError> {
        // Opened before, since that takes the lock too; and not kept from others while another
        // process has it.
        drop(self.opened()?);
        let alone = Store::lock(self.path()?)?;
        Ok(Held { store: self.opened()?, _alone: alone })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_once_is_only_where_nothing_has_to_be_waited_for() {
        let directory = tempfile::tempdir().unwrap();
        let here = StateDirectory::at(Some(directory.path().to_owned()));
        let write = |store: &mut Store| store.check_writable();
        assert!(here.at_once(write).is_none(), "it is not open");
        here.with(write).unwrap();
        assert_eq!(here.at_once(write).map(|done| done.is_ok()), Some(true));

        let other = StateDirectory::at(Some(directory.path().to_owned()));
        let busy = other.with(|store| store.write(|_| Ok(here.at_once(write).is_none())));
        assert!(busy.unwrap(), "another process writes");
        let in_hand = here.opened().unwrap();
        assert!(here.at_once(write).is_none(), "another thread has it");
        drop(in_hand);
        assert_eq!(here.at_once(write).map(|done| done.is_ok()), Some(true));
    }
}
