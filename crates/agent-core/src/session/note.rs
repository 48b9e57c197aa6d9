//! What a session keeps.

use std::sync::Arc;

use agent_llm::{Part, ToolCall, ToolSpec, Usage};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    Action, Change, Failure, Files, Intent, Settings,
    tool::Breach,
    verify::{TestRun, Tests},
    window::Compaction,
};

/// One thing that a session keeps. As JSON it is an object whose `note` says which.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "note", rename_all = "snake_case")]
pub enum Note {
    /// What every request to the model begins with from here on, to the byte.
    Prefix {
        /// The standing instructions.
        system: String,
        /// The tools on offer, in their order.
        tools: Arc<[ToolSpec]>,
    },
    /// A request of the user begins.
    Requested(Box<Requested>),
    /// The workspace was looked at, for a request to the model that is built from what is there.
    Looked(Box<Files>),
    /// Something is said to the model on the user's behalf.
    Said {
        /// The words.
        text: String,
    },
    /// The model was asked, and what came of it goes on with the conversation.
    Replied {
        /// The request and the reply, as a line of [`agent_llm::recording`].
        line: Value,
        /// The reply as it was meant, where something had to be mended.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        meant: Option<Vec<Part>>,
    },
    /// A model call beside the conversation, or one that failed.
    Aside {
        /// The request and what came of it, as a line of [`agent_llm::recording`].
        line: Value,
    },
    /// A call is about to be carried out.
    Began {
        /// The call.
        call_id: String,
        /// The tool, by its canonical name.
        tool: String,
        /// When.
        time: Timestamp,
    },
    /// A call has planned a change, and waits for somebody to allow it.
    Waits {
        /// The call.
        call_id: String,
        /// The change.
        changes: Vec<Change>,
    },
    /// A call has its result.
    Acted {
        /// The call; none where the model finished in another way.
        call: Option<CallName>,
        /// What the model sees; none where it is the result of the action as it stands.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content: Option<String>,
        /// The history's entry; none where the call could not be carried out.
        action: Option<Box<Action>>,
        /// What was done to files.
        changes: Vec<Change>,
        /// How far it went beyond what is allowed.
        #[serde(default)]
        breach: Breach,
    },
    /// The tests were run after edits.
    Tested(Box<TestRun>),
    /// The conversation was shortened, to fit the model's window.
    Compacted(Compaction),
    /// The request ended.
    Ended(Box<Ended>),
}

impl Note {
    /// The line of a call of the model.
    pub(crate) fn line(&self) -> Option<&Value> {
        if let Self::Replied { line, .. } | Self::Aside { line } = self { Some(line) } else { None }
    }

    /// The history's entry of a call that could be carried out.
    pub(crate) fn action(&self) -> Option<&Action> {
        if let Self::Acted { action, .. } = self { action.as_deref() } else { None }
    }

    /// The same, to be changed.
    pub(crate) fn action_mut(&mut self) -> Option<&mut Action> {
        if let Self::Acted { action, .. } = self { action.as_deref_mut() } else { None }
    }

    /// A call that was carried out, with its entry and what it did to files.
    pub(crate) fn acted(&self) -> Option<(&CallName, &Action, &[Change])> {
        if let Self::Acted { call: Some(call), action: Some(action), changes, .. } = self {
            Some((call, action, changes))
        } else {
            None
        }
    }

    /// How a request ended.
    pub(crate) fn ended(&self) -> Option<&Ended> {
        if let Self::Ended(ended) = self { Some(ended) } else { None }
    }

    /// Whether it asks the model for something, so that what came before is not the end.
    pub(crate) fn asks(&self) -> bool {
        matches!(self, Self::Requested(_) | Self::Said { .. })
    }

    /// What is to be kept of what the model sees of an action.
    pub(crate) fn content(shown: String, action: Option<&Action>) -> Option<String> {
        let result = action.map(|action| action.result.to_string());
        // To the byte, once it was written down and read again.
        let read = || serde_json::from_str(&shown).map(|read: Value| read.to_string()).ok();
        let is_result = result.is_some_and(|result| result == shown && read() == Some(result));
        (!is_result).then_some(shown)
    }

    /// What the model saw of it then.
    pub(crate) fn shown(content: Option<&str>, action: Option<&Action>) -> String {
        let result = || action.map(|action| action.result.to_string()).unwrap_or_default();
        content.map_or_else(result, str::to_owned)
    }
}

/// A request of the user.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Requested {
    /// The user's words.
    pub task: String,
    /// The message that the model is shown.
    pub message: String,
    /// The model's full name.
    pub model: String,
    /// The workspace's absolute path.
    pub working_dir: String,
    /// What it may do, and how much.
    pub settings: Settings,
    /// What is tested after edits.
    #[serde(default)]
    pub tests: Tests,
    /// What it is about, where that is plain.
    #[serde(default)]
    pub intent: Option<Intent>,
    /// Who answers it.
    #[serde(default)]
    pub by: By,
    /// What the model is shown of earlier work, and of how things are run here.
    #[serde(default)]
    pub recalled: Option<String>,
    /// When it began.
    pub time: Timestamp,
}

/// Who answers a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// The model.
    #[default]
    Model,
    /// The program itself: it takes changes back, or says what it can do.
    Program,
    /// An earlier answer, which still stands.
    Cache,
}

/// Names a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallName {
    /// Its id.
    pub id: String,
    /// The tool as the model wrote it.
    pub name: String,
}

impl From<&ToolCall> for CallName {
    fn from(call: &ToolCall) -> Self {
        Self { id: call.id.clone(), name: call.name.clone() }
    }
}

/// How a request ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ended {
    /// The outcome's name.
    pub outcome: String,
    /// Its exit code.
    pub exit_code: u8,
    /// The final answer.
    pub response: Option<String>,
    /// Decision steps taken since it began or went on.
    pub turns: u32,
    /// What it cost.
    pub usage: Usage,
    /// What went wrong, unless it finished.
    pub error: Option<Failure>,
}
