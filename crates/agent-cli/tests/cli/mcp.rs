//! `agent mcp serve`, seen from a host.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::support::{Ended, Place};

/// What standard output may take until it says something.
const LIMIT: Duration = Duration::from_secs(60);

/// A program that speaks to a server of ours, line by line.
pub(crate) struct Host {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Value>,
}

impl Host {
    pub(crate) fn of(place: &Place, arguments: &[&str]) -> Self {
        let mut all = vec!["mcp", "serve"];
        all.extend(arguments);
        let mut child =
            place.agent(&all).stdin(Stdio::piped()).spawn().expect("the program starts");
        let stdout = BufReader::new(child.stdout.take().expect("a pipe"));
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in stdout.lines() {
                let line = line.expect("UTF-8");
                let message = serde_json::from_str(&line);
                let message =
                    message.unwrap_or_else(|error| panic!("no protocol: {line}: {error}"));
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self { stdin: child.stdin.take(), child, lines }
    }

    pub(crate) fn say(&mut self, message: &Value) {
        self.say_line(&message.to_string());
    }

    fn say_line(&mut self, line: &str) {
        let stdin = self.stdin.as_mut().expect("open");
        writeln!(stdin, "{line}").and_then(|()| stdin.flush()).expect("a reader");
    }

    pub(crate) fn hear(&self) -> Value {
        self.lines.recv_timeout(LIMIT).expect("a message")
    }

    pub(crate) fn ask(&mut self, id: u32, method: &str, params: &Value) -> Value {
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        // What a call before tells of itself may still be on its way.
        let answer = loop {
            let message = self.hear();
            if message["method"].is_null() {
                break message;
            }
        };
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// Opens a session as hosts did up to 2025-11-25.
    fn shake_hands(&mut self, version: &str) -> Value {
        let answer = self.ask(
            0,
            "initialize",
            &json!({ "protocolVersion": version, "capabilities": {},
                     "clientInfo": { "name": "test", "version": "1" } }),
        );
        self.say(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        answer["result"].clone()
    }

    fn call(&mut self, id: u32, tool: &str, arguments: &Value) -> Value {
        self.ask(id, "tools/call", &json!({ "name": tool, "arguments": arguments }))
    }

    /// Closes standard input and waits.
    fn leave(mut self) -> Ended {
        drop(self.stdin.take());
        Ended::of(self.child.wait_with_output().expect("the program ends"))
    }
}

/// What a request of 2026-07-28 says of its sender, with the rest of its parameters.
fn modern(params: &Value) -> Value {
    let mut params = params.clone();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    params
}

#[test]
fn every_handshake_is_answered_in_its_own_version() {
    let place = Place::new();
    for (asked, answered) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let mut host = Host::of(&place, &["fs"]);
        let greeting = host.shake_hands(asked);
        assert_eq!(greeting["protocolVersion"], answered);
        assert_eq!(greeting["serverInfo"]["name"], "agent");
        assert_eq!(greeting["capabilities"], json!({ "tools": {} }));
        let listed = host.ask(1, "tools/list", &json!({}));
        assert_eq!(listed["result"]["tools"][0]["name"], "list_dir", "{listed}");
        assert_eq!(listed["result"]["resultType"], Value::Null, "{listed}");
        assert_eq!(host.ask(2, "ping", &json!({}))["result"], json!({}));
        let ended = host.leave();
        assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
    }
}

#[test]
fn requests_that_stand_for_themselves_need_no_handshake() {
    let place = Place::new();
    place.write("work/a.txt", "one\n");
    let mut host = Host::of(&place, &[]);
    let found = host.ask(1, "server/discover", &modern(&json!({})))["result"].clone();
    assert_eq!(
        found["supportedVersions"],
        json!(["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"])
    );
    assert_eq!(found["resultType"], "complete");
    let listed = host.ask(2, "tools/list", &modern(&json!({})))["result"].clone();
    assert_eq!(
        (&listed["resultType"], &listed["tools"][10]["name"]),
        (&json!("complete"), &json!("run_command"))
    );
    assert!(listed["ttlMs"].is_number() && listed["cacheScope"].is_string(), "{listed}");
    let call = json!({ "name": "read_file", "arguments": { "target_file": "a.txt" } });
    let read = host.ask(3, "tools/call", &modern(&call))["result"].clone();
    assert_eq!((&read["resultType"], &read["isError"]), (&json!("complete"), &json!(false)));
    assert_eq!(read["structuredContent"]["content"], "one\n");
    // Without saying who asks, and in a version that does not exist, there is no answer.
    assert_eq!(host.ask(4, "tools/list", &json!({}))["error"]["code"], -32602);
    let mut other = modern(&json!({}));
    other["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2030-01-01");
    let refused = host.ask(5, "tools/list", &other);
    assert_eq!(refused["error"]["code"], -32022, "{refused}");
    assert_eq!(host.leave().code, Some(0));
}

#[test]
fn what_a_tool_refuses_is_a_result_and_what_makes_no_sense_is_an_error() {
    let place = Place::new();
    place.write("work/a.txt", "one\n");
    place.write("secret.txt", "no\n");
    let mut host = Host::of(&place, &["fs"]);
    host.shake_hands("2025-11-25");
    for (id, tool, arguments, words) in [
        (1, "read_file", json!({ "target_file": "../secret.txt" }), "outside"),
        (2, "read_file", json!({ "target_file": "b.txt" }), "b.txt"),
        (3, "read_file", json!({}), "bad parameters for read_file"),
        (4, "create_file", json!({ "target_file": "a.txt", "content": "x" }), "a.txt"),
        (5, "create_file", json!({ "target_file": ".git/config", "content": "x" }), "refused"),
    ] {
        let answer = host.call(id, tool, &arguments);
        let result = &answer["result"];
        assert_eq!(result["isError"], true, "{answer}");
        assert_eq!(result["structuredContent"]["success"], false, "{answer}");
        let text = result["content"][0]["text"].as_str().expect("text");
        assert!(text.contains(words), "{words}: {text}");
    }
    for (id, tool) in [(6, "run_command"), (7, "no_such_tool"), (8, "finish"), (9, "merge_sketch")]
    {
        let answer = host.call(id, tool, &json!({}));
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
        let message = answer["error"]["message"].as_str().expect("a message");
        assert!(message.contains("the tools are list_dir, "), "{message}");
    }
    let answer = host.ask(10, "tools/list", &json!({ "cursor": "x" }));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert_eq!(host.ask(11, "no/such", &json!({}))["error"]["code"], -32601);
    // What is no message at all is passed over, and the next one is answered.
    host.say_line("no JSON");
    assert_eq!(host.ask(12, "ping", &json!({}))["result"], json!({}));
    assert_eq!(host.leave().code, Some(0));
}

#[test]
fn changes_are_recorded_and_undone() {
    let place = Place::new();
    place.write("work/a.txt", "one\ntwo\n");
    let mut host = Host::of(&place, &["fs"]);
    host.shake_hands("2025-06-18");
    let edits = json!({ "path": "a.txt", "edits": [{ "line": 2, "old": "two", "new": "2" }] });
    let patched = host.call(1, "apply_patch", &edits);
    assert_eq!(patched["result"]["isError"], false, "{patched}");
    assert_eq!(place.read("work/a.txt"), "one\n2\n");
    let undone = host.call(2, "undo", &json!({}));
    assert_eq!(undone["result"]["isError"], false, "{undone}");
    assert_eq!(place.read("work/a.txt"), "one\ntwo\n");
    host.call(3, "apply_patch", &edits);
    assert_eq!(host.leave().code, Some(0));
    let undone = place.run(&["undo"]);
    assert_eq!((undone.code, place.read("work/a.txt").as_str()), (Some(0), "one\ntwo\n"));
}

#[test]
fn a_reader_is_lent_nothing_that_writes() {
    let place = Place::new();
    let mut host = Host::of(&place, &["--read-only"]);
    host.shake_hands("2025-11-25");
    let listed = host.ask(1, "tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().expect("tools");
    assert!(tools.iter().all(|tool| tool["annotations"]["readOnlyHint"] == true), "{listed}");
    let answer = host.call(2, "create_file", &json!({ "target_file": "a", "content": "x" }));
    assert_eq!(answer["error"]["code"], -32602, "{answer}");
    assert_eq!(host.leave().code, Some(0));
    let ended = place.run(&["mcp", "serve", "exec", "--read-only"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(2), ""));
    assert!(ended.stderr.contains("agent::usage::nothing_to_lend"), "{}", ended.stderr);
}

#[test]
fn no_secret_is_lent() {
    let place = Place::new();
    place.write("work/.env", "TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345\n");
    let mut host = Host::of(&place, &["fs"]);
    host.shake_hands("2025-11-25");
    let read = host.call(1, "read_file", &json!({ "target_file": ".env" })).to_string();
    assert!(!read.contains("ghp_0123"), "{read}");
    assert_eq!(host.leave().code, Some(0));
}

#[test]
fn a_command_runs_tells_of_itself_and_is_cancelled_with_all_that_it_started() {
    let place = Place::new();
    let mut host = Host::of(&place, &["exec"]);
    host.shake_hands("2025-11-25");
    let ran = host.call(1, "run_command", &json!({ "command": "echo out; echo err >&2; exit 3" }));
    let result = &ran["result"]["structuredContent"];
    assert_eq!((&result["stdout"], &result["exit_code"]), (&json!("out\n"), &json!(3)), "{ran}");
    assert_eq!(ran["result"]["isError"], true);
    let command = "sleep 300 & echo $! > pid; wait";
    host.say(&json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {
        "name": "run_command", "arguments": { "command": command },
        "_meta": { "progressToken": "p" } } }));
    let progress = host.hear();
    assert_eq!(progress["method"], "notifications/progress", "{progress}");
    assert_eq!(progress["params"]["progressToken"], "p");
    host.say(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
                      "params": { "requestId": 2, "reason": "enough" } }));
    // It goes on serving, and the call that was taken back is not answered.
    let again = host.call(3, "run_command", &json!({ "command": "true" }));
    assert_eq!(again["result"]["isError"], false, "{again}");
    let ended = host.leave();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    #[cfg(target_os = "linux")]
    {
        let pid = place.read("work/pid");
        let process = std::path::PathBuf::from(format!("/proc/{}/cmdline", pid.trim()));
        let line = std::fs::read_to_string(process).unwrap_or_default();
        assert!(!line.contains("sleep"), "{line}");
    }
}

#[test]
fn a_host_that_goes_ends_the_server_and_what_it_runs() {
    let place = Place::new();
    let host = Host::of(&place, &[]);
    assert_eq!(host.leave().code, Some(0));
    let mut host = Host::of(&place, &["exec"]);
    host.shake_hands("2025-11-25");
    host.say(&json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "run_command", "arguments": { "command": "sleep 300" } } }));
    let started = Instant::now();
    assert_eq!(host.leave().code, Some(0));
    assert!(started.elapsed() < Duration::from_secs(30), "{:?}", started.elapsed());
}
