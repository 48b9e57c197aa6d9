//! How much memory the tools take for a large file.

use std::{
    fmt::Write as _,
    fs,
    io::{BufRead, BufReader, Write},
    process::{Child, Stdio},
};

use serde_json::{Value, json};

use crate::support::Place;

/// Bytes of the file.
const SIZE: usize = 12 << 20;

/// The most memory in bytes that a process had at any time.
fn peak(child: &Child) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).expect("Linux tells");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a line of it");
    1024 * line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number")
}

/// The answers to calls in one process, and its peak.
fn called(place: &Place, calls: &[(&str, Value)]) -> (Vec<Value>, usize) {
    let mut command = place.agent(&["tool", "--jsonl"]);
    let mut child = command.stdin(Stdio::piped()).spawn().expect("the program runs");
    let mut input = child.stdin.take().expect("its input");
    let mut output = BufReader::new(child.stdout.take().expect("its output"));
    let mut answers = Vec::new();
    for (tool, params) in calls {
        writeln!(input, "{}", json!({ "id": 1, "tool": tool, "params": params }))
            .expect("it reads");
        let mut line = String::new();
        output.read_line(&mut line).expect("it answers");
        let answer: Value = serde_json::from_str(&line).expect("JSON");
        assert_eq!(answer["result"]["success"], true, "{tool}: {answer}");
        answers.push(answer["result"].clone());
    }
    let peak = peak(&child);
    drop(input);
    assert!(child.wait().expect("it ends").success());
    (answers, peak)
}

#[test]
fn a_large_file_is_not_held_many_times() {
    let place = Place::new();
    let mut text = String::new();
    for line in 0.. {
        writeln!(text, "line {line} of some text").expect("room");
        if text.len() > SIZE {
            break;
        }
    }
    place.write("work/large.txt", &text);
    place.write("work/small.txt", "a line\n");
    let edit = |file: &str| {
        let edit = json!({ "line": 1, "old": "a line", "new": "another" });
        ("apply_patch", json!({ "path": file, "edits": [edit] }))
    };
    let (_, bare) = called(&place, &[edit("small.txt"), ("undo", json!({}))]);

    let range = json!({ "target_file": "large.txt", "start_line": 99_999, "end_line": 100_000 });
    let (answers, read) = called(&place, &[("read_file", range)]);
    let content = "line 99998 of some text\nline 99999 of some text\n";
    assert_eq!(answers[0]["content"], content);
    assert!(read < bare + SIZE, "{read} and {bare} bytes: it is not held at all");

    let edits = json!([{ "start_line": 2, "end_line": 2, "replacement": "another" }]);
    let edit = ("apply_patch", json!({ "path": "large.txt", "edits": edits }));
    let (answers, changed) = called(&place, &[edit, ("undo", json!({}))]);
    let diff = answers[0]["diff"].as_str().expect("a diff");
    assert!(diff.contains("-line 1 of some text\n+another\n"), "{diff}");
    // As it was and as it is to be are two; the rest is room.
    assert!(changed < bare + 9 * SIZE / 2, "{changed} and {bare} bytes");
    assert!(place.read("work/large.txt") == text);
}
