use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use agent_core::{
    Journal, StoreError,
    journal::{Direction, OnConflict, Revert},
};

use crate::place::{Place, tree};

fn undo_two(place: &Place, journal: &Journal) -> Result<(), String> {
    let two = Revert {
        direction: Direction::Undo,
        count: 2,
        session: None,
        on_conflict: OnConflict::Refuse,
    };
    journal.prepare().map_err(|error| error.to_string())?;
    journal.revert(&place.ws, &two).map(|_| ()).map_err(|error| error.to_string())
}

/// A place with a few changes, and the bytes of its database.
fn filled() -> (Place, Vec<u8>) {
    let place = Place::new();
    place.write("a", "a 0\n");
    place.write("b", "b 0\n".repeat(300));
    for round in 1..=9 {
        let (a, b) = (format!("a {round}\n"), format!("b {round}\n").repeat(300));
        place.change(&[("a", Some(a.as_bytes())), ("b", Some(b.as_bytes()))]).unwrap();
        let new = format!("new {round}");
        place.change(&[(&new, Some(b"new"))]).unwrap();
    }
    place.change(&[("new 3", None)]).unwrap();
    place.undo(2).unwrap();
    let database = fs::read(place.state().join("agent.db")).unwrap();
    assert!(!place.state().join("agent.db-wal").exists());
    (place, database)
}

/// Whatever is wrong with the database: nothing breaks down, and every file holds one of its
/// contents.
fn survives(place: &Place, database: &[u8], what: &str) -> bool {
    let files = tree(place.ws.root());
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("agent.db"), database).unwrap();
    let result = undo_two(place, &Journal::at(Some(directory.path().to_owned())));
    let known = |name: &str, content: &[u8]| match name {
        "a" => content.len() == 4 && content.starts_with(b"a "),
        "b" => content.len() == 1200 && content.starts_with(b"b "),
        name => name.starts_with("new ") && content == b"new",
    };
    for (name, (kind, _, content)) in tree(place.ws.root()) {
        assert!(kind == 'f' && known(&name, &content), "{what}: {name} after {result:?}");
    }
    // As it was for the next one.
    for name in tree(place.ws.root()).keys() {
        fs::remove_file(place.on_disk(name)).unwrap();
    }
    for (name, (_, _, content)) in files {
        place.write(&name, content);
    }
    result.is_ok()
}

#[test]
fn a_truncated_database_is_told_or_recovered() {
    let (place, database) = filled();
    for step in 0..300 {
        let length = database.len() * step / 300;
        let whole = survives(&place, &database[..length], &format!("cut to {length}"));
        assert!(!whole, "a part of a database is not taken for the whole: {length}");
    }
    assert!(survives(&place, &database, "whole"));
}

#[test]
fn a_database_with_a_flipped_bit_is_told_or_does_no_harm() {
    let (place, database) = filled();
    // Most of a small database is room that nothing stands in yet.
    let used: Vec<usize> = (0..database.len()).filter(|at| database[*at] != 0).collect();
    let mut told = 0;
    for step in 0..300 {
        let mut flipped = database.clone();
        let (byte, bit) = (used[used.len() * step / 300], step % 8);
        flipped[byte] ^= 1 << bit;
        told += usize::from(!survives(&place, &flipped, &format!("bit {bit} of byte {byte}")));
    }
    assert!(told > 60, "{told} of 300 were noticed");
}

fn refusal(place: &Place) -> StoreError {
    let before = fs::read(place.state().join("agent.db")).unwrap();
    let error = place.journal().prepare().unwrap_err();
    assert!(fs::read(place.state().join("agent.db")).unwrap() == before, "it stays as it is");
    assert!(place.change(&[("a", Some(b"x"))]).is_err());
    assert!(!place.on_disk("a").exists(), "without a record nothing is changed");
    error
}

#[test]
fn a_database_of_a_later_version_is_left_alone() {
    let place = Place::new();
    place.journal().prepare().unwrap();
    let path = place.state().join("agent.db");
    let mut database = fs::read(&path).unwrap();
    // The version in SQLite's header.
    let ours = u32::from_be_bytes(database[60..64].try_into().unwrap());
    database[60..64].copy_from_slice(&(ours + 1).to_be_bytes());
    fs::write(&path, database).unwrap();
    let error = refusal(&place);
    let StoreError::Newer { version, known, .. } = error else { panic!("{error:?}") };
    assert_eq!((version, known), (i64::from(ours) + 1, i64::from(ours)));
    assert!(error.help().contains("--ephemeral"));
}

#[test]
fn what_is_no_database_of_ours_is_left_alone() {
    let theirs = tempfile::tempdir().unwrap();
    let connection = rusqlite::Connection::open(theirs.path().join("x")).unwrap();
    connection.execute_batch("CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)").unwrap();
    drop(connection);
    let sqlite = fs::read(theirs.path().join("x")).unwrap();
    for content in [&b"my shopping list, which is long enough to be a header".repeat(30), &sqlite] {
        let place = Place::new();
        fs::create_dir_all(place.state()).unwrap();
        fs::write(place.state().join("agent.db"), content).unwrap();
        let error = refusal(&place);
        assert!(matches!(error, StoreError::Damaged { .. }), "{error:?}");
        assert!(error.help().contains("mv "), "{}", error.help());
    }
}

#[test]
fn only_the_owner_can_read_what_is_kept() {
    let place = Place::new();
    place.change(&[("a", Some(b"secret"))]).unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&place.state()), 0o700);
    // While it is open there is a log beside it.
    let journal = place.journal();
    journal.prepare().unwrap();
    let mut files = 0;
    for entry in fs::read_dir(place.state()).unwrap() {
        assert_eq!(mode(&entry.unwrap().path()), 0o600);
        files += 1;
    }
    assert!(files >= 3, "{files}");
}

#[test]
fn a_file_where_the_directory_should_be_is_told() {
    let place = Place::new();
    fs::create_dir_all(place.state().parent().unwrap()).unwrap();
    fs::write(place.state(), "").unwrap();
    let error = place.journal().prepare().unwrap_err();
    assert!(matches!(error, StoreError::Unusable { .. }), "{error:?}");
    let error = Journal::at(None).prepare().unwrap_err();
    assert!(matches!(error, StoreError::Nowhere), "{error:?}");
}
