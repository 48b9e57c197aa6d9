//! Event sinks: the terminal and JSON lines.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_core::{Event, EventSink, event::stream_json};

use super::{Progress, Stdout, Stream, screen_width};
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
        let text = {
            let mut progress = self.progress();
            if progress.is_live() {
                progress.fit(screen_width());
            }
            progress.render(event)
        };
        self.stream.write(&text);
    }
}

/// Events on standard output, one JSON object a line.
#[derive(Debug, Default)]
pub(crate) struct JsonLines(Mutex<Lines>);

#[derive(Debug, Default)]
struct Lines {
    session_id: Option<String>,
    /// What happened before the session began: its beginning is the first line.
    early: Vec<Event>,
    failed: Option<Error>,
}

impl JsonLines {
    /// What went wrong with standard output, if something did.
    pub(crate) fn failure(&self) -> Option<Error> {
        self.lines().failed.clone()
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventSink for JsonLines {
    fn emit(&self, event: &Event) {
        let mut lines = self.lines();
        if let Event::Started { session_id, .. } = event {
            lines.session_id = Some(session_id.clone());
            lines.write(event);
            for early in std::mem::take(&mut lines.early) {
                lines.write(&early);
            }
        } else if lines.session_id.is_none() {
            lines.early.push(event.clone());
        } else {
            lines.write(event);
        }
    }
}

impl Lines {
    fn write(&mut self, event: &Event) {
        let session_id = self.session_id.as_deref().unwrap_or_default();
        if let Some(object) = stream_json::render(event, session_id)
            && let Err(error) = Stdout.json(&object)
        {
            self.failed.get_or_insert(error);
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
