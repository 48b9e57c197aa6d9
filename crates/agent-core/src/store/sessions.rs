//! Sessions and their notes.

use std::path::Path;

use jiff::Timestamp;
use miniz_oxide::inflate;
use rusqlite::{OptionalExtension, Row, Transaction, params};

use super::{Durability, Store, StoreError, blobs};
use crate::{
    journal::record::{path_bytes, path_of},
    session::{Summary, Written},
};

const COLUMNS: &str = "id, workspace, begun, changed, task, model, requests, actions, outcome";

impl Store {
    /// Adds notes to a session behind the `position` that are there, and brings its row up to
    /// date. False where another process has added notes there.
    pub(crate) fn add_notes(
        &mut self,
        summary: &Summary,
        position: usize,
        notes: &[Written],
        durability: Durability,
    ) -> Result<bool, StoreError> {
        let packed: Vec<_> = notes.iter().map(|note| self.packer.packed(&note.text)).collect();
        let work = |transaction: &Transaction<'_>| {
            let known = number(transaction, &summary.id)?;
            let next = known.map_or(Ok(0), |number| next_position(transaction, number))?;
            if next != position as i64 {
                return Ok(false);
            }
            let number = put_summary(transaction, known, summary, position + notes.len())?;
            let mut insert = transaction.prepare_cached(
                "INSERT INTO note (session, position, size, deflated, body, seal, file)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?;
            for ((position, note), body) in (position..).zip(notes).zip(&packed) {
                let Written { text, file } = note;
                let hash = file.as_ref().map(|file| agent_tools::sha256(file.as_bytes()));
                if let (Some(file), Some(hash)) = (file, &hash) {
                    blobs::keep(transaction, hash, file.as_bytes())?;
                }
                let deflated = body.is_some();
                let body = body.as_deref().unwrap_or(text);
                let seal = seal(&summary.id, position, text, hash.as_deref());
                insert.execute(params![
                    number,
                    position as i64,
                    text.len() as i64,
                    deflated,
                    body,
                    seal,
                    hash
                ])?;
            }
            Ok(true)
        };
        self.write_as(durability, work)
    }

    /// The notes of a session in their order.
    pub(crate) fn notes(&self, id: &str) -> Result<Vec<Stored>, StoreError> {
        let session = "SELECT number, notes FROM session WHERE id = ?1";
        let session = self.connection.query_row(session, [id], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, Option<i64>>(1)?))
        });
        // Whoever asks has found the session, though by another way than its index.
        let session = session.optional().map_err(|error| self.sql(&error))?;
        let missing = || self.damaged(format!("the session {id} is missing"));
        let (number, told) = session.ok_or_else(missing)?;
        let rows = self.connection.prepare(
            "SELECT position, size, deflated, body, seal, file FROM note
             WHERE session = ?1 ORDER BY position",
        );
        let rows = rows.and_then(|mut statement| {
            statement.query_map([number], stored)?.collect::<rusqlite::Result<Vec<_>>>()
        });
        let rows = rows.map_err(|error| self.sql(&error))?;
        if told.is_some_and(|told| usize::try_from(told) != Ok(rows.len())) {
            return Err(self.damaged(format!("notes of the session {id} are missing")));
        }
        Ok(rows)
    }

    /// The sessions of a workspace, or of all, the latest first.
    pub(crate) fn sessions(&self, workspace: Option<&Path>) -> Result<Vec<Summary>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM session WHERE ?1 IS NULL OR workspace = ?1
             ORDER BY changed DESC, number DESC"
        );
        self.summaries(&sql, workspace.map(path_bytes))
    }

    /// The sessions whose id begins with `prefix`, at most `most` of them.
    pub(crate) fn sessions_like(
        &self,
        prefix: &str,
        most: usize,
    ) -> Result<Vec<Summary>, StoreError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM session WHERE substr(id, 1, length(?1)) = ?1
             ORDER BY changed DESC LIMIT {most}"
        );
        self.summaries(&sql, prefix)
    }

    fn summaries(
        &self,
        sql: &str,
        value: impl rusqlite::ToSql,
    ) -> Result<Vec<Summary>, StoreError> {
        let rows = self.connection.prepare(sql).and_then(|mut statement| {
            statement.query_map([value], summary)?.collect::<rusqlite::Result<Vec<_>>>()
        });
        rows.map_err(|error| self.sql(&error))
    }

    /// Removes a session with its notes, and what is remembered of it. What it changed stays
    /// recorded.
    pub(crate) fn remove_session(&mut self, id: &str) -> Result<(), StoreError> {
        self.write(|transaction| {
            transaction.execute(
                "DELETE FROM note WHERE session IN (SELECT number FROM session WHERE id = ?1)",
                [id],
            )?;
            transaction.execute("DELETE FROM earlier WHERE session = ?1", [id])?;
            transaction.execute("DELETE FROM session WHERE id = ?1", [id])?;
            blobs::drop_unused(transaction)
        })
    }
}

