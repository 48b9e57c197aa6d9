//! What an agent remembers of its workspace.

use std::sync::Arc;

use super::{Agent, run::Run};
use crate::{
    Event, Intent, Protocol, Report, StoreError,
    memory::{Earlier, MemoryError, Remembered, Standing},
    tools::finish,
};

/// What is remembered takes no more of one message's share of the window than this part, and of
/// what is configured where the model is weak.
const SHARE: usize = 4;

impl Run<'_> {
    /// What the model is shown of it.
    pub(super) async fn remembered(&self) -> Option<String> {
        let agent = self.agent;
        let memory = Arc::clone(agent.memory.as_ref()?);
        let configured = agent.settings.memory_bytes;
        let most = match agent.settings.protocol {
            Protocol::Json => configured / SHARE,
            Protocol::Auto | Protocol::Tools => configured,
        };
        let most = most.min(self.bounds(usize::MAX) / SHARE);
        let workspace = Arc::clone(&agent.workspace);
        // Files are compared with what they were.
        let shown = tokio::task::spawn_blocking(move || {
            memory.memory(workspace.root()).shown(&workspace, most)
        });
        match shown.await.ok()? {
            Ok(shown) if shown.text.is_empty() => None,
            Ok(shown) => Some(agent.redactor.clean(&shown.text).into_owned()),
            Err(error) => {
                self.told_of(&error);
                None
            }
        }
    }

    /// What somebody said of the workspace: an answer that was given without knowing it may be
    /// wrong.
    pub(super) fn notes(&self) -> String {
        let agent = self.agent;
        let memory = agent.memory.as_ref().filter(|_| agent.settings.memory_bytes > 0);
        let notes = memory.map(|memory| memory.memory(agent.workspace.root()).remembered());
        let notes = notes.and_then(Result::ok).unwrap_or_default();
        let stand = notes.iter().filter(|note| note.standing != Standing::Proposed);
        stand.map(|note| format!("\n{}", note.text)).collect()
    }
}

/// What came of remembering a request.
type Kept = (Result<(), StoreError>, Option<Result<Option<Remembered>, MemoryError>>);

impl Agent {
    /// Remembers a request that has ended, and what the model proposes to. What holds a secret all
    /// the same is not stored.
    pub(super) async fn remember(&self, report: &Report) {
        let memory = self.memory.clone().filter(|_| self.settings.memory_bytes > 0);
        let (Some(memory), Some(_)) = (memory, &self.sessions) else { return };
        if report.from_cache || report.intent == Intent::Profile {
            return;
        }
        let mut held = Earlier::of(report);
        for text in [&mut held.request, &mut held.summary] {
            *text = self.redactor.clean(text).into_owned();
        }
        let suspicious = [&held.request, &held.summary].map(|text| self.redactor.suspects(text));
        let held = (!suspicious.contains(&true)).then_some(held);
        if held.is_none() {
            self.warn("the conversation is not remembered: it holds what looks like a secret");
        }
        let finished = report.history.iter().rev().find(|action| action.tool == finish::NAME);
        let proposed = finished.and_then(|action| finish::proposed(&action.params));
        let proposed = proposed.map(str::to_owned);
        let (redactor, workspace) = (Arc::clone(&self.redactor), self.workspace.root().to_owned());
        let session = report.session_id.clone();
        let kept = tokio::task::spawn_blocking(move || -> Kept {
            let memory = memory.memory(&workspace);
            let held = held.map_or(Ok(()), |held| memory.held(held));
            (held, proposed.map(|text| memory.propose(&text, &session, &redactor)))
        });
        let Ok((held, proposed)) = kept.await else { return };
        if let Err(error) = held {
            self.warn(&format!("the conversation is not remembered: {error}"));
        }
        match proposed {
            Some(Ok(Some(one))) => self.sink.emit(&Event::Proposed(one)),
            Some(Err(error)) => self.warn(&format!("what the model proposes to remember: {error}")),
            Some(Ok(None)) | None => {}
        }
    }

    fn warn(&self, text: &str) {
        self.sink.emit(&Event::Warning(text.to_owned()));
    }
}
