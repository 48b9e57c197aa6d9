//! What follows from a session's notes.

use std::sync::Arc;

use agent_llm::{FinishReason, Part, Reply, ToolCall, ToolSpec, Usage, recording::Known};
use serde::Deserialize;

use super::{By, Note, Requested};
use crate::{
    Action, Change, conversation::Conversation, spending::Tally, verify::TestRun, window::tokens,
};

/// Where a session stands. It changes by [`Fold::add`] alone, so that a session that is going on
/// and one that is read again are the same.
#[derive(Debug, Default, Clone)]
pub(crate) struct Fold {
    /// What the model is shown.
    pub(crate) conversation: Conversation,
    /// The tools on offer.
    pub(crate) tools: Arc<[ToolSpec]>,
    /// What they take, in estimated tokens.
    pub(crate) tools_tokens: u64,
    /// The actions of the last request.
    pub(crate) history: Vec<Action>,
    /// What they changed.
    pub(crate) changes: Vec<Change>,
    /// The last request's test runs.
    pub(crate) tests: Vec<TestRun>,
    /// The last request.
    pub(crate) requested: Option<Requested>,
    /// The last request's outcome, once it has ended.
    pub(crate) outcome: Option<String>,
    /// Requests so far.
    pub(crate) requests: usize,
    /// Actions of all requests.
    pub(crate) actions: usize,
    /// What the session has used up.
    pub(crate) tally: Tally,
}

impl Fold {
    /// Takes the next note in. For a reply it gives back what stands in the conversation, where
    /// every call has an id of its own.
    pub(crate) fn add(&mut self, note: &Note) -> Option<Reply> {
        match note {
            Note::Prefix { system, tools } => {
                self.conversation.begin(system);
                self.tools = Arc::clone(tools);
                self.tools_tokens = tokens::of_tools(tools);
            }
            Note::Requested(requested) => {
                self.conversation.push_request(&requested.task, &requested.message);
                self.requested = Some((**requested).clone());
                self.requests += 1;
                self.outcome = None;
                self.history.clear();
                self.changes.clear();
                self.tests.clear();
            }
            Note::Said { text } => {
                self.conversation.push_user(text.as_str());
                // Whoever goes on with a request that had ended begins by saying so.
                self.outcome = None;
            }
            Note::Replied { line, meant } => {
                let line = Line::deserialize(line).ok()?;
                self.paid(line.usage);
                let mut reply = line.reply()?;
                if let Some(meant) = meant {
                    reply.parts.clone_from(meant);
                }
                return Some(self.conversation.push_reply(reply));
            }
            Note::Acted { call, content, action, changes, breach: _ } => {
                if let Some(call) = call {
                    let (id, name) = (call.id.clone(), call.name.clone());
                    let call = ToolCall { id, name, arguments: String::new() };
                    let shown = Note::shown(content.as_deref(), action.as_deref());
                    self.conversation.push_result(&call, shown);
                }
                if let Some(action) = action {
                    self.conversation.acted(action, changes);
                    self.history.push((**action).clone());
                    self.actions += 1;
                }
                self.changes.extend(changes.iter().cloned());
            }
            Note::Compacted(compaction) => self.conversation.compact(compaction),
            Note::Tested(run) => {
                self.conversation.changed("test", &run.changes);
                self.changes.extend(run.changes.iter().cloned());
                self.tests.push((**run).clone());
            }
            Note::Ended(ended) => {
                self.outcome = Some(ended.outcome.clone());
                if let Some(answer) = &ended.response {
                    self.conversation.answered(answer);
                }
                if self.requested.as_ref().is_some_and(|requested| requested.by != By::Model) {
                    let failed = ended.error.as_ref().map(|error| error.message.as_str());
                    let answer = ended.response.as_deref().or(failed).unwrap_or("(no answer)");
                    self.conversation.push_answer(answer);
                }
            }
            Note::Aside { line } => {
                if let Ok(line) = Line::deserialize(line) {
                    self.paid(line.usage);
                }
            }
            Note::Looked(_) | Note::Began { .. } | Note::Waits { .. } => {}
        }
        None
    }

    /// Enters an action that nobody has answered into the history of the request that ends with it.
    /// It is no note: the call is carried out when the session goes on.
    pub(crate) fn unanswered(&mut self, action: &Action) {
        self.history.push(action.clone());
    }

    /// What a reader of the next note has beside it.
    pub(crate) fn known(&self) -> Known<'_> {
        Known { messages: self.conversation.shown(), tools: &self.tools }
    }

    /// Counts a call, at the price of the request's model.
    fn paid(&mut self, usage: Usage) {
        let price = self.requested.as_ref().and_then(|requested| requested.settings.price);
        self.tally.add(usage, price);
    }
}

/// The reply's part of a recorded call.
#[derive(Deserialize)]
struct Line {
    parts: Option<Vec<Part>>,
    finish: Option<FinishReason>,
    #[serde(default)]
    usage: Usage,
}

impl Line {
    fn reply(self) -> Option<Reply> {
        Some(Reply { parts: self.parts?, finish: self.finish?, usage: self.usage })
    }
}
