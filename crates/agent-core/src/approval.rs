//! Asking a person before something is done.
//!
//! Where the policy's verdict on a call is to ask, a [`Question`] goes to the [`Approver`]: for an
//! edit when it is planned and nothing is written yet, with its diff; for a command before it
//! starts.

mod desk;
mod gate;
mod saved;

use std::fmt;

pub use futures_util::future::BoxFuture;

pub(crate) use desk::{Answered, Desk};
pub(crate) use gate::Waiting;
pub use gate::{Denied, Gate};
pub use saved::SavedRules;

use crate::{
    Change, EffectKind,
    command::permission::Execution,
    dispatch::Held,
    policy::{Decider, Judgement, Pattern, Rule, Source, Verdict},
};

/// Somebody who can be asked.
pub trait Approver: Send + Sync {
    /// Asks, and waits for the answer.
    fn approve<'a>(&'a self, question: &'a Question) -> BoxFuture<'a, Answer>;
}

/// What is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The tool.
    pub tool: String,
    /// What would be done.
    pub what: What,
    /// Why it is asked.
    pub why: String,
    /// The rule that says so.
    pub rule: String,
    /// What the answer "always" can be about.
    pub scopes: Vec<Scope>,
    /// How many calls it is about. Where there are several, each can be asked about by itself.
    pub calls: usize,
}

/// What would be done.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// Files would be changed so.
    Changes(Vec<Change>),
    /// This command would run.
    Command(String),
    /// Something else, in words.
    Other(String),
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Yes, this time.
    Once,
    /// Yes, and to everything in one of the question's scopes, by its place there.
    Always(usize),
    /// Of several calls each is to be asked about by itself.
    Each,
    /// No. The reason, which may be empty, goes to the model.
    Reject(String),
    /// No, and the run ends.
    Cancel,
}

/// What "always" is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Scope {
    /// The rule that it makes.
    pub rule: Rule,
    /// How long it holds.
    pub keep: Keep,
}

/// How long an answer holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// To the end of the run.
    Run,
    /// In this workspace, until somebody forgets it.
    Workspace,
}

/// The scope in words, as it is shown before it holds.
impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = match self.rule.effect {
            Some(EffectKind::Delete) => "deletion",
            Some(_) | None => "change",
        };
        match (&self.rule.path, &self.rule.command) {
            (Some(path), _) => {
                let path = path.to_string();
                write!(f, "every {verb} of {}", path.trim_start_matches('/'))?;
            }
            (None, Some(begin)) => write!(f, "every command that begins with `{begin}`")?,
            (None, None) => write!(f, "every {verb} of a file")?,
        }
        f.write_str(match self.keep {
            Keep::Run => ", until this run ends",
            Keep::Workspace => ", in this workspace from now on",
        })
    }
}

impl Question {
    /// The question that a verdict asks.
    pub(crate) fn new(tool: &str, what: What, judgement: &Judgement) -> Self {
        // Whoever wrote a rule that asks wants to be asked, and so does what keeps others safe.
        let each_time =
            matches!(judgement.decider, Decider::Rule(..)) || judgement.decider.is_guarded();
        let scopes = if each_time { Vec::new() } else { scopes(&what, judgement) };
        let (why, rule) = (judgement.why(), judgement.decider.to_string());
        Self { tool: tool.to_owned(), what, why, rule, scopes, calls: 1 }
    }

    /// One question about all changes of these calls. It asks what each of them would ask, so that
    /// "always" is about what all of them have in common.
    pub(crate) fn about(calls: &[&Held]) -> Self {
        let what = |calls: &[&Held]| {
            What::Changes(calls.iter().flat_map(|held| held.changes.clone()).collect())
        };
        let one = |held: &&Held| Self::new(&held.tool, what(&[*held]), &held.judgement);
        let mut questions: Vec<Self> = calls.iter().map(one).collect();
        if questions.len() == 1
            && let Some(only) = questions.pop()
        {
            return only;
        }
        let all = |text: fn(&Self) -> &String| {
            let mut all: Vec<&str> = Vec::new();
            for text in questions.iter().map(text) {
                if !all.contains(&text.as_str()) {
                    all.push(text);
                }
            }
            all.join("; ")
        };
        let mut scopes = questions.first().map(|first| first.scopes.clone()).unwrap_or_default();
        scopes.retain(|scope| questions.iter().all(|question| question.scopes.contains(scope)));
        Self {
            tool: all(|question| &question.tool),
            why: all(|question| &question.why),
            rule: all(|question| &question.rule),
            what: what(calls),
            scopes,
            calls: calls.len(),
        }
    }
}

fn scopes(what: &What, judgement: &Judgement) -> Vec<Scope> {
    let kind = judgement.effect.as_ref().map(crate::Effect::kind);
    let allow = || Rule { effect: kind, ..Rule::any(Verdict::Allow, Source::Answer) };
    match what {
        What::Changes(changes) => {
            let one = match changes.as_slice() {
                [only] => Pattern::only(&only.file).ok(),
                [] | [_, _, ..] => None,
            };
            let file = one.map(|path| Rule { path: Some(path), ..allow() });
            let file = file.map(|rule| Scope { rule, keep: Keep::Workspace });
            let ordinary = judgement.decider.is_ordinary();
            let rest = ordinary.then(|| Scope { rule: allow(), keep: Keep::Run });
            file.into_iter().chain(rest).collect()
        }
        What::Command(line) => {
            let begin = Execution::line(line).prefix();
            let rule = begin.map(|begin| Rule { command: Some(begin), ..allow() });
            rule.map(|rule| Scope { rule, keep: Keep::Workspace }).into_iter().collect()
        }
        What::Other(_) => Vec::new(),
    }
}

impl Answer {
    /// Its name in events.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Always(_) => "always",
            Self::Each => "each",
            Self::Reject(_) => "reject",
            Self::Cancel => "cancel",
        }
    }
}
