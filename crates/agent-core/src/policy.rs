//! What may be done: a pure function of a call's effects, what was done before, and a table of
//! rules.
//!
//! The first rule that fits an effect decides about it: those that somebody gave, then the built-in
//! rows of [`table::ROWS`]. A call with several effects gets the severest of their verdicts, so
//! that every part of it has to be allowed.

use std::{fmt, sync::Arc};

use crate::{Approval, Effect, Intent, command::permission::NotPermitted, tool::Breach, tools};

mod places;
mod rule;
pub mod table;
#[cfg(test)]
mod tests;

pub(crate) use places::is_test;
pub use rule::{Pattern, Rule, Source};
pub use table::{Caution, Row};

/// An approval mode with the rules that somebody gave, the first first.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    approval: Approval,
    rules: Arc<[Rule]>,
}

/// What becomes of a call. Later ones are severer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It is done.
    Allow,
    /// Somebody is asked.
    Ask,
    /// It is not done, and the model is told why.
    Refuse,
    /// It is not done, and the run ends.
    Stop,
}

impl Verdict {
    /// Every verdict.
    pub const ALL: [Self; 4] = [Self::Allow, Self::Ask, Self::Refuse, Self::Stop];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Refuse => "refuse",
            Self::Stop => "stop",
        }
    }
}

/// What was done before in this request, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Past {
    /// Files that were deleted.
    pub deleted: usize,
    /// What its words ask for, where they are plain.
    pub intent: Option<Intent>,
    /// It is about the code, and the model is one that changes tests as readily.
    pub keeps_tests: bool,
}

/// A verdict with what led to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// The effect that decided; none for a call without any.
    pub effect: Option<Effect>,
    /// What decided about it.
    pub decider: Decider,
    /// For a command: why nothing permits it.
    pub not_permitted: Option<NotPermitted>,
}

/// What decided.
#[derive(Debug, Clone, PartialEq)]
pub enum Decider {
    /// The call has no effect at all.
    NoEffect,
    /// The run is read-only.
    Plan,
    /// The request asks a question.
    Question,
    /// The request does not ask to change tests.
    Tests,
    /// A rule that somebody gave, by its place in the table from 1.
    Rule(usize, Box<Rule>),
    /// A built-in row.
    BuiltIn(&'static str),
}

/// Names the rule, with its origin.
impl fmt::Display for Decider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoEffect => f.write_str("no effect"),
            Self::Plan => f.write_str("read-only run"),
            Self::Question => f.write_str("read request"),
            Self::Tests => f.write_str("tests stay"),
            Self::Rule(number, rule) => write!(f, "rule {number} ({})", rule.source),
            Self::BuiltIn(name) => write!(f, "{name} (built in)"),
        }
    }
}

impl Decider {
    /// Whether it keeps others safe, so that "always" is no answer.
    pub(crate) fn is_guarded(&self) -> bool {
        self.caution() == Some(Caution::Guarded)
    }

    /// Whether it is about changes that can be undone.
    pub(crate) fn is_ordinary(&self) -> bool {
        self.caution() == Some(Caution::Change)
    }

    fn caution(&self) -> Option<Caution> {
        let Self::BuiltIn(name) = self else { return None };
        table::ROWS.iter().find(|row| row.name == *name).map(|row| row.caution)
    }
}

impl Policy {
    /// The policy of `approval` with `rules` before the built-in rows.
    pub fn new(approval: Approval, rules: impl Into<Arc<[Rule]>>) -> Self {
        Self { approval, rules: rules.into() }
    }

    /// The approval mode.
    pub fn approval(&self) -> Approval {
        self.approval
    }

    /// The rules that somebody gave.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The same policy with one more rule behind the others.
    pub fn with(&self, rule: Rule) -> Self {
        Self { rules: self.rules.iter().cloned().chain([rule]).collect(), ..*self }
    }

