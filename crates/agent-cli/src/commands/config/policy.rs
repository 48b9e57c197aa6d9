//! `agent config policy`: what is allowed, and which rule says so.

use agent_core::{
    Toolbox,
    approval::SavedRules,
    policy::{Decider, Judgement, Policy, Verdict, table::ROWS},
};
use agent_tools::Workspace;
use serde_json::{Value, json};

use crate::{error::Error, setup};

/// Every rule in the order in which they are tried.
pub(super) fn table(policy: &Policy) -> String {
    let mode = policy.approval().name();
    let mut lines = vec![format!("With approval {mode}, the first of these that fits decides:")];
    let given = policy.rules().iter().enumerate();
    lines.extend(given.map(|(index, rule)| {
        let reason = rule.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
        format!("{:>3}  {rule}{reason}  # {}", index + 1, rule.source)
    }));
    lines.extend(ROWS.iter().map(|row| {
        let verdict = policy.of_row(row).name();
        format!("  -  {}: {verdict} ({})  # built in", row.name, row.why)
    }));
    lines.join("\n")
}

/// Forgets an answer by its place among those of the workspace.
pub(super) fn forget(
    saved: &SavedRules,
    workspace: &Workspace,
    index: Option<usize>,
) -> Result<(), Error> {
    let failed = |error| setup::state_error(&error);
    let rules = saved.list(workspace.root()).map_err(failed)?;
    let Some((number, _)) = index.and_then(|index| rules.get(index)) else {
        let help = "`agent config policy` numbers the rules; those of a file are changed there";
        let message = "no answer has made the rule of that number";
        return Err(Error::usage("unknown_rule", message, help));
    };
    saved.forget(workspace.root(), *number).map(|_| ()).map_err(failed)
}

/// What becomes of one call.
pub(super) fn answer(
    policy: Policy,
    workspace: &Workspace,
    tool: &str,
    params: Option<&str>,
) -> Result<String, Error> {
    let help = "`agent tool --list` prints every tool with its parameters";
    let params: Value = match params {
        None => json!({}),
        Some(text) => serde_json::from_str(text).map_err(|error| {
            Error::usage("bad_json", format!("the parameters are no JSON: {error}"), help)
        })?,
    };
    let judgement = Toolbox::direct(policy).judge(tool, &params, workspace);
    let judgement = judgement.map_err(|problem| Error::usage("bad_call", problem, help))?;
    Ok(words(&judgement))
}

fn words(judgement: &Judgement) -> String {
    let Judgement { verdict, effect, decider, not_permitted: _ } = judgement;
    let effect = effect.as_ref().map(|effect| format!(" to {effect}")).unwrap_or_default();
    let rule = match decider {
        Decider::Rule(_, rule) => format!("{decider}: {rule}"),
        Decider::NoEffect
        | Decider::Plan
        | Decider::Question
        | Decider::Tests
        | Decider::BuiltIn(_) => decider.to_string(),
    };
    let why = match verdict {
        Verdict::Allow => String::new(),
        Verdict::Ask | Verdict::Refuse | Verdict::Stop => format!("\n{}", judgement.why()),
    };
    format!("{}{effect}\n{rule}{why}", verdict.name())
}
