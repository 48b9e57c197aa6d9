//! The agent's own tools, carried out by a process of its own.
//!
//! The policy judges a call before it gets here, as it does any other. What can't go this way goes
//! directly, and a call that may have been carried out is not made again. The result says which way
//! it went.

use std::sync::Arc;

use agent_llm::ToolSpec;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    error::{Fate, ServerError},
    server::Server,
};
use crate::{
    BadParams, Breach, Call, Change, Cx, Effect, Observation, Target, Tool, tools::run_command,
};

/// Where a request to a server of our own names the session that changes belong to.
pub const SESSION: &str = "agent/session";

/// Where its answer holds what a model is not told.
pub const OBSERVATION: &str = "agent/observation";

/// The tools for files that need no model.
const FS: [&str; 9] = [
    "list_dir",
    "grep_search",
    "file_search",
    "read_file",
    "check_syntax",
    "apply_patch",
    "create_file",
    "delete_file",
    "undo",
];

/// The agent's own servers.
#[derive(Clone)]
pub struct Own {
    /// Has the tools for files.
    pub fs: Arc<Server>,
    /// Has the tool for commands.
    pub exec: Arc<Server>,
}

impl Own {
    /// The tool in the hands of the server that has it.
    pub(crate) fn route(&self, tool: Arc<dyn Tool>) -> Arc<dyn Tool> {
        let name = tool.spec().name;
        let server = match name.as_str() {
            run_command::NAME => &self.exec,
            name if FS.contains(&name) => &self.fs,
            _ => return tool,
        };
        Arc::new(Routed { tool, server: Arc::clone(server) })
    }

    /// Ends both.
    pub async fn end(&self) {
        tokio::join!(self.fs.end(), self.exec.end());
    }
}

/// An observation beside its result.
#[derive(Debug, Serialize, Deserialize)]
struct Told {
    shown: Option<String>,
    changes: Vec<Change>,
    target: Option<Target>,
    breach: Breach,
}

/// What a server of our own tells of an observation beside its result.
pub fn told(observation: &Observation) -> Value {
    let Observation { shown, changes, target, breach, .. } = observation.clone();
    serde_json::to_value(Told { shown, changes, target, breach }).unwrap_or_default()
}

/// The observation again.
pub(super) fn untold(result: Value, told: Value) -> Option<Observation> {
    let Told { shown, changes, target, breach } = serde_json::from_value(told).ok()?;
    Some(Observation { shown, changes, target, breach, ..Observation::of(result) })
}

/// A tool of ours in the hands of a server of ours.
struct Routed {
    tool: Arc<dyn Tool>,
    server: Arc<Server>,
}

impl Tool for Routed {
    fn spec(&self) -> ToolSpec {
        self.tool.spec()
    }

    fn prepare(&self, params: &Value) -> Result<Call, BadParams> {
        let Call { effects, run: direct } = self.tool.prepare(params)?;
        let only_reads = effects.iter().all(|effect| matches!(effect, Effect::Read(_)));
        let (server, params) = (Arc::clone(&self.server), params.clone());
        Ok(Call::waiting(effects, async move |cx: Cx| {
            let reason = match by_server(&server, &params, &cx).await {
                Ok(observation) => return sent(observation, "mcp", None),
                Err((_, _)) if cx.cancel.signal().is_some() => {
                    return Observation::failure("interrupted before there was a result");
                }
                Err((reason, Fate::Unknown)) if !only_reads => {
                    return sent(unknown(&reason), "mcp", None);
                }
                Err((reason, _)) => reason,
            };
            tracing::info!(tool = cx.tool, reason, "carried out directly");
            sent(direct(cx).await, "direct", Some(reason))
        }))
    }
}

/// Has the server carry it out.
async fn by_server(
    server: &Server,
    params: &Value,
    cx: &Cx,
) -> Result<Observation, (String, Fate)> {
    if cx.gate.is_some() {
        let reason = "somebody is asked about the change, which takes this process";
        return Err((reason.to_owned(), Fate::NotSent));
    }
    let params: Map<String, Value> = params.as_object().cloned().unwrap_or_default();
    let answer = server.call(&cx.tool, params, Some(&cx.session_id), &cx.cancel).await;
    let result = answer.map_err(|(error, fate): (ServerError, Fate)| (error.to_string(), fate))?;
    super::content::untold(result)
        .ok_or_else(|| ("its answer is none of this program's".to_owned(), Fate::Unknown))
}

/// What a model is told of a call that may have been carried out.
fn unknown(reason: &str) -> Observation {
    let message = format!(
        "unknown whether it was done: {reason}. Look at what is there before you do it again."
    );
    Observation { is_uncertain: true, ..Observation::failure(message) }
}

/// The observation with the way that it went, which changes nothing of what the model sees.
fn sent(observation: Observation, way: &str, reason: Option<String>) -> Observation {
    let shown = Some(observation.text().into_owned());
    let mut observation = Observation { shown, ..observation };
    observation.result["route"] = way.into();
    if let Some(reason) = reason {
        observation.result["route_reason"] = reason.into();
    }
    observation
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_observation_arrives_as_it_was_sent() {
        let observation = Observation {
            shown: Some("a: 1 line".to_owned()),
            target: Some(Target::Read("x\n".to_owned())),
            breach: Breach::Violation,
            ..Observation::of(json!({ "success": false, "message": "no" }))
        };
        let arrived = untold(observation.result.clone(), told(&observation));
        assert_eq!(arrived, Some(observation));
        assert_eq!(untold(json!({}), json!({ "changes": 3 })), None);
    }

    #[test]
    fn the_way_is_in_the_result_and_not_before_the_model() {
        let plain = Observation::of(json!({ "success": true }));
        let text = plain.text().into_owned();
        let direct = sent(plain, "direct", Some("it is gone".to_owned()));
        assert_eq!(direct.text(), text);
        assert_eq!(
            direct.result,
            json!({ "success": true, "route": "direct", "route_reason": "it is gone" })
        );
    }
}
