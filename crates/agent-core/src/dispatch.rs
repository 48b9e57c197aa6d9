//! The fixed pipeline for one call: parse, judge, run, bound.

use agent_tools::{Workspace, WorkspacePath};
use serde_json::Value;

use crate::{
    Breach, Call, Cx, Effect, EffectKind, Observation, Tool, Toolbox,
    approval::{Answered, Denied, Gate, Question, Waiting, What},
    policy::{Judgement, Past, Verdict},
};

/// Runs one call of `tool`.
pub(crate) async fn run(
    tool: &dyn Tool,
    params: &Value,
    toolbox: &Toolbox,
    past: Past,
    cx: Cx,
) -> Observation {
    let call = match tool.prepare(params) {
        Ok(call) => call,
        Err(bad) => return Observation::failure(bad.to_string()),
    };
    let effects = located(&cx.workspace, &call.effects);
    let judgement = toolbox.policy().judge(&cx.tool, &effects, past);
    match judgement.verdict {
        Verdict::Allow => (call.run)(cx).await,
        Verdict::Ask => match &judgement.effect {
            // What is asked about is the finished change, with its diff.
            Some(Effect::Write(_) | Effect::Delete(_)) => {
                planned(call, toolbox, &judgement, cx).await
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
    }
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
        Answered::Yes(_) => (call.run)(cx).await,
        Answered::No(message, breach) => ruled(Observation::failure(message), judgement, breach),
    }
}

/// Runs the call up to where it changes something, and asks there.
async fn planned(call: Call, toolbox: &Toolbox, judgement: &Judgement, cx: Cx) -> Observation {
    let (gate, mut waiting) = Gate::new();
    let mut work = std::pin::pin!((call.run)(Cx { gate: Some(gate), ..cx.clone() }));
    loop {
        let next = tokio::select! {
            biased;
            observation = &mut work => {
                return match observation.pending.is_empty() {
                    true => observation,
                    false => { let breach = observation.breach; ruled(observation, judgement, breach) }
                };
            }
            next = waiting.recv() => next,
        };
        let Some(Waiting { changes, answer }) = next else { return work.await };
        let question = Question::new(&cx.tool, What::Changes(changes.clone()), judgement);
        let answered = match ask(&question, toolbox, &cx).await {
            Answered::Yes(_) => Ok(()),
            Answered::No(message, breach) => Err(Denied { message, breach, changes }),
        };
        // Whoever waits for the answer may be gone with the run.
        let _ = answer.send(answered);
    }
}

/// Asks. Whoever takes their time does not use up that of the run.
async fn ask(question: &Question, toolbox: &Toolbox, cx: &Cx) -> Answered {
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
