//! Event sinks: the terminal and JSON lines.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use agent_core::{Event, EventSink, event::stream_json};

use super::{Progress, Stdout, Stream};
use crate::error::Error;

/// Progress as text.
#[derive(Debug)]
pub(crate) struct Terminal {
    progress: Mutex<Progress>,
    stream: Stream,
}

impl Terminal {
    pub(crate) fn new(progress: Progress, stream: Stream) -> Self {
        Self { progress: Mutex::new(progress), stream }
    }

    /// Whether `answer` stands on the screen already.
    pub(crate) fn showed(&self, answer: &str) -> bool {
        self.progress().showed(answer)
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventSink for Terminal {
    fn emit(&self, event: &Event) {
        let text = self.progress().render(event);
        self.stream.write(&text);
    }
}

/// Events on standard output, one JSON object a line.
#[derive(Debug, Default)]
pub(crate) struct JsonLines {
    session_id: OnceLock<String>,
    failed: OnceLock<Error>,
}

impl JsonLines {
    /// What went wrong with standard output, if something did.
    pub(crate) fn failure(&self) -> Option<Error> {
        self.failed.get().cloned()
    }
}

impl EventSink for JsonLines {
    fn emit(&self, event: &Event) {
        if let Event::Started { session_id, .. } = event {
            self.session_id.get_or_init(|| session_id.clone());
        }
        let session_id = self.session_id.get().map_or("", String::as_str);
        let written = match stream_json::render(event, session_id) {
            Some(object) => Stdout.json(&object),
            None => Ok(()),
        };
        if let Err(error) = written {
            self.failed.get_or_init(|| error);
        }
    }
}

/// Both sinks as one.
pub(crate) fn both(first: Arc<dyn EventSink>, second: Arc<dyn EventSink>) -> Arc<dyn EventSink> {
    struct Both(Arc<dyn EventSink>, Arc<dyn EventSink>);

    impl EventSink for Both {
        fn emit(&self, event: &Event) {
            self.0.emit(event);
            self.1.emit(event);
        }
    }

    Arc::new(Both(first, second))
}
