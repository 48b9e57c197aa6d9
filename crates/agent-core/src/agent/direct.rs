//! Requests that the program answers by itself, without a model.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::json;

use super::run::Run;
use crate::{
    Action, Event, Intent, dispatch,
    failure::Stop,
    intent::{self, Extent},
    profile,
    session::By,
    tool::Breach,
    tools::undo::{self, AsRequested},
};

/// Sessions that a profile names.
const RECENT: usize = 5;

impl Run<'_> {
    /// What the request is about, where that is plain.
    pub(super) fn intent(&self) -> Option<Intent> {
        self.fold.requested.as_ref().and_then(|requested| requested.intent)
    }

    /// Who answers it.
    pub(super) fn by(&self) -> By {
        self.fold.requested.as_ref().map(|requested| requested.by).unwrap_or_default()
    }

    /// Who answers a request that is about `intent`.
    pub(super) fn answered_by(&self, task: &str, intent: Option<Intent>) -> By {
        match intent {
            Some(Intent::Profile) => By::Program,
            // Which "those" are the model has to find out.
            Some(Intent::Undo) if intent::extent_of_undo(task).is_some() => By::Program,
            Some(Intent::Undo | Intent::Read | Intent::Edit | Intent::Run) | None => By::Model,
        }
    }

    /// Answers the request.
    pub(super) async fn directly(&mut self) -> Result<String, Stop> {
        match self.intent() {
            Some(Intent::Undo) => self.undo().await,
            Some(Intent::Profile | Intent::Read | Intent::Edit | Intent::Run) | None => {
                Ok(self.profile())
            }
        }
    }

    fn profile(&self) -> String {
        let agent = self.agent;
        let root = agent.workspace.root();
        let sessions = agent.sessions.as_ref().filter(|sessions| sessions.exists());
        let mut recent =
            sessions.and_then(|sessions| sessions.list(Some(root)).ok()).unwrap_or_default();
        recent.retain(|session| session.id != self.cx.session_id);
        let facts = profile::Facts {
            model: agent.model.name(),
            workspace: root,
            tools: &self.fold.tools,
            settings: &agent.settings,
            sessions: recent.len(),
            recent: &recent[..recent.len().min(RECENT)],
        };
        profile::text(&facts)
    }

    /// Takes changes back as the user asked, whichever session made them.
    async fn undo(&mut self) -> Result<String, Stop> {
        let task = self.fold.requested.as_ref().map(|requested| requested.task.as_str());
        let extent = task.and_then(intent::extent_of_undo).unwrap_or(Extent::Last(1));
        let (timestamp, started) = (Timestamp::now(), Instant::now());
        let params = match extent {
            Extent::Last(count) => json!({ "count": count }),
            Extent::Everything => json!({ "count": "all" }),
        };
        let call_id = "request".to_owned();
        let tool = undo::NAME.to_owned();
        let reason = "the user asks for it".to_owned();
        self.agent.sink.emit(&Event::ActionStarted {
            call_id: call_id.clone(),
            tool: tool.clone(),
            reason: reason.clone(),
            params: params.clone(),
        });
        let cx = crate::Cx { tool: tool.clone(), ..self.cx.clone() };
        let past = self.past();
        let toolbox = &self.agent.toolbox;
        let observation = dispatch::run(&AsRequested(extent), &params, toolbox, past, cx).await;
        let observation = observation.without_secrets(&self.agent.redactor);
        let (message, breach) = (observation.message().to_owned(), observation.breach);
        let succeeded = observation.succeeded();
        let shown = observation.text().into_owned();
        let undone = observation.result["count"].as_u64().unwrap_or_default();
        let action = Action {
            tool,
            reason,
            params,
            result: observation.result,
            timestamp,
            confidence: None,
            file_content: None,
            file_success: None,
        };
        let changes = observation.changes;
        self.keep_action(None, &shown, &action, (&changes, breach)).await;
        let elapsed: Duration = started.elapsed();
        self.agent.sink.emit(&Event::ActionFinished {
            call_id,
            action,
            observation: shown,
            elapsed,
        });
        let mut files: Vec<String> = Vec::new();
        for change in &changes {
            if !files.contains(&change.file) {
                files.push(change.file.clone());
            }
        }
        for change in changes {
            self.agent.sink.emit(&Event::Changed(change));
        }
        match breach {
            Breach::Unanswered => Err(Stop::nobody_to_ask(&message)),
            Breach::Cancelled => Err(Stop::denied_by_user()),
            Breach::Stop => Err(Stop::denied(&message)),
            Breach::None | Breach::Violation if succeeded => Ok(format!(
                "Undone: {}. `agent redo{}` makes it again.",
                files.join(", "),
                if undone == 1 { String::new() } else { format!(" {undone}") },
            )),
            Breach::None | Breach::Violation => Err(Stop::not_undone(&message)),
        }
    }
}
