//! How safe it is what was written, and when the disk is waited for to make it so.

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::files;

/// Whether a power failure may take back what was written; a crash never does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    /// It may, until the store is closed or something is written that it may not take back.
    Crash,
    /// It may not.
    Power,
}

impl Durability {
    /// Has `connection` wait for the disk as often as this takes.
    pub(super) fn set(self, connection: &Connection) -> rusqlite::Result<()> {
        let name = match self {
            Self::Crash => "NORMAL",
            Self::Power => "FULL",
        };
        connection.pragma_update(None, "synchronous", name)
    }
}

/// Pages in the log after which SQLite brings them into the database.
const PAGES: i64 = 1000;

/// Runs `work` in a transaction.
pub(super) fn transact<T>(
    connection: &mut Connection,
    work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let done = work(&transaction)?;
    transaction.commit()?;
    Ok(done)
}

/// Runs `work` as the first transaction of the log at `log`, to be as durable as
/// [`Durability::Crash`], and gives it back where the log has begun.
///
/// SQLite waits twice for the disk before it writes the first page of a log, so that no page of the
/// one before can come to stand behind its head. A log that has just been made has none before, and
/// whatever is to outlast a power failure waits for all of it, and for its name.
pub(super) fn begin_log<T, W>(
    connection: &mut Connection,
    log: &Path,
    work: W,
) -> rusqlite::Result<Result<T, W>>
where
    W: FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
{
    // Without waiting nothing may come into the database either.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "synchronous", "OFF")?;
    let done = begun(connection, log, work);
    Durability::Crash.set(connection)?;
    connection.pragma_update(None, "wal_autocheckpoint", PAGES)?;
    done
}

fn begun<T, W>(connection: &mut Connection, log: &Path, work: W) -> rusqlite::Result<Result<T, W>>
where
    W: FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
{
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // From here on nobody else writes. Before, another process may have.
    if !files::is_empty(log) {
        return Ok(Err(work));
    }
    let done = work(&transaction)?;
    transaction.commit()?;
    Ok(Ok(done))
}

#[cfg(test)]
mod tests {
    use super::{super::Store, *};

    /// How the connection is set.
    fn settings(connection: &Connection) -> rusqlite::Result<[i64; 2]> {
        let setting = |name| connection.pragma_query_value(None, name, |row| row.get(0));
        Ok([setting("synchronous")?, setting("wal_autocheckpoint")?])
    }

    /// The same while a row is written.
    fn writing(transaction: &Transaction<'_>) -> rusqlite::Result<[i64; 2]> {
        transaction.execute("INSERT INTO rule (workspace) VALUES (x'00')", [])?;
        settings(transaction)
    }

    #[test]
    fn only_the_first_transaction_of_a_log_waits_for_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let mut store = Store::open(directory.path()).unwrap();
        store.check_writable().unwrap();
        assert_eq!(settings(&store.connection), Ok([2, PAGES]), "nothing is in the log yet");
        assert_eq!(store.write_at_leisure(writing).unwrap(), [0, 0]);
        assert_eq!(settings(&store.connection), Ok([1, PAGES]));
        assert_eq!(store.write_at_leisure(writing).unwrap(), [1, PAGES]);
        assert_eq!(store.write(writing).unwrap(), [2, PAGES]);

        let mut other = Store::open(directory.path()).unwrap();
        assert_eq!(other.write_at_leisure(writing).unwrap(), [1, PAGES], "the log has begun");
        drop((store, other));
        let mut next = Store::open(directory.path()).unwrap();
        assert_eq!(next.write(writing).unwrap(), [2, PAGES]);
        assert_eq!(next.write_at_leisure(writing).unwrap(), [1, PAGES]);
    }

    #[test]
    fn whoever_is_not_first_after_all_writes_as_ever() {
        let directory = tempfile::tempdir().unwrap();
        let mut store = Store::open(directory.path()).unwrap();
        store.write_at_leisure(writing).unwrap();
        let log = files::log(&store.path);
        let given_back = begin_log(&mut store.connection, &log, writing).unwrap();
        assert_eq!(settings(&store.connection), Ok([1, PAGES]));
        let again = given_back.unwrap_err();
        assert_eq!(transact(&mut store.connection, again), Ok([1, PAGES]));
    }

    #[test]
    fn where_the_first_fails_the_next_waits() {
        let directory = tempfile::tempdir().unwrap();
        let mut store = Store::open(directory.path()).unwrap();
        assert!(store.write_at_leisure::<()>(|_| Err(rusqlite::Error::InvalidQuery)).is_err());
        assert_eq!(settings(&store.connection), Ok([1, PAGES]));
    }
}
