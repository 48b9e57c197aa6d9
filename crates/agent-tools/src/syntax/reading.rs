//! The ways in which a text of a language can be read.
//!
//! Some names of files stand for two languages, and some languages are read by a grammar that is
//! stricter. Only what is wrong in every reading is wrong.

use tree_sitter_language::LanguageFn;

use super::Language;
use super::fault::{Fault, faults};
use super::hazard::defused;
use super::parse::{SyntaxLimits, Unparsed, parse};

/// A grammar, and the faults that it finds though there are none.
pub(super) struct Reading {
    language: Language,
    grammar: LanguageFn,
    is_tolerated: fn(&Fault, &str) -> bool,
}

impl Reading {
    /// The readings of a language, the likeliest first.
    pub(super) fn all(language: Language) -> Vec<Self> {
        let is_tolerated = if language == Language::JsonWithComments {
            is_trailing_comma
        } else {
            |_: &Fault, _: &str| false
        };
        let mut readings = vec![Self { language, grammar: language.grammar(), is_tolerated }];
        if language == Language::CHeader {
            readings.push(Self { language, grammar: Language::Cpp.grammar(), is_tolerated });
        }
        readings
    }

    /// What is wrong with a text in this reading.
    pub(super) fn faults(&self, text: &str, limits: &SyntaxLimits) -> Result<Vec<Fault>, Unparsed> {
        let text = &defused(self.language, text).ok_or(Unparsed::TooMuchWork)?;
        let tree = parse(self.grammar, text, limits)?;
        let mut faults = faults(self.language, &tree, text);
        faults.retain(|fault| !(self.is_tolerated)(fault, text));
        Ok(faults)
    }
}

/// Whether a fault is a comma before a closing bracket, or the value that the grammar wants there.
fn is_trailing_comma(fault: &Fault, text: &str) -> bool {
    let (Some(before), Some(covered), Some(rest)) =
        (text.get(..fault.at), text.get(fault.at..fault.end), text.get(fault.end..))
    else {
        return false;
    };
    let is_comma = covered == "," || covered.is_empty() && before.trim_end().ends_with(',');
    is_comma && without_comments(rest).starts_with(['}', ']'])
}

/// A text without the white space and comments at its beginning.
fn without_comments(text: &str) -> &str {
    let mut rest = text.trim_start();
    loop {
        let after = if let Some(comment) = rest.strip_prefix("//") {
            comment.find('\n').map(|end| &comment[end..])
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.find("*/").map(|end| &comment[end + 2..])
        } else {
            return rest;
        };
        let Some(after) = after else { return "" };
        rest = after.trim_start();
    }
}
