//! What is done with an answer's score once the answer is out: it is kept, and written to the log.

use std::{path::PathBuf, sync::Arc, time::Duration};

use agent_core::{
    Report, Sessions,
    config::{Config, Key},
    evaluator::{Judge, Judgement, Kept},
};
use agent_tools::Workspace;
use tokio::time;

use crate::{environment::Environment, setup, ui, user_files};

/// How long the process waits for what is done here after the answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long writing may take, even where the judge has taken all of that.
const WRITING: Duration = Duration::from_millis(200);

/// Keeps the score of `report`. Whatever goes wrong is told, and changes nothing about the run.
pub(crate) async fn keep(
    report: &Report,
    sessions: Option<Arc<Sessions>>,
    workspace: &Workspace,
    config: &Config,
    environment: Environment,
) {
    let log = config.text(Key::EvaluatorLog).map(|name| workspace.root().join(name));
    let judging = judged(report, config, environment);
    let deadline = time::Instant::now() + PATIENCE;
    let judge = match time::timeout_at(deadline, judging).await {
        Ok(Ok(judge)) => judge,
        Ok(Err(problem)) => {
            warn(&format!("the answer was not judged: {problem}"));
            None
        }
        Err(_elapsed) => {
            warn("the answer was not judged: the judge took too long");
            None
        }
    };
    let Some(kept) = Kept::of(report, judge) else { return };
    let reasons = [Some(&kept.evaluation.reason), kept.judge.as_ref().map(|judge| &judge.reason)];
    let redactor = environment.redactor();
    let holds = |text: &&String| redactor.finds(text) || redactor.suspects(text);
    if reasons.iter().flatten().any(holds) {
        return warn("the score is not kept: its reason holds what looks like a secret");
    }
    let written = async {
        let stored = match sessions {
            Some(sessions) => sessions.keep_evaluation(&kept).await,
            None => Ok(()),
        };
        let logged = match log {
            Some(path) => logged(path, line(&kept)).await,
            None => Ok(()),
        };
        [stored.map_err(|error| error.to_string()), logged]
    };
    match time::timeout_at(deadline.max(time::Instant::now() + WRITING), written).await {
        Ok(done) => {
            for problem in done.into_iter().filter_map(Result::err) {
                warn(&format!("the score is not kept: {problem}"));
            }
        }
        Err(_elapsed) => warn("the score is not kept: writing it takes too long"),
    }
}

async fn logged(path: PathBuf, line: String) -> Result<(), String> {
    let append = move || {
        let appended = user_files::append(&path, &line);
        appended.map_err(|error| format!("{}: {error}", path.display()))
    };
    let appended = tokio::task::spawn_blocking(append).await;
    appended.unwrap_or_else(|broken| Err(broken.to_string()))
}

fn warn(text: &str) {
    ui::say(&format!("warning: {text}\n"));
}

fn line(kept: &Kept) -> String {
    serde_json::to_string(kept).map(|line| line + "\n").unwrap_or_default()
}

/// What the configured model thinks; none where none is configured.
async fn judged(
    report: &Report,
    config: &Config,
    environment: Environment,
) -> Result<Option<Judgement>, String> {
    let Some(model) = config.text(Key::EvaluatorModel) else { return Ok(None) };
    let provider = setup::named_provider(model, config, environment);
    let provider = provider.map_err(|error| error.failure.message)?;
    let redactor = environment.redactor();
    Judge::new(provider).judge(report, &redactor).await.map(Some)
}
