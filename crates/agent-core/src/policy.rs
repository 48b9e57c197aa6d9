//! What may be done: pure functions of the call's effects.

use crate::{Approval, Effect, tools};

/// The policy's answer to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Go ahead.
    Allow,
    /// The call is not run, and the model is told why.
    Refuse(String),
}

/// Judges a call by what it would do.
pub(crate) fn judge(approval: Approval, effects: &[Effect]) -> Verdict {
    let changes = effects.iter().find_map(|effect| match effect {
        Effect::Read => None,
        Effect::Write(path) | Effect::Delete(path) => Some(path),
    });
    match (approval, changes) {
        (Approval::Plan, Some(path)) => Verdict::Refuse(read_only(path)),
        (Approval::Plan, None) | (Approval::Edits | Approval::All, _) => Verdict::Allow,
    }
}

/// Why a tool that exists is not on offer.
pub(crate) fn withheld(name: &str, approval: Approval) -> Option<String> {
    let known = || tools::writing().iter().any(|tool| tool.spec().name == name);
    (approval == Approval::Plan && known()).then(|| read_only(name))
}

fn read_only(what: &str) -> String {
    format!(
        "refused: this run is read-only, so `{what}` stays as it is. Describe the change in your \
         answer instead, and finish."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plan_mode_refuses_every_effect_that_changes_something() {
        let write = || Effect::Write("a.rs".to_owned());
        let delete = || Effect::Delete("a.rs".to_owned());
        for (approval, effects, allowed) in [
            (Approval::Plan, vec![Effect::Read], true),
            (Approval::Plan, vec![], true),
            (Approval::Plan, vec![write()], false),
            (Approval::Plan, vec![Effect::Read, delete()], false),
            (Approval::Edits, vec![write(), delete()], true),
            (Approval::All, vec![write(), delete()], true),
        ] {
            assert_eq!(
                judge(approval, &effects) == Verdict::Allow,
                allowed,
                "{approval:?} {effects:?}"
            );
        }
    }

    #[test]
    fn a_withheld_tool_is_told_from_an_unknown_one() {
        assert!(withheld("edit_file", Approval::Plan).is_some());
        assert!(withheld("read_file", Approval::Plan).is_none());
        assert!(withheld("no_such_tool", Approval::Plan).is_none());
        assert!(withheld("edit_file", Approval::Edits).is_none());
    }
}
