//! Anthropic's Messages API.
//!
//! After the API reference of `POST /v1/messages`, the guides on streaming, tool use, extended
//! thinking, prompt caching and structured outputs at platform.claude.com, and the types of
//! Anthropic's own SDKs, which are generated from its OpenAPI description (read in November 2026).
//!
//! - Breakpoints for the cache stand behind the system prompt, so that tools and instructions are
//!   shared by all sessions, and, by the top-level `cache_control`, behind the last block of each
//!   request. The second one moves on without a byte of the conversation changing.
//! - `max_tokens` has to be given. Without a wish of the caller it is what the model can do, but
//!   not so much that it eats into the window.
//! - Thinking goes back as it came, but only to the model that thought it, which is bound to it.
//! - A JSON schema goes into `output_config.format`.

mod decode;
mod request;

use crate::pieces::Pieces;

use self::decode::Decoder;
use self::request::Limits;
use crate::body::Framing;
use crate::call_ids::CallIds;
use crate::client::Format;
use crate::conversations::{Conversations, Layout};
use crate::models::model_facts;
use crate::{Request, Vendor};

/// The most that is asked for where the caller has no wish.
const MOST_OUTPUT: u32 = 32_000;

/// What every model that ever was can do.
const LEAST_OUTPUT: u32 = 8_192;

/// A model behind `/v1/messages`.
pub(crate) struct Anthropic {
    model: String,
    limits: Limits,
}

impl Anthropic {
    pub(crate) fn new(model: String) -> Self {
        let facts = model_facts(Vendor::Anthropic, &model);
        let output = facts.map_or(LEAST_OUTPUT, |facts| facts.max_output_tokens);
        let limits = Limits {
            max_tokens: output.min(MOST_OUTPUT),
            always_thinks: facts.is_some_and(|facts| facts.always_thinks),
        };
        Self { model, limits }
    }
}

impl Format for Anthropic {
    type Decoder = Decoder;

    const FRAMING: Framing = Framing::Events;

    fn model(&self) -> &str {
        &self.model
    }

    fn layout(&self) -> Layout {
        request::LAYOUT
    }

    fn path(&self, _: &Request) -> String {
        "/v1/messages".to_owned()
    }

    fn body(&self, request: &Request, conversations: &Conversations) -> serde_json::Result<Pieces> {
        request::body(&self.model, self.limits, request, conversations)
    }

    fn decoder(&self, provider: &str, ids: CallIds) -> Decoder {
        Decoder::new(provider, &self.model, ids)
    }
}
