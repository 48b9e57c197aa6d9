//! `agent undo` and `agent redo`

use std::process::ExitCode;

use agent_core::{
    Outcome, Redactor,
    changes::ChangeError,
    journal::{Conflict, Direction, OnConflict, Revert, RevertError, Reverted},
};
use serde_json::{Value, json};

use super::changes::{files, opened};
use crate::{
    args::{self, Shape},
    environment::Environment,
    error::{End, Error},
    setup::state_error,
    ui::{self, Stdout, Stream},
};

pub(crate) fn run(
    direction: Direction,
    arguments: &args::Revert,
    environment: Environment,
) -> Result<ExitCode, Error> {
    let mut result = take_back(direction, arguments, environment);
    discreetly(&mut result, &environment.redactor());
    if arguments.place.output_format == Shape::Json {
        Stdout.json(&object(&result))?;
    }
    match result {
        Ok(reverted) => {
            if arguments.place.output_format == Shape::Text {
                Stdout.text(&told(direction, arguments.count, &reverted))?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Err(refused) => {
            for conflict in &refused.conflicts {
                ui::say(&ui::diff(&conflict.diff, environment.style(Stream::Errors)));
            }
            Err(refused.error)
        }
    }
}

/// Takes secrets out of the differences that are about to be printed.
fn discreetly(result: &mut Result<Vec<Reverted>, Refused>, redactor: &Redactor) {
    let clean = |diff: &mut String| *diff = redactor.redacted(diff).into_owned();
    let done = match result {
        Ok(done) => done,
        Err(refused) => {
            refused.conflicts.iter_mut().for_each(|conflict| clean(&mut conflict.diff));
            &mut refused.done
        }
    };
    let changes = done.iter_mut().flat_map(|reverted| &mut reverted.made.changes);
    changes.for_each(|change| clean(&mut change.diff));
}

/// Why it was not done, or not wholly.
struct Refused {
    error: Error,
    conflicts: Vec<Conflict>,
    done: Vec<Reverted>,
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self { error, conflicts: Vec::new(), done: Vec::new() }
    }
}

fn take_back(
    direction: Direction,
    arguments: &args::Revert,
    environment: Environment,
) -> Result<Vec<Reverted>, Refused> {
    let (workspace, journal) = opened(arguments.place.directory.as_deref(), environment)?;
    let Some(journal) = journal else {
        return Err(refused(direction, RevertError::Nothing(direction)));
    };
    let revert = Revert {
        direction,
        count: arguments.count,
        session: None,
        on_conflict: if arguments.force { OnConflict::Overwrite } else { OnConflict::Refuse },
    };
    journal.revert(&workspace, &revert).map_err(|error| refused(direction, error))
}

fn refused(direction: Direction, error: RevertError) -> Refused {
    let name = direction.name();
    let message = error.to_string();
    let code = |what: &str| format!("agent::{name}::{what}");
    let failed =
        |outcome, code: String, help: &str| Error::of(End::Run(outcome), &code, &message, help);
    let see = "`agent changes` lists what is recorded";
    match error {
        RevertError::Nothing(_) => failed(Outcome::Failed, code("nothing"), see).into(),
        RevertError::Conflicts(conflicts) => {
            let help = format!(
                "the difference to what the change left is above; `agent {name} --force` overwrites \
                 it, and keeps what is there now for `agent {}`",
                match direction {
                    Direction::Undo => Direction::Redo.name(),
                    Direction::Redo => Direction::Undo.name(),
                }
            );
            Refused { conflicts, ..failed(Outcome::Refused, code("conflict"), &help).into() }
        }
        RevertError::Journal(error) => state_error(&error).into(),
        RevertError::Change { error: ChangeError::Journal(error), done, .. } => {
            Refused { done, ..state_error(&error).into() }
        }
        RevertError::Change { done, .. } => {
            Refused { done, ..failed(Outcome::Failed, code("failed"), see).into() }
        }
        RevertError::Read(_) => failed(Outcome::Failed, code("failed"), see).into(),
    }
}

fn told(direction: Direction, asked: usize, reverted: &[Reverted]) -> String {
    let mut text = String::new();
    for Reverted { record, made, overwritten } in reverted {
        let verb = match direction {
            Direction::Undo => "undone",
            Direction::Redo => "redone",
        };
        text += &format!("{verb}: change {}, {} {}\n", record.id, record.tool, files(record));
        let kept = made.id.map(|id| format!(" as change {id}")).unwrap_or_default();
        for file in overwritten {
            let back = match direction {
                Direction::Undo => "`agent redo`",
                Direction::Redo => "`agent undo`",
            };
            text += &format!(
                "overwritten: {}; what somebody else had written there is kept{kept}, and {back} \
                 brings it back\n",
                file.display()
            );
        }
    }
    if reverted.len() < asked {
        text += &format!("there were no more ({} of {asked})\n", reverted.len());
    }
    text
}

fn object(result: &Result<Vec<Reverted>, Refused>) -> Value {
    let (done, conflicts, error, end) = match result {
        Ok(done) => (done, &[][..], None, End::Run(Outcome::Finished)),
        Err(Refused { error, conflicts, done }) => {
            (done, conflicts.as_slice(), Some(&error.failure), error.end)
        }
    };
    let reverted = done.iter().map(|Reverted { record, made, overwritten }| {
        json!({
            "change": record.id,
            "as": made.id,
            "session": record.session,
            "tool": record.tool,
            "changes": made.changes,
            "overwritten": overwritten,
        })
    });
    let conflicts = conflicts.iter().map(|conflict| {
        json!({
            "file": conflict.file,
            "change": conflict.change,
            "expected_sha256": conflict.expected,
            "actual_sha256": conflict.actual,
            "diff": conflict.diff,
        })
    });
    json!({
        "outcome": end.name(),
        "exit_code": end.exit_code(),
        "reverted": reverted.collect::<Vec<_>>(),
        "conflicts": conflicts.collect::<Vec<_>>(),
        "error": error,
    })
}