    /// Judges a call of `tool` by its effects.
    pub fn judge(&self, tool: &str, effects: &[Effect], past: Past) -> Judgement {
        let effects: Vec<Effect> = effects.iter().flat_map(parts).collect();
        let judged = effects.iter().map(|effect| {
            let judgement = self.judge_one(tool, effect, past);
            // Of equal verdicts the one says most that no rule was written for.
            let caution = table::row(effect, past).caution;
            let built_in = matches!(judgement.decider, Decider::BuiltIn(_));
            ((judgement.verdict, built_in && caution != Caution::Free, caution), judgement)
        });
        // Of equal weight the first stands.
        let severest = judged.reduce(|first, next| if next.0 > first.0 { next } else { first });
        let severest = severest.map(|(_, judgement)| judgement);
        severest.unwrap_or(Judgement {
            verdict: Verdict::Allow,
            effect: None,
            decider: Decider::NoEffect,
            not_permitted: None,
        })
    }

    /// Why nothing permits a command.
    fn not_permitted(&self, effect: &Effect) -> Option<NotPermitted> {
        let Effect::Execute(execution) = effect else { return None };
        let allowing = self.rules.iter().filter(|rule| rule.verdict == Verdict::Allow);
        let patterns: Vec<_> = allowing.filter_map(|rule| rule.command.clone()).collect();
        execution.permitted_by(&patterns).err()
    }

    /// What a built-in row comes to, where no rule was before it.
    pub fn of_row(&self, row: &Row) -> Verdict {
        in_mode(row.caution, self.approval)
    }

    fn judge_one(&self, tool: &str, effect: &Effect, past: Past) -> Judgement {
        let judgement = |verdict, decider| Judgement {
            verdict,
            decider,
            effect: Some(effect.clone()),
            not_permitted: self.not_permitted(effect),
        };
        let row = table::row(effect, past);
        if self.approval == Approval::Plan && row.caution != Caution::Free {
            return judgement(Verdict::Refuse, Decider::Plan);
        }
        if past.intent == Some(Intent::Read) && is_change(effect) {
            return judgement(Verdict::Refuse, Decider::Question);
        }
        if past.keeps_tests && is_change(effect) && effect.path().is_some_and(is_test) {
            return judgement(Verdict::Refuse, Decider::Tests);
        }
        match self.rules.iter().enumerate().find(|(_, rule)| rule.fits(tool, effect)) {
            Some((index, rule)) => {
                judgement(rule.verdict, Decider::Rule(index + 1, Box::new(rule.clone())))
            }
            None => judgement(in_mode(row.caution, self.approval), Decider::BuiltIn(row.name)),
        }
    }
}

/// What a built-in row comes to in a mode. Nothing asks but `ask`.
fn in_mode(caution: Caution, approval: Approval) -> Verdict {
    match (caution, approval) {
        (Caution::Free, _)
        | (Caution::Change, Approval::Edits | Approval::All)
        | (Caution::Danger | Caution::Outside, Approval::All) => Verdict::Allow,
        (_, Approval::Ask) => Verdict::Ask,
        (
            Caution::Change | Caution::Danger | Caution::Outside | Caution::Guarded,
            Approval::Plan,
        )
        | (Caution::Danger | Caution::Outside, Approval::Edits)
        | (Caution::Guarded, Approval::Edits | Approval::All) => Verdict::Refuse,
    }
}

impl Judgement {
    /// Why it was decided so, for the person who is asked.
    pub fn why(&self) -> String {
        if let (Decider::BuiltIn(_), Some(reason)) = (&self.decider, &self.not_permitted) {
            return reason.to_string();
        }
        match &self.decider {
            Decider::NoEffect => "it has no effect".to_owned(),
            Decider::Plan => "this run is read-only".to_owned(),
            Decider::Question => {
                "the request asks a question, so files stay as they are".to_owned()
            }
            Decider::Tests => "the request does not ask to change tests".to_owned(),
            Decider::Rule(_, rule) => match &rule.reason {
                Some(reason) => reason.clone(),
                None => format!("a rule says so: {rule}"),
            },
            Decider::BuiltIn(name) => {
                let row = table::ROWS.iter().find(|row| row.name == *name);
                row.map_or("nothing permits it", |row| row.why).to_owned()
            }
        }
    }

