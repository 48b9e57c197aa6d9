//! The trait that every model speaks.

use std::sync::Arc;

use futures_util::stream::BoxStream;

use crate::{Delta, Error, Request};

/// A reply as it comes. Dropping it cancels the call and closes the connection.
pub type DeltaStream = BoxStream<'static, Result<Delta, Error>>;

/// A language model behind some wire format.
pub trait Provider: Send + Sync {
    /// The model's full name, `PROVIDER/MODEL`.
    fn model(&self) -> &str;

    /// Starts a call. The stream yields [`Delta::Finish`] exactly once, at its end, or an error,
    /// after which it ends. Nothing is sent before the stream is polled.
    fn send(&self, request: Request) -> DeltaStream;
}

impl<P: Provider + ?Sized> Provider for Arc<P> {
    fn model(&self) -> &str {
        (**self).model()
    }

    fn send(&self, request: Request) -> DeltaStream {
        (**self).send(request)
    }
}
