//! Answers that were given before.

use jiff::Timestamp;
use rusqlite::{Row, params};

use super::{Store, StoreError, records::out_of_range};
use crate::{
    journal::record::path_bytes,
    memory::{CacheStats, Cached, Origin},
};

/// The most answers that are kept.
const MOST: u64 = 500;

impl Store {
    /// The answers with that origin.
    pub(crate) fn cached(&self, origin: &Origin) -> Result<Vec<Cached>, StoreError> {
        let read = || {
            let mut statement = self.connection.prepare(
                "SELECT number, request, answer, sources, time FROM cached
                 WHERE workspace = ?1 AND model = ?2 AND prompt = ?3",
            )?;
            let Origin { workspace, model, prompt } = origin;
            let rows =
                statement.query_map(params![path_bytes(workspace), model, prompt], cached)?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(|error| self.sql(&error))
    }

    /// Keeps an answer, in the place of the one with that number or of one to the same request.
    /// What was not used for the longest goes where there are too many.
    pub(crate) fn keep_cached(
        &mut self,
        origin: &Origin,
        entry: &Cached,
        instead: Option<i64>,
    ) -> Result<(), StoreError> {
        let sources = serde_json::to_string(&entry.sources).unwrap_or_default();
        self.write_at_leisure(|transaction| {
            transaction.execute("DELETE FROM cached WHERE number = ?1", [instead])?;
            transaction.execute(
                "INSERT INTO cached
                 (workspace, model, prompt, request, answer, sources, time, used)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7,
                         (SELECT coalesce(max(used), 0) + 1 FROM cached))
                 ON CONFLICT (workspace, model, prompt, request) DO UPDATE SET
                 answer = excluded.answer, sources = excluded.sources, time = excluded.time,
                 used = excluded.used",
                params![
                    path_bytes(&origin.workspace),
                    origin.model,
                    origin.prompt,
                    entry.request,
                    entry.answer,
                    sources,
                    entry.time.as_millisecond(),
                ],
            )?;
            transaction.execute(
                "DELETE FROM cached WHERE number IN
                 (SELECT number FROM cached ORDER BY used DESC LIMIT -1 OFFSET ?1)",
                [MOST as i64],
            )?;
            Ok(())
        })
    }

    /// Notes that an answer was given again.
    pub(crate) fn used_cached(&mut self, number: i64) -> Result<(), StoreError> {
        self.write_at_leisure(|transaction| {
            transaction.execute(
                "UPDATE cached SET hits = hits + 1, used = (SELECT max(used) + 1 FROM cached)
                 WHERE number = ?1",
                [number],
            )?;
            Ok(())
        })
    }

    /// What there is.
    pub(crate) fn cache_stats(&self) -> Result<CacheStats, StoreError> {
        let stats = self.connection.query_row(
            "SELECT count(*), coalesce(sum(length(CAST(answer AS BLOB)) + length(CAST(sources AS BLOB))), 0),
                    coalesce(sum(hits), 0) FROM cached",
            [],
            |row| {
                let count = |index: usize| {
                    let count: i64 = row.get(index)?;
                    u64::try_from(count).map_err(|_| out_of_range(row, index))
                };
                Ok(CacheStats { entries: count(0)?, most: MOST, bytes: count(1)?, hits: count(2)? })
            },
        );
        stats.map_err(|error| self.sql(&error))
    }

    /// Empties the cache.
    pub(crate) fn clear_cache(&mut self) -> Result<usize, StoreError> {
        self.write(|transaction| transaction.execute("DELETE FROM cached", []))
    }
}

fn cached(row: &Row<'_>) -> rusqlite::Result<Cached> {
    let sources: String = row.get(3)?;
    Ok(Cached {
        number: row.get(0)?,
        request: row.get(1)?,
        answer: row.get(2)?,
        sources: serde_json::from_str(&sources).map_err(|_| out_of_range(row, 3))?,
        time: Timestamp::from_millisecond(row.get(4)?).map_err(|_| out_of_range(row, 4))?,
    })
}
