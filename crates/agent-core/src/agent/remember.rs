//! What an agent remembers of its workspace.

use std::sync::Arc;

use super::{Agent, run::Run};
use crate::{
    Event, Intent, Protocol, Report,
    memory::{Earlier, Standing},
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
        if memory.memory(agent.workspace.root()).is_empty_at_once() {
            return None;
        }
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
        if let Some(held) = held
            && let Err(error) = memory.memory(self.workspace.root()).held(held).await
        {
            self.warn(&format!("the conversation is not remembered: {error}"));
        }
        let Some(proposed) = proposed else { return };
        let (redactor, workspace) = (Arc::clone(&self.redactor), self.workspace.root().to_owned());
        let session = report.session_id.clone();
        let proposed = tokio::task::spawn_blocking(move || {
            memory.memory(&workspace).propose(&proposed, &session, &redactor)
        });
        match proposed.await {
            Ok(Ok(Some(one))) => self.sink.emit(&Event::Proposed(one)),
            Ok(Err(error)) => self.warn(&format!("what the model proposes to remember: {error}")),
            Ok(Ok(None)) | Err(_) => {}
        }
    }

    fn warn(&self, text: &str) {
        self.sink.emit(&Event::Warning(text.to_owned()));
    }
}
