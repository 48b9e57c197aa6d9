//! What every way of editing keeps, and how much one call may change.

use serde_json::{Value, json};

use crate::support::{Ended, Place};

fn tool(place: &Place, name: &str, parameters: &Value) -> Ended {
    place.run(&["tool", name, &parameters.to_string()])
}

#[cfg(unix)]
#[test]
fn a_file_keeps_its_owner_through_every_way_of_editing() {
    use std::os::unix::fs::{MetadataExt, chown};
    let place = Place::new();
    let file = place.write("work/a.py", "import os\n\n\ndef one():\n    return 1\n");
    // Only root may give a file away; anybody else's stay theirs.
    let _ = chown(&file, Some(54_321), Some(54_322));
    let owner = || {
        let metadata = std::fs::metadata(&file).expect("a file");
        (metadata.uid(), metadata.gid())
    };
    let before = owner();
    let check = |how: &str, ended: &Ended, text: &str| {
        assert_eq!(ended.code, Some(0), "{how}: {ended:?}");
        assert_eq!(place.read("work/a.py"), text, "{how}");
        assert_eq!(owner(), before, "{how}");
    };

    let edits = json!([{ "line": 5, "old": "    return 1", "new": "    return 2" }]);
    let ended = tool(&place, "apply_patch", &json!({ "path": "a.py", "edits": edits }));
    let two = "import os\n\n\ndef one():\n    return 2\n";
    check("apply_patch", &ended, two);

    let sketch = "# ... existing code ...\n\n\ndef one():\n    return 2 + 1\n";
    let parameters = json!({ "target_file": "a.py", "instructions": "add", "code_edit": sketch });
    let ended = tool(&place, "edit_file", &parameters);
    let three = "import os\n\n\ndef one():\n    return 2 + 1\n";
    check("edit_file", &ended, three);

    check("undo", &place.run(&["undo"]), two);
    check("redo", &place.run(&["redo"]), three);

    let twin = place.path("work/twin.py");
    std::fs::hard_link(&file, &twin).expect("a second name");
    let edits = json!([{ "start_line": 1, "end_line": 3, "replacement": "" }]);
    let ended = tool(&place, "apply_patch", &json!({ "path": "twin.py", "edits": edits }));
    check("apply_patch by another name", &ended, "def one():\n    return 2 + 1\n");
}

/// Edits of the first lines of a file, one each.
fn edits(count: usize) -> Value {
    let edit = |line: usize| json!({ "line": line, "old": format!("line {line}"), "new": "x" });
    (1..=count).map(edit).collect()
}

/// The message of a call that was refused.
fn refusal(ended: &Ended) -> String {
    assert_eq!(ended.code, Some(1), "{ended:?}");
    ended.json()["message"].as_str().expect("a message").to_owned()
}

#[test]
fn a_call_with_more_edits_than_are_allowed_is_refused_with_the_way_forward() {
    let place = Place::new();
    let text: String = (1..=40).map(|line| format!("line {line}\n")).collect();
    place.write("work/a.txt", &text);
    let patch =
        |count| tool(&place, "apply_patch", &json!({ "path": "a.txt", "edits": edits(count) }));
    let too_many = |given: usize, most: usize| {
        format!(
            "there are {given} edits in the plan, and at most {most} are allowed; join \
             neighbouring edits, or make the change in several calls"
        )
    };

    let refused = refusal(&patch(31));
    assert!(refused.contains(&too_many(31, 30)), "{refused}");
    assert_eq!(place.read("work/a.txt"), text);

    place.write("home/.config/agent/config.toml", "limits.edits = 2\n");
    let refused = refusal(&patch(3));
    assert!(refused.contains(&too_many(3, 2)), "{refused}");
    assert_eq!(place.read("work/a.txt"), text);
    // The way forward: several calls.
    assert_eq!(patch(2).code, Some(0));
    assert!(place.read("work/a.txt").starts_with("x\nx\nline 3\n"));

    place.write("home/.config/agent/config.toml", "limits.edits = 40\n");
    place.write("work/a.txt", &text);
    assert_eq!(patch(40).code, Some(0));
    assert_eq!(place.read("work/a.txt"), "x\n".repeat(40));
}
