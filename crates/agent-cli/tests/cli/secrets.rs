//! Thirty secrets of thirty shapes come in by every way, and go out by none.

use std::{fs, path::Path, process::Stdio};

use serde_json::{Value, json};

use crate::{
    mcp::Host,
    support::{Ended, Place, call, feed, finish},
};

/// Each as a line of a file, with the secret in it. They are put together here, so that nothing
/// that looks like one stands in this file.
fn planted() -> Vec<(String, String)> {
    let a = |count: usize| "q7Rk2LmX9pTz4VbN8sWc".repeat(3)[..count].to_owned();
    let hex = "0f1e2d3c4b5a69788796a5b4c3d2e1f0";
    let upper = "Q7RK2LMX9PTZ4VBN";
    let whole = |parts: &[&str]| parts.concat();
    let alone = [
        whole(&["sk-", "ant-", &a(40)]),
        whole(&["sk-", "proj-", &a(40)]),
        whole(&["sk", "-", &a(48)]),
        whole(&["gs", "k_", &a(40)]),
        whole(&["h", "f_", &a(34)]),
        whole(&["AI", "za", &a(35)]),
        whole(&["gh", "p_", &a(36)]),
        whole(&["github", "_pat_", &a(40)]),
        whole(&["gl", "pat-", &a(20)]),
        whole(&["xo", "xb-", &a(30)]),
        whole(&["xa", "pp-", &a(30)]),
        whole(&["AK", "IA", upper]),
        whole(&["np", "m_", &a(36)]),
        whole(&["py", "pi-", &a(50)]),
        whole(&["dckr", "_pat_", &a(27)]),
        whole(&["sk", "_live_", &a(24)]),
        whole(&["wh", "sec_", &a(32)]),
        whole(&["sh", "pat_", hex]),
        whole(&["da", "pi", hex]),
        whole(&["hv", "s.", &a(40)]),
        whole(&["S", "G.", &a(22), ".", &a(43)]),
        whole(&["12345", "67890", ":AA", &a(33)]),
        whole(&["ey", "J", &a(30), ".ey", "J", &a(40), ".", &a(43)]),
        whole(&["AGE-", "SECRET-KEY-1", &upper.repeat(3)]),
    ];
    let mut planted: Vec<(String, String)> =
        alone.into_iter().map(|secret| (format!("value {secret} here"), secret)).collect();
    let key = format!("{}{}", a(60), a(4));
    planted.push((
        format!("-----BEGIN {0} KEY-----\n{key}\n-----END {0} KEY-----", "RSA PRIVATE"),
        key,
    ));
    for (before, secret, after) in [
        ("postgres://service:", "pw-in-an-address-1", "@db.example.com/main"),
        ("https://ci:", "pw-of-a-remote-22", "@git.example.com/x.git"),
        ("DB_PASSWORD=", "correct-horse-battery", ""),
        ("export SESSION_SECRET=\"", "env-file-secret-333", "\""),
        ("Authorization: Bearer ", "opaque-bearer-4444.abc", ""),
    ] {
        planted.push((format!("{before}{secret}{after}"), secret.to_owned()));
    }
    planted
}

/// Fails where one of them stands in the text.
fn lacks(text: &str, place: &str) {
    for (_, secret) in planted() {
        assert!(!text.contains(&secret), "{secret} is in {place}");
        assert!(!text.contains(&secret.replace('\n', "\\n")), "{secret} is in {place}");
    }
}

fn both(ended: &Ended, what: &str) {
    lacks(&ended.stdout, &format!("the output of {what}"));
    lacks(&ended.stderr, &format!("the messages of {what}"));
}

/// Everything in a directory, as text.
fn files(dir: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            let bytes = fs::read(&path).expect("a file");
            found.push((path.display().to_string(), String::from_utf8_lossy(&bytes).into_owned()));
        }
    }
    found
}

fn plant(place: &Place) -> (String, usize) {
    let planted = planted();
    let text: String = planted.iter().map(|(line, _)| format!("{line}\n")).collect();
    place.write("work/secrets.txt", &text);
    place.write("work/.env.txt", &text);
    place.write("work/AGENTS.md", &format!("Never print these:\n{text}"));
    (text, planted.len())
}

