//! Model calls as a session keeps them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_llm::{
    DeltaStream, Error, Provider, Reply, Request,
    recording::{Known, Lines, Listening},
};
use serde_json::Value;

/// A provider that writes its calls down for the session that is going on.
pub(crate) struct Recorder {
    provider: Listening<Arc<dyn Provider>>,
    /// Calls that came to an end and were not yet taken.
    calls: Arc<Mutex<Vec<Call>>>,
    lines: Mutex<Lines>,
}

type Call = (Request, Result<Reply, Error>);

impl Recorder {
    pub(crate) fn new(provider: Arc<dyn Provider>) -> Self {
        let calls: Arc<Mutex<Vec<Call>>> = Arc::default();
        let heard = Arc::clone(&calls);
        let provider = Listening::new(provider, move |request, outcome| {
            lock(&heard).push((request.clone(), outcome.clone()));
        });
        Self { provider, calls, lines: Mutex::default() }
    }

    /// Begins to record. Lines lean on those of the same process alone: another one may have gone
    /// on with the session meanwhile.
    pub(crate) fn begin(&self) {
        lock(&self.calls).clear();
        *lock(&self.lines) = Lines::default();
    }

    /// The calls that came to an end since this was last asked, each as a line for whoever has
    /// what is `known` now.
    pub(crate) fn take(&self, known: Known<'_>) -> Vec<Value> {
        let calls = std::mem::take(&mut *lock(&self.calls));
        let mut lines = lock(&self.lines);
        let line = |(request, outcome): Call| lines.of(&request, &outcome, known).ok();
        calls.into_iter().filter_map(line).collect()
    }
}

impl Provider for Recorder {
    fn model(&self) -> &str {
        self.provider.model()
    }

    fn send(&self, request: Request) -> DeltaStream {
        self.provider.send(request)
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
