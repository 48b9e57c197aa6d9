//! How good answers were.

use std::path::Path;

use jiff::Timestamp;
use rusqlite::{Row, params};

use super::{Store, StoreError, records::out_of_range};
use crate::{
    evaluator::{Evaluation, Kept},
    journal::record::{path_bytes, path_of},
};

impl Store {
    /// Adds a score.
    pub(crate) fn add_evaluation(&mut self, kept: &Kept) -> Result<(), StoreError> {
        let Kept { time, session, workspace, model, evaluation, judge } = kept;
        let json = |value: serde_json::Result<String>| value.unwrap_or_default();
        let signals = json(serde_json::to_string(&evaluation.signals));
        let judge = judge.as_ref().map(|judge| json(serde_json::to_string(judge)));
        self.write_at_leisure(|transaction| {
            transaction.execute(
                "INSERT INTO evaluation
                 (workspace, session, time, model, score, reason, signals, judge)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                params![
                    path_bytes(workspace),
                    session,
                    time.as_millisecond(),
                    model,
                    evaluation.score,
                    evaluation.reason,
                    signals,
                    judge,
                ],
            )?;
            Ok(())
        })
    }

    /// The scores of a workspace, or of all, the first first.
    pub(crate) fn evaluations(&self, workspace: Option<&Path>) -> Result<Vec<Kept>, StoreError> {
        let read = || {
            let mut statement = self.connection.prepare(
                "SELECT workspace, session, time, model, score, reason, signals, judge
                 FROM evaluation WHERE ?1 IS NULL OR workspace = ?1 ORDER BY number",
            )?;
            let rows = statement.query_map([workspace.map(path_bytes)], kept)?;
            rows.collect::<rusqlite::Result<Vec<_>>>()
        };
        read().map_err(|error| self.sql(&error))
    }
}

fn kept(row: &Row<'_>) -> rusqlite::Result<Kept> {
    let time = Timestamp::from_millisecond(row.get(2)?).map_err(|_| out_of_range(row, 2))?;
    let signals: String = row.get(6)?;
    let signals = serde_json::from_str(&signals).map_err(|_| out_of_range(row, 6))?;
    let judge: Option<String> = row.get(7)?;
    Ok(Kept {
        time,
        session: row.get(1)?,
        workspace: path_of(&row.get::<_, Vec<u8>>(0)?),
        model: row.get(3)?,
        evaluation: Evaluation { score: row.get(4)?, reason: row.get(5)?, signals },
        judge: judge.and_then(|judge| serde_json::from_str(&judge).ok()),
    })
}
