//! `cargo xtask record RECORDING NAME`: a recording becomes an end-to-end case.
#![expect(clippy::disallowed_methods, reason = "cases lie in the repository")]

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    process::{Command, Stdio},
};

use lexopt::prelude::*;
use serde_json::{Value, json};

use crate::{Failure, process::Program, repository, text};

/// What stands for the workspace's path in a script.
const WORKSPACE: &str = "<workspace>";

/// Makes the case, and leaves its golden file to `cargo xtask e2e NAME --bless`.
pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<(), Failure> {
    let (mut positional, mut why) = (Vec::new(), None);
    while let Some(argument) = arguments.next().map_err(text)? {
        match argument {
            Long("why") => why = Some(string(&mut arguments)?),
            Value(word) => positional.push(word.string().map_err(text)?),
            Short(_) | Long(_) => return Err(text(argument.unexpected())),
        }
    }
    let [recording, name] = positional.as_slice() else {
        return Err("give a recording and the case's name: a sentence, with dashes".to_owned());
    };
    let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if name.is_empty() || !name.chars().all(legal) {
        return Err(format!("`{name}`: a case's name has only a-z, 0-9 and `-`"));
    }
    let read = fs::read_to_string(recording).map_err(|error| format!("{recording}: {error}"))?;
    let lines: Vec<Value> =
        read.lines().map(serde_json::from_str).collect::<Result<_, _>>().map_err(text)?;
    let case = repository::root().join("fixtures/cases").join(name);
    if case.exists() {
        return Err(format!("{} is there already", case.display()));
    }
    let recorded = Recorded::of(&lines)?;
    fs::create_dir(&case).map_err(text)?;
    recorded.write(&case, why.as_deref())?;
    after(&recorded, &case)?;
    println!("{}\nnow: cargo xtask e2e {name} --bless", case.display());
    Ok(())
}

fn string(arguments: &mut lexopt::Parser) -> Result<String, Failure> {
    arguments.value().map_err(text)?.string().map_err(text)
}

/// The parts of a recording of which a case is made.
struct Recorded<'a> {
    workspace: &'a str,
    requested: &'a Value,
    ended: &'a Value,
    calls: Vec<&'a Value>,
    files: Vec<&'a Value>,
}

impl<'a> Recorded<'a> {
    fn of(lines: &'a [Value]) -> Result<Self, Failure> {
        let header = lines.first().filter(|header| header["recording"] == 1);
        let header = header.ok_or("this is no recording")?;
        if header["replayable"] != true {
            return Err("the recording can't be run again: a secret was taken out".to_owned());
        }
        let notes = |kind: &'a str| lines.iter().filter(move |line| line["note"] == kind);
        let [requested] = notes("requested").collect::<Vec<_>>()[..] else {
            return Err("a case is one request, and this session has several".to_owned());
        };
        let ended = notes("ended").next_back().ok_or("the session was cut off")?;
        let calls =
            lines.iter().filter(|line| line["note"] == "replied" || line["note"] == "aside");
        Ok(Self {
            workspace: header["workspace"].as_str().unwrap_or_default(),
            requested,
            ended,
            calls: calls.map(|call| &call["line"]).collect(),
            files: lines.iter().filter(|line| line.get("file").is_some()).collect(),
        })
    }

    fn write(&self, case: &Path, why: Option<&str>) -> Result<(), Failure> {
        let write = |name: &str, content: String| {
            fs::write(case.join(name), content).map_err(|error| format!("{name}: {error}"))
        };
        write("case.toml", self.manifest(why))?;
        write("script.jsonl", self.script())?;
        let mut seen = Vec::new();
        for file in &self.files {
            let path = file["file"].as_str().unwrap_or_default();
            let is_safe = !path.starts_with('/') && !path.split('/').any(|part| part == "..");
            if seen.contains(&path) || file.get("left_by").is_some() || !is_safe {
                continue;
            }
            seen.push(path);
            put(&case.join("before").join(path), &file["what"])?;
        }
        // A case has this directory, whatever is in it.
        fs::create_dir_all(case.join("before")).map_err(text)
    }

    fn manifest(&self, why: Option<&str>) -> String {
        let task = self.requested["task"].as_str().unwrap_or_default();
        let quoted = |words: &str| Value::from(words).to_string();
        let mut manifest =
            format!("why = {}\ntask = {}\n", quoted(why.unwrap_or(task)), quoted(task));
        let arguments = self.arguments();
        if !arguments.is_empty() {
            manifest += &format!("args = {}\n", json!(arguments));
        }
        let (exit, outcome) = (&self.ended["exit_code"], &self.ended["outcome"]);
        if *exit != 0 {
            manifest += &format!("exit = {exit}\noutcome = {outcome}\n");
        }
        if let Some(answer) = self.ended["response"].as_str() {
            manifest += &format!("answer = {}\n", quoted(answer));
        }
        manifest
    }

