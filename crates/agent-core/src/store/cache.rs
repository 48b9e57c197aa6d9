//! Answers that were given before.

use jiff::Timestamp;
use rusqlite::{OptionalExtension, Row, params};

use super::{Store, StoreError, records::out_of_range};
use crate::{
    journal::record::path_bytes,
    memory::{CacheStats, Cached, Origin},
};

/// The most answers that are kept.
const MOST: u64 = 500;

/// The answer to the very request, found by the table's own index.
const EXACT: &str = "SELECT number, request, answer, sources, time FROM cached
     WHERE workspace = ?1 AND model = ?2 AND prompt = ?3 AND request = ?4";

/// The requests alone, which stand in that index: no answer is read for them.
const REQUESTS: &str = "SELECT number, request FROM cached
     WHERE workspace = ?1 AND model = ?2 AND prompt = ?3";

const NUMBERED: &str = "SELECT number, request, answer, sources, time FROM cached
     WHERE number = ?1";

impl Store {
    /// The answer with that origin to that request.
    pub(crate) fn cached(
        &self,
        origin: &Origin,
        request: &str,
    ) -> Result<Option<Cached>, StoreError> {
        let Origin { workspace, model, prompt } = origin;
        let key = params![path_bytes(workspace), model, prompt, request];
        let found = self.connection.query_row(EXACT, key, cached);
        found.optional().map_err(|error| self.sql(&error))
    }

    /// The requests with that origin that were answered, each with its number.
    pub(crate) fn cached_requests(
        &self,
        origin: &Origin,
    ) -> Result<Vec<(i64, String)>, StoreError> {
        let read = || {
            let mut statement = self.connection.prepare(REQUESTS)?;
            let Origin { workspace, model, prompt } = origin;
            let key = params![path_bytes(workspace), model, prompt];
            let rows = statement.query_map(key, |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(|error| self.sql(&error))
    }

    /// The answer of that number.
    pub(crate) fn cached_numbered(&self, number: i64) -> Result<Option<Cached>, StoreError> {
        let found = self.connection.query_row(NUMBERED, [number], cached);
        found.optional().map_err(|error| self.sql(&error))
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

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;
    use tempfile::TempDir;

    use super::*;

    fn origin() -> Origin {
        let workspace = "/w".into();
        Origin { workspace, model: "m".to_owned(), prompt: "p".to_owned() }
    }

    /// A store with so many answers.
    fn filled(directory: &TempDir, answers: usize) -> Store {
        let mut store = Store::open(directory.path()).unwrap();
        for number in 0..answers {
            let entry = Cached {
                number: 0,
                request: format!("where is name{number} defined"),
                answer: "In a.txt. ".repeat(1000),
                sources: Vec::new(),
                time: Timestamp::UNIX_EPOCH,
            };
            store.keep_cached(&origin(), &entry, None).unwrap();
        }
        store
    }

    /// What it takes to run a statement to its end: steps of SQLite's machine, and rows that were
    /// gone through without an index.
    fn work(store: &Store, sql: &str, request: Option<&str>) -> (i32, i32) {
        let Origin { workspace, model, prompt } = origin();
        let mut statement = store.connection.prepare(sql).unwrap();
        let workspace = path_bytes(&workspace);
        let mut key: Vec<&dyn rusqlite::ToSql> = vec![&workspace, &model, &prompt];
        key.extend(request.iter().map(|request| request as &dyn rusqlite::ToSql));
        let found = statement.query_map(key.as_slice(), |_| Ok(())).unwrap().count();
        assert!(found > 0);
        (
            statement.get_status(StatementStatus::VmStep),
            statement.get_status(StatementStatus::FullscanStep),
        )
    }

    #[test]
    fn one_answer_of_five_hundred_is_found_as_fast_as_the_only_one() {
        let [few, many] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let (few, many) = (filled(&few, 1), filled(&many, 500));
        let request = Some("where is name0 defined");
        let (steps, scanned) = work(&many, EXACT, request);
        assert_eq!((steps, scanned), work(&few, EXACT, request));
        assert!(steps < 50, "{steps}");
        assert_eq!(scanned, 0);
        assert_eq!(work(&many, REQUESTS, None).1, 0);
    }

    #[test]
    fn what_is_like_a_request_is_looked_for_without_the_answers() {
        let directory = tempfile::tempdir().unwrap();
        let store = filled(&directory, 1);
        let plan = format!("EXPLAIN QUERY PLAN {REQUESTS}");
        let mut statement = store.connection.prepare(&plan).unwrap();
        let none: [&str; 3] = ["", "", ""];
        let told: String = statement.query_row(none, |row| row.get(3)).unwrap();
        assert!(told.contains("USING COVERING INDEX"), "{told}");
    }
}
