//! One model call: what it streams becomes events, what it costs is counted.

use std::{
    future,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
};

use agent_llm::{Delta, Error, ErrorKind, Provider, Reply, ReplyBuilder, Request, Usage};
use futures_util::StreamExt;
use tokio::time;

use crate::{
    Cancel, Event, EventSink, Exhausted, Settings, Signal, Spent, Waiting, spending::Spending,
    window::Gauge,
};

/// The model of a session. Every call of it, for whatever purpose, goes through here.
pub struct Model {
    provider: Arc<dyn Provider>,
    sink: Arc<dyn EventSink>,
    temperature: Option<f32>,
    turn: AtomicU32,
    /// Set once the server has refused a schema and taken the same request without.
    without_schemas: AtomicBool,
    /// Set once the server was seen to cut a prompt.
    cuts: AtomicBool,
    spending: Spending,
    gauge: Mutex<Gauge>,
}

/// The form of a reply.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// Words for whoever watches.
    Words,
    /// A decision or a plan. What it means is told when it is understood.
    Json,
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
    /// A limit of the run does not allow the call.
    #[error(transparent)]
    Exhausted(#[from] Exhausted),
}

impl Model {
    /// A model that reports to `sink`.
    pub fn new(provider: Arc<dyn Provider>, sink: Arc<dyn EventSink>, settings: &Settings) -> Self {
        Self {
            provider,
            sink,
            temperature: settings.temperature,
            turn: AtomicU32::new(0),
            without_schemas: AtomicBool::new(false),
            cuts: AtomicBool::new(false),
            spending: Spending::new(settings.budget, settings.price),
            gauge: Mutex::new(Gauge::new(settings.window)),
        }
    }

    /// Its full name, `PROVIDER/MODEL`.
    pub fn name(&self) -> &str {
        self.provider.model()
    }

    /// Tokens of all calls so far, and what they cost.
    pub fn spent(&self) -> Spent {
        self.spending.spent()
    }

    /// Stops the run's clock until what is returned is dropped: somebody is asked, and takes the
    /// time that it takes.
    pub fn waiting(&self) -> Waiting<'_> {
        self.spending.waiting()
    }

    /// What the run has used up, of what it may.
    pub(crate) fn spending(&self) -> &Spending {
        &self.spending
    }

    /// How much room the window has.
    pub(crate) fn gauge(&self) -> MutexGuard<'_, Gauge> {
        self.gauge.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn begin_turn(&self, turn: u32) {
        self.turn.store(turn, Ordering::SeqCst);
    }

    /// Sends `request`, which is estimated to take so many `tokens`, and waits for the whole reply.
    ///
    /// # Errors
    ///
    /// [`NoReply`]: the provider's error, the signal that cancelled the call, or the limit that
    /// does not allow it. What can't fit the window is not sent.
    pub(crate) async fn call(
        &self,
        mut request: Request,
        tokens: u64,
        cancel: &Cancel,
    ) -> Result<Reply, NoReply> {
        let expected = self.fits(tokens)?;
        self.spending.allows(expected)?;
        request.temperature = self.temperature;
        let form = if request.output.is_some() { Form::Json } else { Form::Words };
        if self.without_schemas.load(Ordering::SeqCst) {
            request.output = None;
        }
        let fallback =
            request.output.is_some().then(|| Request { output: None, ..request.clone() });
        let answer = self.stream(request, form, tokens, cancel).await;
        // Some compatible servers refuse schemas; the prompt asks for the same form in words.
        match (answer, fallback) {
            (Err(NoReply::Failed(error)), Some(request)) if error.kind == ErrorKind::BadRequest => {
                let reply = self.stream(request, form, tokens, cancel).await?;
                self.without_schemas.store(true, Ordering::SeqCst);
                Ok(reply)
            }
            (answer, _) => answer,
        }
    }

    /// The tokens that a request takes, as far as is known by now.
    fn fits(&self, tokens: u64) -> Result<u64, Error> {
        let gauge = *self.gauge();
        let expected = gauge.corrected(tokens);
        match gauge.window() {
            Some(window) if expected > window => {
                let message = format!(
                    "the request takes about {expected} tokens, and the model's window has \
                     {window}; it was not sent"
                );
                Err(Error::new(ErrorKind::ContextTooLong, self.name(), message))
            }
            Some(_) | None => Ok(expected),
        }
    }

    async fn stream(
        &self,
        request: Request,
        form: Form,
        tokens: u64,
        cancel: &Cancel,
    ) -> Result<Reply, NoReply> {
        let time_left = self.spending.time_left()?;
        let out_of_time = async {
            match time_left {
                Some((left, exhausted)) => {
                    time::sleep(left).await;
                    exhausted
                }
                None => future::pending().await,
            }
        };
        tokio::pin!(out_of_time);
        let purpose = request.purpose;
        self.sink.emit(&Event::ModelCalled { purpose, turn: self.turn.load(Ordering::SeqCst) });
        let mut deltas = self.provider.send(request);
        let mut builder = ReplyBuilder::default();
        let mut sent = None;
        loop {
            let delta = tokio::select! {
                biased;
                signal = cancel.cancelled() => return Err(NoReply::Cancelled(signal)),
                exhausted = &mut out_of_time => return Err(exhausted.into()),
                delta = deltas.next() => match delta {
                    Some(delta) => delta?,
                    None => break,
                },
            };
            match &delta {
                Delta::Text(text) if form == Form::Words => {
                    self.sink.emit(&Event::Text(text.clone()));
                }
                Delta::Reasoning(text) => self.sink.emit(&Event::Reasoning(text.clone())),
                Delta::Retry(retry) => self.sink.emit(&Event::Retry(retry.clone())),
                Delta::Sent(size) => sent = Some(*size),
                Delta::Text(_)
                | Delta::CallStart { .. }
                | Delta::CallArguments { .. }
                | Delta::Opaque(_)
                | Delta::Usage(_)
                | Delta::Finish(_) => {}
            }
            builder.push(delta);
        }
        let reply = builder.finish()?;
        self.spending.add(reply.usage, sent);
        self.learn(tokens, reply.usage);
        Ok(reply)
    }

    /// Compares what was estimated with what is reported.
    fn learn(&self, tokens: u64, usage: Usage) {
        let reported = usage.input_tokens;
        let mut gauge = self.gauge();
        if !may_cut(self.name()) || !gauge.was_cut(tokens, reported) {
            gauge.observe(tokens, reported);
            return;
        }
        let expected = gauge.corrected(tokens);
        drop(gauge);
        if !self.cuts.swap(true, Ordering::SeqCst) {
            self.sink.emit(&Event::Warning(format!(
                "the server read {reported} of about {expected} tokens: it has cut the prompt, and \
                 the model did not see its beginning. Raise `ollama.num_ctx`, see that the server \
                 has memory for it, or use a model with a larger window"
            )));
        }
    }

    /// Tells the observers of a reply. The caller does, since ids of calls may have changed.
    pub(crate) fn replied(&self, purpose: agent_llm::Purpose, reply: &Reply) {
        self.sink.emit(&Event::Replied {
            purpose,
            text: reply.text(),
            calls: reply.calls().cloned().collect(),
            usage: reply.usage,
            cost: self.spending.cost(reply.usage),
            sent: self.spending.last_sent(),
        });
    }
}

/// Whether the model's server cuts prompts that do not fit, without a word. Ollama does; the others
/// answer with an error.
fn may_cut(model: &str) -> bool {
    model.starts_with("ollama/")
}
