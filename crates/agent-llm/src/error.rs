//! Why a model call failed, by kind.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A model call that failed. It reads after "failed to get a reply: ".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{provider}: {message}")]
pub struct Error {
    /// What callers branch on.
    pub kind: ErrorKind,
    /// Where the request went: the provider's name and, where there is one, the base URL.
    pub provider: String,
    /// What was wrong, in the provider's own words where it gave some, bounded.
    pub message: String,
    /// The HTTP status, where a response came.
    pub status: Option<u16>,
    /// How long the provider asked to wait before the next try.
    pub retry_after: Option<Duration>,
}

impl Error {
    /// A failure for which there is no HTTP response to tell more.
    pub fn new(kind: ErrorKind, provider: &str, message: impl Into<String>) -> Self {
        Self {
            kind,
            provider: provider.to_owned(),
            message: message.into(),
            status: None,
            retry_after: None,
        }
    }
}

/// Kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorKind {
    /// The key is missing, wrong or not allowed to do this (401, 403).
    Unauthorized,
    /// No such model or path (404).
    NotFound,
    /// Too many requests (429): waiting helps.
    RateLimited,
    /// The account's quota or credit is used up (402, or 429 with `insufficient_quota`): waiting
    /// does not help.
    QuotaExceeded,
    /// The provider is overloaded or broken (408, 500, 502, 503, 504, 529).
    Overloaded,
    /// The prompt does not fit the model's window.
    ContextTooLong,
    /// The provider's content filter refused.
    Filtered,
    /// The request is wrong in some other way (other 4xx).
    BadRequest,
    /// What came back is not what the wire format promises.
    BadReply,
    /// The stream ended before its end.
    Cut,
    /// The server can't be reached.
    Network,
    /// The server took the request, and then was silent for too long.
    Silent,
    /// A scripted provider met a request that its script does not expect.
    Script,
}

impl ErrorKind {
    /// Every kind, for tables and tests.
    pub const ALL: [Self; 13] = [
        Self::Unauthorized,
        Self::NotFound,
        Self::RateLimited,
        Self::QuotaExceeded,
        Self::Overloaded,
        Self::ContextTooLong,
        Self::Filtered,
        Self::BadRequest,
        Self::BadReply,
        Self::Cut,
        Self::Network,
        Self::Silent,
        Self::Script,
    ];

    /// Whether the same request may succeed when it is sent again.
    pub fn is_transient(self) -> bool {
        match self {
            Self::RateLimited | Self::Overloaded | Self::Cut | Self::Network | Self::Silent => true,
            Self::Unauthorized
            | Self::NotFound
            | Self::QuotaExceeded
            | Self::ContextTooLong
            | Self::Filtered
            | Self::BadRequest
            | Self::BadReply
            | Self::Script => false,
        }
    }
}
