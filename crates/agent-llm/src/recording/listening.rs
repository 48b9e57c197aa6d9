//! Being told of calls.

use std::sync::Arc;

use async_stream::stream;
use futures_util::StreamExt;

use crate::{Delta, DeltaStream, Error, Provider, Reply, ReplyBuilder, Request};

/// A provider around a provider, with somebody who is told of every call that comes to an end,
/// before that end is passed on. Of a call that is dropped on its way nothing is told.
pub struct Listening<P> {
    provider: P,
    listener: Arc<Listener>,
}

type Listener = dyn Fn(&Request, &Result<Reply, Error>) + Send + Sync;

impl<P: Provider> Listening<P> {
    /// Tells `listener` of the calls of `provider`.
    pub fn new(
        provider: P,
        listener: impl Fn(&Request, &Result<Reply, Error>) + Send + Sync + 'static,
    ) -> Self {
        Self { provider, listener: Arc::new(listener) }
    }
}

impl<P: Provider> Provider for Listening<P> {
    fn model(&self) -> &str {
        self.provider.model()
    }

    fn send(&self, request: Request) -> DeltaStream {
        let listener = Arc::clone(&self.listener);
        let mut deltas = self.provider.send(request.clone());
        Box::pin(stream! {
            let mut builder = ReplyBuilder::default();
            while let Some(delta) = deltas.next().await {
                match &delta {
                    Ok(Delta::Finish(_)) => {
                        let mut whole = std::mem::take(&mut builder);
                        if let Ok(delta) = &delta {
                            whole.push(delta.clone());
                        }
                        listener(&request, &whole.finish());
                    }
                    Ok(delta) => builder.push(delta.clone()),
                    Err(error) => listener(&request, &Err(error.clone())),
                }
                yield delta;
            }
        })
    }
}
