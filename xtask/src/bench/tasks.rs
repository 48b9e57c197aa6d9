//! `cargo xtask bench tasks --base-url URL`: small tasks for a small model, graded by what is in
//! the files afterwards and by the facts in the answer.
//!
//! The tasks lie in `fixtures/tasks`, in two sets: one to work with, and one that is only looked at
//! for the figure. `--ollama` goes through the [`shim`], which speaks Ollama's format to the same
//! server.

mod grade;
mod shim;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Instant,
};

use lexopt::prelude::*;
use serde::Deserialize;
use serde_json::Value as Json;

use crate::{Failure, process::Program, repository, text};

/// A set of tasks.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Set {
    task: Vec<Task>,
}

/// A task, and what it has to come to.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Task {
    name: String,
    kind: String,
    ask: String,
    /// The tree before.
    files: BTreeMap<String, String>,
    /// Facts that the answer has to hold, in any case of letters.
    #[serde(default)]
    answer: Vec<String>,
    /// What files have to hold afterwards, spaces at ends of lines and blank lines aside: one of
    /// several texts.
    #[serde(default)]
    after: BTreeMap<String, Vec<String>>,
    /// Files that have to be gone.
    #[serde(default)]
    gone: Vec<String>,
    /// A command that has to succeed in the tree.
    check: Option<String>,
    /// Files that may change where only a command decides.
    #[serde(default)]
    may_change: Vec<String>,
}

/// What a run came to.
struct Ran {
    kind: String,
    solved: bool,
    /// Something changed that nobody asked for.
    unrequested: bool,
    looped: bool,
    requests: usize,
    prompts: Vec<u64>,
    seconds: f64,
}

/// What is asked for on the command line.
struct Options {
    base_url: String,
    model: String,
    set: String,
    only: Option<String>,
    agent: Option<PathBuf>,
    ollama: bool,
    more: Vec<String>,
}

pub(crate) fn run(mut arguments: lexopt::Parser) -> Result<(), Failure> {
    let mut options = Options {
        base_url: String::new(),
        model: "local".to_owned(),
        set: "tuning".to_owned(),
        only: None,
        agent: None,
        ollama: false,
        more: Vec::new(),
    };
    loop {
        let name = match arguments.next().map_err(text)? {
            None => break,
            Some(Long(name)) => name.to_owned(),
            Some(other) => return Err(text(other.unexpected())),
        };
        if name == "ollama" {
            options.ollama = true;
            continue;
        }
        let value = arguments.value().map_err(text)?.string().map_err(text)?;
        match name.as_str() {
            "base-url" => options.base_url = value,
            "model" => options.model = value,
            "set" => options.set = value,
            "only" => options.only = Some(value),
            "agent" => options.agent = Some(PathBuf::from(value)),
            "with" => options.more.push(value),
            other => return Err(format!("there is no option --{other}")),
        }
    }
    if options.base_url.is_empty() {
        return Err("give the server: --base-url http://127.0.0.1:8080/v1".to_owned());
    }
    let path = repository::root().join("fixtures/tasks").join(format!("{}.toml", options.set));
    let written =
        fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let set: Set = toml::from_str(&written).map_err(text)?;
    let agent = match &options.agent {
        Some(agent) => agent.clone(),
        None => build()?,
    };
    let shim = options.ollama.then(|| shim::start(&options.base_url)).transpose()?;
    let mut ran = Vec::new();
    for task in &set.task {
        if options.only.as_ref().is_some_and(|only| !task.name.contains(only.as_str())) {
            continue;
        }
        ran.push(attempt(&agent, &options, shim.as_deref(), task)?);
    }
    report(&ran);
    Ok(())
}

fn build() -> Result<PathBuf, Failure> {
    let root = repository::root();
    Program::cargo(&["build", "--package", "agent-cli", "--bin", "agent"]).attached(&root)?;
    Ok(repository::target_directory()?.join("debug/agent"))
}

