//! Files so large that they are kept in parts.

use std::time::Duration;

use agent_core::Sessions;
use agent_tools::sha256;
use rusqlite::Connection;

use crate::place::Place;

/// Five megabytes of lines of which no two are alike.
fn text() -> String {
    let mut text = String::new();
    for line in 0_u32.. {
        let hash = sha256(&line.to_le_bytes());
        for _ in 0..64 {
            text.push_str(&hash);
        }
        text.push('\n');
        if text.len() > 5 << 20 {
            break;
        }
    }
    text
}

fn number(place: &Place, query: &str) -> i64 {
    let database = Connection::open(place.state().join("agent.db")).unwrap();
    database.query_row(query, [], |row| row.get(0)).unwrap()
}

#[test]
fn a_large_file_is_undone_and_redone_exactly_and_its_parts_are_kept_once() {
    let place = Place::new();
    let first = text();
    place.write("large.txt", &first);
    let second = first.replacen('\n', "\nan inserted line\n", 1);
    let third = format!("{second}and the last one, which ends without a line feed");
    for text in [&second, &third] {
        place.change(&[("large.txt", Some(text.as_bytes()))]).unwrap();
    }
    // Each change is near an end of the file, so all that is between is shared.
    let parts = "SELECT count(*) FROM part";
    let (all, kept) = (number(&place, parts), number(&place, "SELECT count(*) FROM blob"));
    assert!(all >= 6, "each version in two parts or more: {all}");
    assert!(kept <= all / 3 + 4, "{kept} of {all}");
    for text in [&second, &first] {
        place.undo(1).unwrap();
        assert!(place.read("large.txt") == *text);
    }
    place.redo(2).unwrap();
    assert!(place.read("large.txt") == third);
    let sessions = Sessions::at(Some(place.state()));
    sessions.prune(Duration::ZERO).unwrap();
    assert_eq!((number(&place, parts), number(&place, "SELECT count(*) FROM blob")), (0, 0));
}

#[test]
fn a_part_that_is_missing_or_garbled_is_told_and_nothing_is_written() {
    for (damage, told) in [
        ("DELETE FROM blob WHERE sha256 = (SELECT sha256 FROM part LIMIT 1)", "is missing"),
        ("DELETE FROM part WHERE position = 0", "is garbled"),
        ("UPDATE blob SET size = 1 << 62", "is missing"),
        ("DELETE FROM part", "is missing"),
    ] {
        let place = Place::new();
        place.write("large.txt", text());
        place.change(&[("large.txt", Some(b"small\n"))]).unwrap();
        let database = Connection::open(place.state().join("agent.db")).unwrap();
        database.execute_batch(damage).unwrap();
        let error = place.undo(1).unwrap_err().to_string();
        assert!(error.contains(told), "{damage}: {error}");
        assert_eq!(place.read("large.txt"), "small\n");
    }
}
