//! One model call: what it streams becomes events, what it costs is counted.

use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, AtomicU32, Ordering},
};

use agent_llm::{Delta, Error, ErrorKind, Provider, Reply, ReplyBuilder, Request, Usage};
use futures_util::StreamExt;

use crate::{Cancel, Event, EventSink, Signal};

/// The model of a session. Every call of it, for whatever purpose, goes through here.
pub struct Model {
    provider: Arc<dyn Provider>,
    sink: Arc<dyn EventSink>,
    temperature: Option<f32>,
    turn: AtomicU32,
    /// Set once the server has refused a schema and taken the same request without.
    without_schemas: AtomicBool,
    spent: Mutex<Usage>,
}

/// Why there is no reply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoReply {
    /// The provider failed.
    #[error(transparent)]
    Failed(#[from] Error),
    /// The run was cancelled.
    #[error("the run was cancelled")]
    Cancelled(Signal),
}

impl Model {
    /// A model that reports to `sink`.
    pub fn new(
        provider: Arc<dyn Provider>,
        sink: Arc<dyn EventSink>,
        temperature: Option<f32>,
    ) -> Self {
        Self {
            provider,
            sink,
            temperature,
            turn: AtomicU32::new(0),
            without_schemas: AtomicBool::new(false),
            spent: Mutex::new(Usage::default()),
        }
    }

    /// Its full name, `PROVIDER/MODEL`.
    pub fn name(&self) -> &str {
        self.provider.model()
    }

    /// Tokens of all calls so far.
    pub fn spent(&self) -> Usage {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn begin_turn(&self, turn: u32) {
        self.turn.store(turn, Ordering::SeqCst);
    }

    /// Sends `request` and waits for the whole reply.
    ///
    /// # Errors
    ///
    /// [`NoReply`]: the provider's error, or the signal that cancelled the call.
    pub async fn call(&self, mut request: Request, cancel: &Cancel) -> Result<Reply, NoReply> {
        request.temperature = self.temperature;
        if self.without_schemas.load(Ordering::SeqCst) {
            request.output = None;
        }
        let fallback =
            request.output.is_some().then(|| Request { output: None, ..request.clone() });
        let answer = self.stream(request, cancel).await;
        // Some compatible servers refuse schemas; the prompt asks for the same form in words.
        match (answer, fallback) {
            (Err(NoReply::Failed(error)), Some(request)) if error.kind == ErrorKind::BadRequest => {
                let reply = self.stream(request, cancel).await?;
                self.without_schemas.store(true, Ordering::SeqCst);
                Ok(reply)
            }
            (answer, _) => answer,
        }
    }

    async fn stream(&self, request: Request, cancel: &Cancel) -> Result<Reply, NoReply> {
        let purpose = request.purpose;
        self.sink.emit(&Event::ModelCalled { purpose, turn: self.turn.load(Ordering::SeqCst) });
        let mut deltas = self.provider.send(request);
        let mut builder = ReplyBuilder::default();
        loop {
            let delta = tokio::select! {
                biased;
                signal = cancel.cancelled() => return Err(NoReply::Cancelled(signal)),
                delta = deltas.next() => match delta {
                    Some(delta) => delta?,
                    None => break,
                },
            };
            match &delta {
                Delta::Text(text) => self.sink.emit(&Event::Text(text.clone())),
                Delta::Reasoning(text) => self.sink.emit(&Event::Reasoning(text.clone())),
                Delta::Retry(retry) => self.sink.emit(&Event::Retry(retry.clone())),
                Delta::CallStart { .. }
                | Delta::CallArguments { .. }
                | Delta::Opaque(_)
                | Delta::Usage(_)
                | Delta::Finish(_) => {}
            }
            builder.push(delta);
        }
        let reply = builder.finish()?;
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner) += reply.usage;
        Ok(reply)
    }

    /// Tells the observers of a reply. The caller does, since ids of calls may have changed.
    pub(crate) fn replied(&self, purpose: agent_llm::Purpose, reply: &Reply) {
        self.sink.emit(&Event::Replied {
            purpose,
            text: reply.text(),
            calls: reply.calls().cloned().collect(),
            usage: reply.usage,
        });
    }
}