/// The number of a session, if it is there.
fn number(transaction: &Transaction<'_>, id: &str) -> rusqlite::Result<Option<i64>> {
    let number = "SELECT number FROM session WHERE id = ?1";
    transaction.prepare_cached(number)?.query_row([id], |row| row.get(0)).optional()
}

/// The position behind the last note of a session.
fn next_position(transaction: &Transaction<'_>, number: i64) -> rusqlite::Result<i64> {
    let next = "SELECT coalesce(max(position) + 1, 0) FROM note WHERE session = ?1";
    transaction.prepare_cached(next)?.query_row([number], |row| row.get(0))
}

/// Brings the row of a session up to date for so many notes, or adds it; gives its number.
fn put_summary(
    transaction: &Transaction<'_>,
    known: Option<i64>,
    summary: &Summary,
    notes: usize,
) -> rusqlite::Result<i64> {
    let Summary { id, workspace, begun, changed, task, model, requests, actions, outcome } =
        summary;
    let (requests, actions, notes) = (*requests as i64, *actions as i64, notes as i64);
    let changed = changed.as_millisecond();
    if let Some(number) = known {
        transaction
            .prepare_cached(
                "UPDATE session SET changed = ?2, model = ?3, requests = ?4, actions = ?5,
                 outcome = ?6, notes = ?7 WHERE number = ?1",
            )?
            .execute(params![number, changed, model, requests, actions, outcome, notes])?;
        return Ok(number);
    }
    transaction
        .prepare_cached(
            "INSERT INTO session
             (id, workspace, begun, changed, task, model, requests, actions, outcome, notes)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
            id,
            path_bytes(workspace),
            begun.as_millisecond(),
            changed,
            task,
            model,
            requests,
            actions,
            outcome,
            notes,
        ])?;
    Ok(transaction.last_insert_rowid())
}

fn summary(row: &Row<'_>) -> rusqlite::Result<Summary> {
    let time = |index: usize| {
        let time = Timestamp::from_millisecond(row.get(index)?);
        time.map_err(|_| super::records::out_of_range(row, index))
    };
    let count = |index: usize| {
        let count: i64 = row.get(index)?;
        usize::try_from(count).map_err(|_| super::records::out_of_range(row, index))
    };
    Ok(Summary {
        id: row.get(0)?,
        workspace: path_of(&row.get::<_, Vec<u8>>(1)?),
        begun: time(2)?,
        changed: time(3)?,
        task: row.get(4)?,
        model: row.get(5)?,
        requests: count(6)?,
        actions: count(7)?,
        outcome: row.get(8)?,
    })
}

/// A note as it lies in the database.
pub(crate) struct Stored {
    position: i64,
    size: i64,
    deflated: bool,
    body: Vec<u8>,
    seal: Vec<u8>,
    file: Option<String>,
}

fn stored(row: &Row<'_>) -> rusqlite::Result<Stored> {
    Ok(Stored {
        position: row.get(0)?,
        size: row.get(1)?,
        deflated: row.get(2)?,
        body: row.get(3)?,
        seal: row.get(4)?,
        file: row.get(5)?,
    })
}

impl Stored {
    /// The text of the note and the hash of its file, if they are as they were written, and in
    /// their place.
    pub(crate) fn text(self, id: &str, index: usize) -> Option<(Vec<u8>, Option<String>)> {
        let position = usize::try_from(self.position).ok().filter(|position| *position == index)?;
        let text = match self.deflated {
            false => self.body,
            true => {
                let size = usize::try_from(self.size).ok()?;
                inflate::decompress_to_vec_zlib_with_limit(&self.body, size).ok()?
            }
        };
        let whole = seal(id, position, &text, self.file.as_deref()) == self.seal;
        whole.then_some((text, self.file))
    }
}

/// The first bytes of a hash: enough to notice what happens by accident.
fn seal(id: &str, position: usize, text: &[u8], file: Option<&str>) -> Vec<u8> {
    let mut sealed = format!("{id}|{position}|").into_bytes();
    sealed.extend_from_slice(text);
    sealed.extend_from_slice(file.unwrap_or_default().as_bytes());
    agent_tools::sha256(&sealed).into_bytes().into_iter().take(16).collect()
}
