//! `agent demo`: a whole job with no network and no key.

use std::{path::Path, process::ExitCode, sync::Arc, time::Duration};

use agent_core::{
    Agent, Cancel, Journal, Outcome, Report, Settings,
    command::{CommandLine, Runner},
};
use agent_llm::script::Scripted;
use agent_tools::{Workspace, write};

use crate::{
    args,
    environment::Environment,
    error::Error,
    setup, signals,
    ui::{self, Detail, Paint, Progress, Stdout, Stream, Style, Terminal},
    user_files,
};

/// The project, as it is before the job.
const PROJECT: [(&str, &str); 4] = [
    ("lib/sum.sh", include_str!("../../../../fixtures/demo/project/lib/sum.sh")),
    ("receipt.sh", include_str!("../../../../fixtures/demo/project/receipt.sh")),
    ("average.sh", include_str!("../../../../fixtures/demo/project/average.sh")),
    ("test.sh", include_str!("../../../../fixtures/demo/project/test.sh")),
];

/// What the model says.
const SCRIPT: &str = include_str!("../../../../fixtures/demo/script.jsonl");

const TASK: &str = "rename the function total to sum_of and update its callers";

pub(crate) async fn run(
    arguments: args::Demo,
    environment: Environment,
) -> Result<ExitCode, Error> {
    let cancel = Cancel::new();
    signals::watch(&cancel).map_err(|error| Error::system("listen for signals", &error))?;
    // Where nobody asked for a directory, it is gone as soon as this value is.
    let scratch = Scratch::make(arguments.dir.as_deref())?;
    let show = Show { style: environment.style(Stream::Output), environment };
    show.introduction(&scratch)?;
    let stage = Stage::set(&scratch, cancel, environment)?;

    show.typed("sh test.sh")?;
    let before = stage.test().await?;
    show.tested(&before)?;

    show.typed(&format!("agent run \"{TASK}\""))?;
    let report = stage.act(environment).await?;
    if let Some(answer) = &report.response {
        show.prose(&format!("\n{}", ui::harmless(answer)))?;
    }
    if let Some(failure) = report.error {
        return Err(Error::of_run(report.outcome, failure));
    }

    show.typed("sh test.sh")?;
    let after = stage.test().await?;
    show.tested(&after)?;
    show.end(&before, &report, &after, &scratch)
}

/// The directory of the demonstration.
enum Scratch {
    /// Removed at the end.
    Temporary(tempfile::TempDir),
    /// Left as the user asked.
    Kept(std::path::PathBuf),
}

impl Scratch {
    fn make(dir: Option<&Path>) -> Result<Self, Error> {
        let Some(dir) = dir else {
            let made = tempfile::Builder::new().prefix("agent-demo-").tempdir();
            return made
                .map(Self::Temporary)
                .map_err(|error| Error::system("make a scratch directory", &error));
        };
        user_files::empty_directory(dir).map(|()| Self::Kept(dir.to_owned())).map_err(|error| {
            let message = format!("{} can't be used: {error}", dir.display());
            Error::usage("directory", message, "name a directory that is new or empty")
        })
    }

    fn path(&self) -> &Path {
        match self {
            Self::Temporary(dir) => dir.path(),
            Self::Kept(dir) => dir,
        }
    }
}

/// What became of a test run.
struct Tested {
    passed: bool,
    output: String,
}

/// The project and who works on it.
struct Stage {
    workspace: Arc<Workspace>,
    runner: Runner,
    cancel: Cancel,
}

impl Stage {
    /// Copies the project.
    fn set(scratch: &Scratch, cancel: Cancel, environment: Environment) -> Result<Self, Error> {
        let failed = |error: &dyn std::fmt::Display| {
            let message = format!("failed to copy the project: {error}");
            Error::usage("directory", message, "name another directory with `--dir DIR`")
        };
        let workspace = Workspace::open(scratch.path()).map_err(|error| failed(&error))?;
        for (name, text) in PROJECT {
            let path = workspace.resolve(name).map_err(|error| failed(&error))?;
            write::create(&workspace, &path, text.as_bytes()).map_err(|error| failed(&error))?;
        }
        let runner = setup::unconfined_runner(environment);
        Ok(Self { workspace: Arc::new(workspace), runner, cancel })
    }

