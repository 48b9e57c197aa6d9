use std::{fs, os::unix::fs::PermissionsExt};

use serde_json::json;

use crate::support::{Place, call, finish};

const PATCH: &str = r#"{"path": "a.txt", "edits": [{"line": 1, "old": "one", "new": "ONE"}]}"#;

/// A workspace in which one line was changed and a file created, by two sessions.
fn changed() -> Place {
    let place = Place::new();
    place.write("work/a.txt", "one\ntwo\n");
    let patched = place.run(&["tool", "apply_patch", PATCH]);
    assert_eq!(patched.code, Some(0), "{patched:?}");
    let create = call("create_file", &json!({ "target_file": "d/b.txt", "content": "b\n" }));
    let ran = place.play(&[create, finish("Done.")], &["-q", "do"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), "Done.\n"), "{ran:?}");
    place
}

#[test]
fn changes_are_undone_and_redone_across_sessions() {
    let place = changed();
    let ended = place.run(&["undo", "2"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    assert_eq!(
        ended.stdout,
        "undone: change 2, create_file d/b.txt +1 -0\nundone: change 1, apply_patch a.txt +1 -1\n"
    );
    assert_eq!(place.read("work/a.txt"), "one\ntwo\n");
    assert!(!place.path("work/d").exists());
    let ended = place.run(&["redo", "5"]);
    assert_eq!(
        ended.stdout,
        "redone: change 1, apply_patch a.txt +1 -1\nredone: change 2, create_file d/b.txt +1 -0\n\
         there were no more (2 of 5)\n"
    );
    assert_eq!(place.read("work/d/b.txt"), "b\n");
    let ended = place.run(&["redo"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(1), ""));
    assert!(ended.stderr.contains("agent::redo::nothing"), "{}", ended.stderr);
}

#[test]
fn what_somebody_else_has_changed_is_shown_and_left_alone() {
    let place = changed();
    place.write("work/a.txt", "mine\ntwo\n");
    let ended = place.run(&["undo", "2"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(15), ""));
    for words in ["agent::undo::conflict", "-ONE\n+mine\n", "`agent undo --force`"] {
        assert!(ended.stderr.contains(words), "{words}: {}", ended.stderr);
    }
    assert_eq!(place.read("work/d/b.txt"), "b\n");
    let ended = place.run(&["undo", "2", "--output-format", "json"]);
    assert_eq!(ended.code, Some(15));
    let object = ended.json();
    assert_eq!((&object["outcome"], &object["exit_code"]), (&json!("refused"), &json!(15)));
    assert_eq!(object["conflicts"][0]["file"], "a.txt");
    assert_eq!(
        object["conflicts"][0]["actual_sha256"],
        agent_tools::sha256(b"mine\ntwo\n").as_str()
    );
    assert_eq!(object["error"]["code"], "agent::undo::conflict");

    let ended = place.run(&["undo", "2", "--force"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("overwritten: a.txt; "), "{}", ended.stdout);
    assert_eq!(place.read("work/a.txt"), "one\ntwo\n");
    place.run(&["redo"]);
    assert_eq!(place.read("work/a.txt"), "mine\ntwo\n");
}

#[test]
fn changes_are_listed_and_shown() {
    let place = changed();
    place.run(&["undo"]);
    let ended = place.run(&["changes"]);
    let lines: Vec<_> = ended.stdout.lines().map(|line| &line[44..]).collect();
    assert_eq!(
        lines,
        [
            "undo of 2       d/b.txt +0 -1",
            "create_file     d/b.txt +1 -0  (undone)",
            "apply_patch     a.txt +1 -1"
        ]
    );
    let listed = place.run(&["changes", "--output-format", "json"]).json();
    let of_first = &listed["changes"][2];
    assert_eq!((&of_first["id"], &of_first["state"]), (&json!(1), &json!("done")));
    assert_eq!(of_first["files"][0]["after_sha256"], agent_tools::sha256(b"ONE\ntwo\n").as_str());
    assert_eq!(listed["changes"][1]["state"], "undone");

    let diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n";
    assert_eq!(place.run(&["diff", "1"]).stdout, diff);
    // All that is left of the last session is nothing.
    assert_eq!(place.run(&["diff"]).stdout, "");
    let ended = place.run(&["diff", "9"]);
    assert_eq!((ended.code, ended.stderr.contains("there is no change 9")), (Some(2), true));
    let elsewhere = place.run(&["changes", "-C", ".."]);
    assert_eq!((elsewhere.code, elsewhere.stdout.as_str()), (Some(0), ""));
}

#[test]
fn asking_leaves_no_state_directory_behind() {
    let place = Place::new();
    for (arguments, code) in [
        (&["undo"][..], 1),
        (&["redo"], 1),
        (&["changes"], 0),
        (&["diff"], 0),
        (&["undo", "0"], 2),
        (&["undo", "-1"], 2),
        (&["tool", "list_dir", r#"{"path": "."}"#], 0),
    ] {
        assert_eq!(place.run(arguments).code, Some(code), "{arguments:?}");
    }
    assert!(!place.path("home").exists());
}

/// The program with a state directory that can't be used.
fn without_state(place: &Place, arguments: &[&str]) -> crate::support::Ended {
    let mut command = place.agent(arguments);
    command.env("AGENT_HOME", place.write("a-file", "").join("state"));
    crate::support::Ended::of(command.output().expect("the program runs"))
}

#[test]
fn without_a_record_nothing_is_changed_unless_that_is_asked_for() {
    let place = Place::new();
    let create = call("create_file", &json!({ "target_file": "b.txt", "content": "b\n" }));
    let model = place.script(&[create, finish("Done.")]);
    let run = ["run", "-m", &model, "-q", "do"];
    let ended = without_state(&place, &run);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(10), ""));
    assert!(ended.stderr.contains("agent::config::state\n"), "{}", ended.stderr);
    assert!(ended.stderr.contains("--ephemeral"), "{}", ended.stderr);

    let tool = ["tool", "create_file", r#"{"target_file": "b.txt", "content": "b\n"}"#];
    let ended = without_state(&place, &tool);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let message = ended.json()["message"].to_string();
    assert!(
        message.contains("nothing was changed") && message.contains("--ephemeral"),
        "{message}"
    );
    assert!(!place.path("work/b.txt").exists());

    let ended = without_state(&place, &[&run[..], &["--ephemeral"]].concat());
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), "Done.\n"), "{ended:?}");
    assert!(ended.stderr.contains("no record is kept"), "{}", ended.stderr);
    assert_eq!(place.read("work/b.txt"), "b\n");
    let ended =
        without_state(&place, &["tool", "--ephemeral", "delete_file", r#"{"path": "b.txt"}"#]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    // A run that changes nothing needs no record.
    let read_only = ["run", "-m", &model, "-q", "--read-only", "do"];
    assert_eq!(without_state(&place, &read_only).code, Some(0));
}

#[test]
fn a_damaged_or_later_record_is_told_and_left_alone() {
    for (at, bytes, code) in [
        (0, &b"no database"[..], "agent::config::state_damaged"),
        (60, &[0, 1, 0, 0][..], "agent::config::state_newer"),
    ] {
        let place = changed();
        let path = place.path("home/.local/state/agent/agent.db");
        let mut database = fs::read(&path).expect("a database");
        database[at..at + bytes.len()].copy_from_slice(bytes);
        fs::write(&path, &database).expect("written");
        for arguments in [&["undo"][..], &["changes"], &["diff"]] {
            let ended = place.run(arguments);
            assert_eq!((ended.code, ended.stdout.as_str()), (Some(10), ""), "{arguments:?}");
            assert!(ended.stderr.contains(code), "{}", ended.stderr);
        }
        assert_eq!(fs::read(&path).expect("a database"), database);
    }
}

#[test]
fn the_state_directory_is_the_owners_alone() {
    let place = changed();
    let mode = |path: &str| {
        let metadata = fs::metadata(place.path(path)).expect("it is there");
        metadata.permissions().mode() & 0o777
    };
    assert_eq!(mode("home/.local/state/agent"), 0o700);
    assert_eq!(mode("home/.local/state/agent/agent.db"), 0o600);
}

#[test]
fn the_state_directory_can_be_chosen() {
    let place = Place::new();
    for (variable, at) in [("AGENT_HOME", "own/agent.db"), ("XDG_STATE_HOME", "xdg/agent/agent.db")]
    {
        let name = at.split('/').next().expect("a name");
        let create = format!(r#"{{"target_file": "{name}", "content": ""}}"#);
        let mut command = place.agent(&["tool", "create_file", &create]);
        command.env(variable, place.path(name));
        assert!(command.output().expect("the program runs").status.success());
        assert!(place.path(at).exists(), "{at}");
    }
}
