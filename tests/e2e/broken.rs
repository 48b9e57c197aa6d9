//! The harness tests itself: what is wrong with a case, a tree or a request has to be reported.
#![expect(clippy::disallowed_methods, reason = "broken cases are laid out in a scratch directory")]

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    path::PathBuf,
};

use libtest_mimic::{Failed, Trial};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    case::{Case, Driver},
    golden::Bless,
    loopback::{Answer, Dialect, Loopback, Said},
    play,
};

type Check = fn() -> Result<(), String>;

/// One trial for each rule.
pub(crate) fn trials() -> Vec<Trial> {
    let checks: [(&str, Check); 12] = [
        ("a-sound-case-passes", || reports(&[], &[])),
        ("an-unknown-key-is-reported", unknown_key),
        ("a-stray-file-is-reported", stray_file),
        ("an-unused-reply-is-reported", unused_reply),
        ("a-wrong-tree-is-reported", wrong_tree),
        ("a-wrong-end-is-reported", wrong_end),
        ("a-wrong-event-is-reported", wrong_event),
        ("a-bad-openai-request-is-reported", bad_openai_requests),
        ("a-bad-ollama-request-is-reported", bad_ollama_requests),
        ("a-bad-anthropic-request-is-reported", bad_anthropic_requests),
        ("a-bad-gemini-request-is-reported", bad_gemini_requests),
        ("a-bad-responses-request-is-reported", bad_responses_requests),
    ];
    let trial = |(name, check): (&str, Check)| {
        Trial::test(format!("harness::{name}"), move || check().map_err(Failed::from))
    };
    checks.map(trial).into()
}

/// A case in a scratch directory.
struct Scratch {
    _directory: TempDir,
    case: PathBuf,
}

const SOUND: [(&str, &str); 3] = [
    ("case.toml", "why = \"w\"\ntask = \"t\"\nanswer = \"Done.\"\n"),
    ("script.jsonl", "{\"purpose\": \"decide\", \"text\": \"Done.\"}\n"),
    ("before/a.txt", "one\ntwo\n"),
];

impl Scratch {
    /// A sound case, with its golden file.
    fn new() -> Result<Self, String> {
        let directory = tempfile::tempdir().map_err(|error| error.to_string())?;
        let case = directory.path().join("broken");
        let scratch = Self { _directory: directory, case };
        scratch.write(&SOUND)?;
        scratch.play(Bless::Yes)?;
        Ok(scratch)
    }

