//! Watches a replay, and compares every result with the recorded one.

use std::sync::Arc;

use serde_json::Value;

use super::tape::Tape;
use crate::{Event, EventSink};

/// A sink before another.
pub(super) struct Checking {
    tape: Arc<Tape>,
    next: Arc<dyn EventSink>,
}

impl Checking {
    pub(super) fn new(tape: Arc<Tape>, next: Arc<dyn EventSink>) -> Self {
        Self { tape, next }
    }

    fn compare(&self, call_id: &str, tool: &str, result: &Value, content: &str) {
        let Some(recorded) = self.tape.recorded(call_id) else { return };
        let place = self.tape.place();
        let (result, content) = (place.value_to_recorded(result), place.to_recorded(content));
        let what = format!("the result of `{tool}` is different");
        if recorded.action.result != result {
            self.tape.differs(&what, &pretty(&recorded.action.result), &pretty(&result));
        } else if recorded.content != content {
            let what = format!("{what} as the model sees it");
            self.tape.differs(&what, &recorded.content, &content);
        }
    }
}

impl EventSink for Checking {
    fn emit(&self, event: &Event) {
        if let Event::ActionStarted { call_id, .. } = event {
            self.tape.call(call_id);
        }
        if let Event::ActionFinished { call_id, action, observation, .. } = event {
            self.compare(call_id, &action.tool, &action.result, observation);
        }
        self.next.emit(event);
    }
}

fn pretty(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
}
