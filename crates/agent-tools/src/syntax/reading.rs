//! The ways in which a text of a language can be read.
//!
//! A grammar for editors rejects some of what compilers accept. Each language is read by its
//! grammar first; where that finds faults, more lenient readings are asked, and only what is
//! wrong in every reading is wrong.

use std::borrow::Cow;

use tree_sitter_language::LanguageFn;

use super::Language;
use super::fault::{Fault, faults};
use super::parse::{SyntaxLimits, Unparsed, parse};

/// A grammar, and what is done to a text before it is parsed.
///
/// The change keeps the length and the line breaks of the text, so that a fault is where it seems
/// to be.
pub(super) struct Reading {
    grammar: LanguageFn,
    change: fn(&str) -> Cow<'_, str>,
}

impl Reading {
    /// The readings of a language, strictest first.
    pub(super) fn all(language: Language) -> Vec<Self> {
        vec![Self { grammar: language.grammar(), change: |text| Cow::Borrowed(text) }]
    }

    /// What is wrong with a text in this reading.
    pub(super) fn faults(&self, text: &str, limits: &SyntaxLimits) -> Result<Vec<Fault>, Unparsed> {
        let text = (self.change)(text);
        let tree = parse(self.grammar, &text, limits)?;
        Ok(faults(&tree, &text))
    }
}
