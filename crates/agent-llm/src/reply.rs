//! What comes back, in pieces and as a whole.

use std::time::Duration;

use futures_util::StreamExt;
use serde::{Deserialize, Serialize};

use crate::{DeltaStream, Error, ErrorKind, Opaque, Part, ToolCall};

/// A piece of a reply.
#[derive(Debug, Clone, PartialEq)]
pub enum Delta {
    /// Words of the answer.
    Text(String),
    /// Words of the model's reasoning, where the provider shows it. Not part of the answer.
    Reasoning(String),
    /// A tool call begins. Several may be open at once.
    CallStart {
        /// Tells the open calls of one reply apart.
        index: usize,
        /// The provider's id for it; made up by [`ReplyBuilder`] where there is none.
        id: Option<String>,
        /// The tool's name.
        name: String,
    },
    /// More of a call's arguments.
    CallArguments {
        /// The `index` of the call's [`Delta::CallStart`].
        index: usize,
        /// The next piece of its JSON text.
        fragment: String,
    },
    /// A part that has to come back with the conversation.
    Opaque(Opaque),
    /// The request was taken by the server: how large it was.
    Sent(Sent),
    /// Tokens used so far by this call. A later one replaces an earlier one.
    Usage(Usage),
    /// The call failed and is sent again. Everything that came before it is void.
    Retry(Retry),
    /// The reply is complete.
    Finish(FinishReason),
}

/// A failed attempt that is repeated.
#[derive(Debug, Clone, PartialEq)]
pub struct Retry {
    /// Number of the attempt that failed, from 1.
    pub attempt: u32,
    /// How long it waits before the next.
    pub delay: Duration,
    /// Why it failed.
    pub error: Error,
}

/// A request as bytes, beside the one before it in the same conversation.
///
/// Vendors' prompt caches hold what two requests have in common at their start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sent {
    /// Bytes of the request.
    pub bytes: u64,
    /// Bytes of the request before; 0 for the first.
    pub before: u64,
    /// Bytes at the start of both that are the same, counted in whole messages.
    pub shared: u64,
}

/// Tokens of one call, or of many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Usage {
    /// Tokens of the prompts, the cached ones among them.
    pub input_tokens: u64,
    /// Tokens of the prompts that a cache held.
    pub cached_tokens: u64,
    /// Tokens of the prompts that went into a cache, where the provider counts them.
    #[serde(skip_serializing_if = "is_none")]
    pub cache_written_tokens: u64,
    /// Tokens of the replies.
    pub output_tokens: u64,
}

/// Most providers do not tell, and then there is nothing to write down.
fn is_none(tokens: &u64) -> bool {
    *tokens == 0
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens += other.input_tokens;
        self.cached_tokens += other.cached_tokens;
        self.cache_written_tokens += other.cache_written_tokens;
        self.output_tokens += other.output_tokens;
    }
}

/// Why a reply ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// The model was done.
    Stop,
    /// It wants tools run.
    ToolCalls,
    /// The output limit or the window was reached: the last part may be cut.
    Length,
    /// A content filter stopped it.
    Filter,
    /// Anything else, in the provider's word.
    Other(String),
}

/// A whole reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Text, calls and opaque parts in the order in which they began. Text without a visible character is left out.
    pub parts: Vec<Part>,
    /// Why it ended.
    pub finish: FinishReason,
    /// What it cost.
    pub usage: Usage,
}

impl Reply {
    /// Reads a stream to its end.
    ///
    /// # Errors
    ///
    /// The stream's own error, or [`ErrorKind::Cut`] where it ends without [`Delta::Finish`].
    pub async fn collect(mut deltas: DeltaStream) -> Result<Self, Error> {
        let mut builder = ReplyBuilder::default();
        while let Some(delta) = deltas.next().await {
            builder.push(delta?);
        }
        builder.finish()
    }

    /// The words of the reply, its text parts joined.
    pub fn text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Call(_) | Part::Opaque(_) => None,
        });
        texts.collect()
    }

    /// The calls of the reply in order.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.parts.iter().filter_map(|part| match part {
            Part::Call(call) => Some(call),
            Part::Text(_) | Part::Opaque(_) => None,
        })
    }
}

/// Folds [`Delta`]s into a [`Reply`].
#[derive(Debug, Default)]
pub struct ReplyBuilder {
    parts: Vec<Open>,
    usage: Usage,
    finish: Option<FinishReason>,
}

#[derive(Debug)]
enum Open {
    Text(String),
    Call { index: usize, id: Option<String>, name: String, arguments: String },
    Opaque(Opaque),
}

impl ReplyBuilder {
    /// Takes the next piece. A fragment for a call that was never started is dropped: without a
    /// name there is nothing to run.
    pub fn push(&mut self, delta: Delta) {
        match delta {
            Delta::Text(text) => {
                if let Some(Open::Text(open)) = self.parts.last_mut() {
                    open.push_str(&text);
                } else {
                    self.parts.push(Open::Text(text));
                }
            }
            Delta::Reasoning(_) | Delta::Sent(_) => {}
            Delta::CallStart { index, id, name } => {
                self.parts.push(Open::Call { index, id, name, arguments: String::new() });
            }
            Delta::CallArguments { index: wanted, fragment } => {
                let open = self.parts.iter_mut().rev().find_map(|part| match part {
                    Open::Call { index, arguments, .. } if *index == wanted => Some(arguments),
                    Open::Call { .. } | Open::Text(_) | Open::Opaque(_) => None,
                });
                if let Some(arguments) = open {
                    arguments.push_str(&fragment);
                }
            }
            Delta::Opaque(opaque) => self.parts.push(Open::Opaque(opaque)),
            Delta::Usage(usage) => self.usage = usage,
            Delta::Retry(_) => *self = Self::default(),
            Delta::Finish(reason) => self.finish = Some(reason),
        }
    }

    /// The reply.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Cut`] where no [`Delta::Finish`] came: half a reply is never passed on.
    pub fn finish(self) -> Result<Reply, Error> {
        let Some(finish) = self.finish else {
            let message = "the reply ended before it was complete";
            return Err(Error::new(ErrorKind::Cut, "stream", message));
        };
        let parts = self.parts.into_iter().enumerate().filter_map(|(position, part)| match part {
            Open::Text(text) => (!text.trim().is_empty()).then_some(Part::Text(text)),
            Open::Opaque(opaque) => Some(Part::Opaque(opaque)),
            Open::Call { id, name, arguments, .. } => {
                let id = id.unwrap_or_else(|| format!("call_{position}"));
                Some(Part::Call(ToolCall { id, name, arguments }))
            }
        });
        Ok(Reply { parts: parts.collect(), finish, usage: self.usage })
    }
}
