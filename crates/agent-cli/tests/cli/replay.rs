use std::fs;

use serde_json::{Value, json};

use crate::support::{Ended, Place, call, finish};

/// The recording of a run that reads, searches, edits and undoes.
fn recorded(place: &Place, arguments: &[&str]) -> String {
    place.write("work/a.txt", "one\ntwo\n");
    place.write("work/other.txt", "nobody asks for this\n");
    let file = place.path("r.jsonl").display().to_string();
    let mut edit = call("read_file", &json!({ "target_file": "a.txt" }));
    let calls = edit["calls"].as_array_mut().expect("calls");
    calls.push(json!({ "name": "grep_search", "arguments": { "query": "nobody" } }));
    calls.push(json!({ "name": "read_file", "arguments": { "target_file": "othr.txt" } }));
    let patch = json!({ "path": "a.txt", "edits": [{ "line": 1, "old": "one", "new": "ONE" }] });
    let replies =
        [edit, call("apply_patch", &patch), call("undo", &json!({})), finish("As it was.")];
    let all = [&["-q", "--record", &file], arguments, &["do"]].concat();
    let ended = place.play(&replies, &all);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    file
}

fn replayed(place: &Place, file: &str) -> (Ended, Value) {
    let ended = place.run(&["replay", file, "--output-format", "json"]);
    let object = ended.json();
    (ended, object)
}

#[test]
fn a_recording_holds_what_was_touched_and_is_run_again() {
    let place = Place::new();
    let file = recorded(&place, &[]);
    let text = place.read("r.jsonl");
    let holds = |name: &str| text.contains(&format!("\n{{\"file\":\"{name}\""));
    assert!(holds("a.txt") && !holds("other.txt"));
    // The workspace is not needed any more.
    fs::remove_dir_all(place.path("work")).expect("removed");
    fs::create_dir(place.path("work")).expect("made");
    let (ended, object) = replayed(&place, &file);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let expected = json!({
        "same": true, "steps": 4, "calls": 5, "answered_from_recording": 2, "divergence": null,
    });
    assert_eq!(object, expected);
    assert_eq!(fs::read_dir(place.path("work")).expect("a directory").count(), 0);
    let text = place.run(&["replay", &file]).stdout;
    assert_eq!(text, "the same: 4 steps, 5 calls (2 of them answered from the recording)\n");
}

#[test]
fn with_the_whole_tree_searches_are_run_again_too() {
    for arguments in [&["--with-tree"][..], &["--with-tree", "--ephemeral"]] {
        let place = Place::new();
        let file = recorded(&place, arguments);
        let (ended, object) = replayed(&place, &file);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert_eq!(object["answered_from_recording"], 0);
        assert_eq!(place.path("home").exists(), arguments.len() == 1, "{arguments:?}");
    }
}

#[test]
fn the_first_difference_is_shown_with_its_step() {
    let place = Place::new();
    let file = recorded(&place, &["--with-tree"]);
    let text = place.read("r.jsonl");
    let one = agent_tools::sha256(b"one\ntwo\n");
    for (from, to, step, words) in [
        (
            "\"matches\":[{\"file\":\"other.txt\"",
            "\"matches\":[{\"file\":\"mother.txt\"",
            1,
            "`grep_search`",
        ),
        ("\"edited a.txt\"", "\"edited b.txt\"", 2, "`apply_patch`"),
        (
            "\"response\":\"As it was.\",",
            "\"response\":\"Otherwise.\",",
            4,
            "the end of the request",
        ),
        ("You are a coding agent", "You are an agent", 1, "the request for decide"),
        (&*format!("sha256 {one}"), "sha256 0", 2, "message 4"),
    ] {
        assert!(text.contains(from), "{from}");
        let at = text.rfind(from).expect("it is there");
        let changed = match words {
            "the request for decide" => text.replace(from, to),
            _ => format!("{}{to}{}", &text[..at], &text[at + from.len()..]),
        };
        place.write("changed.jsonl", &changed);
        let (ended, object) = replayed(&place, &place.path("changed.jsonl").display().to_string());
        assert_eq!(ended.code, Some(1), "{words} {ended:?}");
        assert_eq!(object["divergence"]["step"], step, "{words} {object}");
        let what = object["divergence"]["what"].as_str().expect("text");
        assert!(what.contains(words), "{words} {what}");
        assert!(ended.stderr.contains("agent::replay::different"), "{ended:?}");
    }
    assert_eq!(place.run(&["replay", &file]).code, Some(0));
}

