//! The table in `fixtures/intents`, row by row.

use super::*;

#[test]
fn words_decide_as_the_table_says() {
    let table = include_str!("../../../../fixtures/intents/table.txt");
    let rows: Vec<&str> =
        table.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
    let mut wrong = Vec::new();
    for row in &rows {
        let (expected, task) = row.split_once('|').expect("two columns");
        let task = task.trim().replace("\\n", "\n");
        let found = Intent::of_words(&task).map_or("unclear", Intent::name);
        if found != expected.trim() {
            wrong.push(format!("{found}, not {expected}: {task}"));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(rows.len() >= 100, "{}", rows.len());
}

#[test]
fn a_request_to_undo_says_how_many_changes() {
    for (task, expected) in [
        ("undo", Some(1)),
        ("Undo the last change, please.", Some(1)),
        ("revert the last one", Some(1)),
        ("undo the last 3 changes", Some(3)),
        ("undo the last two edits", Some(2)),
        ("undo 0 changes", None),
        ("undo 2 of the last 3 changes", None),
        ("undo everything", None),
        ("undo all the changes", None),
    ] {
        assert_eq!(changes_to_undo(task), expected, "{task}");
    }
}

#[test]
fn every_intent_is_found_by_its_name() {
    for intent in Intent::ALL {
        assert_eq!(Intent::named(intent.name()), Some(intent));
    }
    assert_eq!(Intent::named("write"), None);
}
