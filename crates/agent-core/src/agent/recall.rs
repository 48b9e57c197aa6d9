//! Answers that are recalled for a request, and kept.

use jiff::Timestamp;

use super::run::Run;
use crate::{
    Event, Intent, Sessions, StoreError, changes,
    memory::{Cached, Likeness, Origin, Source, Wording, hash, normalised},
    session::By,
    verify::recognise,
};

/// Bytes of an earlier answer that the model is shown.
const EARLIER: usize = 4 * 1024;

/// What is recalled for a request.
#[derive(Debug, Default)]
pub(super) struct Recalled {
    /// The answer itself.
    pub(super) answer: Option<String>,
    /// What the model is shown with the request.
    pub(super) shown: Option<String>,
    /// The older answer that a new one takes the place of.
    older: Option<i64>,
}

impl Recalled {
    /// What was recalled when the request was recorded.
    pub(super) fn before(shown: Option<String>) -> Self {
        Self { shown, ..Self::default() }
    }
}

impl Run<'_> {
    /// Looks for earlier answers to `task`, and for what is remembered of the workspace.
    pub(super) async fn recall(&self, task: &str) -> Recalled {
        let intent = self.agent.settings.intent.or_else(|| Intent::of_words(task));
        let mut recalled = self.recall_answer(task, intent).await;
        // Where something is to be run, it is said how that is done here.
        if intent == Some(Intent::Run) {
            recalled.shown = recognise::recognised(&self.agent.workspace).words();
        }
        let begins = self.fold.requests == 0 && self.answered_by(task, intent) == By::Model;
        if begins && recalled.answer.is_none() {
            let remembered = self.remembered().await;
            let shown = [remembered, recalled.shown].into_iter().flatten().collect::<Vec<_>>();
            recalled.shown = (!shown.is_empty()).then(|| shown.join("\n\n"));
        }
        recalled
    }

    /// Looks for earlier answers. Only the first request of a session stands for itself.
    async fn recall_answer(&self, task: &str, intent: Option<Intent>) -> Recalled {
        if !self.agent.caching || self.fold.requests > 0 || intent != Some(Intent::Read) {
            return Recalled::default();
        }
        let Some(sessions) = &self.agent.sessions else { return Recalled::default() };
        let task = normalised(&self.agent.redactor.clean(task));
        let origin = self.origin();
        let recalled = match self.same(sessions, &origin, &task).await {
            Ok(Some(recalled)) => Ok(recalled),
            Ok(None) => self.similar(sessions, &origin, &task).await,
            Err(error) => Err(error),
        };
        recalled.unwrap_or_else(|error| {
            self.told_of(&error);
            Recalled::default()
        })
    }

    /// The answer to the very same request, where it still stands.
    async fn same(
        &self,
        sessions: &Sessions,
        origin: &Origin,
        task: &str,
    ) -> Result<Option<Recalled>, StoreError> {
        let Some(entry) = sessions.with(|store| store.cached(origin, task))? else {
            return Ok(None);
        };
        if !self.stands(&entry).await {
            return Ok(None);
        }
        if let Err(error) = sessions.with(|store| store.used_cached(entry.number)) {
            self.told_of(&error);
        }
        Ok(Some(Recalled { answer: Some(entry.answer), ..Recalled::default() }))
    }

    /// The answer to the request that is most like this one, as something to be shown.
    async fn similar(
        &self,
        sessions: &Sessions,
        origin: &Origin,
        task: &str,
    ) -> Result<Recalled, StoreError> {
        let wording = Wording::of(task);
        let mut most: Option<(f64, i64)> = None;
        for (number, request) in sessions.with(|store| store.cached_requests(origin))? {
            match wording.likeness(&request) {
                Likeness::Similar(much) if most.is_none_or(|(most, _)| much > most) => {
                    most = Some((much, number));
                }
                Likeness::Same | Likeness::Similar(_) | Likeness::Different => {}
            }
        }
        let Some((_, number)) = most else { return Ok(Recalled::default()) };
        let entry = sessions.with(|store| store.cached_numbered(number))?;
        Ok(match entry {
            Some(entry) if self.stands(&entry).await => {
                Recalled { answer: None, shown: Some(shown(&entry)), older: Some(entry.number) }
            }
            Some(_) | None => Recalled::default(),
        })
    }

    /// Keeps the answer of a question.
    pub(super) async fn learn(&self, answer: &str) {
        let requested = self.fold.requested.as_ref();
        let Some(requested) = requested.filter(|requested| requested.by == By::Model) else {
            return;
        };
        let alone = self.fold.requests == 1 && self.fold.changes.is_empty();
        if !self.agent.caching || !alone || self.intent() != Some(Intent::Read) {
            return;
        }
        let Some(sessions) = self.agent.sessions.clone() else { return };
        let redactor = &self.agent.redactor;
        let answer = redactor.clean(answer);
        if redactor.suspects(&answer) {
            self.warn(vec!["the answer is not kept: it holds what looks like a secret".to_owned()]);
            return;
        }
        let Some(entry) = Cached::of(&requested.task, &answer, &self.fold.history) else { return };
        let (origin, older) = (self.origin(), self.recalled.older);
        let kept = tokio::task::spawn_blocking(move || {
            sessions.with(|store| store.keep_cached(&origin, &entry, older))
        });
        if let Ok(Err(error)) = kept.await {
            self.told_of(&error);
        }
    }

    fn origin(&self) -> Origin {
        let system = self.fold.conversation.instructions().unwrap_or_default();
        let tools = serde_json::to_string(&*self.fold.tools).unwrap_or_default();
        Origin {
            workspace: self.agent.workspace.root().to_owned(),
            model: self.agent.model.name().to_owned(),
            prompt: agent_tools::sha256(format!("{system}\n{tools}{}", self.notes()).as_bytes()),
        }
    }

    /// Whether everything that an answer was made from is as it was.
    async fn stands(&self, entry: &Cached) -> bool {
        for source in &entry.sources {
            let stands = match source {
                Source::File { path, sha256 } => {
                    let workspace = &self.agent.workspace;
                    let path = workspace.resolve(path).and_then(|path| workspace.real(&path));
                    let entry = path.ok().and_then(|path| changes::entry(workspace, &path).ok());
                    matches!(entry, Some(agent_tools::write::Entry::File { content, .. })
                        if content.sha256() == *sha256)
                }
                Source::Call { tool, params, sha256 } => {
                    let called = self.agent.toolbox.call(tool, params, self.past(), &self.cx).await;
                    let observation =
                        called.map(|observation| observation.without_secrets(&self.agent.redactor));
                    observation.is_ok_and(|observation| hash(&observation.result) == *sha256)
                }
            };
            if !stands {
                return false;
            }
        }
        true
    }

    pub(super) fn told_of(&self, error: &StoreError) {
        self.agent.sink.emit(&Event::Warning(format!("nothing is recalled or kept: {error}")));
    }
}

fn shown(entry: &Cached) -> String {
    let answer = agent_tools::limit::head_tail(&entry.answer, EARLIER);
    let day: Timestamp = entry.time;
    format!(
        "(Earlier work: on {day:.0} a request much like this one was asked about the same files: \
         \"{}\". The answer then was:\n{answer}\nIt may not be what is asked now.)",
        entry.request
    )
}
