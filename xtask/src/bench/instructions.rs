//! `cargo xtask bench instructions`: how many instructions the hot paths take, as valgrind counts
//! them, beside what is written down in `xtask/instructions.toml`.
//!
//! Each path is gone a few times and many times by the built program, and what one more time costs
//! is the difference: start and end are in neither. Counts hardly depend on what else the machine
//! does, so that a change of a few in a hundred is one of the program.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use lexopt::prelude::*;
use serde_json::{Value as Json, json};

use crate::{Failure, repository, text};

/// Where the counts are written down.
const FILE: &str = "xtask/instructions.toml";

/// How often a path is gone.
const FEW: usize = 5;
const MANY: usize = 25;

/// By what part a count may differ from the one written down.
const TOLERANCE: f64 = 0.05;

/// Lines of the file that is edited, and files of the tree that is searched.
const LINES: usize = 1000;
const FILES: usize = 100;

/// What is counted, under its name in the file.
const PATHS: [(&str, Work); 5] = [
    ("read-lines", Work::Tool(read)),
    ("merge-sketch", Work::Tool(merge)),
    ("patch-journalled", Work::Tool(patch)),
    ("search-100-files", Work::Tool(search)),
    ("turn-of-a-run", Work::Turn),
];

/// How a path is gone.
#[derive(Clone, Copy)]
enum Work {
    /// By a tool alone, called so the so-manieth time.
    Tool(fn(usize) -> (&'static str, Json)),
    /// By a whole turn: a reply, a tool, the next request.
    Turn,
}

fn read(_: usize) -> (&'static str, Json) {
    ("read_file", json!({ "target_file": "lines.txt", "start_line": 400, "end_line": 420 }))
}

fn merge(time: usize) -> (&'static str, Json) {
    let original = lines();
    let sketch = format!(
        "// ... existing code ...\nline 499 of the file\nnew line {time}\nline 501 of the file\n\
         // ... existing code ...\n"
    );
    ("merge_sketch", json!({ "path": "lines.rs", "original": original, "sketch": sketch }))
}

fn patch(time: usize) -> (&'static str, Json) {
    let edit = json!({ "start_line": 500, "end_line": 500, "replacement": format!("edit {time}") });
    ("apply_patch", json!({ "path": "lines.txt", "edits": [edit] }))
}

fn search(_: usize) -> (&'static str, Json) {
    ("grep_search", json!({ "query": "nowhere_to_be_found" }))
}

fn lines() -> String {
    (1..=LINES).map(|number| format!("line {number} of the file\n")).collect()
}

/// Counts, and compares or, with `--bless`, writes down.
pub(super) fn run(mut arguments: lexopt::Parser) -> Result<(), Failure> {
    let (mut bless, mut agent) = (false, None);
    while let Some(argument) = arguments.next().map_err(text)? {
        match argument {
            Long("bless") => bless = true,
            Long("agent") => agent = Some(PathBuf::from(arguments.value().map_err(text)?)),
            Short(_) | Long(_) | Value(_) => return Err(text(argument.unexpected())),
        }
    }
    let agent = match agent {
        Some(agent) => fs::canonicalize(agent).map_err(text)?,
        None => super::build()?,
    };
    let root = repository::root();
    let known: BTreeMap<String, u64> = match bless {
        true => BTreeMap::new(),
        false => toml::from_str(&repository::read(&root, FILE)?).map_err(text)?,
    };
    let mut counted = BTreeMap::new();
    let mut worse = Vec::new();
    for (name, work) in PATHS {
        let count = cost(&agent, work)?;
        let change = known.get(name).map(|known| count as f64 / *known as f64 - 1.0);
        let told = change.map_or("not written down".to_owned(), |c| format!("{:+.1} %", c * 100.0));
        println!("{name:<18} {count:>12}  {told}");
        worse.extend(change.filter(|change| *change > TOLERANCE).map(|_| name));
        counted.insert(name, count);
    }
    if bless {
        let head = "# Instructions for one more time of each path, counted by `cargo xtask bench instructions`.\n";
        let rows = counted.iter().map(|(name, count)| format!("{name} = {count}\n"));
        let text_of_file = head.to_owned() + &rows.collect::<String>();
        return fs::write(root.join(FILE), text_of_file).map_err(text);
    }
    match worse.as_slice() {
        [] => Ok(()),
        worse => Err(format!(
            "{} took more than {:.0} % more than written down in {FILE}; mend it, or `--bless` \
             what the change is worth",
            worse.join(", "),
            TOLERANCE * 100.0
        )),
    }
}

/// What one more time costs.
fn cost(agent: &Path, work: Work) -> Result<u64, Failure> {
    let (few, many) = (count(agent, work, FEW)?, count(agent, work, MANY)?);
    Ok(many.saturating_sub(few) / (MANY - FEW) as u64)
}

/// The instructions of a whole run in which the path is gone so many times.
fn count(agent: &Path, work: Work, times: usize) -> Result<u64, Failure> {
    let scratch = tempfile::tempdir().map_err(text)?;
    let tree = scratch.path().join("tree");
    fs::create_dir(&tree).map_err(text)?;
    fs::write(tree.join("lines.txt"), lines()).map_err(text)?;
    for number in 0..FILES {
        fs::write(tree.join(format!("{number}.txt")), "a line of text\n".repeat(100))
            .map_err(text)?;
    }
    let input = scratch.path().join("input");
    let mut command = Command::new("valgrind");
    command.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]);
    command.arg("--").arg(agent);
    match work {
        Work::Tool(call) => {
            let line = |time| {
                let (tool, params) = call(time);
                json!({ "id": time, "tool": tool, "params": params }).to_string() + "\n"
            };
            fs::write(&input, (0..times).map(line).collect::<String>()).map_err(text)?;
            command.args(["tool", "--jsonl"]);
        }
        Work::Turn => {
            fs::write(&input, script(times)).map_err(text)?;
            let model = format!("replay/{}", input.display());
            command.args(["run", "-q", "--max-turns", "1000", "-m", &model, "Read on."]);
        }
    }
    let input = fs::File::open(&input).map_err(text)?;
    command
        .current_dir(&tree)
        .stdin(Stdio::from(input))
        .env("AGENT_HOME", scratch.path().join("home"));
    let output = command.output().map_err(|error| {
        format!("valgrind can't be started ({error}); it is in the package valgrind")
    })?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{command:?} ended with {}: {said}", output.status));
    }
    instructions(&said).ok_or_else(|| format!("valgrind tells no count: {said}"))
}

