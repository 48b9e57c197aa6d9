//! Taking old sessions out, with the contents of old changes.

use std::time::Duration;

use jiff::Timestamp;

use super::{Sessions, Summary};
use crate::{StoreError, journal::Record};

/// What is taken out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pruned {
    /// Sessions, which can't be gone on with any more.
    pub sessions: Vec<Summary>,
    /// Changes, which can't be undone or redone any more.
    pub changes: Vec<Record>,
}

impl Sessions {
    /// What [`Sessions::prune`] would take out.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the store can't be read.
    pub fn older_than(&self, age: Duration) -> Result<Pruned, StoreError> {
        self.with(|store| store.old(before(age)))
    }

    /// Takes out sessions and changes that are older than `age`, changes that were never made, and
    /// the contents that nothing refers to then.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the store can't be written; nothing is taken out then.
    pub fn prune(&self, age: Duration) -> Result<Pruned, StoreError> {
        let mut held = self.state.hold()?;
        let before = before(age);
        let pruned = held.store.old(before)?;
        held.store.prune(before)?;
        Ok(pruned)
    }
}

/// The moment that was so long ago.
fn before(age: Duration) -> Timestamp {
    let age = i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
    let then = Timestamp::now().as_millisecond().saturating_sub(age);
    Timestamp::from_millisecond(then).unwrap_or(Timestamp::MIN)
}
