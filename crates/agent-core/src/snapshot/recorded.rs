//! Commands in a workspace that is looked at before and after each.

use std::sync::{Mutex, MutexGuard, PoisonError};

use agent_tools::Workspace;
use jiff::Timestamp;

use super::{Bounds, Difference, Snapshot};
use crate::{
    Change, Cx, Observation, changes,
    guard::{Guard, Restored},
    tool,
};

/// The workspace as the last command left it.
#[derive(Debug, Default)]
pub struct Snapshots(Mutex<Option<Snapshot>>);

/// What a command changed, and how much of it was written down.
#[derive(Debug, Default)]
pub struct Recorded {
    /// The change, file by file.
    pub changes: Vec<Change>,
    /// The files' names.
    pub changed: Vec<String>,
    /// Files that are different and can't be taken back, since they were not kept.
    pub lost: Vec<String>,
    /// Whether there was more than was looked at.
    pub cut: bool,
    /// Why nothing was written down, where that failed.
    pub problem: Option<String>,
    /// What it may not change, and had.
    pub restored: Restored,
}

/// Waits for `work`, and writes down what it has changed as one change of the running tool.
///
/// # Errors
///
/// What to tell the model where nobody can say what `work` would change: it is not begun.
pub async fn watched<T>(
    cx: &Cx,
    work: impl Future<Output = T>,
) -> Result<(T, Recorded), Observation> {
    let before = cx.clone();
    let (guard, before) = tool::beside(&cx.cancel, move || {
        let guarded = before.commands.runner.sandbox.is_wanted();
        let guard = guarded.then(|| Guard::take(&before.workspace));
        (guard, before.snapshots.take(&before.workspace))
    })
    .await?;
    let done = work.await;
    let after = cx.clone();
    let recorded = tool::beside(&cx.cancel, move || {
        // Before it is looked at what is different: this is then as it was.
        let restored = guard.map(|guard| guard.restore(&after.workspace)).unwrap_or_default();
        Recorded { restored, ..record(&after, before) }
    })
    .await;
    let recorded = recorded.unwrap_or_else(|broken| Recorded {
        problem: Some(broken.message().to_owned()),
        ..Recorded::default()
    });
    Ok((done, recorded))
}

fn record(cx: &Cx, before: Snapshot) -> Recorded {
    let (difference, now) = before.difference(&cx.workspace, Bounds::default(), seconds());
    *cx.snapshots.last() = Some(now);
    let Difference { files, lost, cut } = difference;
    let names: Vec<String> = files.iter().map(|file| file.name.clone()).collect();
    let mut recorded = Recorded { changed: names, lost, cut, ..Recorded::default() };
    if files.is_empty() {
        return recorded;
    }
    match changes::made(cx, &files) {
        Ok(made) => recorded.changes = made.changes,
        Err(error) => {
            tracing::warn!("what a command changed can't be taken back: {error}");
            recorded.problem = Some(error.to_string());
        }
    }
    recorded
}

impl Snapshots {
    fn take(&self, workspace: &Workspace) -> Snapshot {
        let last = self.last().take();
        let snapshot = Snapshot::take(workspace, last, Bounds::default(), seconds());
        let (files, read) = (snapshot.files.len(), snapshot.read);
        tracing::debug!(files, read, "looked at the workspace before a command");
        snapshot
    }

    fn last(&self) -> MutexGuard<'_, Option<Snapshot>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Since 1970.
fn seconds() -> i64 {
    Timestamp::now().as_second()
}
