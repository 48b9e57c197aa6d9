//! Sessions and their notes.

use std::path::Path;

use jiff::Timestamp;
use miniz_oxide::inflate;
use rusqlite::{OptionalExtension, Row, Transaction, params};

use super::{Durability, Store, StoreError};
use crate::{
    journal::record::{path_bytes, path_of},
    parallel,
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
        let packed: Vec<_> = notes.iter().map(|Written(text)| self.packer.packed(text)).collect();
        let work = |transaction: &Transaction<'_>| {
            let next: i64 = transaction
                .prepare_cached(
                    "SELECT coalesce(max(note.position) + 1, 0) FROM note
                     JOIN session ON session.number = note.session WHERE session.id = ?1",
                )?
                .query_row([&summary.id], |row| row.get(0))?;
            if next != position as i64 {
                return Ok(false);
            }
            let number = number(transaction, summary, position + notes.len())?;
            let mut insert = transaction.prepare_cached(
                "INSERT INTO note (session, position, size, deflated, body, seal)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?;
            for ((position, Written(text)), body) in (position..).zip(notes).zip(&packed) {
                let deflated = body.is_some();
                let body = body.as_deref().unwrap_or(text);
                let seal = seal(&summary.id, position, text);
                insert.execute(params![
                    number,
                    position as i64,
                    text.len() as i64,
                    deflated,
                    body,
                    seal
                ])?;
            }
            Ok(true)
        };
        self.write_as(durability, work)
    }

    /// The notes of a session in their order.
    pub(crate) fn notes(&self, id: &str) -> Result<Vec<Written>, StoreError> {
        let rows = self.connection.prepare(
            "SELECT note.position, note.size, note.deflated, note.body, note.seal FROM note
             JOIN session ON session.number = note.session
             WHERE session.id = ?1 ORDER BY note.position",
        );
        let rows = rows.and_then(|mut statement| {
            statement.query_map([id], stored)?.collect::<rusqlite::Result<Vec<_>>>()
        });
        let rows = rows.map_err(|error| self.sql(&error))?;
        let told = "SELECT notes FROM session WHERE id = ?1";
        let told = self.connection.query_row(told, [id], |row| row.get::<_, Option<i64>>(0));
        // Whoever asks has found the session, though by another way than its index.
        let told = told.optional().map_err(|error| self.sql(&error))?;
        let told = told.ok_or_else(|| self.damaged(format!("the session {id} is missing")))?;
        if told.is_some_and(|told| usize::try_from(told) != Ok(rows.len())) {
            return Err(self.damaged(format!("notes of the session {id} are missing")));
        }
        let texts = parallel::map(rows, |index, row| row.text(id, index)).into_iter();
        let written = |(index, text): (usize, Option<Vec<u8>>)| {
            let garbled = || self.damaged(format!("note {index} of the session {id} is garbled"));
            text.map(Written).ok_or_else(garbled)
        };
        texts.enumerate().map(written).collect()
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
            transaction.execute("DELETE FROM session WHERE id = ?1", [id]).map(drop)
        })
    }
}

/// The number of the session, whose row is made or brought up to date for so many notes.
fn number(transaction: &Transaction<'_>, summary: &Summary, notes: usize) -> rusqlite::Result<i64> {
    let Summary { id, workspace, begun, changed, task, model, requests, actions, outcome } =
        summary;
    let known = transaction
        .prepare_cached(
            "UPDATE session SET changed = ?2, model = ?3, requests = ?4, actions = ?5, outcome = ?6,
             notes = ?7
             WHERE id = ?1 RETURNING number",
        )?
        .query_row(
            params![
                id,
                changed.as_millisecond(),
                model,
                *requests as i64,
                *actions as i64,
                outcome,
                notes as i64
            ],
            |row| row.get(0),
        )
        .optional()?;
    if let Some(number) = known {
        return Ok(number);
    }
    transaction
        .prepare(
            "INSERT INTO session
             (id, workspace, begun, changed, task, model, requests, actions, outcome, notes)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
            id,
            path_bytes(workspace),
            begun.as_millisecond(),
            changed.as_millisecond(),
            task,
            model,
            *requests as i64,
            *actions as i64,
            outcome,
            notes as i64,
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
struct Stored {
    position: i64,
    size: i64,
    deflated: bool,
    body: Vec<u8>,
    seal: Vec<u8>,
}

fn stored(row: &Row<'_>) -> rusqlite::Result<Stored> {
    Ok(Stored {
        position: row.get(0)?,
        size: row.get(1)?,
        deflated: row.get(2)?,
        body: row.get(3)?,
        seal: row.get(4)?,
    })
}

impl Stored {
    /// The text, if it is as it was written, and in its place.
    fn text(self, id: &str, index: usize) -> Option<Vec<u8>> {
        let position = usize::try_from(self.position).ok().filter(|position| *position == index)?;
        let text = match self.deflated {
            false => self.body,
            true => {
                let size = usize::try_from(self.size).ok()?;
                inflate::decompress_to_vec_zlib_with_limit(&self.body, size).ok()?
            }
        };
        (seal(id, position, &text) == self.seal).then_some(text)
    }
}

/// The first bytes of a hash: enough to notice what happens by accident.
fn seal(id: &str, position: usize, text: &[u8]) -> Vec<u8> {
    let mut sealed = format!("{id}|{position}|").into_bytes();
    sealed.extend_from_slice(text);
    agent_tools::sha256(&sealed).into_bytes().into_iter().take(16).collect()
}
