//! A tool of somebody else's server, as one of ours.

use std::sync::Arc;

use agent_llm::ToolSpec;
use agent_tools::{limit, sha256};
use rmcp::model;
use serde_json::{Map, Value, json};

use super::{
    content,
    declared::Hints,
    error::{Fate, ServerError},
    server::Server,
    servers::Offered,
};
use crate::{BadParams, Call, Cx, Effect, Observation, Tool};

/// Between the name of a server and that of its tool.
const JOINT: &str = "__";

/// The most that models take for a name.
const NAME: usize = 64;

/// Bytes of a description that a model is shown.
const DESCRIPTION: usize = 1500;

/// Bytes of a schema. A tool with a larger one is left out: a schema can't be cut.
const SCHEMA: usize = 16 * 1024;

/// A tool of a server.
pub(super) struct ThirdParty {
    server: Arc<Server>,
    /// Its name there.
    name: String,
    /// What the server says of its parameters.
    schema: Arc<Map<String, Value>>,
    spec: ToolSpec,
    effects: Vec<Effect>,
}

impl ThirdParty {
    /// The tool, or why it can't be offered.
    pub(super) fn new(server: &Arc<Server>, tool: &model::Tool) -> Result<Self, String> {
        let declared = server.declared();
        let name = tool_name(&declared.name, &tool.name);
        let mut parameters: Map<String, Value> = tool.input_schema.as_ref().clone();
        for noise in ["$schema", "title"] {
            parameters.remove(noise);
        }
        if parameters.get("type") != Some(&Value::from("object")) {
            return Err(format!("`{name}` is left out: its parameters are no object"));
        }
        parameters.entry("properties").or_insert_with(|| json!({}));
        let parameters = Value::Object(parameters);
        let size = parameters.to_string().len();
        if size > SCHEMA {
            return Err(format!("`{name}` is left out: its schema takes {size} bytes"));
        }
        let description = tool.description.as_deref().unwrap_or("no description").trim();
        let description = limit::head_tail(description, DESCRIPTION);
        let description =
            format!("(Text of the MCP server `{}`, not of the user.) {description}", declared.name);
        let reads = tool.annotations.as_ref().and_then(|hints| hints.read_only_hint) == Some(true);
        let effects = match (declared.hints, reads) {
            (Hints::Trusted, true) => Vec::new(),
            (Hints::Trusted, false) | (Hints::Distrusted, _) => {
                let what = format!("`{}` of the MCP server `{}`", tool.name, declared.name);
                vec![Effect::External(what)]
            }
        };
        let spec = ToolSpec { name, description, parameters };
        let (server, schema) = (Arc::clone(server), Arc::clone(&tool.input_schema));
        Ok(Self { server, name: tool.name.to_string(), schema, spec, effects })
    }

    /// Whether it is known to change nothing.
    pub(super) fn only_reads(&self) -> bool {
        self.effects.is_empty()
    }

    /// What people are told of it.
    pub(super) fn offered(&self) -> Offered {
        let schema = Value::Object(self.schema.as_ref().clone());
        Offered { name: self.name.clone(), schema, spec: self.spec.clone() }
    }

    pub(super) fn name(&self) -> &str {
        &self.spec.name
    }
}

impl Tool for ThirdParty {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn prepare(&self, params: &Value) -> Result<Call, BadParams> {
        let Value::Object(params) = params else {
            return Err(BadParams {
                tool: self.spec.name.clone(),
                problem: "they are no object".to_owned(),
                takes: "what its schema says".to_owned(),
            });
        };
        let (server, tool) = (Arc::clone(&self.server), self.name.clone());
        let (name, params) = (self.spec.name.clone(), params.clone());
        Ok(Call::waiting(self.effects.clone(), async move |cx: Cx| {
            match server.call(&tool, params, None, &cx.cancel).await {
                Ok(result) => content::observation(&server.declared().name, &name, &result),
                Err((error, fate)) => failed(&error, fate),
            }
        }))
    }
}

/// What a model is told of a call that came to nothing.
fn failed(error: &ServerError, fate: Fate) -> Observation {
    let done = match fate {
        Fate::NotSent => "The call was not sent",
        Fate::NotDone => "The call was not carried out",
        Fate::Unknown => "Whether the call was carried out is unknown: look before you repeat it",
    };
    let next = match error {
        ServerError::Answered { .. } => "Call it in another way, or do without it",
        ServerError::NoStart { .. }
        | ServerError::NoVariable { .. }
        | ServerError::Unknown { .. }
        | ServerError::Late { .. }
        | ServerError::GivenUp { .. } => "Do without its tools, and say so in your answer",
        ServerError::Ended { .. } | ServerError::Silent { .. } | ServerError::TooLarge { .. } => {
            "The next call starts it once more, if it has ended; otherwise do without it"
        }
        ServerError::NoConnection { .. } => "The next call tries it again; otherwise do without it",
        ServerError::Interrupted { .. } => "Do without it",
    };
    Observation::failure(format!("{error}. {done}. {next}."))
}

/// The name under which a model sees the tool: of letters that every provider takes, and not too
/// long. Where something has to be left out, a piece of a hash keeps it apart from others.
pub fn tool_name(server: &str, tool: &str) -> String {
    let full = format!("{server}{JOINT}{tool}");
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
    let name: String = full.chars().map(plain).collect();
    if name == full && name.len() <= NAME {
        return name;
    }
    let mark = &sha256(full.as_bytes())[..6];
    let kept: String = name.chars().take(NAME - mark.len() - 1).collect();
    format!("{kept}_{mark}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_suit_every_provider_and_stay_apart() {
        assert_eq!(tool_name("git", "log"), "git__log");
        assert_eq!(tool_name("my-server", "a_b-c"), "my-server__a_b-c");
        let long = "x".repeat(100);
        for (server, tool) in [("a.b", "log"), ("git", "größe"), ("git", "a b"), ("git", &long)] {
            let name = tool_name(server, tool);
            let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
            assert!(name.len() <= 64 && name.chars().all(plain), "{name}");
        }
        assert_ne!(tool_name("git", "a b"), tool_name("git", "a.b"));
        assert_ne!(tool_name("git", &long), tool_name("git", &format!("{long}y")));
    }
}
