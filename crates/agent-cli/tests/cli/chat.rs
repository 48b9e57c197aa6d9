//! The chat without a terminal: each line of standard input is a request.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Ended, Place, call, feed, finish};

/// Holds a chat whose lines come from a pipe.
fn talk(place: &Place, replies: &[Value], arguments: &[&str], lines: &str) -> Ended {
    let model = place.script(replies);
    let mut all = vec!["chat", "-m", &model];
    all.extend(arguments);
    let child = place.agent(&all).stdin(Stdio::piped()).spawn().expect("the program runs");
    feed(child, lines)
}

fn text(words: &str) -> Value {
    json!({ "purpose": "decide", "text": words })
}

#[test]
fn each_line_is_a_request_of_one_session() {
    let place = Place::new();
    place.write("work/a.txt", "one\n");
    let read = call("read_file", &json!({ "target_file": "a.txt" }));
    let ended = talk(
        &place,
        &[read, text("**Read.**"), text("It was `a.txt`.")],
        &[],
        "read @a.txt\n\nand now?\n",
    );
    assert_eq!(
        (ended.code, ended.stdout.as_str()),
        (Some(0), "**Read.**\nIt was `a.txt`.\n"),
        "{ended:?}"
    );
    assert!(ended.stderr.starts_with("standard input is no terminal"), "{ended:?}");
    let sessions = place.run(&["sessions", "--output-format", "json"]).json();
    assert_eq!(sessions["sessions"].as_array().map(Vec::len), Some(1));
    assert_eq!(sessions["sessions"][0]["requests"], 2);
    assert_eq!(sessions["sessions"][0]["task"], "read `a.txt`");
}

#[test]
fn commands_work_and_what_they_print_goes_to_the_model() {
    let place = Place::new();
    place.write("work/a.txt", "one\n");
    let edit = json!({ "path": "a.txt", "edits": [{ "line": 1, "old": "one", "new": "two" }] });
    let lines =
        "change it\n/changes\n/undo\n!cat a.txt\nwhat did it print?\n/cost\n/quit\nnever read\n";
    let replies = [call("apply_patch", &edit), text("Changed."), text("one")];
    let ended = talk(&place, &replies, &[], lines);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let mut out = ended.stdout.lines();
    assert_eq!(out.next(), Some("Changed."));
    assert!(out.next().is_some_and(|line| line.ends_with("apply_patch     a.txt +1 -1")));
    assert_eq!(out.next(), Some("undone: change 1, apply_patch a.txt +1 -1"));
    assert_eq!(out.next(), Some("one"), "what the command printed");
    assert_eq!(out.next(), Some("one"), "the answer");
    assert_eq!(out.next(), None);
    assert_eq!(place.read("work/a.txt"), "one\n");
    let sessions = place.run(&["sessions", "--output-format", "json"]).json();
    let id = sessions["sessions"][0]["id"].as_str().expect("an id").to_owned();
    let shown = place.run(&["sessions", "show", &id]).stdout;
    assert!(shown.contains("I ran `cat a.txt` (exit code 0):"), "{shown}");
}

#[test]
fn what_a_command_of_the_user_changes_can_be_taken_back() {
    let place = Place::new();
    place.write("work/a.txt", "one\n");
    let lines = "!echo two > a.txt; echo new > b.txt\n/run rm a.txt\nwhat now?\n/undo 2\n";
    for mode in ["all", "plan"] {
        let ended = talk(&place, &[text("Gone.")], &["--approval", mode], lines);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert!(ended.stderr.contains("it changed a.txt, b.txt; `/undo` takes"), "{ended:?}");
        let expected = "Gone.\nundone: change 2, run a.txt +0 -1\n\
                        undone: change 1, run a.txt +1 -1, b.txt +1 -0\n";
        if mode == "all" {
            assert_eq!(ended.stdout, expected);
        }
        assert_eq!(place.read("work/a.txt"), "one\n");
        assert!(!place.path("work/b.txt").exists());
    }
    let id =
        place.run(&["sessions", "--output-format", "json"]).json()["sessions"][0]["id"].clone();
    let shown = place.run(&["sessions", "show", id.as_str().expect("an id")]).stdout;
    assert!(shown.contains("(exit code 0), which changed a.txt, b.txt:"), "{shown}");
}

