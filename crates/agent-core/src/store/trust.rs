//! What the user trusts, in the store.

use jiff::Timestamp;
use rusqlite::params;

use super::{Store, StoreError};

impl Store {
    /// Whether something of this hash is trusted.
    pub(crate) fn is_trusted(&self, hash: &str) -> Result<bool, StoreError> {
        let found = "SELECT EXISTS (SELECT 1 FROM trusted WHERE hash = ?1)";
        let read = self.connection.query_row(found, [hash], |row| row.get(0));
        read.map_err(|error| self.sql(&error))
    }

    /// Trusts what has this hash. `what` tells people which it is.
    pub(crate) fn trust(&mut self, hash: &str, what: &str) -> Result<(), StoreError> {
        self.write(|transaction| {
            let insert = "INSERT OR REPLACE INTO trusted (hash, what, time) VALUES (?1, ?2, ?3)";
            let now = Timestamp::now().as_millisecond();
            transaction.execute(insert, params![hash, what, now]).map(drop)
        })
    }
}
