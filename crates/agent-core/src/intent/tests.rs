//! The table in `fixtures/intents`, row by row.

use super::*;

#[test]
fn words_decide_as_the_table_says() {
    let table = include_str!("../../../../fixtures/intents/table.txt");
    let rows: Vec<&str> =
        table.lines().filter(|line| !line.starts_with('#') && !line.is_empty()).collect();
    let mut wrong = Vec::new();
    for row in &rows {
        let columns: Vec<&str> = row.splitn(3, '|').map(str::trim).collect();
        let [expected, rule, task] = columns.as_slice() else { panic!("{row}") };
        let (intent, found) = phrase::read(&task.replace("\\n", "\n"));
        let intent = intent.map_or("unclear", Intent::name);
        if (intent, found) != (*expected, *rule) {
            wrong.push(format!("{intent:<7} | {found:<22} | {task}"));
        }
    }
    assert!(wrong.is_empty(), "these rows are different:\n{}", wrong.join("\n"));
    assert!(rows.len() >= 100, "{}", rows.len());
}

#[test]
fn a_request_to_undo_says_how_much() {
    use Extent::{Everything, Last};
    for (task, expected) in [
        ("undo", Some(Last(1))),
        ("Undo the last change, please.", Some(Last(1))),
        ("revert the last one", Some(Last(1))),
        ("undo the last 3 changes", Some(Last(3))),
        ("undo the last two edits", Some(Last(2))),
        ("undo all 3 changes", Some(Last(3))),
        ("undo 0 changes", None),
        ("undo 2 of the last 3 changes", None),
        ("undo those changes", None),
        ("undo them", None),
        ("undo everything", Some(Everything)),
        ("Undo all", Some(Everything)),
        ("Please revert everything you did.", Some(Everything)),
        ("undo all the changes", Some(Everything)),
    ] {
        assert_eq!(Intent::of_words(task), Some(Intent::Undo), "{task}");
        assert_eq!(extent_of_undo(task), expected, "{task}");
    }
}

#[test]
fn every_intent_is_found_by_its_name() {
    for intent in Intent::ALL {
        assert_eq!(Intent::named(intent.name()), Some(intent));
    }
    assert_eq!(Intent::named("write"), None);
}
