//! What is remembered from one session to the next.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Ended, Place, call, feed, finish};

const JSON: [&str; 2] = ["--output-format", "json"];

/// A reply that looks at a request before it comes.
fn expecting(mut reply: Value, expect: &Value) -> Value {
    reply["expect"] = expect.clone();
    reply
}

fn read(path: &str) -> Value {
    call("read_file", &json!({ "target_file": path }))
}

fn edit(path: &str, old: &str, new: &str) -> Value {
    let edits = json!([{ "line": 1, "old": old, "new": new }]);
    call("apply_patch", &json!({ "path": path, "edits": edits }))
}

fn play(place: &Place, replies: &[Value], arguments: &[&str]) -> Ended {
    let ended = place.play(replies, arguments);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    ended
}

/// What a model would be shown of the memory.
fn shown(place: &Place) -> String {
    place.run(&["memory"]).stdout
}

#[test]
fn what_is_said_is_shown_to_the_next_model_until_it_is_forgotten() {
    let place = Place::new();
    assert_eq!(shown(&place), "");
    let added = place.run(&["memory", "add", "tests", "run with", "make  check"]);
    assert_eq!(
        (added.code, added.stdout.as_str()),
        (Some(0), "remembered: 1  tests run with make check\n")
    );
    place.run(&["memory", "add", "the port is 8080"]);
    // The same again is the same.
    assert!(place.run(&["memory", "add", "the port is 8080"]).stdout.starts_with("remembered: 2 "));
    let text = shown(&place);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 4, "{text}");
    assert!(lines[0].starts_with("(Remembered of this directory."), "{text}");
    assert!(lines[2].starts_with("- the port is 8080 (user, 20"), "{text}");
    assert!(lines[3].starts_with("- tests run with make check (user, 20"), "{text}");
    assert!(lines[3].ends_with("))"), "{text}");
    let expect = json!({ "contains": ["tests run with make check", "the port is 8080"] });
    play(&place, &[expecting(finish("ok"), &expect)], &["hello there"]);
    let text = shown(&place);
    assert!(
        text.lines().any(|line| line.starts_with("- tests run") && line.ends_with(')')),
        "{text}"
    );

    let object = place.run(&[&["memory", "list"], &JSON[..]].concat()).json();
    assert_eq!(object["notes"][0]["standing"], "user");
    let removed = place.run(&["memory", "remove", "1"]);
    assert_eq!(removed.stdout, "forgotten: 1  tests run with make check\n");
    assert!(!shown(&place).contains("make check"));
    // Another directory knows nothing of it.
    let other = place.write("other/a.txt", "").parent().expect("a directory").display().to_string();
    assert_eq!(place.run(&["memory", "-C", &other]).stdout, "");
    assert_eq!(place.run(&["memory", "clear"]).stdout, "forgotten: 1 notes, 1 conversations\n");
    assert_eq!(shown(&place), "");
}

#[test]
fn what_can_not_be_remembered_says_why() {
    let place = Place::new();
    let token = format!("gh{}_{}", "p", "a1B2".repeat(9));
    let long = "word ".repeat(200);
    for (arguments, message) in [
        (&["add", " "][..], "the text is empty"),
        (&["add", &token], "it holds what looks like a secret, and is not stored"),
        (&["add", &long], "999 bytes are too many to remember"),
        (&["remove", "7"], "nothing is remembered here under the number 7"),
        (&["accept", "7"], "nothing is remembered here under the number 7"),
    ] {
        let ended = place.run(&[&["memory"], arguments].concat());
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(ended.stderr.contains(message), "{arguments:?}: {}", ended.stderr);
    }
}

#[test]
fn yesterdays_conversation_is_known_with_what_has_become_of_its_files() {
    let place = Place::new();
    place.write("work/a.txt", "one\n");
    place.write("work/b.txt", "b\n");
    let replies = [read("b.txt"), edit("a.txt", "one", "two"), finish("Changed.\n\nAnd more.")];
    play(&place, &replies, &["Change the number in a.txt"]);
    let line = |text: &str| {
        let line =
            text.lines().find(|line| line.starts_with("- \"Change the number")).expect("a line");
        line.rsplit_once(" (session").expect("a source").0.to_owned()
    };
    assert_eq!(
        line(&shown(&place)),
        "- \"Change the number in a.txt\": finished; changed a.txt; read b.txt. Changed."
    );
    let undone = place.run(&["undo"]);
    assert_eq!(undone.code, Some(0), "{undone:?}");
    place.write("work/b.txt", "c\n");
    let expected = "- \"Change the number in a.txt\": finished; changed a.txt (changed since); read b.txt \
                    (changed since by somebody else). Changed.";
    assert_eq!(line(&shown(&place)), expected);

    // It stands behind the task, and what stands before that is as without it.
    let prompt =
        |place: &Place| place.run(&[&["debug", "prompt", "hi"], &JSON[..]].concat()).json();
    let (with, without) = (prompt(&place), prompt(&Place::new()));
    assert_eq!(with["messages"][0], without["messages"][0]);
    assert_eq!(with["tools"], without["tools"]);
    let said = with["messages"][1].to_string();
    assert!(
        said.find("hi").expect("a task") < said.find("Change the number").expect("memory"),
        "{said}"
    );

    // What was recalled is part of the recording.
    let file = place.path("r.jsonl").display().to_string();
    let expect = json!({ "contains": ["changed a.txt (changed since)"] });
    let replies = [expecting(read("a.txt"), &expect), finish("It is one.")];
    play(&place, &replies, &["--record", &file, "Go on, please"]);
    place.run(&["memory", "clear"]);
    let again = place.run(&["replay", &file]);
    assert_eq!(again.code, Some(0), "{again:?}");
}

