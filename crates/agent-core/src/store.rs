//! The store: one SQLite database in the state directory. All SQL is here.
//!
//! A database that a later version wrote, or that is damaged, is an error and stays as it is.

mod blobs;
mod cache;
mod create;
mod directory;
mod durability;
mod error;
mod evaluations;
mod files;
mod memory;
mod pack;
mod parts;
mod prune;
mod records;
mod rules;
mod servers;
mod sessions;
mod trust;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior, config::DbConfig};

pub(crate) use directory::{Held, StateDirectory};
pub(crate) use durability::Durability;
pub use error::StoreError;
use files::Lock;
use pack::Packer;
pub(crate) use rules::RuleRow;

/// The database's name in the state directory.
const DATABASE: &str = "agent.db";

/// How long another process may hold what is needed here. A change takes milliseconds, but a disk
/// that others keep busy can stall for many seconds.
const PATIENCE: Duration = Duration::from_secs(60);

/// How connections are opened: each belongs to one thread at a time.
const FLAGS: OpenFlags = OpenFlags::SQLITE_OPEN_READ_WRITE.union(OpenFlags::SQLITE_OPEN_NO_MUTEX);

/// Marks the database as this program's: `agnt`.
const APPLICATION: i64 = 0x6167_6e74;

/// What the migrations add up to: a new database needs none of them.
const SCHEMA: &str = include_str!("store/schema.sql");

/// Statements that bring a database from each version to the next.
const MIGRATIONS: [&str; 11] = [
    include_str!("store/migrations/0001.sql"),
    include_str!("store/migrations/0002.sql"),
    include_str!("store/migrations/0003.sql"),
    include_str!("store/migrations/0004.sql"),
    include_str!("store/migrations/0005.sql"),
    include_str!("store/migrations/0006.sql"),
    include_str!("store/migrations/0007.sql"),
    include_str!("store/migrations/0008.sql"),
    include_str!("store/migrations/0009.sql"),
    include_str!("store/migrations/0010.sql"),
    include_str!("store/migrations/0011.sql"),
];

/// An open database.
#[derive(Debug)]
pub(crate) struct Store {
    connection: Connection,
    path: PathBuf,
    /// What the connection is set to.
    durability: Durability,
    /// The log had not begun when it was last looked at.
    is_fresh: bool,
    packer: Packer,
}

impl Store {
    /// Opens the database of the state directory `directory`, and makes both where they are
    /// missing.
    fn open(directory: &Path) -> Result<Self, StoreError> {
        let path = files::make_in(directory, DATABASE)?;
        // Whoever opens it first makes the tables; nobody must look while they are half there.
        let _alone = Self::lock(directory)?;
        if files::is_cut_short(&path) {
            return Err(StoreError::damaged(&path, "its end is missing"));
        }
        let failed = |error: rusqlite::Error| StoreError::sql(&path, &error);
        if files::is_empty(&path) {
            create::create(&path)?;
        }
        let mut connection = Connection::open_with_flags(&path, FLAGS).map_err(failed)?;
        prepare(&mut connection, &path)?;
        let packer = Packer::default();
        let durability = Durability::Power;
        Ok(Self { connection, path, durability, is_fresh: true, packer })
    }

    /// Whether the state directory has a database.
    fn is_in(directory: &Path) -> bool {
        files::is_there(&directory.join(DATABASE))
    }

    /// Waits until no other process writes through this store.
    fn lock(directory: &Path) -> Result<Lock, StoreError> {
        Lock::take(directory, "agent.lock")
    }

    /// Fails where the database can't be written.
    pub(crate) fn check_writable(&mut self) -> Result<(), StoreError> {
        self.write(|_| Ok(()))
    }

    /// Sees to it that not even a power failure takes back what was written.
    pub(crate) fn sync(&mut self) -> Result<(), StoreError> {
        let log = "PRAGMA wal_checkpoint(PASSIVE)";
        self.connection.query_row(log, [], |_| Ok(())).map_err(|error| self.sql(&error))
    }

