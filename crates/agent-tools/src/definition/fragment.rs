//! What somebody gives as a definition: perhaps with more around it than was asked for.

use std::borrow::Cow;

use super::outline::{Outline, outline, squeezed};
use super::{Decline, Definition};
use crate::syntax::Language;

/// Given code, parsed in the surroundings that make it whole.
pub(super) struct Fragment<'a> {
    pub(super) lines: Vec<&'a str>,
    text: Cow<'a, str>,
    outline: Outline,
    /// How many lines of `text` come before those of the fragment.
    before: usize,
    /// How many names of its definitions' paths are those of the surroundings.
    around: usize,
}

/// What a fragment gives of one definition.
pub(super) struct Given<'a> {
    pub(super) definition: Definition,
    /// Its lines, with the comments and attributes right above.
    pub(super) lines: Vec<&'a str>,
    /// The comments and attributes among them.
    pub(super) leads: usize,
}

impl<'a> Fragment<'a> {
    /// Reads `code` in the first of the surroundings of its language in which it is whole.
    pub(super) fn parse(language: Language, code: &'a str) -> Result<Self, Decline> {
        if code.trim().is_empty() {
            return Err(Decline::Empty);
        }
        for (prefix, suffix) in surroundings(language) {
            let text = match (*prefix, *suffix) {
                ("", "") => Cow::Borrowed(code),
                (prefix, suffix) => Cow::Owned(format!("{prefix}{code}\n{suffix}")),
            };
            let outline = outline(language, &text).ok_or(Decline::Unreadable)?;
            let around = usize::from(prefix.contains("Surroundings"));
            if !outline.is_broken && outline.definitions.len() > around {
                let before = prefix.matches('\n').count();
                return Ok(Self { lines: code.lines().collect(), text, outline, before, around });
            }
        }
        Err(Decline::Broken)
    }

    /// Its definitions, with the surroundings' name taken off.
    fn definitions(&self) -> impl Iterator<Item = Definition> {
        let all = self.outline.definitions.iter().skip(self.around).cloned();
        all.map(|definition| Definition {
            path: definition.path[self.around..].to_vec(),
            ..definition
        })
    }

    /// The names that it defines by itself, without what is inside of another.
    pub(super) fn names(&self) -> Vec<String> {
        let all: Vec<Definition> = self.definitions().collect();
        let outer = all.iter().filter(|one| !all.iter().any(|other| other.holds(one)));
        outer.map(Definition::name).collect()
    }

    /// What it gives for the definition with this path: under the whole path, or its last name.
    pub(super) fn find(&self, path: &[String], header: &str) -> Result<Given<'a>, Vec<String>> {
        let all: Vec<Definition> = self.definitions().collect();
        let fits = |from: usize| {
            let mut found = all.iter().filter(|definition| definition.path == path[from..]);
            match (found.next(), found.next()) {
                (one, None) => one,
                (Some(_), Some(_)) => all.iter().find(|one| one.header == header),
                (None, Some(_)) => None,
            }
        };
        let found = (0..path.len()).find_map(fits);
        found.map(|definition| self.give(definition)).ok_or_else(|| self.names())
    }

    pub(super) fn give(&self, definition: &Definition) -> Given<'a> {
        let range = definition.lead_line - 1 - self.before..definition.last_line - self.before;
        Given {
            lines: self.lines.get(range).unwrap_or_default().to_vec(),
            leads: definition.first_line - definition.lead_line,
            definition: definition.clone(),
        }
    }

    /// What it gives besides `given`: neither around it nor inside.
    pub(super) fn others(&self, given: &Definition) -> Vec<Definition> {
        let all: Vec<Definition> = self.definitions().collect();
        let apart =
            |one: &&Definition| one.span != given.span && !one.holds(given) && !given.holds(one);
        let apart: Vec<Definition> = all.iter().filter(apart).cloned().collect();
        let outer = apart.iter().filter(|one| !apart.iter().any(|other| other.holds(one)));
        outer.cloned().collect()
    }

    /// The code of a definition, without white space.
    pub(super) fn squeezed(&self, definition: &Definition) -> String {
        squeezed(self.text.get(definition.span.clone()).unwrap_or_default())
    }

    /// Code outside of any definition.
    pub(super) fn rest(&self) -> impl Iterator<Item = &str> {
        self.outline.rest.iter().filter_map(|range| self.text.get(range.clone())).map(str::trim)
    }

    /// Whether a piece of the [`Fragment::rest`] is an import.
    pub(super) fn is_import(&self, code: &str) -> bool {
        let numbered = self.outline.imports.iter();
        let mut imports = numbered.map(|&(first, last)| {
            let lines = self.text.lines().skip(first - 1).take(last + 1 - first);
            squeezed(&lines.collect::<Vec<_>>().join("\n"))
        });
        let code = squeezed(code);
        imports.any(|import| import == code)
    }
}

/// What may have to stand around a definition so that it can be parsed, the least first.
fn surroundings(language: Language) -> &'static [(&'static str, &'static str)] {
    const BARE: (&str, &str) = ("", "");
    const CLASS: (&str, &str) = ("class Surroundings {\n", "}\n");
    match language {
        Language::JavaScript
        | Language::TypeScript
        | Language::Tsx
        | Language::Java
        | Language::CSharp
        | Language::Kotlin => &[BARE, CLASS],
        Language::Cpp | Language::CHeader => &[BARE, ("class Surroundings {\n", "};\n")],
        Language::Php => &[BARE, ("<?php\n", ""), ("<?php\nclass Surroundings {\n", "}\n")],
        Language::Bash
        | Language::C
        | Language::Css
        | Language::Go
        | Language::Html
        | Language::Json
        | Language::JsonWithComments
        | Language::Python
        | Language::Ruby
        | Language::Rust
        | Language::Toml
        | Language::Yaml => &[BARE],
    }
}
