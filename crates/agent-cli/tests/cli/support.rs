//! A scratch place to run the program in.

use std::{
    fs,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::PathBuf,
    process::{Child, Command, Output, Stdio},
    thread,
};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A workspace, a home and nothing else of the user's.
pub(crate) struct Place {
    dir: TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().expect("a scratch directory");
        fs::create_dir(dir.path().join("work")).expect("a workspace");
        Self { dir }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes a file, with the directories above it.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("directories");
        fs::write(&path, text).expect("a file");
        path
    }

    /// The names of what lies in a directory, in order.
    pub(crate) fn names(&self, directory: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(directory)).expect("a directory");
        let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
        let mut names: Vec<String> =
            entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("a file")
    }

    /// The program in the workspace, with an environment of its own and empty standard input.
    pub(crate) fn agent(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_agent"));
        command
            .args(arguments)
            .current_dir(self.path("work"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.dir.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        Ended::of(self.agent(arguments).output().expect("the program runs"))
    }

    /// Writes a script of replies, and names it as a model.
    pub(crate) fn script(&self, replies: &[Value]) -> String {
        let lines: Vec<String> = replies.iter().map(Value::to_string).collect();
        format!("replay/{}", self.write("script.jsonl", &lines.join("\n")).display())
    }

    /// Runs `agent run` against a script.
    pub(crate) fn play(&self, replies: &[Value], arguments: &[&str]) -> Ended {
        let model = self.script(replies);
        let mut all = vec!["run", "-m", &model];
        all.extend(arguments);
        self.run(&all)
    }
}

/// How a process ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    pub(crate) fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8 on standard error"),
        }
    }

    /// The one JSON object on standard output.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The JSON objects on standard output, one a line.
    pub(crate) fn lines(&self) -> Vec<Value> {
        let parse = |line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}"));
        self.stdout.lines().map(parse).collect()
    }
}

/// Gives the process `text` on standard input, closes it and waits.
pub(crate) fn feed(mut child: Child, text: &str) -> Ended {
    let mut stdin = child.stdin.take().expect("a pipe");
    // A program that ends without reading closes the pipe, which is its right.
    let _ = stdin.write_all(text.as_bytes());
    drop(stdin);
    Ended::of(child.wait_with_output().expect("the program ends"))
}

/// A reply that finishes with `answer`.
pub(crate) fn finish(answer: &str) -> Value {
    call("finish", &json!({ "response": answer }))
}

/// A reply with one call.
pub(crate) fn call(tool: &str, arguments: &Value) -> Value {
    json!({ "purpose": "decide", "calls": [{ "name": tool, "arguments": arguments }] })
}

/// Whether a process runs whose arguments hold `word`.
pub(crate) fn runs(word: &str) -> bool {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.into_iter().any(|entry| {
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        String::from_utf8_lossy(&line).contains(word)
    })
}

/// Reads a request to its end: a connection that is closed before loses the answer.
fn receive(stream: &mut TcpStream) {
    let (mut request, mut piece) = (Vec::new(), [0; 16 * 1024]);
    while let Ok(read @ 1..) = stream.read(&mut piece) {
        request.extend_from_slice(&piece[..read]);
        let text = String::from_utf8_lossy(&request).to_ascii_lowercase();
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.and_then(|length| length.parse().ok()).unwrap_or(0) {
            return;
        }
    }
}

/// An HTTP server that gives the same answer to every request. It ends with the test's process.
pub(crate) fn server(status: &str, body: &str) -> String {
    let (status, body) = (status.to_owned(), body.to_owned());
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            receive(&mut stream);
            let length = body.len();
            let _ = write!(
                stream,
                "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
                 connection: close\r\n\r\n{body}"
            );
        }
    });
    format!("http://{address}")
}
