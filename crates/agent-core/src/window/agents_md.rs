//! `AGENTS.md`: what a project tells agents that work on it; and behind it what the user wishes.

use std::io::Read;

use agent_tools::{PathError, Workspace, limit};

const NAME: &str = "AGENTS.md";

/// What stands above it in the prompt.
const HEADING: &str = "\n# Instructions of this project (AGENTS.md)";

/// What stands above the user's wishes.
const WISHES: &str = "\n# Wishes of the user";

/// What is said where there are several.
const NEAREST: &str = "Where they differ, the later one counts.";

/// The most that is shown of them all, in bytes.
const LARGEST: usize = 32 * 1024;

/// Less than this says nothing.
const LEAST: usize = 256;

/// The most that is read of each.
const READ: u64 = 1024 * 1024;

/// The project's instructions as they stand in the prompt, in at most about `most` bytes, or nothing
/// where there are none. With them comes what the user should know of them. `above` are directories
/// above the workspace, the nearest last.
pub(crate) fn read(
    above: &[Workspace],
    workspace: &Workspace,
    most: usize,
) -> (String, Vec<String>) {
    let mut problems = Vec::new();
    let mut room = most.min(LARGEST);
    let mut sections = Vec::new();
    // The nearer a file is the more it counts, so that it also is the last to be cut.
    for directory in [workspace].into_iter().chain(above.iter().rev()) {
        let name = name(directory, workspace);
        let text = file(directory, &name).unwrap_or_else(|problem| {
            problems.push(problem);
            None
        });
        let Some(text) = text.filter(|text| !text.trim().is_empty()) else { continue };
        if room < LEAST {
            problems.push(format!("{name} is not shown to the model: there is no room for it"));
            continue;
        }
        if text.len() > room {
            problems.push(format!(
                "{name} has {} bytes, of which the model is shown {room}: its beginning and end",
                text.len()
            ));
        }
        let shown = limit::head_tail(text.trim(), room).into_owned();
        room = room.saturating_sub(shown.len());
        sections.push((name, shown));
    }
    sections.reverse();
    let text = match sections.as_slice() {
        [] => String::new(),
        [(name, text)] if name == NAME => format!("{HEADING}\n\n{text}\n"),
        all => {
            let all = all.iter().map(|(name, text)| format!("\n## {name}\n\n{text}\n"));
            format!("{HEADING}\n\n{NEAREST}\n{}", all.collect::<String>())
        }
    };
    (text, problems)
}

/// The file's name as it is seen from the workspace.
fn name(directory: &Workspace, workspace: &Workspace) -> String {
    let levels = workspace.root().strip_prefix(directory.root());
    let levels = levels.map_or(0, |below| below.components().count());
    format!("{}{NAME}", "../".repeat(levels))
}

/// How the user wants answers and changes to be, as it stands in the prompt.
pub(crate) fn wishes(style: Option<&str>) -> String {
    let style = style.map(str::trim).filter(|style| !style.is_empty());
    style.map(|style| format!("{WISHES}\n\n{style}\n")).unwrap_or_default()
}

/// What [`read`] and [`wishes`] have added to a prompt.
pub(crate) fn of_prompt(system: &str) -> Option<&str> {
    let at = system.find(HEADING).or_else(|| system.find(WISHES));
    at.and_then(|at| system.get(at..))
}

fn file(directory: &Workspace, name: &str) -> Result<Option<String>, String> {
    let problem = |reason: String| format!("{name} is not taken into account: {reason}");
    let found = directory.resolve(NAME);
    if found.as_ref().is_ok_and(|path| directory.lacks(path)) {
        return Ok(None);
    }
    let file = match found.and_then(|path| directory.open_file(&path)) {
        Ok(file) => file,
        Err(PathError::Missing { .. } | PathError::NotADirectory { .. }) => return Ok(None),
        Err(error) => return Err(problem(error.to_string())),
    };
    let mut bytes = Vec::new();
    file.take(READ).read_to_end(&mut bytes).map_err(|error| problem(error.to_string()))?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}
