//! Gemini's `streamGenerateContent`.
//!
//! After the API reference of `models.streamGenerateContent` and the guides on function calling,
//! thought signatures and structured output at ai.google.dev (read in November 2026).
//!
//! - Schemas are given as JSON schemas, in `parametersJsonSchema` and `responseJsonSchema`; the
//!   older members take only a part of OpenAPI's.
//! - A `thoughtSignature` goes back on the part that it came with. From Gemini 3 on a call without
//!   one is refused. A call that another model made has none: for it the documentation names a
//!   placeholder that switches the check off.
//! - A stream has no end of its own: a `finishReason` says that the reply is whole.
//! - A refused prompt is a successful response with a `blockReason` and no candidate.

mod decode;
mod request;

use crate::pieces::Pieces;

use self::decode::Decoder;
use crate::Request;
use crate::body::Framing;
use crate::call_ids::CallIds;
use crate::client::Format;
use crate::conversations::{Conversations, Layout};

/// A model behind `:streamGenerateContent`.
pub(crate) struct Gemini {
    model: String,
}

impl Gemini {
    /// `model` is its name, with or without `models/` before it.
    pub(crate) fn new(model: String) -> Self {
        Self { model }
    }
}

/// Where a model is found.
pub(crate) fn model_path(model: &str) -> String {
    let name = model.strip_prefix("models/").unwrap_or(model);
    format!("/v1beta/models/{name}")
}

impl Format for Gemini {
    type Decoder = Decoder;

    const FRAMING: Framing = Framing::Events;

    fn model(&self) -> &str {
        &self.model
    }

    fn layout(&self) -> Layout {
        // Models before the third generation neither need the placeholder nor document it.
        let old = ["gemini-1", "gemini-2"].iter().any(|name| self.model.contains(name));
        if old { request::UNSIGNED } else { request::SIGNED }
    }

    fn path(&self, _: &Request) -> String {
        format!("{}:streamGenerateContent?alt=sse", model_path(&self.model))
    }

    fn body(&self, request: &Request, conversations: &Conversations) -> serde_json::Result<Pieces> {
        request::body(request, conversations)
    }

    fn decoder(&self, provider: &str, ids: CallIds) -> Decoder {
        Decoder::new(provider, &self.model, ids)
    }
}
