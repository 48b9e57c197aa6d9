//! What a model is told when a session goes on.

use serde_json::json;

use super::{OpenCall, Past, Seen};
use crate::{
    Change, ChangeKind, Observation, StoreError,
    journal::{Journal, Record, Stamp, State},
};

/// Files that are named one by one.
const NAMED: usize = 20;

/// Says that the run was cut off.
pub(crate) const GOES_ON: &str = "(The program was interrupted and goes on now.)";

/// Names the files that are not as the model last saw them; nothing where all are.
pub(crate) fn changed(files: &[(String, Seen)]) -> Option<String> {
    if files.is_empty() {
        return None;
    }
    let named = files.iter().take(NAMED).map(|(file, now)| match now {
        Seen::Sha256(sha256) => format!("- {file}: sha256 is now {sha256}"),
        Seen::Absent => format!("- {file}: is not there any more"),
    });
    let named: Vec<String> = named.collect();
    let more = match files.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!("\n- and {more} more"),
    };
    Some(format!(
        "(These files are not as you last saw them; read them again before you rely on them:\n{}{more})",
        named.join("\n")
    ))
}

/// What the journal tells of the calls that were cut off.
pub(crate) fn made_since(
    past: &Past,
    journal: Option<&Journal>,
    open: &OpenCall,
) -> Result<Option<Vec<Record>>, StoreError> {
    let (Some(journal), Some((tool, began))) = (journal, &open.began) else { return Ok(None) };
    if !journal.exists() {
        return Ok(Some(Vec::new()));
    }
    let mut records = journal.records(&past.summary.workspace)?;
    records.retain(|record| {
        let begun = record.time.as_millisecond() >= began.as_millisecond();
        record.session == past.summary.id && record.tool == *tool && begun
    });
    Ok(Some(records))
}

/// The result of a call that was cut off. `made` is what the journal tells of it, where there is
/// one.
pub(crate) fn interrupted(open: &OpenCall, made: Option<&[Record]>) -> Observation {
    let known = match (&open.began, made) {
        (None, _) => "it was not begun. Call it again if it is still wanted".to_owned(),
        (Some((tool, _)), Some([])) if tool == "run_command" => {
            "what the command had done by then is not known: look at the files before you run it \
             again"
                .to_owned()
        }
        (Some(_), Some([])) => {
            "no file was changed by it. Call it again if it is still wanted".to_owned()
        }
        (Some(_), None) => "whether it changed a file is not known: read the file".to_owned(),
        (Some(_), Some(records)) => records.iter().map(fate).collect::<Vec<_>>().join("; "),
    };
    Observation::of(json!({
        "success": false,
        "interrupted": true,
        "message": format!("interrupted: the program ended before this call had a result; {known}."),
    }))
}

fn fate(record: &Record) -> String {
    let files = record.files.iter().map(|file| match file.after.sha256() {
        Some(sha256) => format!("`{}` (sha256 {sha256})", file.path.display()),
        None => format!("`{}` (deleted)", file.path.display()),
    });
    let files = files.collect::<Vec<_>>().join(", ");
    match record.state {
        State::Done => format!("its change had been made: {files}"),
        State::Void => "no file was changed by it. Call it again if it is still wanted".to_owned(),
        State::Pending | State::LeftAlone => {
            format!("its change may have been made in part: read {files}")
        }
    }
}

/// What a change did, in the words of a report; its difference stays in the journal.
pub(crate) fn changes_of(record: &Record) -> Vec<Change> {
    let made = record.state == State::Done;
    let files = record.files.iter().filter(|_| made);
    files
        .map(|file| Change {
            file: file.path.display().to_string(),
            kind: match (&file.before, &file.after) {
                (Stamp::Absent, _) => ChangeKind::Create,
                (_, Stamp::Absent) => ChangeKind::Delete,
                (_, _) => ChangeKind::Edit,
            },
            before_sha256: file.before.sha256().map(str::to_owned),
            after_sha256: file.after.sha256().map(str::to_owned),
            diff: String::new(),
        })
        .collect()
}
