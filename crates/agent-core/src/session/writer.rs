//! Writing a session down while it goes on.

use std::{path::PathBuf, sync::Arc};

use jiff::Timestamp;

use super::{Fold, Note, Sessions, Summary, Written};
use crate::{StoreError, store::Durability};

/// The most of a task that a list of sessions shows, in characters.
const TASK: usize = 200;

/// Notes on their way to the store.
#[derive(Debug)]
pub(crate) struct Writer {
    sessions: Option<Arc<Sessions>>,
    summary: Summary,
    /// Notes that are in the store.
    stored: usize,
    waiting: Vec<Written>,
}

impl Writer {
    /// Begins a session, or goes on with one that has so many notes. Without `sessions` nothing is
    /// kept.
    pub(crate) fn new(
        sessions: Option<Arc<Sessions>>,
        id: &str,
        workspace: PathBuf,
        stored: usize,
    ) -> Self {
        let now = Timestamp::now();
        let summary = Summary {
            id: id.to_owned(),
            workspace,
            begun: now,
            changed: now,
            task: String::new(),
            model: String::new(),
            requests: 0,
            actions: 0,
            outcome: None,
        };
        Self { sessions, summary, stored, waiting: Vec::new() }
    }

    /// Takes a note that [`Writer::flush`] will write down. `fold` is where the session stands
    /// with it.
    pub(crate) fn add(&mut self, note: &Note, fold: &Fold) {
        if self.sessions.is_none() {
            return;
        }
        match Written::of(note) {
            Ok(written) => self.waiting.push(written),
            // No note has a map without text as keys, which is all that could fail.
            Err(error) => tracing::error!("a note can't be written: {error}"),
        }
        let summary = &mut self.summary;
        summary.changed = Timestamp::now();
        summary.requests = fold.requests;
        summary.actions = fold.actions;
        summary.outcome.clone_from(&fold.outcome);
        if let Some(requested) = &fold.requested {
            if fold.requests == 1 && summary.task.is_empty() {
                summary.task = requested.task.chars().take(TASK).collect();
            }
            summary.model.clone_from(&requested.model);
        }
    }

    /// Writes down what is waiting. It says what the user should know, where that fails: the run
    /// goes on without.
    pub(crate) async fn flush(&mut self, durability: Durability) -> Option<String> {
        let sessions = self.sessions.clone().filter(|_| !self.waiting.is_empty())?;
        let notes = std::mem::take(&mut self.waiting);
        let (summary, stored) = (self.summary.clone(), self.stored);
        // Mostly there is nothing to wait for, and handing it to another thread would take longer
        // than doing it.
        let at_once = match durability {
            Durability::Crash => sessions.add_at_once(&summary, stored, &notes),
            Durability::Power => None,
        };
        let (added, notes) = match at_once {
            Some(added) => (added, notes),
            None => {
                let write = move || (sessions.add(&summary, stored, &notes, durability), notes);
                // Beside the event loop, so that a signal is noticed meanwhile.
                let Ok(written) = tokio::task::spawn_blocking(write).await else {
                    return self.give_up("writing it broke down");
                };
                written
            }
        };
        match added {
            Ok(true) => {
                self.stored += notes.len();
                None
            }
            Ok(false) => self.give_up("another process goes on with it"),
            Err(StoreError::Busy { .. }) => {
                self.waiting = notes;
                None
            }
            Err(error) => self.give_up(&error.to_string()),
        }
    }

    fn give_up(&mut self, reason: &str) -> Option<String> {
        self.sessions = None;
        Some(format!(
            "the session is not kept from here on, and can't be resumed as it is now: {reason}"
        ))
    }
}
