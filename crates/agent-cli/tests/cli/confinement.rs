//! Hostile paths and links: every tool that takes a path, called directly and by a model.

mod layout;

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdout, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use serde_json::{Value, json};

use crate::support::{Ended, call, finish};
use layout::Layout;

/// The tools in the order of the table's columns.
const TOOLS: [&str; 16] = [
    "read_file",
    "check_syntax",
    "list_dir",
    "grep_search",
    "file_search",
    "run_command",
    "edit_file",
    "apply_patch",
    "create_file",
    "insert_file",
    "replace_file",
    "remove_file",
    "delete_file",
    "merge_sketch",
    "merge_patch",
    "merge_definition",
];

/// Those that change files.
const CHANGES: [&str; 7] = [
    "edit_file",
    "apply_patch",
    "create_file",
    "insert_file",
    "replace_file",
    "remove_file",
    "delete_file",
];

/// Those that only `agent tool` has.
const DIRECT: [&str; 6] = [
    "insert_file",
    "replace_file",
    "remove_file",
    "merge_sketch",
    "merge_patch",
    "merge_definition",
];

/// What a call of `tool` with `path` is told.
fn params(tool: &str, path: &Value) -> Value {
    match tool {
        "read_file" | "delete_file" => json!({"target_file": path}),
        "check_syntax" => json!({"path": path}),
        "list_dir" => json!({"relative_workspace_path": path}),
        "grep_search" => {
            json!({"query": "OUTSIDE|inside", "include_pattern": path, "include_ignored": true})
        }
        "file_search" => json!({"query": path}),
        "run_command" => json!({"command": "pwd", "cwd": path}),
        "edit_file" => json!({
            "target_file": path, "instructions": "add a line", "code_edit": "inside\nHACKED\n"
        }),
        "apply_patch" => json!({
            "path": path, "edits": [{"start_line": 1, "end_line": 1, "replacement": "HACKED"}]
        }),
        "create_file" => json!({"target_file": path, "content": "HACKED\n"}),
        "insert_file" => json!({"target_file": path, "content": "HACKED", "line_number": 1}),
        "replace_file" => {
            json!({"target_file": path, "start_line": 1, "end_line": 1, "new_content": "HACKED"})
        }
        "remove_file" => json!({"target_file": path, "start_line": 1, "end_line": 1}),
        "merge_sketch" => {
            json!({"path": path, "original": "inside\n", "sketch": "inside\nHACKED\n"})
        }
        "merge_patch" => json!({
            "path": path, "original": "inside\n", "format": "pairs", "patch": [["inside", "HACKED"]]
        }),
        "merge_definition" => {
            json!({"path": path, "original": "inside\n", "name": "inside", "code": "HACKED\n"})
        }
        other => panic!("no such tool: {other}"),
    }
}

/// What became of a call, as a letter.
fn letter(result: &Value) -> char {
    let message = result["message"].as_str().unwrap_or_default();
    let leaves = message.contains("outside the workspace") || message.contains("leads out of");
    let nothing = |key: &str| result[key].as_array().is_some_and(Vec::is_empty);
    match result["success"].as_bool().or(result["ok"].as_bool()) {
        _ if result["status"] == "applied" || result["status"] == "declined" => 'm',
        Some(true) if nothing("matches") || nothing("files") => '-',
        Some(true) => '+',
        Some(false) | None if leaves => 'o',
        Some(false) | None if result["rule"].is_string() => 'g',
        Some(false) | None => 'r',
    }
}

struct Row {
    /// The path, as JSON, with its places filled in.
    path: Value,
    written: String,
    expected: String,
}

fn rows(layout: &Layout) -> Vec<Row> {
    let table = include_str!("../../../../fixtures/confinement/table.txt");
    let lines = table.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let row = |line: &str| {
        let (written, expected) = line.rsplit_once('|').expect("two columns");
        let written = written.trim();
        let path = serde_json::from_str(&layout.filled_in(written)).expect("JSON");
        Row { path, written: written.to_owned(), expected: expected.trim().to_owned() }
    };
    lines.map(row).collect()
}

/// `agent tool --jsonl`, answering.
struct Direct {
    child: Child,
    answers: BufReader<ChildStdout>,
}

impl Direct {
    fn open(layout: &Layout) -> Self {
        let mut agent = layout.place.agent(&["tool", "--jsonl"]);
        let mut child = agent.stdin(Stdio::piped()).spawn().expect("the program runs");
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, answers }
    }

    fn call(&mut self, tool: &str, path: &Value) -> Value {
        let line = json!({"id": 1, "tool": tool, "params": params(tool, path)}).to_string() + "\n";
        self.say(line.as_bytes())
    }

    fn say(&mut self, line: &[u8]) -> Value {
        self.child.stdin.as_mut().expect("a pipe").write_all(line).expect("it reads");
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("it answers");
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        answer["result"].clone()
    }

    fn end(mut self) {
        drop(self.child.stdin.take());
        assert!(self.child.wait().expect("the end").success());
    }
}

/// Nothing of what lies outside was read, and nothing there is different.
fn assert_confined(layout: &Layout, shown: &str, what: &str) {
    assert!(!shown.contains("OUTSIDE-"), "read outside: {what}: {shown}");
    assert_eq!(layout.outside(), layout.before, "{what}: changed outside");
}

