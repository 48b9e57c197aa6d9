//! Every way in which a run can end, in every output format: exit code, both streams, last event.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    process::Command,
    sync::mpsc,
    thread,
};

use serde_json::{Value, json};

use super::{
    compare,
    ends::{self, Shape},
};
use crate::support::{Ended, Place, call, finish};

/// A way to end.
#[derive(Clone, Default)]
struct Way {
    name: &'static str,
    replies: Vec<Value>,
    arguments: &'static [&'static str],
    variables: &'static [(&'static str, &'static str)],
    /// The user's configuration file.
    config: &'static str,
    /// Sent while the model is waited for.
    signal: Option<&'static str>,
}

/// The formats.
const FORMATS: [(&str, &[&str]); 6] = [
    ("text", &[]),
    ("text, quiet", &["-q"]),
    ("text and a file", &["-o", "answer.txt"]),
    ("json", &["--output-format", "json"]),
    ("json and a file", &["--output-format", "json", "-o", "answer.txt"]),
    ("stream-json", &["--json"]),
];

fn fault(fault: &Value) -> Value {
    json!({ "purpose": "decide", "fault": fault })
}

fn ways() -> Vec<Way> {
    let way = |name| Way { name, ..Way::default() };
    let read = |path: &str| call("read_file", &json!({ "target_file": path, "explanation": "x" }));
    let create = |path: &str| {
        let arguments = json!({ "target_file": path, "content": "x\n", "explanation": "y" });
        call("create_file", &arguments)
    };
    let status = |code: u16| vec![fault(&json!({ "status": code, "body": "{}" }))];
    let empty = json!({ "purpose": "decide", "text": "" });
    let dear = json!({
        "purpose": "decide",
        "calls": [{ "name": "list_dir", "arguments": { "relative_workspace_path": "." } }],
        "usage": { "input_tokens": 900, "output_tokens": 200 },
    });
    let slow = json!({ "purpose": "decide", "text": "x", "fault": { "stall_ms": 600_000 } });
    let signalled = |name, signal| Way { name, signal: Some(signal), ..Way::default() };
    vec![
        Way { replies: vec![finish("Done.")], ..way("finished") },
        Way {
            replies: vec![create("../a.txt"), finish("I could not.")],
            ..way("finished, with an edit that was refused")
        },
        Way { replies: vec![empty; 3], ..way("failed: replies without meaning") },
        Way {
            replies: vec![create("a.txt"), finish("Done.")],
            arguments: &["--test", "false", "--retries", "0", "--sandbox", "off"],
            ..way("failed: red tests")
        },
        Way { arguments: &["--max-turns", "0"], ..way("usage: a flag's value") },
        Way { variables: &[("AGENT_MODEL", "gpt")], ..way("config: a model's name") },
        Way { config: "max_turn = 3\n", ..way("config: an unknown key") },
        Way { replies: status(401), ..way("auth") },
        Way { replies: status(404), ..way("provider: no such model") },
        Way {
            replies: vec![fault(&json!({ "cut_after_bytes": 0 }))],
            variables: &[("AGENT_RETRY_MAX_ATTEMPTS", "1")],
            ..way("provider: a broken stream")
        },
        Way {
            replies: vec![read("a"), read("b"), finish("Never.")],
            arguments: &["--max-turns", "2"],
            ..way("budget: turns")
        },
        Way {
            replies: vec![read("a"), read("b"), finish("Never.")],
            arguments: &["--max-tool-calls", "1"],
            ..way("budget: tool calls")
        },
        Way {
            replies: vec![dear, finish("Never.")],
            arguments: &["--max-tokens", "1000"],
            ..way("budget: tokens")
        },
        Way {
            replies: vec![create("kept.txt"), slow],
            arguments: &["--time-limit", "3"],
            ..way("budget: time, with work that is kept")
        },
        Way {
            replies: vec![create("migrations/1.sql"), finish("Never.")],
            config: "[[policy.rules]]\npath = \"migrations/\"\nverdict = \"stop\"\n",
            ..way("policy: a rule that stops")
        },
        Way { replies: vec![read("../secret"); 3], ..way("policy: three violations") },
        Way {
            replies: vec![create("a.txt"), finish("Never.")],
            arguments: &["--approval", "ask"],
            ..way("refused: nobody to ask")
        },
        Way { replies: vec![read("a.txt"); 6], ..way("loop") },
        Way {
            arguments: &["--sandbox", "strict"],
            // Commands need a temporary directory of their own.
            variables: &[("TMPDIR", "/nowhere")],
            ..way("sandbox")
        },
        signalled("interrupted by SIGINT", "INT"),
        signalled("interrupted by SIGTERM", "TERM"),
        signalled("interrupted by SIGHUP", "HUP"),
    ]
}

