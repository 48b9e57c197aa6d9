//! `finish`: the model says that it is done. The decision loop carries it out.

use agent_llm::ToolSpec;
use serde_json::{Value, json};

/// The tool's name.
pub(crate) const NAME: &str = "finish";

/// What the model is offered.
pub(crate) fn spec() -> ToolSpec {
    ToolSpec {
        name: NAME.to_owned(),
        description: "End the work, with the final answer to the user.".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": {
                "response": {
                    "type": "string",
                    "description": "In full.",
                },
                "remember": {
                    "type": "string",
                    "description": "For next time.",
                },
            },
        }),
    }
}

/// What the model proposes to remember.
pub(crate) fn proposed(params: &Value) -> Option<&str> {
    params.get("remember").and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}

/// What the history and the model see of it.
pub(crate) fn result() -> Value {
    json!({ "success": true })
}
