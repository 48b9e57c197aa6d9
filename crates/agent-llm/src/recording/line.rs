//! The JSON of what a recording adds to a script.

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    Error, ErrorKind, FinishReason, Message, OutputSchema, Part, Purpose, Reply, Request,
    ToolChoice, ToolSpec, Usage,
};

/// A line as it is written. It is read as a line of a script.
#[derive(Serialize)]
pub(super) struct ReplyLine<'r> {
    purpose: Purpose,
    request: RequestLine,
    #[serde(skip_serializing_if = "Option::is_none")]
    parts: Option<&'r [Part]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finish: Option<&'r FinishReason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usage: Option<Usage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<FaultLine>,
}

#[derive(Serialize)]
struct FaultLine {
    error: ErrorLine,
}

impl<'r> ReplyLine<'r> {
    pub(super) fn new(
        request: &Request,
        shortened: RequestLine,
        outcome: &'r Result<Reply, Error>,
    ) -> Self {
        let reply = outcome.as_ref().ok();
        Self {
            purpose: request.purpose,
            request: shortened,
            parts: reply.map(|reply| reply.parts.as_slice()),
            finish: reply.map(|reply| &reply.finish),
            usage: reply.map(|reply| reply.usage),
            fault: outcome.as_ref().err().map(|error| FaultLine { error: ErrorLine::from(error) }),
        }
    }
}

/// A request in terms of an earlier one.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RequestLine {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) like: Option<Purpose>,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) keep: usize,
    /// How many messages of a conversation that the reader knows the request begins with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) known: Option<usize>,
    pub(super) messages: Vec<Arc<Message>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tools: Option<Vec<ToolSpec>>,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) tool_choice: ToolChoice,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) output: Option<OutputSchema>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) temperature: Option<f32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_output_tokens: Option<u32>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// An error of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ErrorLine {
    kind: ErrorKind,
    provider: String,
    message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
}

impl From<&Error> for ErrorLine {
    fn from(error: &Error) -> Self {
        let millis = error.retry_after.map(|wait| wait.as_millis());
        Self {
            kind: error.kind,
            provider: error.provider.clone(),
            message: error.message.clone(),
            status: error.status,
            retry_after_ms: millis.map(|millis| u64::try_from(millis).unwrap_or(u64::MAX)),
        }
    }
}

impl From<ErrorLine> for Error {
    fn from(line: ErrorLine) -> Self {
        Self {
            kind: line.kind,
            provider: line.provider,
            message: line.message,
            status: line.status,
            retry_after: line.retry_after_ms.map(Duration::from_millis),
        }
    }
}