#[test]
fn no_tool_reaches_outside_as_the_table_says() {
    let mut layout = Layout::new();
    let rows = rows(&layout);
    assert!(rows.len() >= 60, "{}", rows.len());
    let mut direct = Direct::open(&layout);
    let mut wrong = Vec::new();
    for row in &rows {
        let mut letters = String::new();
        for tool in TOOLS {
            let result = direct.call(tool, &row.path);
            assert_confined(&layout, &result.to_string(), &format!("{tool} {}", row.written));
            letters.push(letter(&result));
            // What has been changed inside is laid out again for the next one.
            if letter(&result) == '+' && CHANGES.contains(&tool) {
                layout.lay();
            }
        }
        if letters != row.expected {
            wrong.push(format!("{:<44} | {letters}", row.written));
        }
    }
    // What is no UTF-8 never gets as far as a path.
    let line =
        b"{\"id\": 1, \"tool\": \"read_file\", \"params\": {\"target_file\": \"link\xff\"}}\n";
    assert_eq!(direct.say(line)["success"], false);
    direct.end();
    assert!(wrong.is_empty(), "these rows are different:\n{}", wrong.join("\n"));
}

#[test]
fn no_model_reaches_outside_by_any_tool() {
    let mut layout = Layout::new();
    let rows = rows(&layout);
    for (column, tool) in TOOLS.into_iter().enumerate().filter(|(_, it)| !DIRECT.contains(it)) {
        layout.lay();
        let calls: Vec<Value> = rows
            .iter()
            .map(|row| json!({"name": tool, "arguments": params(tool, &row.path)}))
            .collect();
        let replies = [json!({"purpose": "decide", "calls": calls}), finish("Done.")];
        let ended = layout.place.play(&replies, &["--approval", "all", "--json", "Go on."]);
        assert_confined(&layout, &ended.stdout, tool);
        assert_confined(&layout, &ended.stderr, tool);
        let results = results(&ended);
        assert_eq!(results.len(), rows.len() + 1, "{tool}, and the end: {ended:?}");
        for (row, failed) in rows.iter().zip(results) {
            // What was done before it may have changed what is inside, never what is outside.
            let refused = ['o', 'g'].contains(&char::from(row.expected.as_bytes()[column]));
            assert!(failed || !refused, "{tool} {}", row.written);
        }
    }
    assert!(!layout.state_holds(b"OUTSIDE-"), "what lies outside was stored");
}

/// Whether each call failed, in order.
fn results(ended: &Ended) -> Vec<bool> {
    let lines = ended.lines();
    let messages = lines.iter().filter(|line| line["type"] == "user");
    let contents = messages.flat_map(|line| line["message"]["content"].as_array());
    contents
        .flatten()
        .filter(|part| part["type"] == "tool_result")
        .map(|part| part["is_error"].as_bool().unwrap_or_default())
        .collect()
}

#[test]
fn a_link_swapped_in_while_tools_are_at_work_leads_nowhere() {
    let layout = Layout::new();
    let work = layout.place.path("work");
    let (end, name) = (AtomicBool::new(false), |name: &str| work.join(name));
    layout::link("../outside", &name("other"));
    let mut outcomes: BTreeMap<char, usize> = BTreeMap::new();
    thread::scope(|scope| {
        // By turns `dir` is a directory of the workspace and a link out of it. The tools make files
        // and directories of that name meanwhile, so any step may fail.
        scope.spawn(|| {
            while !end.load(Ordering::Relaxed) {
                let _ = fs::rename(name("dir"), name("kept"));
                let _ = fs::rename(name("other"), name("dir"));
                if fs::symlink_metadata(name("dir")).is_ok_and(|dir| dir.is_symlink()) {
                    let _ = fs::rename(name("dir"), name("other"));
                }
                let _ = fs::remove_dir_all(name("kept"));
                let _ = fs::create_dir(name("dir"));
                let _ = fs::write(name("dir/secret"), "inside\n");
            }
        });
        let mut direct = Direct::open(&layout);
        let paths = ["dir/secret", "dir/new", "dir/sub/new", "dir"].map(Value::from);
        for _ in 0..12 {
            for tool in TOOLS.into_iter().filter(|tool| !tool.starts_with("merge_")) {
                for path in &paths {
                    let result = direct.call(tool, path);
                    assert_confined(&layout, &result.to_string(), &format!("{tool} {path}"));
                    *outcomes.entry(letter(&result)).or_default() += 1;
                }
            }
        }
        end.store(true, Ordering::Relaxed);
        direct.end();
    });
    assert!(outcomes.get(&'+').is_some_and(|count| *count > 0), "{outcomes:?}");
}

#[test]
fn a_model_that_asks_for_the_same_place_outside_again_and_again_is_stopped() {
    let layout = Layout::new();
    let away = call("read_file", &json!({"target_file": "../outside/secret"}));
    let replies = [away.clone(), away.clone(), away, finish("Done.")];
    let ended = layout.place.play(&replies, &["Read it."]);
    assert_eq!(ended.code, Some(14), "{ended:?}");
    assert_confined(&layout, &ended.stdout, "again and again");
}