    /// How far a call goes that is refused: to want a command that nobody has permitted yet is no
    /// offence.
    pub(crate) fn breach(&self) -> Breach {
        let outside =
            |effect: &Effect| table::row(effect, Past::default()).caution == Caution::Outside;
        match self.decider {
            Decider::BuiltIn(_) if self.effect.as_ref().is_some_and(outside) => Breach::None,
            // Its words may have been misunderstood.
            Decider::Question | Decider::Tests => Breach::None,
            Decider::NoEffect | Decider::Plan | Decider::Rule(..) | Decider::BuiltIn(_) => {
                Breach::Violation
            }
        }
    }

    /// What the model is told of a call that is not done.
    pub(crate) fn refusal(&self) -> String {
        let effect = self.effect.as_ref().map(ToString::to_string).unwrap_or_default();
        if let (Decider::BuiltIn(_), Some(reason)) = (&self.decider, &self.not_permitted) {
            return format!(
                "not run: in this run a command needs the user's permission, and {reason}. Go on \
                 without it, and name the command in your answer for the user to run; the user can \
                 permit it with `--allow-command`."
            );
        }
        let instead = match &self.decider {
            Decider::NoEffect => "Go on without it",
            Decider::Plan => return read_only(self.effect.as_ref()),
            Decider::Question => {
                "Answer it, and describe the change if there is one to suggest; the user can ask \
                 for it, or run this again with `--intent edit`"
            }
            Decider::Tests => "Change the code that it tests instead",
            Decider::Rule(..) => "Do without it, and say so in your answer",
            Decider::BuiltIn(name) => {
                let row = table::ROWS.iter().find(|row| row.name == *name);
                row.map_or("Go on without it", |row| row.instead)
            }
        };
        let why = capitalised(&self.why());
        format!("refused, not done: to {effect}. {why}. {instead}. [{}]", self.decider)
    }
}

/// Why a tool that exists is not on offer.
pub(crate) fn withheld(name: &str, approval: Approval) -> Option<String> {
    let known = || tools::writing().iter().any(|tool| tool.spec().name == name);
    (approval == Approval::Plan && known())
        .then(|| read_only_as(&format!("`{name}` is not on offer")))
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    first + chars.as_str()
}

/// Each part of a command as an effect of its own.
fn parts(effect: &Effect) -> Vec<Effect> {
    match effect {
        Effect::Execute(execution) => execution.split().into_iter().map(Effect::Execute).collect(),
        Effect::Read(_)
        | Effect::Write(_)
        | Effect::Delete(_)
        | Effect::Undo
        | Effect::Network(_)
        | Effect::External(_) => vec![effect.clone()],
    }
}

/// Whether it changes files. A command is judged as in any other request.
fn is_change(effect: &Effect) -> bool {
    match effect {
        Effect::Write(_) | Effect::Delete(_) | Effect::Undo => true,
        Effect::Read(_) | Effect::Execute(_) | Effect::Network(_) | Effect::External(_) => false,
    }
}

fn read_only(effect: Option<&Effect>) -> String {
    if let Some(Effect::Execute(execution)) = effect {
        return format!(
            "refused: this run is read-only, so `{}` is not run. Name the command in your answer, \
             and finish.",
            execution.line
        );
    }
    read_only_as(&match effect.and_then(Effect::path) {
        Some(path) => format!("`{path}` stays as it is"),
        None => "nothing is changed or run".to_owned(),
    })
}

fn read_only_as(consequence: &str) -> String {
    format!(
        "refused: this run is read-only, so {consequence}. Describe the change in your answer \
         instead, and finish."
    )
}
