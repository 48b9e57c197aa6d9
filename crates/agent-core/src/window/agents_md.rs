//! `AGENTS.md`: what a project tells agents that work on it.

use std::io::Read;

use agent_tools::{PathError, Workspace, limit};

const NAME: &str = "AGENTS.md";

/// What stands above it in the prompt.
const HEADING: &str = "\n# Instructions of this project (AGENTS.md)";

/// The most that is shown of it, in bytes.
const LARGEST: usize = 32 * 1024;

/// The most that is read of it.
const READ: u64 = 1024 * 1024;

/// The project's instructions as they stand in the prompt, in at most about `most` bytes, or nothing
/// where there are none. With them comes what the user should know of them.
pub(crate) fn read(workspace: &Workspace, most: usize) -> (String, Vec<String>) {
    let mut problems = Vec::new();
    let text = match file(workspace, NAME) {
        Ok(text) => text,
        Err(problem) => {
            problems.push(problem);
            None
        }
    };
    let most = most.min(LARGEST);
    let section = text.filter(|text| !text.trim().is_empty()).map(|text| {
        if text.len() > most {
            problems.push(format!(
                "{NAME} has {} bytes, of which the model is shown {most}: its beginning and end",
                text.len()
            ));
        }
        format!("{HEADING}\n\n{}\n", limit::head_tail(text.trim(), most))
    });
    (section.unwrap_or_default(), problems)
}

/// The project's instructions in a prompt that [`read`] was added to.
pub(crate) fn of_prompt(system: &str) -> Option<&str> {
    system.find(HEADING).and_then(|at| system.get(at..))
}

fn file(workspace: &Workspace, path: &str) -> Result<Option<String>, String> {
    let problem = |reason: String| format!("{path} is not taken into account: {reason}");
    let opened = workspace.resolve(path).and_then(|path| workspace.open_file(&path));
    let file = match opened {
        Ok(file) => file,
        Err(PathError::Missing { .. } | PathError::NotADirectory { .. }) => return Ok(None),
        Err(error) => return Err(problem(error.to_string())),
    };
    let mut bytes = Vec::new();
    file.take(READ).read_to_end(&mut bytes).map_err(|error| problem(error.to_string()))?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}