#[test]
fn every_outcome_in_every_format() {
    let ways = ways();
    let rows: Vec<(&Way, &(&str, &[&str]))> =
        ways.iter().flat_map(|way| FORMATS.iter().map(move |format| (way, format))).collect();
    // The processes wait more than they work.
    let paragraphs: Vec<String> = thread::scope(|scope| {
        let workers: Vec<_> = rows
            .chunks(rows.len().div_ceil(4))
            .map(|rows| {
                scope
                    .spawn(|| rows.iter().map(|(way, format)| row(way, format)).collect::<String>())
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().expect("a worker")).collect()
    });
    assert!(rows.len() >= 60, "{}", rows.len());
    compare("fixtures/outcomes/formats.txt", &paragraphs.concat());
}

/// Runs one row in a place of its own.
fn row(way: &Way, (format, flags): &(&str, &[&str])) -> String {
    let place = Place::new();
    place.write("work/a.txt", "one\n");
    place.write("config/agent/config.toml", way.config);
    let mut arguments = vec!["run", "do it"];
    arguments.extend(way.arguments);
    arguments.extend(*flags);
    let mut command = place.agent(&arguments);
    if way.signal.is_none() {
        command.env("AGENT_MODEL", place.script(&way.replies));
    }
    command.env("XDG_CONFIG_HOME", place.path("config")).envs(way.variables.iter().copied());
    let mut ended = match way.signal {
        None => Ended::of(command.output().expect("the program runs")),
        Some(signal) => signalled(&mut command, signal),
    };
    let here = place.path("").display().to_string();
    for text in [&mut ended.stdout, &mut ended.stderr] {
        *text = text.replace(here.trim_end_matches('/'), "<place>");
        // A temporary directory's name ends in something random.
        if let Some((before, after)) = text.split_once("/agent-commands-") {
            *text = format!("{before}/agent-commands-<random>{}", &after[6..]);
        }
    }
    let file = place.path("work/answer.txt");
    let answer = std::fs::read_to_string(file).ok();
    let title = format!("{}: {format}", way.name);
    ends::paragraph(&title, Shape::of(&arguments), &ended, answer.as_deref())
}

/// Starts the program against a server that never answers, and signals it as soon as the server is
/// asked.
fn signalled(command: &mut Command, signal: &str) -> Ended {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/v1", listener.local_addr().expect("an address"));
    let (asked, is_asked) = mpsc::channel();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let asked = asked.clone();
            thread::spawn(move || silence(stream, &asked));
        }
    });
    command.envs([("OPENAI_BASE_URL", url.as_str()), ("AGENT_MODEL", "openai/m")]);
    let child = command.spawn().expect("the program runs");
    is_asked.recv().expect("a request");
    let sent = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
    assert!(sent.expect("`kill` runs").success());
    Ended::of(child.wait_with_output().expect("the program ends"))
}

/// Knows no path that is only read, and keeps whoever posts something waiting.
fn silence(mut stream: TcpStream, asked: &mpsc::Sender<()>) {
    let mut reader = BufReader::new(stream.try_clone().expect("a connection"));
    loop {
        let mut lines = Vec::new();
        let mut line = String::new();
        while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
            lines.push(std::mem::take(&mut line));
        }
        match lines.first() {
            None => return,
            Some(first) if first.starts_with("GET") => {
                let nothing = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
                if stream.write_all(nothing.as_bytes()).is_err() {
                    return;
                }
            }
            Some(_) => {
                let _ = asked.send(());
                // Until the program hangs up.
                let _ = reader.read_to_end(&mut Vec::new());
                return;
            }
        }
    }
}
