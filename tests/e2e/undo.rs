//! What a case changed is undone as a whole, and redone: the tree has to be as it was before, and
//! then as it was after, to the byte and the mode.
#![expect(clippy::disallowed_methods, reason = "the harness looks at workspaces of its own")]

use std::{collections::BTreeMap, fs, io, os::unix::fs::PermissionsExt, path::Path};

use agent_core::{
    Journal,
    journal::{Direction, OnConflict, Revert, RevertError},
};
use agent_tools::Workspace;
use serde_json::Value;

use crate::{
    bed::{self, Bed},
    case::{Case, Driver},
    program, tree,
};

/// The permission bits of everything in a workspace.
pub(crate) type Modes = BTreeMap<String, u32>;

/// The modes as they are now.
pub(crate) fn modes(bed: &Bed) -> io::Result<Modes> {
    let mut modes = Modes::new();
    collect(&bed.workspace(), "", &mut modes)?;
    Ok(modes)
}

fn collect(root: &Path, below: &str, modes: &mut Modes) -> io::Result<()> {
    for entry in fs::read_dir(root.join(below))? {
        let entry = entry?;
        let path = format!("{below}{}", entry.file_name().to_string_lossy());
        let metadata = entry.metadata()?;
        if metadata.is_dir() {
            collect(root, &format!("{path}/"), modes)?;
        }
        modes.insert(path, metadata.permissions().mode());
    }
    Ok(())
}

/// What is wrong after everything was undone, and after it was redone. `before` are the modes
/// before the run.
pub(crate) fn problems(
    driver: Driver,
    case: &Case,
    bed: &Bed,
    before: &Modes,
) -> Result<Vec<String>, String> {
    let text = |error: io::Error| error.to_string();
    let after = modes(bed).map_err(text)?;
    let mut problems = Vec::new();
    let expected = bed::expected(case).map_err(text)?;
    // What the model undid itself can be redone too, and is not to be.
    let mut count = 1000;
    for (direction, wanted, wanted_modes) in
        [(Direction::Undo, &bed.before, before), (Direction::Redo, &expected, &after)]
    {
        let name = direction.name();
        if count > 0 {
            count = match driver {
                Driver::Process => in_process(direction, count, bed)?,
                Driver::Binary
                | Driver::Mcp
                | Driver::Openai
                | Driver::Compatible
                | Driver::Responses
                | Driver::Anthropic
                | Driver::Gemini
                | Driver::Ollama => by_program(direction, count, bed)?,
            };
        }
        let seen = tree::read(&bed.workspace()).map_err(text)?;
        let differences = tree::differences(wanted, wanted, &seen);
        problems.extend(differences.iter().map(|problem| format!("after `{name}`: {problem}")));
        let seen = modes(bed).map_err(text)?;
        if differences.is_empty() && seen != *wanted_modes {
            problems.push(format!("after `{name}`: modes {seen:?}, expected {wanted_modes:?}"));
        }
    }
    Ok(problems)
}

/// Runs `agent undo` or `agent redo`; how many changes it took back.
fn by_program(direction: Direction, count: usize, bed: &Bed) -> Result<usize, String> {
    let arguments = [direction.name(), &count.to_string(), "--output-format", "json"];
    let ended = program::run(bed, &arguments, &[])?;
    let object: Value = serde_json::from_str(&ended.stdout).unwrap_or_default();
    match (ended.exit, object["reverted"].as_array()) {
        (0, Some(reverted)) => Ok(reverted.len()),
        (1, _) if ended.stderr.contains("::nothing") => Ok(0),
        (exit, _) => Err(format!("`{}` exits with {exit}: {}", direction.name(), ended.stderr)),
    }
}

fn in_process(direction: Direction, count: usize, bed: &Bed) -> Result<usize, String> {
    let workspace = Workspace::open(&bed.workspace()).map_err(|error| error.to_string())?;
    let journal = Journal::at(Some(bed.home().join("state")));
    let revert = Revert { direction, count, session: None, on_conflict: OnConflict::Refuse };
    match journal.revert(&workspace, &revert) {
        Ok(reverted) => Ok(reverted.len()),
        Err(RevertError::Nothing(_)) => Ok(0),
        Err(error) => Err(error.to_string()),
    }
}
