//! What is remembered of workspaces.

use std::path::Path;

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Row, Transaction, params};

use super::{Store, StoreError, records::out_of_range};
use crate::{
    journal::record::{Record, Stamp, path_bytes},
    memory::{Earlier, Remembered, Standing},
};

/// The most conversations, and files, of a workspace.
const CONVERSATIONS: i64 = 20;
const FILES: i64 = 2000;

impl Store {
    /// What somebody said of a workspace, the first first.
    pub(crate) fn remembered(&self, workspace: &Path) -> Result<Vec<Remembered>, StoreError> {
        let read = || {
            let mut statement = self.connection.prepare(
                "SELECT number, text, standing, session, time FROM remembered
                 WHERE workspace = ?1 ORDER BY number",
            )?;
            let rows = statement.query_map([path_bytes(workspace)], remembered)?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(|error| self.sql(&error))
    }

    /// Remembers one thing, and gives it its number. The user's words take the place of the same
    /// words of a model.
    pub(crate) fn remember(
        &mut self,
        workspace: &Path,
        one: Remembered,
    ) -> Result<Remembered, StoreError> {
        let number = self.write(|transaction| {
            transaction.query_row(
                "INSERT INTO remembered (workspace, text, standing, session, time)
                 VALUES (?1, ?2, ?3, ?4, ?5)
                 ON CONFLICT (workspace, text) DO UPDATE SET
                 standing = excluded.standing, time = excluded.time
                 RETURNING number",
                params![
                    path_bytes(workspace),
                    one.text,
                    standing_number(one.standing),
                    one.session,
                    one.time.as_millisecond(),
                ],
                |row| row.get(0),
            )
        })?;
        Ok(Remembered { number, ..one })
    }

    /// The user accepts what a model proposed.
    pub(crate) fn accept(&mut self, number: i64) -> Result<(), StoreError> {
        self.write(|transaction| {
            let standing = standing_number(Standing::Accepted);
            let sql = "UPDATE remembered SET standing = ?2 WHERE number = ?1";
            transaction.execute(sql, [number, standing]).map(drop)
        })
    }

    /// Forgets one thing.
    pub(crate) fn forget(&mut self, number: i64) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute("DELETE FROM remembered WHERE number = ?1", [number]).map(drop)
        })
    }

    /// Forgets everything of a workspace: how much was said, and how many conversations there were.
    pub(crate) fn forget_workspace(
        &mut self,
        workspace: &Path,
    ) -> Result<(usize, usize), StoreError> {
        self.write(|transaction| {
            let removed = |table: &str| {
                let sql = format!("DELETE FROM {table} WHERE workspace = ?1");
                transaction.execute(&sql, [path_bytes(workspace)])
            };
            removed("seen")?;
            Ok((removed("remembered")?, removed("earlier")?))
        })
    }

    /// The last conversations of a workspace, the latest first.
    pub(crate) fn earlier(&self, workspace: &Path) -> Result<Vec<Earlier>, StoreError> {
        let read = || {
            let mut statement = self.connection.prepare(
                "SELECT session, time, request, outcome, files, summary FROM earlier
                 WHERE workspace = ?1 ORDER BY time DESC, session DESC",
            )?;
            let rows = statement.query_map([path_bytes(workspace)], earlier)?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(|error| self.sql(&error))
    }

    /// Keeps a conversation with the files as it left them. The oldest go where there are too many.
    pub(crate) fn keep_earlier(
        &mut self,
        workspace: &Path,
        held: &Earlier,
    ) -> Result<(), StoreError> {
        let files = serde_json::to_string(&held.files).unwrap_or_default();
        self.write_at_leisure(|transaction| {
            let (place, time) = (path_bytes(workspace), held.time.as_millisecond());
            transaction.execute(
                "INSERT INTO earlier (session, workspace, time, request, outcome, files, summary)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                 ON CONFLICT (session) DO UPDATE SET
                 time = excluded.time, request = excluded.request, outcome = excluded.outcome,
                 files = excluded.files, summary = excluded.summary",
                params![held.session, place, time, held.request, held.outcome, files, held.summary],
            )?;
            // What was changed is known from the record of changes.
            for file in held.files.iter().filter(|file| !file.changed) {
                see(transaction, &place, &file.path, file.sha256.as_deref(), time)?;
            }
            transaction.execute(
                "DELETE FROM earlier WHERE workspace = ?1 AND session NOT IN
                 (SELECT session FROM earlier WHERE workspace = ?1
                  ORDER BY time DESC, session DESC LIMIT ?2)",
                params![place, CONVERSATIONS],
            )?;
            transaction.execute(
                "DELETE FROM seen WHERE workspace = ?1 AND path NOT IN
                 (SELECT path FROM seen WHERE workspace = ?1 ORDER BY time DESC LIMIT ?2)",
                params![place, FILES],
            )?;
            Ok(())
        })
    }

    /// The hash of a file as it was last seen; none where it never was, and `Some(None)` where it
    /// was gone.
    pub(crate) fn seen(
        &self,
        workspace: &Path,
        path: &str,
    ) -> Result<Option<Option<String>>, StoreError> {
        let sql = "SELECT sha256 FROM seen WHERE workspace = ?1 AND path = ?2";
        let found =
            self.connection.query_row(sql, params![path_bytes(workspace), path], |row| row.get(0));
        found.optional().map_err(|error| self.sql(&error))
    }
}

/// Takes in what a change left, in the transaction that settles it: whoever made or took it back,
/// the memory of its files is what they hold now.
pub(super) fn see_change(transaction: &Transaction<'_>, record: &Record) -> rusqlite::Result<()> {
    let (workspace, time) = (path_bytes(&record.workspace), record.time.as_millisecond());
    for file in &record.files {
        let Some(path) = file.path.to_str() else { continue };
        let sha256 = match &file.after {
            Stamp::File { sha256, .. } => Some(sha256.as_str()),
            Stamp::Absent | Stamp::Link { .. } => None,
        };
        see(transaction, &workspace, path, sha256, time)?;
    }
    Ok(())
}

fn see(
    transaction: &Transaction<'_>,
    workspace: &[u8],
    path: &str,
    sha256: Option<&str>,
    time: i64,
) -> rusqlite::Result<()> {
    transaction
        .prepare_cached(
            "INSERT OR REPLACE INTO seen (workspace, path, sha256, time) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![workspace, path, sha256, time])?;
    Ok(())
}

fn standing_number(standing: Standing) -> i64 {
    match standing {
        Standing::User => 0,
        Standing::Proposed => 1,
        Standing::Accepted => 2,
    }
}

fn remembered(row: &Row<'_>) -> rusqlite::Result<Remembered> {
    let standing = match row.get::<_, i64>(2)? {
        0 => Standing::User,
        1 => Standing::Proposed,
        2 => Standing::Accepted,
        _ => return Err(out_of_range(row, 2)),
    };
    Ok(Remembered {
        number: row.get(0)?,
        text: row.get(1)?,
        standing,
        session: row.get(3)?,
        time: time(row, 4)?,
    })
}

fn earlier(row: &Row<'_>) -> rusqlite::Result<Earlier> {
    let files: String = row.get(4)?;
    Ok(Earlier {
        session: row.get(0)?,
        time: time(row, 1)?,
        request: row.get(2)?,
        outcome: row.get(3)?,
        files: serde_json::from_str(&files).map_err(|_| out_of_range(row, 4))?,
        summary: row.get(5)?,
    })
}

fn time(row: &Row<'_>, column: usize) -> rusqlite::Result<Timestamp> {
    Timestamp::from_millisecond(row.get(column)?).map_err(|_| out_of_range(row, column))
}