/// A model that reads, searches, runs, edits beside and answers, and is shown nothing.
fn replies() -> Vec<Value> {
    let secrets: Vec<String> = planted().into_iter().map(|(_, secret)| secret).collect();
    let expect = json!({ "lacks": secrets });
    let calls = [
        call("read_file", &json!({ "target_file": "secrets.txt" })),
        call("grep_search", &json!({ "query": ".", "include_pattern": "*.txt" })),
        call("run_command", &json!({ "command": "cat secrets.txt; cat .env.txt >&2; false" })),
        finish("They are in secrets.txt."),
    ];
    calls
        .into_iter()
        .map(|mut reply| {
            reply["expect"] = expect.clone();
            reply
        })
        .collect()
}

#[test]
fn thirty_secrets_that_come_in_by_files_outputs_and_requests_go_out_nowhere() {
    let place = Place::new();
    let (text, count) = plant(&place);
    assert_eq!(count, 30);
    let request = format!("What are these?\n{text}");
    let record = place.path("record.jsonl").display().to_string();
    for format in ["text", "json", "stream-json"] {
        let arguments =
            ["--approval", "all", "--output-format", format, "-vvv", "--record", &record];
        let ended = place.play(&replies(), &[&arguments[..], &["--", &request]].concat());
        assert_eq!(ended.code, Some(0), "{ended:?}");
        both(&ended, format);
        lacks(&fs::read_to_string(&record).expect("a recording"), "the recording");
    }
    // A question's answer goes to the cache, and comes from there.
    let ended = place.play(&replies()[..2], &["--intent", "read", "Where are they?"]);
    both(&ended, "a question");
    let id =
        place.run(&["sessions", "--output-format", "json"]).json()["sessions"][0]["id"].clone();
    let id = id.as_str().expect("an id");
    for arguments in [
        &["sessions"][..],
        &["sessions", "show", id],
        &["sessions", "show", id, "--output-format", "json"],
        &["sessions", "export", id],
        &["sessions", "export", "--with-tree", id],
        &["memory"],
        &["memory", "list", "--output-format", "json"],
        &["memory", "session", "--output-format", "json"],
        &["eval", "--output-format", "json"],
        &["debug", "prompt", &request],
        &["-C", ".", "config", "show"][2..],
    ] {
        both(&place.run(arguments), &arguments.join(" "));
    }
    // A request that ends before anything has begun.
    let ended = place.run(&["run", "-m", "nobody/x", "--output-format", "json", &request]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    both(&ended, "a request without a model");
    for (name, text) in files(&place.path("home")) {
        lacks(&text, &name);
    }
}

#[test]
fn an_edit_beside_them_shows_none_and_a_chat_neither() {
    let place = Place::new();
    let (text, _) = plant(&place);
    place.write("work/secrets.txt", &format!("first\n{text}"));
    let edits = json!([{ "line": 1, "old": "first", "new": "First" }]);
    let edit = call("apply_patch", &json!({ "path": "secrets.txt", "edits": edits }));
    let model = place.script(&[edit, finish("Done.")]);
    let child = place.agent(&["chat", "-m", &model]).stdin(Stdio::piped()).spawn();
    let lines = format!(
        "Make it a capital, though not of {}\n/diff\n/memory session\n/undo\n",
        planted()[0].1
    );
    let ended = feed(child.expect("the program runs"), &lines);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    // What is typed stands on a terminal anyway; here it is repeated without.
    both(&ended, "a chat");
    assert!(ended.stdout.contains("+First"), "{ended:?}");
    both(&place.run(&["redo", "--output-format", "json"]), "redo");
    both(&place.run(&["diff"]), "diff");
    place.write("work/secrets.txt", &format!("other\n{text}"));
    let ended = place.run(&["undo"]);
    assert_eq!(ended.code, Some(15), "{ended:?}");
    both(&ended, "a conflict");
}

#[test]
fn tools_that_are_lent_show_none() {
    let place = Place::new();
    plant(&place);
    let mut host = Host::of(&place, &[]);
    let begin = json!({
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": { "name": "t", "version": "0" },
    });
    host.ask(0, "initialize", &begin);
    host.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    for (id, name, arguments) in [
        (1, "read_file", json!({ "target_file": "secrets.txt" })),
        (2, "grep_search", json!({ "query": "e", "include_pattern": "*.txt" })),
        (3, "run_command", json!({ "command": "cat secrets.txt" })),
    ] {
        let answer = host.ask(id, "tools/call", &json!({ "name": name, "arguments": arguments }));
        let answer = answer.to_string();
        assert!(answer.contains("⟦redacted⟧"), "{answer}");
        lacks(&answer, name);
    }
}
