//! What stands in a conversation, in no vendor's terms.
//!
//! Messages can be stored: as JSON a message is an object with one member, named after who speaks
//! (`system`, `user`, `assistant`, `tool`), and a part one that is named after what it is.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One entry of a conversation. Entries are never changed once they are sent: a conversation only
/// grows at its end, so that providers' prompt caches hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    /// Standing instructions. At most one, and first.
    System(String),
    /// What the user, or the agent on the user's behalf, says.
    User(String),
    /// A model's reply, its parts in the order in which they came.
    Assistant(Vec<Part>),
    /// What one tool call gave. Every call of an assistant message is followed by exactly one.
    Tool(ToolResult),
}

/// A piece of a model's reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Words.
    Text(String),
    /// A tool call.
    Call(ToolCall),
    /// Something that only its own wire format understands.
    Opaque(Opaque),
}

/// A part of a reply that has to come back with the conversation as it was: thinking with its
/// signature, encrypted reasoning, a thought signature. Nobody else looks into it, and requests in
/// another wire format, or to another model, leave it out.
///
/// It belongs to the conversation as it was: where what stands before it is changed, it has to go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Opaque {
    /// The wire format that it came in.
    pub dialect: Dialect,
    /// The model that it came from, as its server calls it.
    pub model: String,
    /// What came.
    pub value: Value,
}

impl Opaque {
    /// Whether it means something only behind the very messages that it came behind.
    ///
    /// Anthropic's signatures cover what stood before the thinking; where that has changed, the
    /// thinking is dropped in every request, or the request refused. The other formats take their
    /// parts wherever the call stands to which they belong, and some refuse the call without.
    pub fn is_bound(&self) -> bool {
        match self.dialect {
            Dialect::Anthropic => true,
            Dialect::OpenAiChat | Dialect::OpenAiResponses | Dialect::Gemini | Dialect::Ollama => {
                false
            }
        }
    }
}

/// The wire formats of chats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dialect {
    /// OpenAI's chat completions, which every compatible server speaks.
    OpenAiChat,
    /// OpenAI's Responses API.
    OpenAiResponses,
    /// Anthropic's messages.
    Anthropic,
    /// Gemini's `streamGenerateContent`.
    Gemini,
    /// Ollama's `/api/chat`.
    Ollama,
}

/// A model's request to run a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolCall {
    /// Pairs the call with its result; unique within a conversation.
    pub id: String,
    /// The tool's name as the model wrote it, known or not.
    pub name: String,
    /// The arguments as the model wrote them: meant to be a JSON object, and not always one.
    pub arguments: String,
}

/// The result of a tool call, as the model sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolResult {
    /// [`ToolCall::id`] of the call that this answers.
    pub call_id: String,
    /// [`ToolCall::name`] of that call; some wire formats pair by name.
    pub name: String,
    /// The result as text, usually JSON.
    pub content: String,
}