    fn arguments(&self) -> Vec<String> {
        let settings = &self.requested["settings"];
        let mut arguments = Vec::new();
        match settings["approval"].as_str() {
            Some("plan") => arguments.push("--read-only".to_owned()),
            Some(mode @ ("all" | "ask")) => {
                arguments.extend(["--approval".to_owned(), mode.to_owned()]);
            }
            Some(_) | None => {}
        }
        if let Some(turns) = settings["max_turns"].as_u64().filter(|turns| *turns != 25) {
            arguments.extend(["--max-turns".to_owned(), turns.to_string()]);
        }
        arguments
    }

    fn script(&self) -> String {
        let lines = self.calls.iter().map(|call| {
            let mut line = json!({ "purpose": call["purpose"] });
            for key in ["usage", "fault"] {
                if let Some(value) = call.get(key) {
                    line[key] = value.clone();
                }
            }
            if let Some(cut @ ("length" | "filter")) = call["finish"].as_str() {
                line["finish"] = json!(cut);
            }
            let parts = || call["parts"].as_array().into_iter().flatten();
            let text: String = parts().filter_map(|part| part["text"].as_str()).collect();
            let calls: Vec<Value> = parts().filter_map(|part| part.get("call")).map(said).collect();
            if !text.is_empty() || (calls.is_empty() && call.get("fault").is_none()) {
                line["text"] = json!(text);
            }
            if !calls.is_empty() {
                line["calls"] = json!(calls);
            }
            format!("{line}\n").replace(self.workspace, WORKSPACE)
        });
        lines.collect()
    }
}

/// A call as scripts have it, which every wire format can say.
fn said(call: &Value) -> Value {
    let arguments = call["arguments"].as_str().unwrap_or_default();
    match serde_json::from_str::<Value>(arguments) {
        Ok(arguments @ Value::Object(_)) => json!({ "name": call["name"], "arguments": arguments }),
        Ok(_) | Err(_) => json!({ "name": call["name"], "raw_arguments": arguments }),
    }
}

fn put(path: &Path, what: &Value) -> Result<(), Failure> {
    if *what == "absent" || *what == "lost" {
        return Ok(());
    }
    let parent = path.parent().unwrap_or(path);
    fs::create_dir_all(parent).map_err(text)?;
    if let Some(target) = what["link"].as_str() {
        return symlink(target, path).map_err(text);
    }
    let file = if what["text"].is_object() { &what["text"] } else { &what["bytes"] };
    let Some(content) = file["text"].as_str() else {
        return Err(format!("{}: only text can be made a case of", path.display()));
    };
    fs::write(path, content).map_err(text)?;
    let runs = file["mode"].as_u64().is_some_and(|mode| mode & 0o100 != 0);
    let mode = if runs { 0o755 } else { 0o644 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(text)
}

/// Runs the case once, and keeps the tree that it leaves where that is another one.
fn after(recorded: &Recorded<'_>, case: &Path) -> Result<(), Failure> {
    let root = repository::root();
    Program::cargo(&["build", "--quiet", "--package", "agent-cli"]).attached(&root)?;
    let scratch = tempfile::tempdir().map_err(text)?;
    let workspace = scratch.path().join("workspace");
    copy(&case.join("before"), &workspace)?;
    let script = recorded.script().replace(WORKSPACE, &workspace.display().to_string());
    let script_file = scratch.path().join("script.jsonl");
    fs::write(&script_file, script).map_err(text)?;
    let agent = repository::target_directory()?.join("debug/agent");
    let model = format!("replay/{}", script_file.display());
    let task = recorded.requested["task"].as_str().unwrap_or_default();
    let status = Command::new(agent)
        .args(["run", "-q", "--model", &model])
        .args(recorded.arguments())
        .args(["--", task])
        .current_dir(&workspace)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("HOME", scratch.path().join("home"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status()
        .map_err(text)?;
    let expected = recorded.ended["exit_code"].as_i64();
    if status.code().map(i64::from) != expected {
        return Err(format!("run as a case, it ends with {status} instead of {expected:?}"));
    }
    let same = Command::new("diff")
        .args(["-r", "-q"])
        .args([&case.join("before"), &workspace])
        .stdout(Stdio::null())
        .status()
        .map_err(text)?;
    if same.success() { Ok(()) } else { copy(&workspace, &case.join("after")) }
}

fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::create_dir_all(to).map_err(text)?;
    for entry in fs::read_dir(from).map_err(text)? {
        let entry = entry.map_err(text)?;
        let (kind, target) = (entry.file_type().map_err(text)?, to.join(entry.file_name()));
        if kind.is_dir() {
            copy(&entry.path(), &target)?;
        } else if kind.is_symlink() {
            symlink(fs::read_link(entry.path()).map_err(text)?, target).map_err(text)?;
        } else {
            fs::copy(entry.path(), target).map_err(text)?;
        }
    }
    Ok(())
}
