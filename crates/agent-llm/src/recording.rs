//! Calls that are written down as they happen, and compared when they are made again.
//!
//! A recording is a [script](crate::script) whose lines also say what they answered. So it can be
//! played like any other script, by [`Scripted`](crate::script::Scripted), which does not look at
//! the requests that were recorded; and exactly, by
//! [`Scripted::exact`](crate::script::Scripted::exact), which takes the replies in their order and
//! refuses the first request that is not the recorded one, saying where they differ.
//!
//! [`Recording`] writes these keys:
//!
//! | key | means |
//! | --- | --- |
//! | `purpose` | what the call was for |
//! | `request` | what was asked, see below |
//! | `parts` | the reply: `{"text": …}`, `{"call": {"id", "name", "arguments"}}`, `{"opaque": {"dialect", "model", "value"}}`, in order |
//! | `finish`, `usage` | why it ended and what it cost |
//! | `fault` | `{"error": {"kind", "provider", "message", "status"}}` instead, where the call failed |
//!
//! A conversation grows with every call, and writing all of it down each time would make the file
//! grow with the square of its length. Of a `request` only the messages that are new are written:
//! `like` names the purpose of an earlier line, of which the latest is meant, and `keep` how many
//! of its messages this request begins with. Tools are written where they differ from those of that
//! line; `tool_choice`, `output`, `temperature` and `max_output_tokens` where they are not the
//! default.
//!
//! Whoever keeps the conversation itself beside its calls needs even less: [`Lines`] writes `known`,
//! how many messages of that conversation a request begins with, and makes such a line one that
//! stands alone again.
//!
//! ```
//! # use std::sync::{Arc, Mutex};
//! use agent_llm::recording::Recording;
//! use agent_llm::script::{Script, Scripted};
//! use agent_llm::{Message, Provider, Purpose, Reply, Request};
//! # #[derive(Clone, Default)]
//! # struct File(Arc<Mutex<Vec<u8>>>);
//! # impl std::io::Write for File {
//! #     fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
//! #         self.0.lock().unwrap().write(bytes)
//! #     }
//! #     fn flush(&mut self) -> std::io::Result<()> { Ok(()) }
//! # }
//!
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! # let file = File::default();
//! let model = Scripted::open("m", &br#"{"purpose": "decide", "text": "Hello."}"#[..])?;
//! let ask = |words: &str| {
//!     Request::new(Purpose::Decide, vec![Arc::new(Message::User(words.to_owned()))])
//! };
//!
//! let recorded = Recording::new(model, file.clone());
//! Reply::collect(recorded.send(ask("Greet me."))).await?;
//!
//! # let bytes = file.0.lock().unwrap().clone();
//! let script = Script::parse(&bytes[..])?;
//! let replay = Scripted::exact("m", script);
//! let error = Reply::collect(replay.send(ask("Greet us."))).await.unwrap_err();
//! assert_eq!(
//!     error.message,
//!     r#"line 1 records a different request: message 1 was "Greet me." and is "Greet us.""#,
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! # })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod difference;
mod line;
mod lines;
mod listening;
mod requests;
#[cfg(test)]
mod tests;

use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use difference::difference;
pub(crate) use line::{ErrorLine, RequestLine};
pub use lines::Lines;
pub use listening::Listening;
pub use requests::Known;
pub(crate) use requests::Requests;

use crate::{DeltaStream, Error, Provider, Reply, Request};

/// A provider around a provider that writes down every call that comes to an end.
///
/// A line is written, and handed on to the writer's flush, before the end of its reply is passed
/// on: whoever acts on a reply can rely on it being recorded. A call that is dropped on its way
/// leaves no line. Around [`Retrying`](crate::Retrying) it records what came of the last attempt,
/// inside of it each attempt.
pub struct Recording<P> {
    listening: Listening<P>,
    log: Arc<Mutex<Log>>,
}

struct Log {
    writer: Box<dyn Write + Send>,
    requests: Requests,
    failure: Option<io::Error>,
}

impl<P: Provider> Recording<P> {
    /// Records the calls of `provider`.
    pub fn new(provider: P, writer: impl Write + Send + 'static) -> Self {
        let log = Log { writer: Box::new(writer), requests: Requests::default(), failure: None };
        let log = Arc::new(Mutex::new(log));
        let own = Arc::clone(&log);
        let listening = Listening::new(provider, move |request, outcome| {
            lock(&own).write(request, outcome);
        });
        Self { listening, log }
    }

    /// Why the recording is incomplete, if it is. A writer that fails once gets no further line;
    /// the calls themselves go on.
    pub fn failure(&self) -> Option<String> {
        lock(&self.log).failure.as_ref().map(ToString::to_string)
    }
}

impl<P: Provider> Provider for Recording<P> {
    fn model(&self) -> &str {
        self.listening.model()
    }

    fn send(&self, request: Request) -> DeltaStream {
        self.listening.send(request)
    }
}

impl Log {
    fn write(&mut self, request: &Request, outcome: &Result<Reply, Error>) {
        if self.failure.is_some() {
            return;
        }
        let line = line::ReplyLine::new(request, self.requests.shorten(request, None), outcome);
        let written = serde_json::to_vec(&line).map_err(io::Error::from).and_then(|mut bytes| {
            bytes.push(b'\n');
            self.writer.write_all(&bytes)?;
            self.writer.flush()
        });
        self.failure = written.err();
    }
}

fn lock(log: &Mutex<Log>) -> MutexGuard<'_, Log> {
    log.lock().unwrap_or_else(PoisonError::into_inner)
}
