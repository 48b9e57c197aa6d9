//! Model calls as a session keeps them.

use std::{
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use agent_llm::{DeltaStream, Provider, Request, recording::Recording};
use serde_json::Value;

/// A provider that writes its calls down for the session that is going on.
pub(crate) struct Recorder {
    provider: Arc<dyn Provider>,
    /// The session with its recording: lines lean on those before them.
    recording: Mutex<(String, Recording<Arc<dyn Provider>>)>,
    lines: Lines,
}

impl Recorder {
    pub(crate) fn new(provider: Arc<dyn Provider>) -> Self {
        let lines = Lines::default();
        let recording = Recording::new(Arc::clone(&provider), lines.clone());
        Self { provider, recording: Mutex::new((String::new(), recording)), lines }
    }

    /// Records for `session` from here on.
    pub(crate) fn record(&self, session: &str) {
        let mut recording = lock(&self.recording);
        if recording.0 != session {
            let fresh = Recording::new(Arc::clone(&self.provider), self.lines.clone());
            *recording = (session.to_owned(), fresh);
        }
        lock(&self.lines.0).clear();
    }

    /// The calls that came to an end since this was last asked.
    pub(crate) fn take(&self) -> Vec<Value> {
        let bytes = std::mem::take(&mut *lock(&self.lines.0));
        let lines = serde_json::Deserializer::from_slice(&bytes).into_iter();
        lines.filter_map(Result::ok).collect()
    }
}

impl Provider for Recorder {
    fn model(&self) -> &str {
        self.provider.model()
    }

    fn send(&self, request: Request) -> DeltaStream {
        lock(&self.recording).1.send(request)
    }
}

/// Lines that were written and not yet taken.
#[derive(Debug, Default, Clone)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        lock(&self.0).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