/// Has the agent work on one task, and looks at what it did.
fn attempt(
    agent: &Path,
    options: &Options,
    shim: Option<&str>,
    task: &Task,
) -> Result<Ran, Failure> {
    let scratch = tempfile::tempdir().map_err(text)?;
    let tree = scratch.path().join("work");
    for (file, content) in &task.files {
        let path = tree.join(file);
        fs::create_dir_all(path.parent().unwrap_or(&tree)).map_err(text)?;
        fs::write(path, content).map_err(text)?;
    }
    let (model, url) = match shim {
        Some(shim) => (format!("ollama/{}", options.model), shim),
        None => (format!("openai/{}", options.model), options.base_url.as_str()),
    };
    let begun = Instant::now();
    let output = Command::new("timeout")
        .arg("300")
        .arg(agent)
        .args(["run", "--json", "--ephemeral", "--model", &model, "--base-url", url, "-C"])
        .arg(&tree)
        .args(&options.more)
        .args(["--", &task.ask])
        .env("AGENT_HOME", scratch.path().join("state"))
        .env("XDG_CONFIG_HOME", scratch.path().join("config"))
        .env("AGENT_TEMPERATURE", "0")
        .output()
        .map_err(text)?;
    let seconds = begun.elapsed().as_secs_f64();
    let stdout = String::from_utf8_lossy(&output.stdout);
    let events: Vec<Json> =
        stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let is = |event: &&Json, kind: &str| event.get("type").and_then(Json::as_str) == Some(kind);
    let replies = events.iter().filter(|event| is(event, "assistant"));
    let prompts: Vec<u64> = replies
        .filter_map(|event| event.pointer("/message/usage/input_tokens")?.as_u64())
        .collect();
    let result = events.iter().find(|event| is(event, "result"));
    let word = |key: &str| result.and_then(|result| result.get(key)?.as_str()).unwrap_or_default();
    let grade = grade::grade(task, &tree, word("result"))?;
    let outcome = word("outcome");
    let solved = grade.problems.is_empty() && outcome == "finished";
    println!(
        "{} {:<34} {outcome:<9} {} requests {:>4.0} s  {}",
        if solved { "ok  " } else { "FAIL" },
        task.name,
        prompts.len(),
        seconds,
        grade.problems.join("; ")
    );
    if !solved {
        for line in stdout.lines().chain(String::from_utf8_lossy(&output.stderr).lines()) {
            eprintln!("    {}", line.chars().take(900).collect::<String>());
        }
    }
    Ok(Ran {
        kind: task.kind.clone(),
        solved,
        unrequested: grade.unrequested,
        looped: has_looped(outcome, &events),
        requests: prompts.len(),
        prompts,
        seconds,
    })
}

/// Whether a run ended for going on too long, or made the same call three times.
fn has_looped(outcome: &str, events: &[Json]) -> bool {
    let contents = events.iter().filter_map(|event| event.pointer("/message/content")?.as_array());
    let calls = contents.flatten().filter(|part| part["type"] == "tool_use");
    let calls: Vec<(&Json, Json)> = calls
        .map(|part| {
            let mut input = part["input"].clone();
            if let Some(fields) = input.as_object_mut() {
                fields.retain(|key, _| !matches!(key.as_str(), "reason" | "confidence"));
            }
            (&part["name"], input)
        })
        .collect();
    let thrice = |call| calls.iter().filter(|other| *other == call).count() >= 3;
    // Without an outcome it was ended from outside.
    matches!(outcome, "budget" | "loop" | "") || calls.iter().any(thrice)
}

fn report(ran: &[Ran]) {
    let mut kinds: Vec<&str> = ran.iter().map(|one| one.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    println!();
    for kind in kinds {
        let of_kind = || ran.iter().filter(|one| one.kind == kind);
        let solved = of_kind().filter(|one| one.solved).count();
        println!("{kind:<14} {solved} of {}", of_kind().count());
    }
    let solved = ran.iter().filter(|one| one.solved).count();
    println!("all            {solved} of {}", ran.len());
    println!("unrequested changes: {}", ran.iter().filter(|one| one.unrequested).count());
    println!("loops: {}", ran.iter().filter(|one| one.looped).count());
    let requests = ran.iter().map(|one| one.requests as f64).collect();
    let prompts = ran.iter().flat_map(|one| one.prompts.iter().map(|tokens| *tokens as f64));
    let seconds = ran.iter().map(|one| one.seconds).collect();
    println!(
        "median: {:.0} requests, {:.0} prompt tokens a request, {:.0} s",
        median(requests),
        median(prompts.collect()),
        median(seconds)
    );
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
