//! Chat completions, the wire format of OpenAI and of every compatible server.
//!
//! After OpenAI's API reference (`POST /v1/chat/completions` and its streaming chunks), vLLM's and
//! llama.cpp's documentation of their compatible servers, and what a real llama.cpp sent.

mod calls;
mod decode;
mod request;

use crate::pieces::Pieces;

use self::decode::Decoder;
use self::request::Variant;
use crate::Request;
use crate::body::Framing;
use crate::call_ids::CallIds;
use crate::client::Format;
use crate::conversations::{Conversations, Layout};

/// A model behind `/chat/completions`.
pub(crate) struct OpenAiChat {
    model: String,
    variant: Variant,
}

impl OpenAiChat {
    /// `model` on the server `host`.
    pub(crate) fn new(host: &str, model: String) -> Self {
        Self { variant: Variant::of(host, &model), model }
    }
}

impl Format for OpenAiChat {
    type Decoder = Decoder;

    const FRAMING: Framing = Framing::Events;

    fn model(&self) -> &str {
        &self.model
    }

    fn layout(&self) -> Layout {
        request::LAYOUT
    }

    fn path(&self, _: &Request) -> String {
        "/chat/completions".to_owned()
    }

    fn body(&self, request: &Request, conversations: &Conversations) -> serde_json::Result<Pieces> {
        request::body(&self.model, self.variant, request, conversations)
    }

    fn decoder(&self, provider: &str, ids: CallIds) -> Decoder {
        Decoder::new(provider, ids)
    }
}
