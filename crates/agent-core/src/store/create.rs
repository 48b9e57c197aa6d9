//! A new database.

use std::path::Path;

use rusqlite::Connection;

use super::{FLAGS, StoreError, files, migrate};

/// Makes the database at `path`, where an empty file stands in for it. The caller keeps others from
/// doing so too.
///
/// On the way to its tables SQLite would wait for the disk seven times. Nobody looks at this one
/// before it is whole and in its place, so that once is enough.
pub(super) fn create(path: &Path) -> Result<(), StoreError> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    let new = Path::new(&new);
    let made = fill(new, path)
        .and_then(|()| files::place(new, path).map_err(|error| StoreError::unusable(path, &error)));
    if made.is_err() {
        files::remove(new);
    }
    made
}

/// Makes the tables in the file `new`; errors name the `path` that it is for.
fn fill(new: &Path, path: &Path) -> Result<(), StoreError> {
    let failed = |error: rusqlite::Error| StoreError::sql(path, &error);
    // A process that was killed may have left one.
    files::remove(new);
    files::make(new).map_err(|error| StoreError::unusable(path, &error))?;
    let mut connection = Connection::open_with_flags(new, FLAGS).map_err(failed)?;
    let journal = |connection: &Connection, mode: &str| {
        connection.pragma_update_and_check(None, "journal_mode", mode, |_| Ok(())).map_err(failed)
    };
    journal(&connection, "OFF")?;
    connection.pragma_update(None, "synchronous", "OFF").map_err(failed)?;
    migrate(&mut connection, path)?;
    // Kept by the database, so it is set once.
    journal(&connection, "WAL")?;
    connection.close().map_err(|(_, error)| failed(error))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "what is left in a directory is looked at")]
mod tests {
    use std::fs;

    use rusqlite::Connection;

    use super::super::{DATABASE, MIGRATIONS, SCHEMA, Store};

    fn names(directory: &std::path::Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> =
            entries.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn it_is_whole_before_it_has_its_name() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path();
        fs::write(place.join("agent.db.new"), "left by a process that was killed").unwrap();
        let mut store = Store::open(place).unwrap();
        assert!(!names(place).contains(&"agent.db.new".to_owned()));
        let database = fs::read(place.join(DATABASE)).unwrap();
        let page = usize::from(u16::from_be_bytes([database[16], database[17]]));
        let pages = u32::from_be_bytes([database[28], database[29], database[30], database[31]]);
        assert_eq!(database.len(), page * pages as usize, "nothing of it waits in a log");
        assert_eq!(database[18..20], [2, 2], "from here on it is written by a log");
        store.check_writable().unwrap();
        drop(store);
        assert_eq!(names(place), [DATABASE, "agent.lock"]);
    }

    #[test]
    fn its_tables_are_what_the_migrations_add_up_to() {
        let schema = |statements: &[&str]| {
            let connection = Connection::open_in_memory().unwrap();
            statements.iter().for_each(|one| connection.execute_batch(one).unwrap());
            let written = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL
                           AND name NOT LIKE 'sqlite_%' ORDER BY rowid";
            let mut written = connection.prepare(written).unwrap();
            let written = written.query_map([], |row| row.get::<_, String>(0)).unwrap();
            written.map(|one| one.unwrap() + ";\n").collect::<Vec<_>>().join("\n")
        };
        assert_eq!(schema(&MIGRATIONS), SCHEMA);
        assert_eq!(schema(&[SCHEMA]), SCHEMA);
    }

    #[test]
    fn where_it_can_not_be_made_nothing_of_it_stays() {
        let directory = tempfile::tempdir().unwrap();
        let place = directory.path();
        fs::create_dir(place.join("agent.db.new")).unwrap();
        assert_eq!(Store::open(place).unwrap_err().name(), "unusable");
        fs::remove_dir(place.join("agent.db.new")).unwrap();
        Store::open(place).unwrap();
    }
}
