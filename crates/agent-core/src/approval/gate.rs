//! The place where a planned change waits for the answer.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};

use crate::{Change, Redactor, tool::Breach};

/// Stands in the way of every change that a call makes. What passes is what was allowed.
#[derive(Debug, Clone)]
pub struct Gate {
    waiting: mpsc::UnboundedSender<Waiting>,
    /// Whoever is asked sees no secrets either.
    redactor: Arc<Redactor>,
}

/// A change that is planned, and waits.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) changes: Vec<Change>,
    pub(crate) answer: oneshot::Sender<Result<(), Denied>>,
}

/// A change that was not allowed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct Denied {
    /// What the model is told.
    pub message: String,
    /// What that means for the run.
    pub breach: Breach,
    /// What was to be changed.
    pub changes: Vec<Change>,
}

impl Gate {
    pub(crate) fn new(redactor: Arc<Redactor>) -> (Self, mpsc::UnboundedReceiver<Waiting>) {
        let (waiting, receiver) = mpsc::unbounded_channel();
        (Self { waiting, redactor }, receiver)
    }

    /// Waits until the change is allowed. It blocks the thread: tools make their changes beside the
    /// event loop.
    ///
    /// # Errors
    ///
    /// [`Denied`], and nothing must be changed.
    pub(crate) fn pass(&self, changes: &[Change]) -> Result<(), Denied> {
        let shown = |change: &Change| Change {
            diff: self.redactor.clean(&change.diff).into_owned(),
            ..change.clone()
        };
        let changes: Vec<Change> = changes.iter().map(shown).collect();
        let gone = || Denied {
            message: "not done: the run ended before anybody had answered".to_owned(),
            breach: Breach::None,
            changes: changes.clone(),
        };
        let (answer, answered) = oneshot::channel();
        self.waiting.send(Waiting { changes: changes.clone(), answer }).map_err(|_| gone())?;
        answered.blocking_recv().map_err(|_| gone())?
    }
}
