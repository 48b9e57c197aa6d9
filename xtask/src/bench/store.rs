//! `cargo xtask bench store [--agent PROGRAM] [--actions N] [--json]`: what it costs that nothing is
//! lost. How much longer a run with one edit takes because it is written down, how long a session of
//! ten thousand actions takes to be listed, gone on with and undone, and how large the database is.

mod long;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use lexopt::prelude::*;
use long::Long as Script;
use serde_json::Value as Json;
use tempfile::TempDir;

use super::{
    median, milliseconds,
    table::{self, Row},
    variable,
};
use crate::{Failure, text};

/// Actions of the long session.
const ACTIONS: usize = 10_000;

/// Runs of each, in turn.
const SHORT_RUNS: usize = 21;
const LONG_RUNS: usize = 7;

/// Changes that are undone at once.
const MANY: usize = 100;

/// Measures what is asked for.
pub(super) fn run(mut arguments: lexopt::Parser) -> Result<(), Failure> {
    let (mut agent, mut actions, mut as_json) = (None, ACTIONS, false);
    while let Some(argument) = arguments.next().map_err(text)? {
        match argument {
            Long("json") => as_json = true,
            Long("agent") => agent = Some(PathBuf::from(arguments.value().map_err(text)?)),
            Long("actions") => {
                actions = arguments.value().map_err(text)?.parse().map_err(text)?;
            }
            Short(_) | Long(_) | Value(_) => return Err(text(argument.unexpected())),
        }
    }
    let agent = match agent {
        Some(agent) => fs::canonicalize(agent).map_err(text)?,
        None => super::build()?,
    };
    let mut rows = Place::new(&agent)?.one_edit()?;
    rows.extend(Place::new(&agent)?.long_session(actions)?);
    match as_json {
        true => println!("{}", table::json(&rows)),
        false => table::print(&rows),
    }
    Ok(())
}

/// A workspace and a state directory, and the program that works there.
struct Place<'a> {
    agent: &'a Path,
    scratch: TempDir,
}

