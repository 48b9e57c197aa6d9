//! `undo`

use agent_llm::ToolSpec;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::params::{self, Explanation};
use crate::{
    BadParams, Call, Cx, Effect, Observation, StoreError, Tool,
    intent::Extent,
    journal::{Direction, OnConflict, Revert, RevertError, Reverted, standing},
};

pub(crate) const NAME: &str = "undo";

/// Where there is nothing to take back.
const NOBODY: &str = "no change was made here";

/// Takes the last change of the session back.
pub(super) struct Undo;

#[derive(Debug, Deserialize, JsonSchema)]
struct Params {}

impl Tool for Undo {
    fn spec(&self) -> ToolSpec {
        params::spec::<Params>(
            NAME,
            "Take back the last change that you made.",
            Explanation::Optional,
        )
    }

    fn prepare(&self, params: &Value) -> Result<Call, BadParams> {
        let Params {} = params::parse(NAME, params)?;
        Ok(Call::working(vec![Effect::Undo], run))
    }
}

/// Takes back what the user asked for, whichever session made it.
pub(crate) struct AsRequested(pub(crate) Extent);

impl Tool for AsRequested {
    fn spec(&self) -> ToolSpec {
        Undo.spec()
    }

    fn prepare(&self, _params: &Value) -> Result<Call, BadParams> {
        let extent = self.0;
        Ok(Call::working(vec![Effect::Undo], move |cx| match extent {
            Extent::Last(count) => revert(cx, count, None),
            Extent::Everything => match last_session(cx) {
                Ok(session) => revert(cx, usize::MAX, session),
                Err(error) => refused(&error.into(), NOBODY),
            },
        }))
    }
}

/// The session that made the last change which stands.
fn last_session(cx: &Cx) -> Result<Option<String>, StoreError> {
    let Some(journal) = cx.journal.as_ref().filter(|journal| journal.exists()) else {
        return Ok(None);
    };
    let records = journal.records(cx.workspace.root())?;
    let (done, _) = standing(&records);
    Ok(done.last().map(|record| record.session.clone()))
}

fn run(cx: &Cx) -> Observation {
    revert(cx, 1, Some(cx.session_id.clone()))
}

fn revert(cx: &Cx, count: usize, session: Option<String>) -> Observation {
    let Some(journal) = &cx.journal else {
        return Observation::failure(
            "this run keeps no record of changes, so none can be undone. Change the file back with \
             another edit.",
        );
    };
    let nobody = if session.is_some() { "this session has made no change" } else { NOBODY };
    let revert =
        Revert { direction: Direction::Undo, count, session, on_conflict: OnConflict::Refuse };
    match journal.revert(&cx.workspace, &revert) {
        Ok(reverted) => undone(&reverted),
        Err(error) => refused(&error, nobody),
    }
}

fn undone(reverted: &[Reverted]) -> Observation {
    let changes: Vec<_> = reverted.iter().flat_map(|one| one.made.changes.clone()).collect();
    let tools: Vec<_> = reverted.iter().map(|one| format!("`{}`", one.record.tool)).collect();
    let files: Vec<_> = changes.iter().map(|change| change.file.as_str()).collect();
    let diffs: Vec<_> = changes.iter().map(|change| change.diff.as_str()).collect();
    let result = json!({
        "success": true,
        "message": format!("took back {} of {}", tools.join(", "), files.join(", ")),
        "change": reverted.first().map(|one| one.record.id),
        "count": reverted.len(),
        "files": files,
        "diff": diffs.concat(),
    });
    Observation { changes, ..Observation::of(result) }
}

fn refused(error: &RevertError, nobody: &str) -> Observation {
    Observation::failure(match error {
        RevertError::Nothing(_) => {
            format!("{nobody} that could be taken back.")
        }
        RevertError::Conflicts(conflicts) => {
            let diffs: String = conflicts.iter().map(|conflict| conflict.diff.as_str()).collect();
            format!(
                "{error}. Read the file, and make the change that is wanted to what is there now. \
                 What differs from what your change left:\n{diffs}"
            )
        }
        RevertError::Journal(_) | RevertError::Read(_) | RevertError::Change { .. } => {
            format!("{error}. Change the file back with another edit.")
        }
    })
}
