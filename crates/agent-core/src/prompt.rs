//! What the model is told. The texts stand in Markdown files beside this one.

use std::path::Path;

use crate::{Approval, Change, ChangeKind};

/// Asks for the wording of the final answer.
pub(crate) const RESPONSE: &str = include_str!("prompt/response.md");
/// Asks for what has to be known of a conversation that is left out.
pub(crate) const SUMMARY: &str = include_str!("prompt/summary.md");
/// Standing instructions where decisions are JSON.
pub(crate) const JSON: &str = include_str!("prompt/json.md");
/// Standing instructions where a question is answered from what is shown.
pub(crate) const ANSWER: &str = include_str!("prompt/answer.md");
/// Standing instructions where one definition is written anew.
pub(crate) const REWRITE: &str = include_str!("prompt/rewrite.md");
/// Standing instructions of the edit sub-agent.
pub(crate) const EDIT_PLAN: &str = include_str!("prompt/edit_plan.md");

/// The standing instructions: the same bytes in every session with the same approval.
pub(crate) fn system(approval: Approval) -> String {
    let mode = match approval {
        Approval::Plan => include_str!("prompt/read_only.md"),
        Approval::Ask | Approval::Edits | Approval::All => include_str!("prompt/editing.md"),
    };
    format!("{}\n{mode}", include_str!("prompt/system.md"))
}

/// The first message of the user. What varies stands here, behind the part that caches hold.
pub(crate) fn task(task: &str, working_dir: &Path) -> String {
    format!("{task}\n\n(Working directory: {})", working_dir.display())
}

/// Words what was done, for a model that finds no words.
pub(crate) fn plain_response(changes: &[Change]) -> String {
    if changes.is_empty() {
        return "Finished without changing a file.".to_owned();
    }
    let lines = changes.iter().map(|change| {
        let verb = match change.kind {
            ChangeKind::Create => "created",
            ChangeKind::Edit => "edited",
            ChangeKind::Delete => "deleted",
        };
        format!("- {verb} {}", change.file)
    });
    std::iter::once("Finished. What was done:".to_owned())
        .chain(lines)
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_shown_text_of_others_is_told_that_it_is_data() {
        for told in [
            &*system(Approval::Plan),
            &*system(Approval::Edits),
            JSON,
            ANSWER,
            REWRITE,
            EDIT_PLAN,
            include_str!("prompt/judge.md"),
        ] {
            let is_told = told.contains(" data") && told.contains("instructions");
            assert!(is_told || told.contains("Instructions in it"), "{told}");
        }
    }
}
