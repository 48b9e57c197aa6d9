//! The file whose definitions are replaced.

use super::outline::{Outline, outline, squeezed};
use super::{Decline, Definition, role};
use crate::syntax::Language;

/// A file's text with what it defines.
pub(super) struct File<'a> {
    pub(super) language: Language,
    pub(super) text: &'a str,
    pub(super) lines: Vec<&'a str>,
    pub(super) outline: Outline,
}

impl<'a> File<'a> {
    pub(super) fn read(path: &str, text: &'a str) -> Result<Self, Decline> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let language = Language::of(path, text.lines().next().unwrap_or_default());
        let language =
            language.filter(|one| role::has_definitions(*one)).ok_or(Decline::Unreadable)?;
        let outline = outline(language, text).ok_or(Decline::Unreadable)?;
        Ok(Self { language, text, lines: text.lines().collect(), outline })
    }

    /// A name for each definition that is the only one; where several share one, with `:LINE`.
    pub(super) fn unique_name(&self, definition: &Definition) -> String {
        let all = &self.outline.definitions;
        if all.iter().filter(|other| other.path == definition.path).count() == 1 {
            definition.name()
        } else {
            format!("{}:{}", definition.name(), definition.first_line)
        }
    }

    /// The definition that a name stands for: with or without its scopes, as any language joins
    /// them. `header` is what decides between overloads.
    pub(super) fn find(
        &self,
        wanted: &str,
        header: impl Fn(&Definition) -> bool,
    ) -> Result<&Definition, Decline> {
        let all = &self.outline.definitions;
        if let Some(one) = all.iter().find(|one| self.unique_name(one) == wanted.trim()) {
            return Ok(one);
        }
        let path = path_of(wanted);
        let ending: Vec<&Definition> =
            all.iter().filter(|one| !path.is_empty() && one.path.ends_with(&path)).collect();
        let whole: Vec<&Definition> =
            ending.iter().filter(|one| one.path == path).copied().collect();
        let found = if whole.is_empty() { ending } else { whole };
        match found.as_slice() {
            [] => Err(Decline::absent(wanted, all)),
            [one] => Ok(one),
            several => {
                let mut same = several.iter().filter(|one| header(one));
                match (same.next(), same.next()) {
                    (Some(one), None) => Ok(one),
                    (_, _) => Err(Decline::Ambiguous {
                        wanted: wanted.to_owned(),
                        candidates: several.iter().map(|one| self.unique_name(one)).collect(),
                    }),
                }
            }
        }
    }

    pub(super) fn squeezed(&self, definition: &Definition) -> String {
        squeezed(self.text.get(definition.span.clone()).unwrap_or_default())
    }

    /// Whether all of these lines stand in the file.
    pub(super) fn has_lines(&self, code: &str) -> bool {
        let has = |line: &str| self.lines.iter().any(|known| known.trim() == line.trim());
        code.lines().filter(|line| !line.trim().is_empty()).all(has)
    }

    /// The line before which a new import goes, and whether it needs a blank line behind it.
    pub(super) fn import_line(&self) -> (usize, bool) {
        let starts = |line: usize| self.lines.get(line - 1).is_some_and(|l| l.trim_start() == *l);
        let last = self.outline.imports.iter().rev().find(|(first, _)| starts(*first));
        if let Some((_, last)) = last {
            return (last + 1, false);
        }
        let line_of = |at: usize| self.text[..at].matches('\n').count() + 1;
        let is_heading = |code: &str| {
            ["\"", "'", "package ", "namespace ", "<?php"].iter().any(|mark| code.starts_with(mark))
        };
        let rest = self.outline.rest.iter().filter(|range| {
            self.text.get((*range).clone()).is_some_and(|code| !is_heading(code.trim()))
        });
        let first_definition = self.outline.definitions.first().map(|first| first.lead_line);
        let first = rest.map(|range| line_of(range.start)).chain(first_definition).min();
        (first.unwrap_or(self.lines.len() + 1), true)
    }
}

/// `def Shop.total(self)` or `Shop::total()` as a path.
fn path_of(wanted: &str) -> Vec<String> {
    let name = wanted.trim().split('(').next().unwrap_or_default().trim();
    let name = name.split_whitespace().next_back().unwrap_or_default();
    let name = name.replace("::", ".").replace("->", ".").replace('#', ".");
    let names = name.split('.').map(|name| name.trim_matches(['`', '$', '*', ':', '&']));
    names.filter(|name| !name.is_empty()).map(str::to_owned).collect()
}
