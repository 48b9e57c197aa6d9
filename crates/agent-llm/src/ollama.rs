//! Ollama.
//!
//! After `docs/api.md` of the project: `/api/chat` for conversations, `/api/generate` for plans.
//!
//! The format has no `tool_choice`. [`ToolChoice::None`](crate::ToolChoice::None) and
//! [`ToolChoice::Required`](crate::ToolChoice::Required) are therefore wishes that only the prompt
//! can express: the tools are sent all the same, since leaving them out would change the prompt
//! from its beginning and cost the server its cache, and the caller has to be prepared for calls
//! that it did not ask for. Where a reply has to be JSON,
//! [`Request::output`](crate::Request::output) is enforced by the server.

mod decode;
mod host;
mod request;

use crate::pieces::Pieces;

use self::decode::Decoder;
pub use self::host::ollama_base_url;
use crate::body::Framing;
use crate::call_ids::CallIds;
use crate::client::Format;
use crate::conversations::{Conversations, Layout};
use crate::{Options, Request};

/// A model that Ollama serves.
pub(crate) struct Ollama {
    model: String,
    options: Options,
}

impl Ollama {
    pub(crate) fn new(model: String, options: Options) -> Self {
        Self { model, options }
    }
}

impl Format for Ollama {
    type Decoder = Decoder;

    const FRAMING: Framing = Framing::Lines;

    fn model(&self) -> &str {
        &self.model
    }

    fn layout(&self) -> Layout {
        request::LAYOUT
    }

    fn path(&self, request: &Request) -> String {
        let completes = request::prompt(request).is_some();
        if completes { "/api/generate" } else { "/api/chat" }.to_owned()
    }

    fn body(&self, request: &Request, conversations: &Conversations) -> serde_json::Result<Pieces> {
        request::body(&self.model, &self.options, request, conversations)
    }

    fn decoder(&self, provider: &str, ids: CallIds) -> Decoder {
        Decoder::new(provider, ids)
    }
}