/// A model that reads so many times, and then has nothing more to say.
fn script(times: usize) -> String {
    let call = |line: usize| {
        let arguments = json!({ "target_file": "lines.txt", "start_line": line, "end_line": line });
        json!({ "purpose": "decide", "calls": [{ "name": "read_file", "arguments": arguments }] })
    };
    let mut replies: Vec<Json> = (1..=times).map(call).collect();
    replies.push(json!({ "purpose": "decide", "text": "All done." }));
    replies.iter().map(|reply| reply.to_string() + "\n").collect()
}

/// The count in a line like `==7== I   refs:      12,426,229`.
fn instructions(said: &str) -> Option<u64> {
    let line = said.lines().find(|line| line.contains("refs:"))?;
    line.rsplit_once(':')?.1.trim().replace(',', "").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_found_among_what_valgrind_says() {
        let said = "--7-- WARNING: unhandled syscall: 437\n==7== I   refs:      12,426,229\n";
        assert_eq!(instructions(said), Some(12_426_229));
        assert_eq!(instructions("==7== nothing"), None);
    }

    #[test]
    fn every_path_is_written_down() {
        let written = repository::read(&repository::root(), FILE).unwrap();
        let known: BTreeMap<String, u64> = toml::from_str(&written).unwrap();
        let names: Vec<&str> = known.keys().map(String::as_str).collect();
        let mut paths = PATHS.map(|(name, _)| name);
        paths.sort_unstable();
        assert_eq!(names, paths);
    }
}