#[test]
fn what_a_model_proposes_counts_once_the_user_accepts_it() {
    let place = Place::new();
    let propose = |text: &str| call("finish", &json!({ "response": "Done.", "remember": text }));
    let ended = play(&place, &[propose("builds need nightly")], &["look around"]);
    assert_eq!(ended.stdout, "Done.\n");
    assert!(
        ended.stderr.contains("to remember? builds need nightly  (`agent memory accept 1`"),
        "{ended:?}"
    );
    assert!(!shown(&place).contains("nightly"));
    let again = play(&place, &[propose("builds need nightly")], &["look again"]);
    assert!(!again.stderr.contains("to remember?"), "{again:?}");
    assert_eq!(place.run(&["memory", "accept", "1"]).stdout, "accepted: 1  builds need nightly\n");
    assert!(shown(&place).contains("- builds need nightly (accepted, 20"), "{}", shown(&place));
    // It is not for a model to bring a secret in.
    let token = format!("gl{}-{}", "pat", "a1B2".repeat(6));
    let ended = play(&place, &[propose(&format!("use {token}"))], &["and now?"]);
    assert!(ended.stderr.contains("it holds what looks like a secret"), "{ended:?}");
    assert!(!place.run(&["memory", "list"]).stdout.contains(&token));
}

#[test]
fn its_share_of_the_prompt_is_bounded() {
    let place = Place::new();
    for number in 0..12 {
        place.run(&["memory", "add", &format!("note {number:03} {}", "x".repeat(300))]);
    }
    let object = place.run(&[&["memory", "show"], &JSON[..]].concat()).json();
    let text = object["text"].as_str().expect("a text");
    assert!(text.len() <= 2048 && text.len() > 1500, "{}", text.len());
    assert!(text.contains("note 011") && !text.contains("note 000"), "the latest stay");
    assert_eq!(object["items"].as_array().map(Vec::len), Some(5));
    assert_eq!(object["left_out"], 7);
    assert_eq!(place.run(&["config", "set", "memory_bytes", "0"]).code, Some(0));
    assert_eq!(shown(&place), "");
    let expect = json!({ "lacks": ["note 0"] });
    play(&place, &[expecting(finish("ok"), &expect)], &["hello there"]);
    let object = place.run(&[&["memory", "list"], &JSON[..]].concat()).json();
    assert_eq!(object["conversations"], json!([]));
}

#[test]
fn the_last_twenty_conversations_are_kept_and_go_with_their_sessions() {
    let place = Place::new();
    for number in 0..22 {
        play(&place, &[finish("ok")], &[&format!("request {number}")]);
    }
    play(&place, &[finish("ok")], &["--ephemeral", "request of nobody"]);
    let listed = || {
        let object = place.run(&[&["memory", "list"], &JSON[..]].concat()).json();
        object["conversations"].as_array().expect("a list").clone()
    };
    let conversations = listed();
    assert_eq!(conversations.len(), 20);
    assert_eq!(conversations[0]["request"], "request 21");
    assert_eq!(conversations[19]["request"], "request 2");
    let id = conversations[0]["session"].as_str().expect("an id");
    assert_eq!(place.run(&["sessions", "rm", id]).code, Some(0));
    assert_eq!(listed().len(), 19);
}

#[test]
fn a_session_knows_its_files_as_they_are_after_an_edit_and_after_an_undo() {
    let place = Place::new();
    place.write("work/a.txt", "one\n");
    let (one, two) = (agent_tools::sha256(b"one\n"), agent_tools::sha256(b"two\n"));
    let known = || place.run(&[&["memory", "session"], &JSON[..]].concat()).json();
    play(&place, &[read("a.txt"), edit("a.txt", "one", "two"), finish("Two.")], &["make it two"]);
    let object = known();
    assert_eq!(object["files"], json!([{ "path": "a.txt", "touch": "edited", "sha256": two }]));
    assert_eq!(object["turns"], json!([{ "request": "make it two", "answer": "Two." }]));
    let undo = call("undo", &json!({}));
    play(&place, &[undo, finish("One again.")], &["--continue", "not quite what was meant"]);
    let object = known();
    assert_eq!(object["files"][0]["sha256"], one);
    let changes = object["changes"].as_array().expect("changes");
    assert_eq!(changes[1]["tool"], "undo");
    assert_eq!(changes[1]["after_sha256"], one);
    assert_eq!(object["turns"][1]["answer"], "One again.");
    let text = place.run(&["memory", "session"]).stdout;
    assert!(text.contains("\nTurns\n  make it two\n    Two.\n"), "{text}");
}

#[test]
fn a_chat_remembers_and_is_configured() {
    let place = Place::new();
    let lines =
        "/memory add mind the gap\n/config test.command make check\n/config\nhello\n/memory list\n";
    let expect = json!({ "contains": ["mind the gap"] });
    let model = place.script(&[expecting(finish("Hi."), &expect)]);
    let child = place.agent(&["chat", "-m", &model]).stdin(Stdio::piped()).spawn();
    let ended = feed(child.expect("the program runs"), lines);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.starts_with("remembered: 1  mind the gap\n"), "{ended:?}");
    assert!(ended.stdout.contains("test.command = \"make check\"  # "), "{ended:?}");
    assert!(ended.stdout.contains("finished: hello\n"), "{ended:?}");
}
