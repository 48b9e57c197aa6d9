//! OpenAI's Responses API, without state on the server.
//!
//! After the API reference of `POST /v1/responses` and its streaming events, the guides on
//! conversation state, reasoning and structured outputs at developers.openai.com, the types of
//! OpenAI's own SDKs, which are generated from its OpenAPI description (read in November 2026),
//! and what a real llama.cpp sent.
//!
//! - `store` is false: nothing is kept, and every request brings the whole conversation.
//! - Reasoning comes encrypted, since `include` asks for it, as an item that goes back as it came:
//!   the finished one, of `response.output_item.done`.
//! - A function's parameters are strict unless `strict` says otherwise, and strict ones may have no
//!   optional property.

mod decode;
mod request;

use crate::pieces::Pieces;

use self::decode::Decoder;
use crate::Request;
use crate::body::Framing;
use crate::call_ids::CallIds;
use crate::client::Format;
use crate::conversations::{Conversations, Layout};

/// A model behind `/responses`.
pub(crate) struct OpenAiResponses {
    model: String,
}

impl OpenAiResponses {
    pub(crate) fn new(model: String) -> Self {
        Self { model }
    }
}

impl Format for OpenAiResponses {
    type Decoder = Decoder;

    const FRAMING: Framing = Framing::Events;

    fn model(&self) -> &str {
        &self.model
    }

    fn layout(&self) -> Layout {
        request::LAYOUT
    }

    fn path(&self, _: &Request) -> String {
        "/responses".to_owned()
    }

    fn body(&self, request: &Request, conversations: &Conversations) -> serde_json::Result<Pieces> {
        request::body(&self.model, request, conversations)
    }

    fn decoder(&self, provider: &str, ids: CallIds) -> Decoder {
        Decoder::new(provider, &self.model, ids)
    }
}