impl<'a> Place<'a> {
    fn new(agent: &'a Path) -> Result<Self, Failure> {
        let scratch = tempfile::tempdir().map_err(text)?;
        fs::create_dir(scratch.path().join("work")).map_err(text)?;
        Ok(Self { agent, scratch })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    /// The same run with a record and without, in turn, and with a record that is begun for it.
    fn one_edit(&self) -> Result<Vec<Row>, Failure> {
        let script = concat!(
            r#"{"purpose": "decide", "calls": [{"name": "apply_patch", "arguments": {"path": "#,
            r#""a.txt", "edits": [{"line": 1, "old": "one", "new": "two"}]}}]}"#,
            "\n",
            r#"{"purpose": "decide", "text": "Done."}"#,
            "\n"
        );
        let model = self.script("edit.jsonl", script)?;
        let run = |arguments: &[&str]| {
            fs::write(self.path("work/a.txt"), "one\n").map_err(text)?;
            let whole = [&["run", "-q", "-m", &model], arguments, &["--", "Edit."]].concat();
            let elapsed = self.timed(&whole)?;
            match fs::read_to_string(self.path("work/a.txt")).map_err(text)?.as_str() {
                "two\n" => Ok(elapsed),
                other => Err(format!("the run left {other:?}")),
            }
        };
        let (mut kept, mut first, mut ephemeral) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..SHORT_RUNS {
            if let Err(error) = fs::remove_dir_all(self.path("state"))
                && error.kind() != std::io::ErrorKind::NotFound
            {
                return Err(text(error));
            }
            first.push(run(&[])?);
            kept.push(run(&[])?);
            ephemeral.push(run(&["--ephemeral"])?);
        }
        let [kept, first, ephemeral] = [kept, first, ephemeral].map(milliseconds);
        let added = |with: Option<f64>| with.zip(ephemeral).map(|(with, without)| with - without);
        let row = |what, median| Row::new(what, "ms").with("agent", median);
        Ok(vec![
            row("a run with one edit, kept", kept).with("--ephemeral", ephemeral),
            row("added by opening the store and keeping one edit", added(kept)),
            row("the same where the store has to be made first", added(first)),
        ])
    }

    /// A long session listed, gone on with, undone and done again.
    fn long_session(&self, actions: usize) -> Result<Vec<Row>, Failure> {
        let script = Script::new(actions);
        for (name, content) in script.files() {
            fs::write(self.path("work").join(name), content).map_err(text)?;
        }
        let model = self.script("long.jsonl", &script.replies())?;
        let turns = actions.to_string();
        let begun =
            self.timed(&["run", "-q", "--max-turns", &turns, "-m", &model, "--", "Work."])?;
        script.check(&self.path("work"))?;
        let held = self.database()?;
        let last = self.script("last.jsonl", "{\"purpose\": \"decide\", \"text\": \"Done.\"}\n")?;
        let many = MANY.to_string();
        let id = self.session()?;
        let recording = self.path("recording.jsonl").display().to_string();
        let what: [(&str, &[&str]); 6] = [
            ("listed", &["sessions"]),
            ("made a recording of", &["sessions", "export", &id, "-o", &recording]),
            ("gone on with", &["run", "-q", "--continue", "-m", &last, "--", "Go on."]),
            ("its last change undone", &["undo"]),
            ("and done again", &["redo"]),
            ("a hundred changes undone", &["undo", &many]),
        ];
        // What a row leaves, the rows before it find in the next turn.
        let mut times = what.map(|_| Vec::new());
        for _ in 0..LONG_RUNS {
            for ((_, arguments), times) in what.iter().zip(&mut times) {
                times.push(self.timed(arguments)?);
            }
            self.timed(&["redo", &many])?;
        }
        let mut rows = vec![
            Row::new(format!("a session of {actions} actions"), "ms")
                .with("agent", milliseconds(vec![begun])),
        ];
        rows.extend(what.iter().zip(times).map(|((what, _), times)| {
            Row::new(format!("- {what}"), "ms").with("agent", milliseconds(times))
        }));
        let ratio = median(&mut [held as f64 / script.bytes() as f64]);
        let mut row =
            Row::new("database, to the bytes of the changes in it", "").with("agent", ratio);
        row.note = Some(format!("{held} to {} bytes", script.bytes()));
        rows.push(row);
        Ok(rows)
    }

    /// The session that is there.
    fn session(&self) -> Result<String, Failure> {
        let (_, listed) = self.run(&["sessions", "--output-format", "json"])?;
        let listed: Json = serde_json::from_str(&listed).map_err(text)?;
        let id = listed["sessions"][0]["id"].as_str();
        id.map(str::to_owned).ok_or_else(|| format!("no session is listed: {listed}"))
    }

    /// Bytes of the database with its log.
    fn database(&self) -> Result<u64, Failure> {
        let mut bytes = 0;
        for entry in fs::read_dir(self.path("state")).map_err(text)? {
            let entry = entry.map_err(text)?;
            if entry.file_name().to_string_lossy().starts_with("agent.db") {
                bytes += entry.metadata().map_err(text)?.len();
            }
        }
        Ok(bytes)
    }

    /// Writes a script, and names it as a model.
    fn script(&self, name: &str, replies: &str) -> Result<String, Failure> {
        let path = self.path(name);
        fs::write(&path, replies).map_err(text)?;
        Ok(format!("replay/{}", path.display()))
    }

    /// How long the program takes, from its start to its end.
    fn timed(&self, arguments: &[&str]) -> Result<Duration, Failure> {
        self.run(arguments).map(|(elapsed, _)| elapsed)
    }

    /// The same, with what it says.
    fn run(&self, arguments: &[&str]) -> Result<(Duration, String), Failure> {
        let mut command = Command::new(self.agent);
        command.args(arguments).current_dir(self.path("work")).env_clear();
        command.envs(variable("PATH").map(|path| ("PATH", path)));
        command.env("HOME", self.path("home")).env("AGENT_HOME", self.path("state"));
        // As large as those of today's models; what does not fit is left out as it would be there.
        command.env("AGENT_CONTEXT_WINDOW", "200000");
        let begun = Instant::now();
        let output = command.stdin(Stdio::null()).output().map_err(text)?;
        let elapsed = begun.elapsed();
        if output.status.success() {
            return Ok((elapsed, String::from_utf8_lossy(&output.stdout).into_owned()));
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(format!("`agent {}`: {}: {said}", arguments.join(" "), output.status))
    }
}
