//! `agent sessions export`, `agent replay`, and `agent run --record`.

use std::{path::Path, process::ExitCode, sync::Arc};

use agent_core::{
    Journal, Sessions, Silent,
    recording::{self, Export, ExportError, Recording, Replayed, Stage, TreeKind},
};
use agent_tools::Workspace;
use serde_json::json;

use super::resume::{find, session_error};
use crate::{
    args::{self, Shape},
    environment::Environment,
    error::{End, Error},
    setup::State,
    ui::{self, Stdout, Stream},
    user_files::{self, AnswerFile},
};

/// A session of a state directory as a recording.
fn exported(
    sessions: &Sessions,
    journal: &Journal,
    id: &str,
    workspace: Option<&Workspace>,
    tree: TreeKind,
    environment: Environment,
) -> Result<String, Error> {
    let notes = sessions.notes(id).map_err(|error| session_error(&error))?;
    let redactor = environment.redactor();
    let mut export =
        Export { session: id, notes: &notes, journal, workspace, tree, redactor: &redactor };
    let written = match recording::export(&export) {
        Err(error @ (ExportError::TooLarge | ExportError::NoTree)) => {
            let message = format!(
                "{error}: the recording holds only the files that were read or changed, and \
                 searches are answered from it"
            );
            ui::warn(&message, environment);
            export.tree = TreeKind::Touched;
            recording::export(&export)
        }
        written => written,
    };
    let (lines, remarks) = written.map_err(|error| unwritten(&error))?;
    for remark in remarks {
        ui::warn(&remark, environment);
    }
    Ok(lines.join("\n"))
}

fn unwritten(error: &ExportError) -> Error {
    Error::of(End::Usage, "agent::usage::export", &error.to_string(), "export another session")
}

pub(super) fn export(
    sessions: &Sessions,
    arguments: &args::Export,
    environment: Environment,
) -> Result<(), Error> {
    let summary = find(sessions, &arguments.id)?;
    let journal = Journal::at(environment.state_dir());
    let workspace = Workspace::open(&summary.workspace).ok();
    let tree = tree(arguments.with_tree);
    let file = arguments.output_file.as_deref().map(AnswerFile::open).transpose()?;
    let text = exported(sessions, &journal, &summary.id, workspace.as_ref(), tree, environment)?;
    match file {
        Some(file) => file.write(&text),
        None => Stdout.text(&text),
    }
}

/// Which files a recording shall hold.
fn tree(with_tree: bool) -> TreeKind {
    if with_tree { TreeKind::Whole } else { TreeKind::Touched }
}

/// The file of `--record`, opened before the work begins.
pub(super) struct Recorder {
    pub(super) file: AnswerFile,
    pub(super) tree: TreeKind,
    pub(super) sessions: Arc<Sessions>,
    pub(super) journal: Arc<Journal>,
}

impl Recorder {
    /// Opens the file, if there is to be one.
    pub(super) fn open(arguments: &args::Run, state: &State) -> Result<Option<Self>, Error> {
        let Some(path) = &arguments.record else { return Ok(None) };
        let (Some(sessions), Some(journal)) = (state.kept(), state.record()) else {
            return Ok(None);
        };
        let (file, tree) = (AnswerFile::open(path)?, tree(arguments.with_tree));
        Ok(Some(Self { file, tree, sessions, journal }))
    }

    /// Writes the session down that has ended.
    pub(super) fn write(
        self,
        session: &str,
        workspace: &Workspace,
        environment: Environment,
    ) -> Result<(), Error> {
        let Self { file, tree, sessions, journal } = self;
        let text = exported(&sessions, &journal, session, Some(workspace), tree, environment)?;
        file.write(&text)
    }
}

pub(crate) async fn replay(
    arguments: args::Replay,
    environment: Environment,
) -> Result<ExitCode, Error> {
    let recording = read(&arguments.recording)?;
    if !recording.header.replayable {
        let why = recording.header.remarks.join("; ");
        let help = "export the session again where the secret is not in it";
        let message = format!("the recording is not replayable: {why}");
        return Err(Error::of(End::Usage, "agent::replay::not_replayable", &message, help));
    }
    let failed = |error: std::io::Error| Error::system("make a scratch directory", &error);
    let scratch = tempfile::tempdir().map_err(failed)?;
    let place = scratch.path().join("workspace");
    user_files::empty_directory(&place).map_err(failed)?;
    let help = "set TMPDIR to a directory that can be written";
    let workspace =
        Workspace::open(&place).map_err(|error| Error::usage("directory", error, help))?;
    let stage = Stage {
        workspace: Arc::new(workspace),
        journal: Arc::new(Journal::at(Some(scratch.path().join("state")))),
        sink: Arc::new(Silent),
    };
    let replayed = recording::replay(&recording, &stage)
        .await
        .map_err(|error| unreadable(&arguments.recording, &error))?;
    if arguments.output_format == Shape::Json {
        Stdout.json(&object(&replayed))?;
    }
    let Some(divergence) = replayed.divergence else {
        if arguments.output_format == Shape::Text {
            Stdout.text(&told(&replayed))?;
        }
        return Ok(ExitCode::SUCCESS);
    };
    ui::say(&ui::diff(&divergence.diff, environment.style(Stream::Errors)));
    let message = format!("step {}: {}", divergence.step, divergence.what);
    let help = "the difference is above, from the recording to this run";
    Err(Error::of(
        End::Run(agent_core::Outcome::Failed),
        "agent::replay::different",
        &message,
        help,
    ))
}

fn told(replayed: &Replayed) -> String {
    let Replayed { steps, calls, answered, divergence: _ } = replayed;
    let answered = match answered {
        0 => String::new(),
        count => format!(" ({count} of them answered from the recording)"),
    };
    format!("the same: {steps} steps, {calls} calls{answered}\n")
}

fn object(replayed: &Replayed) -> serde_json::Value {
    let divergence = replayed.divergence.as_ref().map(|divergence| {
        json!({ "step": divergence.step, "what": divergence.what, "diff": divergence.diff })
    });
    json!({
        "same": divergence.is_none(),
        "steps": replayed.steps,
        "calls": replayed.calls,
        "answered_from_recording": replayed.answered,
        "divergence": divergence,
    })
}

fn read(path: &Path) -> Result<Recording, Error> {
    let file = user_files::open(path).map_err(|error| unreadable(path, &error))?;
    Recording::read(file).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &dyn std::fmt::Display) -> Error {
    let message = format!("failed to read the recording {}: {error}", path.display());
    let help = "name a file that `agent sessions export` or `agent run --record` wrote";
    Error::usage("recording", message, help)
}
