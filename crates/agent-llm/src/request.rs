//! What a provider is asked for.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Message;

/// One model call.
///
/// Everything that is large stands behind an [`Arc`]: a request is cheap to clone, and a provider
/// can tell by pointer which messages it has already serialised.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// What the call is for. It never reaches the wire; scripts and recordings go by it.
    pub purpose: Purpose,
    /// The conversation so far.
    pub messages: Vec<Arc<Message>>,
    /// The tools on offer, in an order that stays the same during a session.
    pub tools: Arc<[ToolSpec]>,
    /// Whether the model may, must or must not call one of them.
    pub tool_choice: ToolChoice,
    /// A JSON schema that the reply's text has to follow, where the provider can enforce it.
    pub output: Option<OutputSchema>,
    /// Sampling temperature; the provider's default without it.
    pub temperature: Option<f32>,
    /// The most tokens that the reply may have; the provider's default without it.
    pub max_output_tokens: Option<u32>,
}

impl Request {
    /// A request without tools and with the provider's defaults.
    pub fn new(purpose: Purpose, messages: Vec<Arc<Message>>) -> Self {
        Self {
            purpose,
            messages,
            tools: Arc::default(),
            tool_choice: ToolChoice::default(),
            output: None,
            temperature: None,
            max_output_tokens: None,
        }
    }
}

/// The reasons for which the agent calls a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Purpose {
    /// Pick the next action.
    Decide,
    /// Turn a sketch into line edits.
    EditPlan,
    /// Word the final response.
    Response,
    /// Plan the first step.
    Plan,
    /// Shorten the history.
    Summary,
    /// Score a response.
    Judge,
}

impl Purpose {
    /// Every purpose, in the order in which tables and files show them.
    pub const ALL: [Self; 6] =
        [Self::Decide, Self::EditPlan, Self::Response, Self::Plan, Self::Summary, Self::Judge];

    /// The name by which scripts and recordings call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Decide => "decide",
            Self::EditPlan => "edit_plan",
            Self::Response => "response",
            Self::Plan => "plan",
            Self::Summary => "summary",
            Self::Judge => "judge",
        }
    }
}

/// A tool as the model sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolSpec {
    /// The name by which the model calls it.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// JSON schema of its parameters: an object.
    pub parameters: Value,
}

/// Whether the model calls a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// As it likes.
    #[default]
    Auto,
    /// It must answer in words. The tools stay in the request, so that the prompt's prefix holds.
    None,
    /// It must call one.
    Required,
}

/// A named JSON schema for a reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OutputSchema {
    /// Name of the schema: letters, digits, `_` and `-`.
    pub name: String,
    /// The schema; its root is an object.
    pub schema: Value,
}
