//! A question that was answered before: the whole program, from its start to its end, without a
//! model.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{milliseconds, table::Row, variable};
use crate::{Failure, text};

/// Runs of each.
const RUNS: usize = 25;

/// Answers in a full cache.
const FULL: usize = 500;

/// The rows of a cache with one answer, and of a full one.
pub(super) fn rows(agent: &Path) -> Result<[Row; 3], Failure> {
    let scratch = tempfile::tempdir().map_err(text)?;
    let asking = Asking::new(agent, scratch.path())?;
    asking.ask(0, Answered::ByModel)?;
    let alone = asking.again()?;
    for number in 1..FULL {
        asking.ask(number, Answered::ByModel)?;
    }
    let full = asking.again()?;
    let more = full.zip(alone).map(|(full, alone)| (full - alone).max(0.0));
    Ok([
        Row::new("a question that was answered before, without a model call", "ms")
            .with("agent", alone),
        Row::new("the same, of 500 answers", "ms").with("agent", full),
        Row::new("of that, for the other 499", "ms").with("agent", more),
    ])
}

/// Who answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answered {
    ByModel,
    FromCache,
}

struct Asking<'a> {
    agent: &'a Path,
    work: PathBuf,
    state: PathBuf,
    model: String,
}

impl<'a> Asking<'a> {
    fn new(agent: &'a Path, scratch: &Path) -> Result<Self, Failure> {
        let (work, state) = (scratch.join("work"), scratch.join("state"));
        fs::create_dir_all(&work).map_err(text)?;
        fs::write(work.join("a.txt"), "port = 1\n").map_err(text)?;
        let script = scratch.join("script.jsonl");
        let replies = concat!(
            r#"{"purpose": "decide", "calls": [{"name": "read_file", "arguments": {"target_file": "a.txt"}}]}"#,
            "\n",
            r#"{"purpose": "decide", "text": "In a.txt."}"#,
            "\n",
        );
        fs::write(&script, replies).map_err(text)?;
        let model = format!("replay/{}", script.display());
        Ok(Self { agent, work, state, model })
    }

    /// Asks question `number`, and makes sure of who answers.
    fn ask(&self, number: usize, by: Answered) -> Result<Duration, Failure> {
        let question = format!("Where is name{number} defined?");
        let mut command = Command::new(self.agent);
        command.args(["run", "-m", &self.model, "--output-format", "json", &question]);
        command.current_dir(&self.work).env_clear();
        command.envs(variable("PATH").map(|path| ("PATH", path)));
        command.env("HOME", &self.state).env("AGENT_HOME", &self.state);
        let begun = Instant::now();
        let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().map_err(text)?;
        let elapsed = begun.elapsed();
        let report: Value = serde_json::from_slice(&output.stdout).map_err(text)?;
        let found = match (report["from_cache"] == true, report["turns"].as_u64()) {
            (true, Some(0)) => Answered::FromCache,
            (_, _) => Answered::ByModel,
        };
        if report["outcome"] != "finished" || found != by {
            return Err(format!("`{question}` was to be answered {by:?}: {report}"));
        }
        Ok(elapsed)
    }

    /// The median of asking the first question again.
    fn again(&self) -> Result<Option<f64>, Failure> {
        let times = (0..RUNS).map(|_| self.ask(0, Answered::FromCache));
        Ok(milliseconds(times.collect::<Result<_, _>>()?))
    }
}