    /// Runs `work` in a transaction that is on the disk when this returns.
    fn write<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.write_as(Durability::Power, work)
    }

    /// Runs `work` in a transaction that a power failure may take back, though no crash.
    fn write_at_leisure<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        self.write_as(Durability::Crash, work)
    }

    fn write_as<T>(
        &mut self,
        durability: Durability,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        if self.durability != durability {
            durability.set(&self.connection).map_err(|error| self.sql(&error))?;
            self.durability = durability;
        }
        let log = files::log(&self.path);
        self.is_fresh = self.is_fresh && files::is_empty(&log);
        let done = match self.is_fresh && durability == Durability::Crash {
            true => match durability::begin_log(&mut self.connection, &log, work) {
                Ok(Err(work)) => durability::transact(&mut self.connection, work),
                Ok(Ok(done)) => Ok(done),
                Err(error) => Err(error),
            },
            false => durability::transact(&mut self.connection, work),
        };
        done.map_err(|error| self.sql(&error))
    }

    /// Does `work`, waiting for no other process.
    fn at_once<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let patience = |store: &Self, time| {
            store.connection.busy_timeout(time).map_err(|error| store.sql(&error))
        };
        patience(self, Duration::ZERO)?;
        let done = work(self);
        patience(self, PATIENCE)?;
        done
    }

    pub(crate) fn damaged(&self, reason: impl Into<String>) -> StoreError {
        StoreError::damaged(&self.path, reason)
    }

    fn sql(&self, error: &rusqlite::Error) -> StoreError {
        StoreError::sql(&self.path, error)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // Closing does as much, but only where no other process has the database open. Whatever
        // fails here is as safe as before.
        if self.durability == Durability::Crash {
            let _ = self.sync();
        }
    }
}

/// Sets a connection up, and brings the database to the version that is known here.
fn prepare(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let failed = |error: rusqlite::Error| StoreError::sql(path, &error);
    connection.busy_timeout(PATIENCE).map_err(failed)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true).map_err(failed)?;
    for (name, value) in [("trusted_schema", "OFF"), ("cell_size_check", "ON")] {
        connection.pragma_update(None, name, value).map_err(failed)?;
    }
    Durability::Power.set(connection).map_err(failed)?;
    check_owner(connection, path)?;
    let known = MIGRATIONS.len() as i64;
    match version(connection).map_err(failed)? {
        version if version == known => Ok(()),
        version if version > known => {
            Err(StoreError::Newer { path: path.to_owned(), version, known })
        }
        0.. => {
            // Kept by the database, so it is set once.
            connection
                .pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))
                .map_err(failed)?;
            migrate(connection, path)
        }
        version => Err(StoreError::damaged(path, format!("its version is {version}"))),
    }
}

fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Refuses a database that somebody else has made, before anything is written.
fn check_owner(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let failed = |error: rusqlite::Error| StoreError::sql(path, &error);
    let owner: i64 =
        connection.pragma_query_value(None, "application_id", |row| row.get(0)).map_err(failed)?;
    let tables = "SELECT count(*) FROM sqlite_schema";
    let empty = || connection.query_row(tables, [], |row| Ok(row.get::<_, i64>(0)? == 0));
    if owner == APPLICATION || (owner == 0 && empty().map_err(failed)?) {
        return Ok(());
    }
    Err(StoreError::damaged(path, "it is not a database of this program"))
}

fn migrate(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    let failed = |error: rusqlite::Error| StoreError::sql(path, &error);
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
    // Another process may have been faster.
    let version = version(&transaction).map_err(failed)?;
    let version = usize::try_from(version).unwrap_or_default();
    let statements = match version {
        0 => &[SCHEMA][..],
        _ => &MIGRATIONS[version.min(MIGRATIONS.len())..],
    };
    for statements in statements {
        transaction.execute_batch(statements).map_err(failed)?;
    }
    transaction.pragma_update(None, "user_version", MIGRATIONS.len() as i64).map_err(failed)?;
    transaction.pragma_update(None, "application_id", APPLICATION).map_err(failed)?;
    transaction.commit().map_err(failed)
}
