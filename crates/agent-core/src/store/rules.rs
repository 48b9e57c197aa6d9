//! Answers that hold for a workspace, in the store.

use std::path::Path;

use rusqlite::params;

use super::{Store, StoreError};
use crate::journal::record::path_bytes;

/// A rule as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RuleRow {
    pub(crate) effect: Option<String>,
    pub(crate) path: Option<String>,
    pub(crate) command: Option<String>,
}

impl Store {
    /// The rules of a workspace with their numbers, the first first.
    pub(crate) fn rules(&self, workspace: &Path) -> Result<Vec<(i64, RuleRow)>, StoreError> {
        let read = || {
            let mut statement = self.connection.prepare(
                "SELECT number, effect, path, command FROM rule WHERE workspace = ?1 ORDER BY number",
            )?;
            let rows = statement.query_map([path_bytes(workspace)], |row| {
                let rule = RuleRow { effect: row.get(1)?, path: row.get(2)?, command: row.get(3)? };
                Ok((row.get(0)?, rule))
            })?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(|error| self.sql(&error))
    }

    /// Adds a rule, unless it is there.
    pub(crate) fn add_rule(&mut self, workspace: &Path, rule: &RuleRow) -> Result<(), StoreError> {
        let RuleRow { effect, path, command } = rule;
        self.write(|transaction| {
            let values = params![path_bytes(workspace), effect, path, command];
            transaction.execute(
                "INSERT INTO rule (workspace, effect, path, command) SELECT ?1, ?2, ?3, ?4
                 WHERE NOT EXISTS (SELECT 1 FROM rule WHERE workspace = ?1 AND effect IS ?2
                                   AND path IS ?3 AND command IS ?4)",
                values,
            )?;
            Ok(())
        })
    }

    /// Removes a rule; false where there is none.
    pub(crate) fn remove_rule(
        &mut self,
        workspace: &Path,
        number: i64,
    ) -> Result<bool, StoreError> {
        self.write(|transaction| {
            let remove = "DELETE FROM rule WHERE workspace = ?1 AND number = ?2";
            Ok(transaction.execute(remove, params![path_bytes(workspace), number])? > 0)
        })
    }
}
