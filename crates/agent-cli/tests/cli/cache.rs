use std::fs;

use serde_json::{Value, json};

use crate::support::{Place, call, finish};

const JSON: [&str; 2] = ["--output-format", "json"];

fn looked(answer: &str) -> [Value; 2] {
    let mut read = call("read_file", &json!({ "target_file": "a.txt" }));
    let calls = read["calls"].as_array_mut().expect("calls");
    calls.push(json!({ "name": "grep_search", "arguments": { "query": "port" } }));
    [read, finish(answer)]
}

/// What came of a question: the answer, whether it is from the cache, and the calls of the model.
fn asked(place: &Place, replies: &[Value], arguments: &[&str]) -> (String, bool, u64) {
    let ended = place.play(replies, &[&JSON[..], arguments].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let object = ended.json();
    let answer = object["response"].as_str().expect("an answer").to_owned();
    (answer, object["from_cache"] == true, object["turns"].as_u64().expect("turns"))
}

#[test]
fn an_answer_is_given_again_until_something_that_it_was_made_from_changes() {
    let place = Place::new();
    place.write("work/a.txt", "port = 1\n");
    let question = "Where is the port set?";
    let fresh = |answer: &str| (answer.to_owned(), false, 2);
    assert_eq!(asked(&place, &looked("In a.txt."), &[question]), fresh("In a.txt."));
    for again in [question, "where is the port set", "Please, where is the port set?"] {
        let from_cache = ("In a.txt.".to_owned(), true, 0);
        assert_eq!(asked(&place, &[], &[again]), from_cache, "{again}");
    }
    // Whoever asks for the model gets it, and so does another kind of request.
    assert_eq!(asked(&place, &looked("Anew."), &["--no-cache", question]), fresh("Anew."));
    assert_eq!(asked(&place, &looked("Edit."), &["--intent", "edit", question]), fresh("Edit."));

    place.write("work/a.txt", "port = 2\n");
    assert_eq!(asked(&place, &looked("Still a.txt."), &[question]), fresh("Still a.txt."));
    // A search would find more now.
    place.write("work/b.txt", "port = 3\n");
    assert_eq!(asked(&place, &looked("In both."), &[question]), fresh("In both."));
    assert!(asked(&place, &[], &[question]).1);
    fs::remove_file(place.path("work/a.txt")).expect("removed");
    assert_eq!(asked(&place, &looked("In b.txt."), &[question]), fresh("In b.txt."));
    // Instructions are part of what an answer depends on.
    place.write("work/AGENTS.md", "Answer in verse.\n");
    assert_eq!(asked(&place, &looked("O port!"), &[question]), fresh("O port!"));

    let stats = place.run(&["cache", "stats", "--output-format", "json"]).json();
    assert_eq!((&stats["entries"], &stats["hits"]), (&json!(2), &json!(4)));
    assert_eq!(place.run(&["cache", "clear"]).stdout, "removed: 2\n");
    assert!(place.run(&["cache", "stats"]).stdout.starts_with("0 of 500 answers"));
}

#[test]
fn a_similar_question_shows_the_model_the_earlier_answer_and_takes_its_place() {
    let place = Place::new();
    place.write("work/a.txt", "port = 1\n");
    asked(&place, &looked("In a.txt."), &["Where is the port of the server set?"]);
    let [mut read, answer] = looked("In a.txt, line 1.");
    read["expect"] = json!({ "contains": ["Earlier work", "In a.txt."] });
    let similar = "Where exactly is the port of the server set?";
    let file = place.path("r.jsonl").display().to_string();
    let ran = asked(&place, &[read, answer], &["--record", &file, similar]);
    assert_eq!(ran, ("In a.txt, line 1.".to_owned(), false, 2));
    let stats = place.run(&["cache", "stats", "--output-format", "json"]).json();
    assert_eq!(stats["entries"], 1);
    assert!(asked(&place, &[], &[similar]).1);
    // What was recalled is part of the recording.
    let again = place.run(&["replay", &file]);
    assert_eq!(again.code, Some(0), "{again:?}");
}

#[test]
fn what_was_answered_without_looking_or_with_a_command_is_not_kept() {
    let place = Place::new();
    asked(&place, &[finish("42")], &["What is the answer?"]);
    let run = call("run_command", &json!({ "command": "date" }));
    asked(&place, &[run, finish("Noon.")], &["--approval", "all", "What time is it now?"]);
    asked(&place, &looked("Gone."), &["--ephemeral", "Where is the port?"]);
    assert!(place.run(&["cache", "stats"]).stdout.starts_with("0 of 500 answers"));
}
