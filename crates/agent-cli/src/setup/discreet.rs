//! A provider whose errors hold no secrets.

use std::sync::Arc;

use agent_core::Redactor;
use agent_llm::{Delta, DeltaStream, Error, Provider, Request, Retry};
use futures_util::StreamExt;

/// Takes secrets out of what a server says when it refuses: some repeat what they were sent.
pub(super) struct Discreet {
    provider: Arc<dyn Provider>,
    redactor: Arc<Redactor>,
}

impl Discreet {
    pub(super) fn new(provider: Arc<dyn Provider>, redactor: Redactor) -> Self {
        Self { provider, redactor: Arc::new(redactor) }
    }
}

impl Provider for Discreet {
    fn model(&self) -> &str {
        self.provider.model()
    }

    fn send(&self, request: Request) -> DeltaStream {
        let redactor = Arc::clone(&self.redactor);
        let clean = move |error: Error| Error {
            message: redactor.clean(&error.message).into_owned(),
            provider: redactor.clean(&error.provider).into_owned(),
            ..error
        };
        Box::pin(self.provider.send(request).map(move |delta| match delta {
            Ok(Delta::Retry(retry)) => {
                Ok(Delta::Retry(Retry { error: clean(retry.error), ..retry }))
            }
            Ok(delta) => Ok(delta),
            Err(error) => Err(clean(error)),
        }))
    }
}
