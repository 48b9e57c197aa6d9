//! Scores that are kept.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::Serialize;

use super::{Evaluation, Judgement};
use crate::{Report, Sessions, StoreError};

/// A score as it is kept, beside what it is about.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Kept {
    /// When the answer was given.
    pub time: Timestamp,
    /// The session.
    pub session: String,
    /// The workspace's canonical path.
    pub workspace: PathBuf,
    /// The model's full name.
    pub model: String,
    /// The score.
    #[serde(flatten)]
    pub evaluation: Evaluation,
    /// What a model thinks of it, where one was asked.
    pub judge: Option<Judgement>,
}

impl Kept {
    /// What is kept of a report's evaluation; none where it has none.
    pub fn of(report: &Report, judge: Option<Judgement>) -> Option<Self> {
        Some(Self {
            time: Timestamp::now(),
            session: report.session_id.clone(),
            workspace: PathBuf::from(&report.working_dir),
            model: report.model.clone(),
            evaluation: report.evaluation.clone()?,
            judge,
        })
    }
}

impl Sessions {
    /// Keeps a score.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the store can't be written.
    pub async fn keep_evaluation(&self, kept: &Kept) -> Result<(), StoreError> {
        let kept = kept.clone();
        let added = self.state().soon(move |store| store.add_evaluation(&kept)).await;
        added.unwrap_or(Ok(()))
    }

    /// The scores of a workspace, or of all, the first first.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the store can't be read.
    pub fn evaluations(&self, workspace: Option<&Path>) -> Result<Vec<Kept>, StoreError> {
        self.with(|store| store.evaluations(workspace))
    }
}
