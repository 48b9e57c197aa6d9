//! The one provider behind every wire format.

use std::sync::Arc;

use async_stream::try_stream;

use crate::body::{BodyDecoder, Framing, Progress, ReplyDecoder};
use crate::call_ids::CallIds;
use crate::conversations::{Conversations, Layout};
use crate::http::Http;
use crate::pieces::Pieces;
use crate::{Delta, DeltaStream, Error, ErrorKind, Provider, Request};

/// A wire format: what is posted where, and what comes back.
pub(crate) trait Format: Send + Sync + 'static {
    /// Understands the replies.
    type Decoder: ReplyDecoder;

    /// What a streamed reply consists of.
    const FRAMING: Framing;

    /// The model's name on the wire.
    fn model(&self) -> &str;

    /// How conversations are written.
    fn layout(&self) -> Layout;

    /// The path behind the base URL.
    fn path(&self, request: &Request) -> String;

    /// The body of a request.
    fn body(&self, request: &Request, conversations: &Conversations) -> serde_json::Result<Pieces>;

    /// A decoder for a reply, whose calls get `ids`; its errors name `provider`.
    fn decoder(&self, provider: &str, ids: CallIds) -> Self::Decoder;
}

/// A model on a server that speaks some [`Format`].
pub(crate) struct Client<F> {
    name: String,
    shared: Arc<Shared<F>>,
}

struct Shared<F> {
    http: Http,
    format: F,
    conversations: Conversations,
}

impl<F: Format> Client<F> {
    /// `name` is the model's full name.
    pub(crate) fn new(http: Http, name: String, format: F) -> Self {
        let conversations = Conversations::new(format.layout(), format.model());
        Self { name, shared: Arc::new(Shared { http, format, conversations }) }
    }
}

impl<F: Format> Provider for Client<F> {
    fn model(&self) -> &str {
        &self.name
    }

    fn send(&self, request: Request) -> DeltaStream {
        let this = Arc::clone(&self.shared);
        Box::pin(try_stream! {
            let provider = this.http.provider();
            let body = this.format.body(&request, &this.conversations).map_err(|error| {
                let message = format!("the request can't be written as JSON: {error}");
                Error::new(ErrorKind::BadRequest, provider, message)
            })?;
            let sent = body.sent;
            let ids = this.conversations.call_ids(&request);
            let reply = this.format.decoder(provider, ids);
            let mut decoder = BodyDecoder::new(provider, F::FRAMING, reply);
            let mut response = this.http.post(&this.format.path(&request), body).await?;
            yield Delta::Sent(sent);
            let mut deltas = Vec::new();
            while decoder.progress() < Progress::Done {
                match response.chunk().await {
                    Ok(Some(bytes)) => decoder.push(&bytes, &mut deltas)?,
                    Ok(None) => break,
                    // All that is missing is what ends the stream.
                    Err(_) if decoder.progress() >= Progress::Whole => break,
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
