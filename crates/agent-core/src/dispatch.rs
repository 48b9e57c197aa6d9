//! The fixed pipeline for one call: parse, judge, run, bound.

use std::sync::Arc;

use agent_tools::{Workspace, WorkspacePath};
use serde_json::Value;
use tokio::sync::{mpsc::UnboundedReceiver, oneshot};

use crate::{
    Breach, Call, Change, Cx, Effect, EffectKind, Observation, Tool, Toolbox,
    approval::{Answered, BoxFuture, Denied, Gate, Question, Waiting, What},
    policy::{Judgement, Past, Verdict},
};

/// A call that is under way.
pub(crate) enum Begun {
    /// It has come to its end.
    Over(Observation),
    /// It has planned a change, and waits for somebody to allow it.
    Waits(Held),
}

/// A call that waits with a planned change.
pub(crate) struct Held {
    pub(crate) tool: String,
    pub(crate) changes: Vec<Change>,
    pub(crate) judgement: Judgement,
    answer: oneshot::Sender<Result<(), Denied>>,
    waiting: UnboundedReceiver<Waiting>,
    work: BoxFuture<'static, Observation>,
}

impl Held {
    /// Goes on with what somebody answered.
    pub(crate) async fn answered(self, allowed: Result<(), (String, Breach)>) -> Begun {
        let Self { tool, changes, judgement, answer, waiting, work } = self;
        let denied = |(message, breach)| Denied { message, breach, changes };
        // Whoever waits for the answer may be gone with the run.
        let _ = answer.send(allowed.map_err(denied));
        planned(tool, judgement, waiting, work).await
    }
}

/// Runs one call of `tool`.
pub(crate) async fn run(
    tool: &dyn Tool,
    params: &Value,
    toolbox: &Toolbox,
    past: Past,
    cx: Cx,
) -> Observation {
    let mut begun = begin(tool, params, toolbox, past, cx.clone()).await;
    loop {
        let held = match begun {
            Begun::Over(observation) => return observation,
            Begun::Waits(held) => held,
        };
        let question = Question::about(&[&held]);
        let allowed = match ask(&question, toolbox, &cx).await {
            Answered::Yes(_) | Answered::Each => Ok(()),
            Answered::No(message, breach) => Err((message, breach)),
        };
        begun = held.answered(allowed).await;
    }
}

/// Begins a call of `tool`, and goes on to its end or to where it has planned a change that somebody
/// has to allow.
pub(crate) async fn begin(
    tool: &dyn Tool,
    params: &Value,
    toolbox: &Toolbox,
    past: Past,
    cx: Cx,
) -> Begun {
    let call = match tool.prepare(params) {
        Ok(call) => call,
        Err(bad) => return Begun::Over(Observation::failure(bad.to_string())),
    };
    let effects = located(&cx.workspace, &call.effects);
    let judgement = toolbox.policy().judge(&cx.tool, &effects, past);
    Begun::Over(match judgement.verdict {
        Verdict::Allow => (call.run)(cx).await,
        Verdict::Ask => match &judgement.effect {
            // What is asked about is the finished change, with its diff.
            Some(Effect::Write(_) | Effect::Delete(_)) => {
                let (gate, waiting) = Gate::new(Arc::clone(&cx.redactor));
                let name = cx.tool.clone();
                let work = (call.run)(Cx { gate: Some(gate), ..cx });
                return planned(name, judgement, waiting, work).await;
            }
            Some(Effect::Execute(_)) => {
                let line = effects.iter().find_map(command_line).unwrap_or_default();
                asked_first(call, toolbox, &judgement, What::Command(line), cx).await
            }
            Some(effect) => {
                let words = effect.to_string();
                asked_first(call, toolbox, &judgement, What::Other(words), cx).await
            }
            None => refused(&judgement, Breach::None),
        },
        Verdict::Refuse => refused(&judgement, judgement.breach()),
        Verdict::Stop => refused(&judgement, Breach::Stop),
    })
}

/// Asks before the call runs.
async fn asked_first(
    call: Call,
    toolbox: &Toolbox,
    judgement: &Judgement,
    what: What,
    cx: Cx,
) -> Observation {
    match ask(&Question::new(&cx.tool, what, judgement), toolbox, &cx).await {
        Answered::Yes(_) | Answered::Each => (call.run)(cx).await,
        Answered::No(message, breach) => ruled(Observation::failure(message), judgement, breach),
    }
}

/// Goes on with a call up to where it changes something.
async fn planned(
    tool: String,
    judgement: Judgement,
    mut waiting: UnboundedReceiver<Waiting>,
    mut work: BoxFuture<'static, Observation>,
) -> Begun {
    let next = tokio::select! {
        biased;
        observation = &mut work => {
            if observation.pending.is_empty() {
                return Begun::Over(observation);
            }
            let breach = observation.breach;
            return Begun::Over(ruled(observation, &judgement, breach));
        }
        next = waiting.recv() => next,
    };
    match next {
        Some(Waiting { changes, answer }) => {
            Begun::Waits(Held { tool, changes, judgement, answer, waiting, work })
        }
        None => Begun::Over(work.await),
    }
}

/// Asks. Whoever takes their time does not use up that of the run.
pub(crate) async fn ask(question: &Question, toolbox: &Toolbox, cx: &Cx) -> Answered {
    let _waiting = cx.model.as_ref().map(|model| model.waiting());
    toolbox.ask(question, &cx.cancel).await
}

fn command_line(effect: &Effect) -> Option<String> {
    match effect {
        Effect::Execute(execution) => Some(execution.line.clone()),
        Effect::Read(_)
        | Effect::Write(_)
        | Effect::Delete(_)
        | Effect::Undo
        | Effect::Network(_)
        | Effect::External(_) => None,
    }
}

fn refused(judgement: &Judgement, breach: Breach) -> Observation {
    ruled(Observation::failure(judgement.refusal()), judgement, breach)
}

/// The observation with the rule that led to it.
fn ruled(mut observation: Observation, judgement: &Judgement, breach: Breach) -> Observation {
    observation.result["rule"] = Value::from(judgement.decider.to_string());
    Observation { breach, ..observation }
}

/// The effects where they take place: paths as the workspace spells them, and where links on the
/// way lead somewhere else, there too. A path outside is left to the tool, which refuses it.
pub(crate) fn located(workspace: &Workspace, effects: &[Effect]) -> Vec<Effect> {
    let mut located = Vec::new();
    for effect in effects {
        let Some(path) = effect.path() else {
            located.push(effect.clone());
            continue;
        };
        let Ok(path) = workspace.resolve(path) else { continue };
        let real = match effect.kind() {
            // A link goes without what it leads to.
            EffectKind::Delete => followed_to_its_directory(workspace, &path),
            EffectKind::Read
            | EffectKind::Write
            | EffectKind::Undo
            | EffectKind::Execute
            | EffectKind::Network
            | EffectKind::External => followed(workspace, &path),
        };
        located.push(effect.at(path.to_string()));
        located.extend(real.filter(|real| *real != path).map(|real| effect.at(real.to_string())));
    }
    located
}

/// Where `path` leads. What is not there yet will stand in the directory that is to hold it.
fn followed(workspace: &Workspace, path: &WorkspacePath) -> Option<WorkspacePath> {
    workspace.real(path).ok().or_else(|| followed_to_its_directory(workspace, path))
}

fn followed_to_its_directory(workspace: &Workspace, path: &WorkspacePath) -> Option<WorkspacePath> {
    followed(workspace, &path.parent()?)?.child(path.file_name()?)
}
