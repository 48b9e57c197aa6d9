//! The provider for `/api/chat`.

use std::sync::Arc;

use async_stream::try_stream;

use super::decode::Decoder;
use super::request;
use crate::conversations::Conversations;
use crate::http::Http;
use crate::{DeltaStream, Options, Provider, Request};

/// A model that Ollama serves.
///
/// The format has no `tool_choice`. [`ToolChoice::None`](crate::ToolChoice::None) and
/// [`ToolChoice::Required`](crate::ToolChoice::Required) are therefore wishes that only the prompt
/// can express: the tools are sent all the same, since leaving them out would change the prompt
/// from its beginning and cost the server its cache, and the caller has to be prepared for calls
/// that it did not ask for. Where a reply has to be JSON,
/// [`Request::output`](crate::Request::output) is enforced by the server.
pub(crate) struct Ollama {
    name: String,
    shared: Arc<Shared>,
}

struct Shared {
    http: Http,
    model: String,
    options: Options,
    conversations: Conversations,
}

impl Ollama {
    /// `name` is the model's full name, `model` the one on the wire.
    pub(crate) fn new(http: Http, name: String, model: String, options: Options) -> Self {
        let conversations = Conversations::new(request::write_message);
        Self { name, shared: Arc::new(Shared { http, model, options, conversations }) }
    }
}

impl Provider for Ollama {
    fn model(&self) -> &str {
        &self.name
    }

    fn send(&self, request: Request) -> DeltaStream {
        let this = Arc::clone(&self.shared);
        Box::pin(try_stream! {
            let head = request::head(&this.model, &this.options, &request);
            let body = this.conversations.body(this.http.provider(), &head, &request)?;
            let mut decoder = Decoder::new(this.http.provider(), &request);
            let mut response = this.http.post("/api/chat", body).await?;
            let mut deltas = Vec::new();
            while !decoder.is_done() {
                let Some(bytes) = response.chunk().await? else { break };
                decoder.push(&bytes, &mut deltas)?;
                for delta in deltas.drain(..) {
                    yield delta;
                }
            }
            response.drain().await;
            decoder.end(&mut deltas)?;
            for delta in deltas {
                yield delta;
            }
        })
    }
}
