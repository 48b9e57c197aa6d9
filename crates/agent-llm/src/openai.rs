//! Chat completions, the wire format of OpenAI and of every compatible server.

mod calls;
mod decode;
mod request;

use std::sync::Arc;

use async_stream::try_stream;

use self::decode::Decoder;
use self::request::Dialect;
use crate::conversations::Conversations;
use crate::http::Http;
use crate::{DeltaStream, Provider, Request};

/// A model behind `/chat/completions`.
pub(crate) struct OpenAi {
    name: String,
    shared: Arc<Shared>,
}

struct Shared {
    http: Http,
    model: String,
    dialect: Dialect,
    conversations: Conversations,
}

impl OpenAi {
    /// `name` is the model's full name, `model` the one on the wire.
    pub(crate) fn new(http: Http, name: String, model: String) -> Self {
        let dialect = Dialect::of(http.host(), &model);
        let conversations = Conversations::new(request::write_message);
        Self { name, shared: Arc::new(Shared { http, model, dialect, conversations }) }
    }
}

impl Provider for OpenAi {
    fn model(&self) -> &str {
        &self.name
    }

    fn send(&self, request: Request) -> DeltaStream {
        let this = Arc::clone(&self.shared);
        Box::pin(try_stream! {
            let head = request::head(&this.model, this.dialect, &request);
            let body = this.conversations.body(this.http.provider(), &head, &request)?;
            let mut decoder = Decoder::new(this.http.provider(), &request);
            let mut response = this.http.post("/chat/completions", body).await?;
            let mut deltas = Vec::new();
            while !decoder.is_done() {
                match response.chunk().await {
                    Ok(Some(bytes)) => decoder.push(&bytes, &mut deltas)?,
                    Ok(None) => break,
                    // All that is missing is what ends the stream.
                    Err(_) if decoder.is_whole() => break,
                    Err(error) => Err(error)?,
                }
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
