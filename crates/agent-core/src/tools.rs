//! The tools, one file each.

use std::sync::Arc;

use agent_tools::{PathError, WorkspacePath, read::ReadError, write::WriteError};

use crate::{Cx, Observation, Tool, changes::ChangeError};

pub(crate) mod finish;

mod apply_patch;
mod by_line;
mod check_syntax;
mod create_file;
mod delete_file;
mod edit_file;
mod file_search;
mod grep_search;
mod list_dir;
mod merge_definition;
mod merge_patch;
mod merge_sketch;
pub(crate) mod params;
mod read_file;
pub(crate) mod run_command;
pub(crate) mod undo;

/// Tools that change nothing.
pub(crate) fn reading() -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(list_dir::ListDir),
        Arc::new(grep_search::GrepSearch),
        Arc::new(file_search::FileSearch),
        Arc::new(read_file::ReadFile),
        Arc::new(check_syntax::CheckSyntax),
    ]
}

/// Tools that change files, or may.
pub(crate) fn writing() -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(edit_file::EditFile),
        Arc::new(apply_patch::ApplyPatch),
        Arc::new(create_file::CreateFile),
        Arc::new(delete_file::DeleteFile),
        Arc::new(undo::Undo),
        Arc::new(run_command::RunCommand),
    ]
}

/// Tools that change files by line number, for direct use. No model is offered them:
/// `apply_patch` does the same with checks.
pub(crate) fn by_line() -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(by_line::InsertFile),
        Arc::new(by_line::RemoveFile),
        Arc::new(by_line::ReplaceFile),
    ]
}

/// The pure functions behind the editing tools, for direct use.
pub(crate) fn pure() -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(merge_sketch::MergeSketch),
        Arc::new(merge_patch::MergePatch),
        Arc::new(merge_definition::MergeDefinition),
    ]
}

/// The tool's own name, where `name` is one that models use for it.
pub(crate) fn canonical(name: &str) -> &str {
    match name {
        "stop" => finish::NAME,
        name if name.ends_with("_syntax_check") => "check_syntax",
        other => other,
    }
}

/// The known name that is spelled most like `name`, if any is close.
pub(crate) fn nearest(name: &str, known: &[String]) -> Option<String> {
    let wanted = name.to_lowercase().replace('-', "_");
    let closeness = |candidate: &str| {
        let shared = |a: &str, b: &str| {
            a.split('_').filter(|word| b.split('_').any(|other| other == *word)).count()
        };
        let prefix = candidate.chars().zip(wanted.chars()).take_while(|(a, b)| a == b).count();
        (shared(&wanted, candidate), prefix)
    };
    let best = known.iter().max_by_key(|candidate| closeness(candidate))?;
    let (words, prefix) = closeness(best);
    (words > 0 || prefix >= 3).then(|| best.clone())
}

/// The path that a model named, or the observation that refuses it.
pub(crate) fn resolve(cx: &Cx, path: &str) -> Result<WorkspacePath, Observation> {
    cx.workspace.resolve(path).map_err(|error| refusal(&error))
}

/// A path that leads outside is a violation; any other path error is a plain failure.
fn refusal(error: &PathError) -> Observation {
    if matches!(error, PathError::Outside { .. } | PathError::Escapes { .. }) {
        Observation::violation(error.to_string())
    } else {
        Observation::failure(error.to_string())
    }
}

/// A file that can't be read.
pub(crate) fn read_failure(error: &ReadError) -> Observation {
    if let ReadError::Path(error) = error {
        refusal(error)
    } else {
        Observation::failure(error.to_string())
    }
}

/// A change that can't be made.
pub(crate) fn change_failure(error: &ChangeError) -> Observation {
    match error {
        ChangeError::Write(error) => write_failure(error),
        ChangeError::Denied(denied) => Observation {
            breach: denied.breach,
            pending: denied.changes.clone().into(),
            ..Observation::failure(denied.message.as_str())
        },
        ChangeError::Journal(_) | ChangeError::Half { .. } | ChangeError::Marked { .. } => {
            Observation::failure(error.to_string())
        }
    }
}

/// A file that can't be written.
pub(crate) fn write_failure(error: &WriteError) -> Observation {
    if let WriteError::Path(error) = error {
        refusal(error)
    } else {
        Observation::failure(error.to_string())
    }
}

/// The text with each line behind its number, as models are shown files.
pub(crate) fn with_line_numbers(text: &str, first: usize) -> String {
    let numbered = text.lines().zip(first..);
    numbered.map(|(line, number)| format!("{number:>5}\t{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_models_make_up_lead_to_the_real_ones() {
        let known: Vec<String> = reading()
            .iter()
            .chain(writing().iter())
            .map(|tool| tool.spec().name)
            .chain([finish::NAME.to_owned()])
            .collect();
        for (made_up, real) in [
            ("read", Some("read_file")),
            ("view_file", Some("read_file")),
            ("grep", Some("grep_search")),
            ("list-directory", Some("list_dir")),
            ("ls", None),
            ("edit", Some("edit_file")),
            ("bash", None),
        ] {
            let nearest = nearest(made_up, &known);
            match real {
                None => assert_eq!(nearest, None, "{made_up}"),
                Some("read_file") if made_up == "view_file" => assert!(nearest.is_some()),
                Some(real) => assert_eq!(nearest.as_deref(), Some(real), "{made_up}"),
            }
        }
    }
}
