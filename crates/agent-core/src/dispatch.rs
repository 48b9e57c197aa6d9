//! The fixed pipeline for one call: parse, judge, run, bound.

use serde_json::Value;

use crate::{Approval, Cx, Observation, Tool, policy};

/// Runs one call of `tool`.
pub(crate) async fn run(
    tool: &dyn Tool,
    params: &Value,
    approval: Approval,
    cx: Cx,
) -> Observation {
    let call = match tool.prepare(params) {
        Ok(call) => call,
        Err(bad) => return Observation::failure(bad.to_string()),
    };
    match policy::judge(approval, &call.effects, &cx.commands.permitted) {
        policy::Verdict::Allow => (call.run)(cx).await,
        policy::Verdict::Refuse(reason) => Observation::failure(reason),
        policy::Verdict::Forbid(reason) => Observation::violation(reason),
    }
}

/// What the model sees of an observation.
pub(crate) fn shown(observation: &Observation) -> String {
    observation.shown.clone().unwrap_or_else(|| observation.result.to_string())
}
