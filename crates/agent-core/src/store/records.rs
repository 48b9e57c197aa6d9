//! Changes and their files.

use std::path::Path;

use jiff::Timestamp;
use rusqlite::{Row, Transaction, params};

use super::{Store, StoreError, blobs, memory::see_change};
use crate::journal::record::{
    FileRecord, Record, Stamp, State, attributes_text, path_bytes, path_of,
};

/// A content with its hash.
pub(crate) type Content<'a> = (&'a str, &'a [u8]);

const COLUMNS: &str = "id, workspace, session, tool, time, reverts, state, seal";

impl Store {
    /// Adds a change with the contents that belong to it, and gives it its number. It is on the
    /// disk when this returns.
    pub(crate) fn add(
        &mut self,
        mut record: Record,
        contents: &[Content<'_>],
    ) -> Result<Record, StoreError> {
        self.write(|transaction| {
            for (hash, content) in contents {
                blobs::keep(transaction, hash, content)?;
            }
            transaction
                .prepare_cached(
                    "INSERT INTO change (workspace, session, tool, time, reverts, state, seal)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, '')",
                )?
                .execute(params![
                    path_bytes(&record.workspace),
                    record.session,
                    record.tool,
                    record.time.as_millisecond(),
                    record.reverts,
                    record.state.number(),
                ])?;
            record.id = transaction.last_insert_rowid();
            for (position, file) in record.files.iter().enumerate() {
                add_file(transaction, record.id, position, file)?;
            }
            set_state(transaction, &record)
        })?;
        Ok(record)
    }

    /// Writes down what became of a change.
    pub(crate) fn set_state(&mut self, record: &Record) -> Result<(), StoreError> {
        // The files tell as much, so that nothing is lost if this is.
        self.write_at_leisure(|transaction| set_state(transaction, record))
    }

    /// The changes of a workspace, the first first.
    pub(crate) fn records(&self, workspace: &Path) -> Result<Vec<Record>, StoreError> {
        let condition = "workspace = ?1";
        self.select(condition, path_bytes(workspace))
    }

    /// The changes that are not settled, in every workspace.
    pub(crate) fn pending(&self) -> Result<Vec<Record>, StoreError> {
        self.select("state = 0 AND ?1 IS NULL", rusqlite::types::Null)
    }

    pub(super) fn select(
        &self,
        condition: &str,
        value: impl rusqlite::ToSql,
    ) -> Result<Vec<Record>, StoreError> {
        let (mut records, seals): (Vec<Record>, Vec<String>) = self
            .rows(
                &format!("SELECT {COLUMNS} FROM change WHERE {condition} ORDER BY id"),
                &value,
                head,
            )?
            .into_iter()
            .unzip();
        if records.is_empty() {
            return Ok(records);
        }
        let files = self.rows(
            &format!(
                "SELECT file.* FROM file JOIN change ON change.id = file.change
                 WHERE {condition} ORDER BY file.change, file.position"
            ),
            &value,
            file,
        )?;
        let mut files = files.into_iter().peekable();
        for record in &mut records {
            while let Some((_, file)) = files.next_if(|(change, _)| *change == record.id) {
                record.files.push(file);
            }
        }
        let garbled = records.iter().zip(&seals).find(|(record, seal)| record.seal() != **seal);
        match garbled {
            None => Ok(records),
            Some((record, _)) => {
                Err(self.damaged(format!("the record of change {} is garbled", record.id)))
            }
        }
    }

    fn rows<T>(
        &self,
        sql: &str,
        value: &impl rusqlite::ToSql,
        read: fn(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let rows = self.connection.prepare_cached(sql).and_then(|mut statement| {
            statement.query_map([value], read)?.collect::<rusqlite::Result<Vec<T>>>()
        });
        rows.map_err(|error| self.sql(&error))
    }
}

fn set_state(transaction: &Transaction<'_>, record: &Record) -> rusqlite::Result<()> {
    transaction
        .prepare_cached("UPDATE change SET state = ?2, seal = ?3 WHERE id = ?1")?
        .execute(params![record.id, record.state.number(), record.seal()])?;
    match record.state {
        State::Done => see_change(transaction, record),
        State::Pending | State::Void | State::LeftAlone => Ok(()),
    }
}

fn add_file(
    transaction: &Transaction<'_>,
    change: i64,
    position: usize,
    file: &FileRecord,
) -> rusqlite::Result<()> {
    let FileRecord { path, before, after, directories, attributes, added, removed } = file;
    transaction
        .prepare_cached(
            "INSERT INTO file VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        )?
        .execute(params![
            change,
            position as i64,
            path_bytes(path),
            kind(before),
            before.sha256(),
            before.mode(),
            kind(after),
            after.sha256(),
            after.mode(),
            directories,
            added.map(|lines| lines as i64),
            removed.map(|lines| lines as i64),
            attributes.as_ref().map(attributes_text),
        ])?;
    Ok(())
}

fn kind(stamp: &Stamp) -> i64 {
    match stamp {
        Stamp::Absent => 0,
        Stamp::File { .. } => 1,
        Stamp::Link { .. } => 2,
    }
}

/// A change without its files, and its seal.
fn head(row: &Row<'_>) -> rusqlite::Result<(Record, String)> {
    let record = Record {
        id: row.get(0)?,
        workspace: path_of(&row.get::<_, Vec<u8>>(1)?),
        session: row.get(2)?,
        tool: row.get(3)?,
        time: Timestamp::from_millisecond(row.get(4)?).map_err(|_| out_of_range(row, 4))?,
        reverts: row.get(5)?,
        state: State::of_number(row.get(6)?).ok_or_else(|| out_of_range(row, 6))?,
        files: Vec::new(),
    };
    Ok((record, row.get(7)?))
}

/// A file with the number of its change.
fn file(row: &Row<'_>) -> rusqlite::Result<(i64, FileRecord)> {
    let stamp = |first: usize| -> rusqlite::Result<Stamp> {
        Ok(match row.get::<_, i64>(first)? {
            0 => Stamp::Absent,
            1 => Stamp::File { sha256: row.get(first + 1)?, mode: row.get(first + 2)? },
            2 => Stamp::Link { sha256: row.get(first + 1)? },
            _ => return Err(out_of_range(row, first)),
        })
    };
    let lines = |index: usize| -> rusqlite::Result<Option<u64>> {
        let lines: Option<i64> = row.get(index)?;
        lines.map(|lines| u64::try_from(lines).map_err(|_| out_of_range(row, index))).transpose()
    };
    let attributes: Option<String> = row.get(12)?;
    let attributes = attributes.map(|text| serde_json::from_str(&text)).transpose();
    let attributes = attributes.map_err(|_| out_of_range(row, 12))?;
    let file = FileRecord {
        path: path_of(&row.get::<_, Vec<u8>>(2)?),
        before: stamp(3)?,
        after: stamp(6)?,
        directories: row.get(9)?,
        attributes,
        added: lines(10)?,
        removed: lines(11)?,
    };
    Ok((row.get(0)?, file))
}

pub(super) fn out_of_range(row: &Row<'_>, column: usize) -> rusqlite::Error {
    rusqlite::Error::IntegralValueOutOfRange(column, row.get(column).unwrap_or_default())
}