    async fn test(&self) -> Result<Tested, Error> {
        let dir = self.workspace.root().to_owned();
        let command = CommandLine::shell("sh test.sh", dir, Duration::from_secs(60), 64 * 1024);
        let result = self.runner.run(&command, &self.cancel).await;
        if let Some(signal) = self.cancel.signal() {
            return Err(Error::interrupted(signal));
        }
        let help = "the demonstration's test needs a POSIX shell, `sh`";
        let result = result.map_err(|error| Error::demo("no_shell", error, help))?;
        if result.exit_code == Some(127) {
            return Err(Error::demo("no_shell", result.stderr.trim_end(), help));
        }
        let passed = result.exit_code == Some(0);
        Ok(Tested { passed, output: result.stdout + &result.stderr })
    }

    async fn act(&self, environment: Environment) -> Result<Report, Error> {
        let script = Scripted::open("demo", SCRIPT.as_bytes()).map_err(|error| {
            Error::demo("recording", error, "this is a fault of the program itself")
        })?;
        let progress = Progress::new(
            environment.style(Stream::Output),
            Detail::Steps,
            environment.reader(Stream::Output),
        );
        let sink = Arc::new(Terminal::new(progress, Stream::Output));
        let workspace = Arc::clone(&self.workspace);
        let state = self.workspace.root().join(".agent").join("state");
        let agent = Agent::new(workspace, Arc::new(script), Settings::default(), sink)
            .journaled(Arc::new(Journal::at(Some(state))));
        Ok(agent.run(TASK, &self.cancel).await)
    }
}

/// Tells what happens, on standard output.
struct Show {
    style: Style,
    environment: Environment,
}

impl Show {
    fn prose(&self, text: &str) -> Result<(), Error> {
        Stdout.text(&ui::prose(text, Stream::Output, self.environment))
    }

    fn introduction(&self, scratch: &Scratch) -> Result<(), Error> {
        let fate = match scratch {
            Scratch::Temporary(_) => "removed at the end; `--dir DIR` keeps it",
            Scratch::Kept(_) => "kept",
        };
        let note = format!(
            "This is a demonstration. The model's side is a recording: its replies are part of this \
             program, so it needs no key and no network.\nThe tools are real: they work on a copy of \
             a small shell project in {} ({fate}).\nIts test wants a function sum_of, which is \
             still called total.",
            scratch.path().display()
        );
        self.prose(&note)
    }

    fn typed(&self, command: &str) -> Result<(), Error> {
        Stdout.text(&format!("\n{}", self.style.paint(Paint::Bold, &format!("$ {command}"))))
    }

    fn tested(&self, tested: &Tested) -> Result<(), Error> {
        let mut text = String::new();
        for line in tested.output.lines() {
            let paint = if line.starts_with("ok ") { Paint::Green } else { Paint::Red };
            text += &format!("{}\n", self.style.paint(paint, &ui::harmless(line)));
        }
        let verdict = match tested.passed {
            true => self.style.paint(Paint::Green, "the test passes"),
            false => self.style.paint(Paint::Red, "the test fails"),
        };
        Stdout.text(&format!("{text}→ {verdict}"))
    }

    fn end(
        &self,
        before: &Tested,
        report: &Report,
        after: &Tested,
        scratch: &Scratch,
    ) -> Result<ExitCode, Error> {
        let repaired = !before.passed && report.outcome == Outcome::Finished && after.passed;
        if !repaired {
            let help =
                "this is a fault of the program itself, or of the shell `sh` on this machine";
            return Err(Error::demo("not_repaired", "the test did not go from red to green", help));
        }
        let place = match scratch {
            Scratch::Temporary(_) => String::new(),
            Scratch::Kept(dir) => format!(" The project is in {}.", dir.display()),
        };
        self.prose(&format!(
            "\nThe test failed before and passes now.{place}\nWith a model of your own: `agent run \
             \"TASK\"` in a project. `agent models` says which one would be used."
        ))?;
        Ok(ExitCode::SUCCESS)
    }
}

#[cfg(test)]
mod tests {
    use agent_llm::script::Script;

    use super::*;

    #[test]
    fn the_recording_is_in_the_format_of_scripts() {
        let script = Script::parse(SCRIPT.as_bytes()).expect("a script");
        assert!(script.replies.iter().all(|reply| reply.expect != Default::default()));
    }
}
