//! Taking old things out.

use jiff::Timestamp;

use super::{Store, StoreError, blobs};
use crate::{
    journal::Record,
    session::{Pruned, Summary},
};

impl Store {
    /// What is older than `before`: sessions, and changes that could still be taken back.
    pub(crate) fn old(&self, before: Timestamp) -> Result<Pruned, StoreError> {
        let sessions: Vec<Summary> =
            self.sessions(None)?.into_iter().filter(|session| session.changed < before).collect();
        let changes: Vec<Record> =
            self.select("state IN (1, 3) AND time < ?1", before.as_millisecond())?;
        Ok(Pruned { sessions, changes })
    }

    /// Takes out what is older than `before`, changes that were never made, and the contents that
    /// nothing refers to then. The caller keeps other processes from making changes.
    pub(crate) fn prune(&mut self, before: Timestamp) -> Result<(), StoreError> {
        self.write(|transaction| {
            let before = before.as_millisecond();
            let old_sessions = "(SELECT number FROM session WHERE changed < ?1)";
            let old_changes =
                "(SELECT id FROM change WHERE state = 2 OR (state IN (1, 3) AND time < ?1))";
            for statement in [
                format!("DELETE FROM note WHERE session IN {old_sessions}"),
                format!("DELETE FROM session WHERE number IN {old_sessions}"),
                "DELETE FROM earlier WHERE time < ?1".to_owned(),
                "DELETE FROM seen WHERE time < ?1".to_owned(),
                format!("DELETE FROM file WHERE change IN {old_changes}"),
                format!("DELETE FROM change WHERE id IN {old_changes}"),
            ] {
                transaction.execute(&statement, [before])?;
            }
            blobs::drop_unused(transaction)
        })?;
        let packed = self.connection.execute_batch("VACUUM");
        packed.map_err(|error| self.sql(&error))
    }
}
