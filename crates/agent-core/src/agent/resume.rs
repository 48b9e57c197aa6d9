//! Going on with a session.

use jiff::Timestamp;
use serde_json::Value;

use super::run::Run;
use crate::{
    Action, Event,
    session::{Note, OpenCall, Past, told},
};

impl Run<'_> {
    /// Gives every call a result that has none, and names the files that have changed since.
    pub(super) fn settle(&mut self, past: &Past) {
        self.keep_prefix();
        for open in past.open_calls() {
            self.close(past, &open);
        }
        if let Some(changed) = told::changed(&past.changed_files(&self.agent.workspace)) {
            self.say(changed);
        }
    }

    /// Goes on with the request that was cut off.
    pub(super) fn go_on(&mut self) {
        self.say(told::GOES_ON);
    }

    fn close(&mut self, past: &Past, open: &OpenCall) {
        let made = told::made_since(past, self.agent.journal.as_deref(), open);
        let made = made.unwrap_or_else(|error| {
            self.agent.sink.emit(&Event::Warning(error.to_string()));
            None
        });
        let observation = told::interrupted(open, made.as_deref());
        let content = observation.result.to_string();
        let action = open.began.as_ref().map(|(tool, time)| {
            Box::new(Action {
                tool: tool.clone(),
                reason: String::new(),
                params: serde_json::from_str(&open.arguments).unwrap_or(Value::Null),
                result: observation.result,
                timestamp: Timestamp::from_millisecond(time.as_millisecond()).unwrap_or(*time),
                confidence: None,
                file_content: None,
                file_success: None,
            })
        });
        let changes = made.iter().flatten().flat_map(told::changes_of).collect();
        self.keep(&Note::Acted { call: Some(open.call.clone()), content, action, changes });
    }
}
