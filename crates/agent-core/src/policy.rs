//! What may be done: pure functions of the call's effects.

use crate::{
    Approval, Effect,
    command::permission::{Execution, Pattern},
    tools,
};

/// The policy's answer to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Go ahead.
    Allow,
    /// The call is not run, and the model is told why.
    Refuse(String),
    /// The same, and whoever goes on asking for it ends the run.
    Forbid(String),
}

/// Judges a call by what it would do. `permitted` are the commands that run without asking.
pub(crate) fn judge(approval: Approval, effects: &[Effect], permitted: &[Pattern]) -> Verdict {
    let mut verdicts = effects.iter().map(|effect| match (approval, effect) {
        (_, Effect::Read) => Verdict::Allow,
        (Approval::Plan, Effect::Write(path) | Effect::Delete(path)) => {
            Verdict::Forbid(read_only(path))
        }
        (Approval::Plan, Effect::Execute(execution)) => Verdict::Forbid(format!(
            "refused: this run is read-only, so `{}` is not run. Name the command in your answer, \
             and finish.",
            execution.line
        )),
        (Approval::Edits, Effect::Execute(execution)) => command(execution, permitted),
        (Approval::Edits | Approval::All, _) => Verdict::Allow,
    });
    verdicts.find(|verdict| *verdict != Verdict::Allow).unwrap_or(Verdict::Allow)
}

fn command(execution: &Execution, permitted: &[Pattern]) -> Verdict {
    match execution.permitted_by(permitted) {
        Ok(()) => Verdict::Allow,
        Err(reason) => Verdict::Refuse(format!(
            "not run: in this run a command needs the user's permission, and {reason}. Go on \
             without it, and name the command in your answer for the user to run; the user can \
             permit it with `--allow-command`."
        )),
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
        let execute = || Effect::Execute(Execution::line("make"));
        for (approval, effects, allowed) in [
            (Approval::Plan, vec![Effect::Read], true),
            (Approval::Plan, vec![], true),
            (Approval::Plan, vec![write()], false),
            (Approval::Plan, vec![Effect::Read, delete()], false),
            (Approval::Edits, vec![write(), delete()], true),
            (Approval::All, vec![write(), delete()], true),
            (Approval::Plan, vec![execute()], false),
            (Approval::Edits, vec![execute()], false),
            (Approval::All, vec![execute()], true),
        ] {
            assert_eq!(
                judge(approval, &effects, &[]) == Verdict::Allow,
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
