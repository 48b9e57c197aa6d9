//! A rule: which effects it is about, and what becomes of them.

use std::fmt;

use globset::{GlobBuilder, GlobMatcher};

use super::Verdict;
use crate::{Effect, EffectKind, command::permission, config};

/// A row of the table that a person can write. What it leaves open fits everything.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Tools by name, as a glob.
    pub tool: Option<Pattern>,
    /// The kind of effect.
    pub effect: Option<EffectKind>,
    /// Paths, as a glob: without a slash in any directory, with one from the workspace's root.
    pub path: Option<Pattern>,
    /// The first words of a command.
    pub command: Option<permission::Pattern>,
    /// What becomes of an effect that it fits.
    pub verdict: Verdict,
    /// Why, in the words of whoever wrote it.
    pub reason: Option<String>,
    /// Who wrote it.
    pub source: Source,
}

/// Who wrote a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// Somebody, in a configuration file or a flag.
    Given(config::Origin),
    /// Somebody who was asked and said "always".
    Answer,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Given(origin) => write!(f, "{origin}"),
            Self::Answer => f.write_str("answered with always"),
        }
    }
}

/// A glob that knows how it was written.
#[derive(Debug, Clone)]
pub struct Pattern {
    text: String,
    matcher: GlobMatcher,
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Pattern {
    /// A pattern of names.
    ///
    /// # Errors
    ///
    /// What is wrong with the glob.
    pub fn name(text: &str) -> Result<Self, globset::Error> {
        Self::new(text, text)
    }

    /// A pattern of paths. `*.sql` fits in any directory, `db/*.sql` only there, and `db/` is
    /// everything beneath `db`.
    ///
    /// # Errors
    ///
    /// What is wrong with the glob.
    pub fn path(text: &str) -> Result<Self, globset::Error> {
        let anchored = text.trim_end_matches('/').contains('/');
        let path = text.strip_prefix('/').unwrap_or(text);
        let path = if path.ends_with('/') { format!("{path}**") } else { path.to_owned() };
        Self::new(text, &if anchored { path } else { format!("**/{path}") })
    }

    /// The pattern that fits one path and no other.
    pub(crate) fn only(path: &str) -> Result<Self, globset::Error> {
        Self::path(&format!("/{}", globset::escape(path)))
    }

    fn new(text: &str, glob: &str) -> Result<Self, globset::Error> {
        let glob = GlobBuilder::new(glob).literal_separator(true).backslash_escape(true).build()?;
        Ok(Self { text: text.to_owned(), matcher: glob.compile_matcher() })
    }

    fn fits(&self, text: &str) -> bool {
        self.matcher.is_match(text)
    }
}

impl Rule {
    /// A rule that fits everything.
    pub fn any(verdict: Verdict, source: Source) -> Self {
        let (tool, effect, path, command, reason) = (None, None, None, None, None);
        Self { tool, effect, path, command, verdict, reason, source }
    }

    /// Whether the rule is about `effect` of a call of `tool`.
    pub fn fits(&self, tool: &str, effect: &Effect) -> bool {
        self.tool.as_ref().is_none_or(|pattern| pattern.fits(tool))
            && self.effect.is_none_or(|kind| kind == effect.kind())
            && self
                .path
                .as_ref()
                .is_none_or(|pattern| effect.path().is_some_and(|path| pattern.fits(path)))
            && self.command.as_ref().is_none_or(|begin| self.fits_command(begin, effect))
    }

    /// What permits a command has to permit all that it does: also where it writes to, and with
    /// which variables. What forbids one needs to see no more than how it begins.
    fn fits_command(&self, begin: &permission::Pattern, effect: &Effect) -> bool {
        let Effect::Execute(execution) = effect else { return false };
        let whole = || execution.permitted_by(std::slice::from_ref(begin)).is_ok();
        begin.begins(execution) && (self.verdict != Verdict::Allow || whole())
    }
}

/// The rule as a condition and what follows from it.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.tool.as_ref().map(|tool| format!("tool {tool}")),
            self.effect.map(|kind| format!("effect {}", kind.name())),
            self.path.as_ref().map(|path| format!("path {path}")),
            self.command.as_ref().map(|begin| format!("command {begin}")),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        let condition = if parts.is_empty() { "everything".to_owned() } else { parts.join(", ") };
        write!(f, "{condition}: {}", self.verdict.name())
    }
}
