//! What is large must not take memory in proportion: a line, a directory, a file that is read in
//! part, edited and put back.
//!
//! The sizes are a tenth of what is promised, unless all of it is asked for: most of the time goes
//! into making them.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, BufWriter, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Instant,
};

use serde_json::{Value, json};

use super::{super::table::Row, process};
use crate::{Failure, text};

/// Bytes of the one line, entries of the directory, and bytes of the file.
const LINE: usize = 200_000_000;
const ENTRIES: usize = 1_000_000;
const FILE: usize = 100_000_000;

/// How much of that is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in super::super) enum Share {
    /// A tenth.
    #[default]
    Tenth,
    /// All of it.
    Whole,
}

impl Share {
    fn of(self, size: usize) -> usize {
        match self {
            Self::Tenth => size / 10,
            Self::Whole => size,
        }
    }
}

/// The rows: time, and the most memory beside that of a search in a file of one line.
pub(super) fn rows(agent: &Path, share: Share) -> Result<Vec<Row>, Failure> {
    let scratch = tempfile::tempdir().map_err(text)?;
    let place = Place { agent, root: scratch.path() };
    let small = place.make("small", |directory| {
        fs::write(directory.join("a.txt"), "a line of text\n").map_err(text)
    })?;
    let search = json!({ "query": "nowhere_to_be_found", "include_ignored": true });
    let bare = place.took(&small, &[("grep_search", search.clone())])?;

    let length = share.of(LINE);
    let line = place.make("line", |directory| {
        filled(&directory.join("a.txt"), length, |_| "text ".to_owned())
    })?;
    let long = place.took(&line, &[("grep_search", search)])?;

    let entries = share.of(ENTRIES);
    let wide = place.make("wide", |directory| {
        (0..entries).try_for_each(|number| {
            File::create(directory.join(format!("f{number}"))).map(drop).map_err(text)
        })
    })?;
    let listed = place.took(&wide, &[("list_dir", json!({ "relative_workspace_path": "." }))])?;

    let size = share.of(FILE);
    let file = place.make("file", |directory| {
        filled(&directory.join("a.txt"), size, |line| {
            format!("line {line} has about forty characters\n")
        })
    })?;
    let range = json!({ "target_file": "a.txt", "start_line": 1000, "end_line": 1020 });
    let edit = |replacement: &str| {
        let edit = json!({ "start_line": 1000, "end_line": 1000, "replacement": replacement });
        ("apply_patch", json!({ "path": "a.txt", "edits": [edit] }))
    };
    let read = place.took(&file, &[("read_file", range)])?;
    let edited = place.took(&file, &[edit("another")])?;
    let undone = place.took(&file, &[edit("a third"), ("undo", json!({}))])?;

    let told = |size: usize| format!("{} MB", size / 1_000_000);
    let mut rows = Vec::new();
    for (what, took) in [
        (format!("a search in one line of {}", told(length)), &long),
        (format!("list_dir of {entries} entries"), &listed),
        (format!("20 lines of a file of {}", told(size)), &read),
        (format!("an edit in a file of {}", told(size)), &edited),
        (format!("an edit there, and its undo: {}", told(size)), &undone),
    ] {
        rows.push(Row::new(what.as_str(), "ms").with("agent", Some(took.milliseconds)));
        let memory = Row::new(format!("{what}, memory"), "MB").with("agent", Some(took.megabytes));
        rows.push(memory.with("one of a line", Some(bare.megabytes)));
    }
    for (what, took) in
        [("20 lines of it", &read), ("an edit", &edited), ("edit and undo", &undone)]
    {
        let beyond = took.megabytes - bare.megabytes;
        let row = Row::new(format!("{what}, memory beyond that, as copies of the file"), "");
        rows.push(row.with("agent", Some(beyond / (size as f64 / 1e6))));
    }
    Ok(rows)
}

/// A file of so many bytes, or hardly more, put together from numbered pieces.
fn filled(path: &Path, bytes: usize, piece: impl Fn(usize) -> String) -> Result<(), Failure> {
    let mut file = BufWriter::new(File::create(path).map_err(text)?);
    let mut written = 0;
    for number in 0.. {
        let piece = piece(number);
        written += piece.len();
        file.write_all(piece.as_bytes()).map_err(text)?;
        if written >= bytes {
            break;
        }
    }
    file.flush().map_err(text)
}

struct Place<'a> {
    agent: &'a Path,
    root: &'a Path,
}

/// What some calls took.
struct Took {
    milliseconds: f64,
    megabytes: f64,
}

impl Place<'_> {
    fn make(
        &self,
        name: &str,
        fill: impl FnOnce(&Path) -> Result<(), Failure>,
    ) -> Result<PathBuf, Failure> {
        let directory = self.root.join(name);
        fs::create_dir(&directory).map_err(text)?;
        fill(&directory)?;
        Ok(directory)
    }

    /// Makes calls one after another in one process, and looks at it before it ends.
    fn took(&self, directory: &Path, calls: &[(&str, Value)]) -> Result<Took, Failure> {
        let mut command = Command::new(self.agent);
        command.args(["tool", "--jsonl"]).current_dir(directory).env_clear();
        command.env("HOME", self.root.join("home")).env("AGENT_HOME", self.root.join("home"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let begun = Instant::now();
        let mut child = command.spawn().map_err(text)?;
        let made = answered(&mut child, calls);
        let milliseconds = begun.elapsed().as_secs_f64() * 1000.0;
        let used = process::used(child.id());
        // What it waits for is gone, so that it ends.
        drop(child.stdin.take());
        child.wait().map_err(text)?;
        made?;
        let memory = used.map_or(f64::NAN, |used| used.memory as f64 / 1e6);
        Ok(Took { milliseconds, megabytes: memory })
    }
}

fn answered(child: &mut Child, calls: &[(&str, Value)]) -> Result<(), Failure> {
    let (Some(input), Some(output)) = (child.stdin.as_mut(), child.stdout.take()) else {
        return Err("the program has no input or output".to_owned());
    };
    let mut output = BufReader::new(output);
    calls.iter().try_for_each(|(tool, params)| answer(input, &mut output, tool, params))
}

fn answer(
    input: &mut ChildStdin,
    output: &mut BufReader<ChildStdout>,
    tool: &str,
    params: &Value,
) -> Result<(), Failure> {
    let call = json!({ "id": 1, "tool": tool, "params": params });
    writeln!(input, "{call}").and_then(|()| input.flush()).map_err(text)?;
    let mut line = String::new();
    output.read_line(&mut line).map_err(text)?;
    let told: Value = serde_json::from_str(&line).map_err(text)?;
    match told["result"]["success"] == true {
        true => Ok(()),
        false => Err(format!("{call}: {line}")),
    }
}