    fn write(&self, files: &[(&str, &str)]) -> Result<(), String> {
        for (file, text) in files {
            let path = self.case.join(file);
            let parent = path.parent().unwrap_or(&self.case);
            fs::create_dir_all(parent).map_err(|error| error.to_string())?;
            fs::write(&path, text).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn play(&self, bless: Bless) -> Result<Vec<String>, String> {
        play(Driver::Process, &Case::load(&self.case)?, bless)
    }
}

/// With these files on top, a sound case has these problems, by how they begin.
fn reports(files: &[(&str, &str)], expected: &[&str]) -> Result<(), String> {
    let scratch = Scratch::new()?;
    scratch.write(files)?;
    let seen = scratch.play(Bless::No).unwrap_or_else(|problem| vec![problem]);
    let alike = seen.len() == expected.len()
        && seen.iter().zip(expected).all(|(seen, expected)| seen.starts_with(expected));
    if alike { Ok(()) } else { Err(format!("{seen:#?}\nexpected {expected:#?}")) }
}

fn unknown_key() -> Result<(), String> {
    let manifest = format!("{}colour = \"red\"\n", SOUND[0].1);
    let scratch = Scratch::new()?;
    scratch.write(&[("case.toml", &manifest)])?;
    match scratch.play(Bless::No) {
        Err(problem) if problem.contains("unknown field `colour`") => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

fn stray_file() -> Result<(), String> {
    reports(&[("notes.md", "")], &["broken: notes.md: no such file belongs to a case"])
}

fn unused_reply() -> Result<(), String> {
    let script = SOUND[1].1.repeat(2);
    reports(
        &[("script.jsonl", &script)],
        &["replies that nothing asked for, by their lines: [2]; expected 0"],
    )
}

fn wrong_tree() -> Result<(), String> {
    reports(
        &[("after/a.txt", "one\n2\n"), ("after/c.txt", ""), ("before/b.txt", "")],
        &["a.txt: differs\n", "c.txt: missing", "b.txt: stray"],
    )
}

fn wrong_end() -> Result<(), String> {
    let manifest =
        "why = \"w\"\ntask = \"t\"\nanswer = \"Fine.\"\noutcome = \"failed\"\nexit = 1\n";
    reports(
        &[("case.toml", manifest)],
        &[
            "exit code 0, expected 1",
            "outcome \"finished\", expected \"failed\"",
            "the result says exit code 0",
            "answer \"Done.\", expected \"Fine.\"",
        ],
    )
}

fn wrong_event() -> Result<(), String> {
    reports(&[("events.jsonl", "{}\n")], &["events.jsonl: differs\n"])
}

/// What a server finds wrong with the last of some requests.
fn found(dialect: Dialect, path: &str, bodies: &[String]) -> Result<Vec<String>, String> {
    let model = |_: &_| Ok(Answer::Whole(Said { text: "Done.".to_owned(), ..Said::default() }));
    let server = Loopback::start(dialect, Box::new(model)).map_err(|error| error.to_string())?;
    for body in bodies {
        post(&server.base_url(), path, body).map_err(|error| error.to_string())?;
    }
    Ok(server.stop().problems)
}

fn post(url: &str, path: &str, body: &str) -> std::io::Result<()> {
    let address = url.trim_start_matches("http://").trim_end_matches("/v1");
    let mut stream = TcpStream::connect(address)?;
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         x-api-key: k\r\nanthropic-version: 1\r\nx-goog-api-key: k\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )?;
    stream.shutdown(std::net::Shutdown::Write)?;
    stream.read_to_end(&mut Vec::new()).map(drop)
}

/// Sends each list of requests to a server of its own, and compares how the problems begin.
fn each(dialect: Dialect, path: &str, table: &[(&[Value], &[&str])]) -> Result<(), String> {
    for (bodies, expected) in table {
        let bodies: Vec<String> = bodies.iter().map(Value::to_string).collect();
        let seen = found(dialect, path, &bodies)?;
        let alike = seen.len() == expected.len()
            && seen.iter().zip(*expected).all(|(seen, expected)| seen.starts_with(expected));
        if !alike {
            return Err(format!("{seen:#?}\nexpected {expected:#?} for {bodies:#?}"));
        }
    }
    Ok(())
}

fn bad_openai_requests() -> Result<(), String> {
    let path = "/v1/chat/completions";
    let request = |messages: Value, tool: &str| {
        json!({
            "model": "scripted",
            "messages": messages,
            "stream": true,
            "stream_options": { "include_usage": true },
            "tools": [{ "type": "function", "function": {
                "name": tool, "description": "d", "parameters": { "type": "object" },
            } }],
        })
    };
    let user = json!({ "role": "user", "content": "u" });
    let call =
        json!({ "id": "1", "type": "function", "function": { "name": "f", "arguments": "{}" } });
    let called = json!({ "role": "assistant", "content": null, "tool_calls": [call] });
    let result = json!({ "role": "tool", "tool_call_id": "1", "content": "r" });
    let sound = request(json!([user, called, result]), "f");
    let mut mute = sound.clone();
    mute["stream"] = json!(false);
    each(
        Dialect::OpenAi,
        path,
        &[
            (&[sound.clone(), sound.clone()], &[]),
            (&[json!([])], &["request 1: the model is null"]),
            (&[mute], &["request 1: neither `stream` nor `include_usage` may be missing"]),
            (&[request(json!([]), "f")], &["request 1: the last message is of None"]),
            (
                &[request(json!([user, called]), "f")],
                &["request 1: the last message is of Some(\"assistant\")"],
            ),
            (
                &[request(json!([user, called, user]), "f")],
                &["request 1: the call \"1\" has no result"],
            ),
            (
                &[request(json!([user, called, result, result]), "f")],
                &["request 1: a result for \"1\", which is no open call"],
            ),
            (
                &[request(json!([user, { "role": "system", "content": "s" }, user]), "f")],
                &["request 1: message 2 has the role Some(\"system\")"],
            ),
            (
                &[sound.clone(), request(json!([user, called, result]), "g")],
                &["request 2: the tools on offer have changed"],
            ),
            (
                &[
                    sound.clone(),
                    request(json!([{ "role": "user", "content": "v" }, called, result]), "f"),
                ],
                &["request 2: message 1 was"],
            ),
            (&[sound, request(json!([user]), "f")], &["request 2: message 2 was"]),
        ],
    )?;
    each(
        Dialect::OpenAi,
        "/chat/completions",
        &[(&[json!({})], &["request 1: POST /chat/completions instead"])],
    )
}

fn bad_ollama_requests() -> Result<(), String> {
    let request = |messages: Value| json!({ "model": "scripted:latest", "messages": messages, "stream": true });
    let user = json!({ "role": "user", "content": "u" });
    let calling = |arguments: Value| {
        let call = json!({ "function": { "name": "f", "arguments": arguments } });
        json!({ "role": "assistant", "content": "", "tool_calls": [call] })
    };
    let result = |name: &str| json!({ "role": "tool", "tool_name": name, "content": "r" });
    each(
        Dialect::Ollama,
        "/api/chat",
        &[
            (&[request(json!([user, calling(json!({})), result("f")]))], &[]),
            (&[json!({ "model": "other" })], &["request 1: the model is \"other\""]),
            (
                &[request(json!([user, calling(json!({})), result("g")]))],
                &["request 1: a result of \"g\", while [\"f\"] wait for theirs"],
            ),
            (
                &[request(json!([user, calling(json!("{}")), result("f")]))],
                &["request 1: a badly formed tool call"],
            ),
            (
                &[request(json!([user, calling(json!({})), user]))],
                &["request 1: a call of \"f\" has no result"],
            ),
        ],
    )
}

fn bad_anthropic_requests() -> Result<(), String> {
    let mark = json!({ "type": "ephemeral" });
    let request = |messages: Value| {
        json!({
            "model": "scripted", "stream": true, "max_tokens": 9, "cache_control": mark,
            "system": [{ "type": "text", "text": "s", "cache_control": mark }],
            "messages": messages,
            "output_config": { "format": { "type": "json_schema", "schema": {} } },
        })
    };
    let user = json!({ "role": "user", "content": [{ "type": "text", "text": "u" }] });
    let thought =
        json!({ "type": "thinking", "thinking": "Let me see.", "signature": "EqQBCkYIBxgCKkDn==" });
    let call = json!({ "type": "tool_use", "id": "1", "name": "f", "input": {} });
    let called = json!({ "role": "assistant", "content": [thought, call] });
    let result = json!({ "type": "tool_result", "tool_use_id": "1", "content": "r" });
    let answered = json!({ "role": "user", "content": [result] });
    let late = json!({ "role": "user", "content": [{ "type": "text", "text": "u" }, result] });
    let thoughtless = json!({ "role": "assistant", "content": [call] });
    let mut unmarked = request(json!([user]));
    unmarked["cache_control"] = Value::Null;
    each(
        Dialect::Anthropic,
        "/v1/messages",
        &[
            (&[request(json!([user, called, answered]))], &[]),
            (&[request(json!([user, user]))], &["request 1: a message of Some(\"user\") after"]),
            (
                &[request(json!([user, thoughtless, answered]))],
                &["request 1: the thinking did not come back"],
            ),
            (&[request(json!([user, called, late]))], &["request 1: a block of the user's"]),
            (&[request(json!([user, called]))], &["request 1: the last message is of assistant"]),
            (&[unmarked], &["request 1: a breakpoint for the cache is missing"]),
        ],
    )
}

fn bad_gemini_requests() -> Result<(), String> {
    let request = |contents: Value| {
        json!({
            "systemInstruction": { "parts": [{ "text": "s" }] }, "contents": contents,
            "generationConfig": {
                "responseMimeType": "application/json", "responseJsonSchema": {},
            },
        })
    };
    let user = json!({ "role": "user", "parts": [{ "text": "u" }] });
    let call = json!({ "functionCall": { "id": "1", "name": "f", "args": {} } });
    let mut signed = call.clone();
    signed["thoughtSignature"] = json!("CiQBjz1rX0hiddenthoughts==");
    let called = |call: &Value| json!({ "role": "model", "parts": [call] });
    let response = json!({ "functionResponse": { "id": "1", "name": "f", "response": {} } });
    let answered = json!({ "role": "user", "parts": [response] });
    let mixed = json!({ "role": "user", "parts": [response, { "text": "u" }] });
    each(
        Dialect::Gemini,
        "/v1beta/models/scripted:streamGenerateContent?alt=sse",
        &[
            (&[request(json!([user, called(&signed), answered]))], &[]),
            (
                &[request(json!([user, called(&call), answered]))],
                &["request 1: a call without its signature"],
            ),
            (&[request(json!([user, called(&signed), mixed]))], &["request 1: contents of"]),
            (&[request(json!([user, called(&signed)]))], &["request 1: the last contents are of"]),
        ],
    )
}

fn bad_responses_requests() -> Result<(), String> {
    let request = |input: Value| {
        json!({
            "model": "scripted", "stream": true, "store": false,
            "include": ["reasoning.encrypted_content"], "instructions": "s", "input": input,
            "text": { "format": { "type": "json_schema" } },
        })
    };
    let user = json!({ "type": "message", "role": "user", "content": "u" });
    let thought = json!({
        "id": "rs_67c96f5b", "type": "reasoning", "summary": [],
        "encrypted_content": "gAAAAABo0hiddenthoughts==",
    });
    let call = json!({ "type": "function_call", "call_id": "1", "name": "f", "arguments": "{}" });
    let result = json!({ "type": "function_call_output", "call_id": "1", "output": "r" });
    let mut stored = request(json!([user]));
    stored["store"] = json!(true);
    each(
        Dialect::Responses,
        "/v1/responses",
        &[
            (&[request(json!([user, thought, call, result]))], &[]),
            (&[request(json!([user, call, result]))], &["request 1: an item out of place"]),
            (&[request(json!([user, thought, call]))], &["request 1: the conversation ends with"]),
            (&[request(json!([user, result]))], &["request 1: a result for \"1\""]),
            (&[stored], &["request 1: `model`, `stream` or `store` is wrong"]),
        ],
    )
}