#[test]
fn a_request_that_fails_does_not_end_the_chat_and_shows_in_its_exit_code() {
    let place = Place::new();
    let refused = json!({ "purpose": "decide", "fault": { "status": 401 } });
    for (replies, lines, code) in [
        (vec![refused, text("Yes.")], "one\ntwo\n", 11),
        (vec![text("Yes.")], "/nonsense\ntwo\n", 2),
        (vec![text("Yes.")], "/undo\ntwo\n", 1),
        (vec![text("Yes.")], "/model nobody/nothing\ntwo\n", 2),
        (vec![text("Yes.")], "two\n", 0),
    ] {
        let ended = talk(&place, &replies, &[], lines);
        assert_eq!(
            (ended.code, ended.stdout.as_str()),
            (Some(code), "Yes.\n"),
            "{lines:?} {ended:?}"
        );
    }
}

#[test]
fn the_profile_needs_no_model() {
    let place = Place::new();
    let ended = talk(&place, &[], &[], "/profile\n");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("replay/"), "{ended:?}");
}

#[test]
fn a_new_session_a_past_one_and_another_mode() {
    let place = Place::new();
    place.write("work/a.txt", "one\n");
    let delete = call("delete_file", &json!({ "target_file": "a.txt" }));
    let replies = [text("First."), text("Second."), text("Third."), delete, finish("Not deleted.")];
    let lines = "one\n/clear\ntwo\n/resume\nthree\n/approval plan\ndelete it\n";
    let ended = talk(&place, &replies, &[], lines);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(ended.stdout, "First.\nSecond.\nThird.\nNot deleted.\n");
    assert_eq!(place.read("work/a.txt"), "one\n");
    let sessions = place.run(&["sessions", "--output-format", "json"]).json();
    let requests = |index: usize| sessions["sessions"][index]["requests"].clone();
    assert_eq!((requests(0), requests(1)), (json!(3), json!(1)));
    assert!(ended.stderr.contains("approval: plan"), "{ended:?}");
}

#[test]
fn a_chat_goes_on_with_the_last_session() {
    let place = Place::new();
    let first = talk(&place, &[text("First.")], &[], "one\n");
    assert_eq!(first.code, Some(0), "{first:?}");
    let second = talk(&place, &[text("Second.")], &["--continue"], "two\n");
    assert_eq!((second.code, second.stdout.as_str()), (Some(0), "Second.\n"), "{second:?}");
    let sessions = place.run(&["sessions", "--output-format", "json"]).json();
    assert_eq!(sessions["sessions"][0]["requests"], 2);
}

#[test]
fn without_a_model_it_says_how_to_set_one_up() {
    let place = Place::new();
    let mut command = place.agent(&["chat", "hello"]);
    let ended = Ended::of(command.env("OLLAMA_HOST", "127.0.0.1:9").output().expect("it runs"));
    assert_eq!(ended.code, Some(12), "{ended:?}");
    let ended = place.run(&["chat", "-m", "openai/gpt-5", "hello"]);
    assert_eq!(ended.code, Some(10), "{ended:?}");
    assert!(ended.stderr.contains("export OPENAI_API_KEY="), "{ended:?}");
}

#[test]
fn with_nobody_to_talk_to_it_is_a_usage_error_unless_there_is_a_request() {
    let place = Place::new();
    for arguments in [&[][..], &["chat"]] {
        let ended = place.run(arguments);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{ended:?}");
        assert!(ended.stderr.contains("agent::usage::nobody"), "{ended:?}");
    }
    let model = place.script(&[text("Hello.")]);
    let ended = place.run(&["chat", "-m", &model, "hello"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), "Hello.\n"), "{ended:?}");
}
