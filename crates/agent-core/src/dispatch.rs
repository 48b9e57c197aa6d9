//! The fixed pipeline for one call: parse, judge, run, bound.

use agent_tools::{Workspace, WorkspacePath};
use serde_json::Value;

use crate::{
    Approval, Cx, Effect, EffectKind, Observation, Tool,
    policy::{Judgement, Past, Policy, Verdict},
    tool::Breach,
};

/// Runs one call of `tool`.
pub(crate) async fn run(
    tool: &dyn Tool,
    params: &Value,
    policy: &Policy,
    past: Past,
    cx: Cx,
) -> Observation {
    let call = match tool.prepare(params) {
        Ok(call) => call,
        Err(bad) => return Observation::failure(bad.to_string()),
    };
    let judgement = policy.judge(&cx.tool, &located(&cx.workspace, &call.effects), past);
    match judgement.verdict {
        Verdict::Allow => (call.run)(cx).await,
        Verdict::Ask => unanswered(&judgement, policy.approval()),
        Verdict::Refuse => refused(&judgement, judgement.breach()),
        Verdict::Stop => refused(&judgement, Breach::Stop),
    }
}

fn refused(judgement: &Judgement, breach: Breach) -> Observation {
    let mut observation = Observation::failure(judgement.refusal());
    observation.result["rule"] = Value::from(judgement.decider.to_string());
    Observation { breach, ..observation }
}

/// Nobody is there to be asked. Where the user wanted to be asked, nothing else will do.
fn unanswered(judgement: &Judgement, approval: Approval) -> Observation {
    match approval {
        Approval::Ask => refused(judgement, Breach::Unanswered),
        Approval::Edits | Approval::All | Approval::Plan => refused(judgement, Breach::None),
    }
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

/// What the model sees of an observation.
pub(crate) fn shown(observation: &Observation) -> String {
    observation.shown.clone().unwrap_or_else(|| observation.result.to_string())
}