#[test]
fn what_is_no_recording_is_told() {
    let place = Place::new();
    let file = recorded(&place, &[]);
    let text = place.read("r.jsonl");
    let without_end = text.trim_end().rsplit_once('\n').expect("lines").0.to_owned();
    for (content, words) in [
        (String::new(), "its end is missing"),
        ("{}\n".to_owned(), "line 1: this is no recording's header"),
        (without_end, "its end is missing"),
        (text.replacen("\"recording\":1", "\"recording\":9", 1), "it is of format 9"),
        (text.replacen("\"text\":\"one", "\"text\":\"two", 1), "does not have the hash"),
        (text.replacen("{\"note\"", "{\"node\"", 1), "line 2: "),
    ] {
        place.write("broken.jsonl", &content);
        let broken = place.path("broken.jsonl").display().to_string();
        let ended = place.run(&["replay", &broken]);
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""), "{words} {ended:?}");
        assert!(ended.stderr.contains(words), "{words} {ended:?}");
    }
    assert_eq!(place.run(&["replay", "/nowhere"]).code, Some(2));
    assert_eq!(place.run(&["replay", &file]).code, Some(0));
}

#[test]
fn a_session_that_went_on_is_run_again_as_a_whole() {
    let place = Place::new();
    recorded(&place, &[]);
    place.write("work/a.txt", "changed by hand\n");
    let read = call("read_file", &json!({ "target_file": "a.txt" }));
    let ended = place.play(&[read, finish("Read.")], &["-q", "-c", "and now?"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let id =
        place.run(&["sessions", "--output-format", "json"]).json()["sessions"][0]["id"].clone();
    let exported = place.run(&["sessions", "export", id.as_str().expect("an id")]);
    assert_eq!(exported.code, Some(0), "{exported:?}");
    place.write("whole.jsonl", &exported.stdout);
    let (ended, object) = replayed(&place, &place.path("whole.jsonl").display().to_string());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!((&object["steps"], &object["calls"]), (&json!(6), &json!(6)));
}

#[test]
fn no_secret_gets_into_a_recording() {
    let place = Place::new();
    place.write("work/a.txt", "token = sk-abcdefgh12345678\n");
    let read = call("read_file", &json!({ "target_file": "a.txt" }));
    let model = place.script(&[read, finish("Read.")]);
    let file = place.path("r.jsonl").display().to_string();
    let mut command = place.agent(&["run", "-m", &model, "-q", "--record", &file, "do"]);
    command.env("SOME_API_KEY", "sk-abcdefgh12345678");
    let ended = Ended::of(command.output().expect("the program runs"));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let text = place.read("r.jsonl");
    assert!(!text.contains("abcdefgh"), "{text}");
    assert!(text.contains("\"replayable\":false"));
    let ended = place.run(&["replay", &file]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("not_replayable"), "{ended:?}");
}

#[test]
fn what_the_project_told_agents_then_is_what_they_are_told_again() {
    let place = Place::new();
    place.write("repository/.git/HEAD", "");
    place.write("repository/AGENTS.md", "Write POSIX sh.\n");
    place.write("repository/shop/AGENTS.md", "Prices are whole cents.\n");
    let model = place.script(&[finish("Done.")]);
    let recording = place.path("recording.jsonl").display().to_string();
    let shop = place.path("repository/shop").display().to_string();
    let ran = place.run(&["run", "-C", &shop, "-m", &model, "--record", &recording, "do it"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let recorded = place.read("recording.jsonl");
    assert!(recorded.contains("## ../AGENTS.md\\n\\nWrite POSIX sh."), "{recorded}");
    fs::remove_dir_all(place.path("repository")).expect("it is removed");
    let again = place.run(&["replay", &recording]);
    assert_eq!(again.code, Some(0), "{again:?}");
}
