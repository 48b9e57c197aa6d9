use serde_json::json;

use crate::support::{Place, call, finish};

const JSON: [&str; 2] = ["--output-format", "json"];

#[test]
fn a_question_leaves_files_alone_unless_the_intent_is_given() {
    let place = Place::new();
    let create = call("create_file", &json!({ "target_file": "a.txt", "content": "one\n" }));
    let replies = [create, finish("Done.")];
    let asked = place.play(&replies, &[&JSON[..], &["what is in a.txt?"]].concat()).json();
    assert_eq!((&asked["intent"], &asked["changes"]), (&json!("read"), &json!([])));
    assert_eq!(asked["undone"][0]["target_file"], "a.txt");
    let told = [&JSON[..], &["--intent", "edit", "what is in a.txt?"]].concat();
    let told = place.play(&replies, &told).json();
    assert_eq!((&told["intent"], &told["changes"][0]["file"]), (&json!("edit"), &json!("a.txt")));
}

#[test]
fn a_request_without_plain_words_is_about_what_the_model_does() {
    for (reply, expected) in [
        (call("create_file", &json!({ "target_file": "a.txt", "content": "" })), "edit"),
        (call("run_command", &json!({ "command": "true" })), "run"),
        (call("list_dir", &json!({ "path": "." })), "read"),
    ] {
        let place = Place::new();
        let ended = place.play(&[reply, finish("Done.")], &[&JSON[..], &["go on"]].concat()).json();
        assert_eq!(ended["intent"], expected);
    }
}

#[test]
fn a_request_to_undo_goes_to_the_record_of_changes_without_a_model() {
    let place = Place::new();
    for (name, id) in [("a.txt", "1"), ("b.txt", "2"), ("c.txt", "3")] {
        let create = call("create_file", &json!({ "target_file": name, "content": id }));
        let ended = place.play(&[create, finish("Made.")], &[&JSON[..], &["make it"]].concat());
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
    let ended = place.run(&["run", "-q", "undo the last two changes"]);
    assert_eq!(ended.stdout, "Undone: c.txt, b.txt. `agent redo 2` makes it again.\n", "{ended:?}");
    assert_eq!(place.read("work/a.txt"), "1");

    // Another session knows of it and goes on.
    let last = place.run(&[&["run"][..], &JSON, &["-c", "undo that"]].concat()).json();
    assert_eq!((&last["intent"], &last["turns"]), (&json!("undo"), &json!(0)));
    assert_eq!(last["history"][0]["tool"], "undo");
    assert_eq!(last["changes"][0]["file"], "a.txt");
    let mut answer = finish("I see.");
    answer["expect"] = json!({ "contains": ["undo that", "Undone: a.txt"] });
    let next = place.play(&[answer], &[&JSON[..], &["-c", "what now?"]].concat()).json();
    assert_eq!(next["response"], "I see.");

    let two = ["d.txt", "e.txt"]
        .map(|name| call("create_file", &json!({ "target_file": name, "content": "" })));
    place.play(&[&two[..], &[finish("Made.")]].concat(), &["make it"]);
    let all = place.run(&["run", "-q", "Undo everything you did."]);
    assert_eq!(all.stdout, "Undone: e.txt, d.txt. `agent redo 2` makes it again.\n", "{all:?}");

    let none = place.run(&[&["run"][..], &JSON, &["undo"]].concat());
    assert_eq!((none.code, none.json()["outcome"].as_str()), (Some(1), Some("failed")));
    assert_eq!(none.json()["error"]["code"], "agent::undo::not_done");
    let refused = place.run(&["run", "-q", "--read-only", "undo"]);
    assert!(refused.stderr.contains("read-only"), "{refused:?}");
}

#[test]
fn who_is_asked_to_run_something_is_told_how_that_is_done_here() {
    let place = Place::new();
    place
        .write("work/Makefile", "all:\n\techo built\nlint:\n\techo linted\ntest:\n\techo tested\n");
    for (request, line, said) in [
        ("Run the tests.", "make test", "tested"),
        ("run the linter", "make lint", "linted"),
        ("Build it.", "make", "built"),
    ] {
        let mut run = call("run_command", &json!({"command": line}));
        run["expect"] = json!({"contains": [
            "this project runs the tests with `make test`, the linter with `make lint`, the build with `make`"
        ]});
        let replies = [run, finish("Done.")];
        let asked = [&JSON[..], &["--approval", "all", request]].concat();
        let ended = place.play(&replies, &asked).json();
        assert_eq!(
            (&ended["intent"], &ended["outcome"]),
            (&json!("run"), &json!("finished")),
            "{ended}"
        );
        let stdout = ended["history"][0]["result"]["stdout"].as_str().unwrap_or_default();
        assert!(stdout.contains(said), "{ended}");
    }
}

#[test]
fn a_profile_needs_no_model() {
    let place = Place::new();
    place.play(&[finish("Nothing.")], &["have a look"]);
    let ended = place.run(&["run", "-q", "--max-turns", "7", "What can you do?"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for words in [
        "Model: none",
        "- edit_file: ",
        "at most 7 decisions",
        "agent run \"where is the port set?\"",
        "finished: have a look",
    ] {
        assert!(ended.stdout.contains(words), "{words}: {}", ended.stdout);
    }
    let read = place.run(&["run", "-q", "What does it do?"]);
    assert_eq!(read.code, Some(10), "{read:?}");
}

#[test]
fn a_session_with_requests_that_no_model_answered_is_run_again() {
    let place = Place::new();
    let create = call("create_file", &json!({ "target_file": "a.txt", "content": "one\n" }));
    place.play(&[create, finish("Made.")], &["make it"]);
    place.run(&["run", "-q", "-c", "undo that"]);
    let create = call("create_file", &json!({ "target_file": "a.txt", "content": "two\n" }));
    let last =
        place.play(&[create, finish("Again.")], &[&JSON[..], &["-c", "make it anew"]].concat());
    let id = last.json()["session_id"].as_str().expect("an id").to_owned();
    let path = place.path("session.jsonl");
    let path = path.to_str().expect("a path");
    assert_eq!(place.run(&["sessions", "export", &id, "-o", path]).code, Some(0));
    let again = place.run(&["replay", path]);
    assert_eq!(again.code, Some(0), "{again:?}");
}
