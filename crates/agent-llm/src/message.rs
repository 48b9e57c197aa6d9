//! What stands in a conversation, in no vendor's terms.

/// One entry of a conversation. Entries are never changed once they are sent: a conversation only
/// grows at its end, so that providers' prompt caches hold.
#[derive(Debug, Clone, PartialEq, Eq)]
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Part {
    /// Words.
    Text(String),
    /// A tool call.
    Call(ToolCall),
}

/// A model's request to run a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    /// Pairs the call with its result; unique within a conversation.
    pub id: String,
    /// The tool's name as the model wrote it, known or not.
    pub name: String,
    /// The arguments as the model wrote them: meant to be a JSON object, and not always one.
    pub arguments: String,
}

/// The result of a tool call, as the model sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// [`ToolCall::id`] of the call that this answers.
    pub call_id: String,
    /// [`ToolCall::name`] of that call; some wire formats pair by name.
    pub name: String,
    /// The result as text, usually JSON.
    pub content: String,
}
