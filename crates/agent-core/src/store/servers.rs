//! What servers of other programs said of themselves, in the store.

use jiff::Timestamp;
use rusqlite::{OptionalExtension, params};

use super::{Store, StoreError};

impl Store {
    /// How the server of this hash was last spoken to.
    pub(crate) fn server_era(&self, hash: &str) -> Result<Option<String>, StoreError> {
        let read = self.connection.query_row(
            "SELECT era FROM server WHERE hash = ?1 AND era IS NOT NULL",
            [hash],
            |row| row.get(0),
        );
        read.optional().map_err(|error| self.sql(&error))
    }

    /// Keeps how it is spoken to; nothing forgets it.
    pub(crate) fn keep_server_era(
        &mut self,
        hash: &str,
        era: Option<&str>,
    ) -> Result<(), StoreError> {
        self.write_at_leisure(|transaction| {
            let keep = "INSERT INTO server (hash, era) VALUES (?1, ?2)
                        ON CONFLICT (hash) DO UPDATE SET era = excluded.era";
            transaction.execute(keep, params![hash, era]).map(drop)
        })
    }

    /// Its tools, where it has told of them since `since`.
    pub(crate) fn server_tools(
        &self,
        hash: &str,
        since: Timestamp,
    ) -> Result<Option<String>, StoreError> {
        let read = self.connection.query_row(
            "SELECT tools FROM server WHERE hash = ?1 AND tools IS NOT NULL AND time >= ?2",
            params![hash, since.as_millisecond()],
            |row| row.get(0),
        );
        read.optional().map_err(|error| self.sql(&error))
    }

    /// Keeps its tools; nothing forgets them.
    pub(crate) fn keep_server_tools(
        &mut self,
        hash: &str,
        tools: Option<&str>,
    ) -> Result<(), StoreError> {
        self.write_at_leisure(|transaction| {
            let keep = "INSERT INTO server (hash, tools, time) VALUES (?1, ?2, ?3)
                        ON CONFLICT (hash) DO UPDATE SET tools = excluded.tools, time = excluded.time";
            let now = Timestamp::now().as_millisecond();
            transaction.execute(keep, params![hash, tools, now]).map(drop)
        })
    }

    /// The fingerprints of a trusted server's tools; none where they were not seen yet.
    pub(crate) fn trusted_tools(&self, hash: &str) -> Result<Option<String>, StoreError> {
        let read = self.connection.query_row(
            "SELECT tools FROM trusted WHERE hash = ?1 AND tools IS NOT NULL",
            [hash],
            |row| row.get(0),
        );
        read.optional().map_err(|error| self.sql(&error))
    }

    /// Keeps them, where the server is trusted.
    pub(crate) fn keep_trusted_tools(&mut self, hash: &str, tools: &str) -> Result<(), StoreError> {
        self.write(|transaction| {
            let keep = "UPDATE trusted SET tools = ?2 WHERE hash = ?1";
            transaction.execute(keep, params![hash, tools]).map(drop)
        })
    }
}
