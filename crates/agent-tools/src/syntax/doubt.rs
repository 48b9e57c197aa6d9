//! Where a grammar is known to reject what a compiler accepts.
//!
//! Macros, templates inside another language and the newest syntax cannot be read by a grammar
//! that has never heard of them. A fault on such a line is not believed, as long as the brackets
//! of the text add up as they did before.

use std::collections::HashSet;

use super::Language;
use super::balance::Balance;
use super::fault::Fault;

/// What is known of a text besides its faults.
pub(super) struct Doubt<'a> {
    language: Language,
    text: &'a str,
    adds_up: bool,
    /// Names on the lines that could not be read before the edit: what troubled the grammar there
    /// troubles it wherever it is used.
    troublesome: HashSet<&'a str>,
}

impl<'a> Doubt<'a> {
    /// Looks at both versions of a text; `old` are the faults of the first.
    pub(super) fn new(
        language: Language,
        before: Option<&'a str>,
        old: &[Fault],
        after: &'a str,
    ) -> Self {
        let balance = before.map_or_else(Balance::default, |text| Balance::of(language, text));
        let adds_up = Balance::of(language, after) == balance;
        let mut troublesome = HashSet::new();
        if let Some(before) = before.filter(|_| language.is_preprocessed()) {
            for fault in old {
                let [_, line, _] = lines_around(before, fault.at);
                troublesome.extend(words(line).filter(|word| is_unusual(word)));
            }
        }
        Self { language, text: after, adds_up, troublesome }
    }

    /// Whether a fault may be none.
    pub(super) fn doubts(&self, fault: &Fault) -> bool {
        let lines = lines_around(self.text, fault.at);
        let [_, line, _] = lines;
        self.adds_up
            && !is_debris(line)
            && if self.language.is_preprocessed() {
                lines.iter().any(|line| is_conditional(line))
                    || lines[..2].iter().any(|line| words(line).any(is_macro))
                    || words(line).any(|word| self.troublesome.contains(word))
            } else {
                misread(self.language).iter().any(|mark| line.contains(mark))
                    || dialect(self.language).iter().any(|mark| self.text.contains(mark))
            }
    }
}

/// The line of a byte between its neighbours; empty where there is none.
fn lines_around(text: &str, at: usize) -> [&str; 3] {
    let at = text.floor_char_boundary(at);
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let previous = text[..start].lines().next_back().unwrap_or_default();
    let mut lines = text[start..].lines();
    [previous, lines.next().unwrap_or_default(), lines.next().unwrap_or_default()]
}

/// Whether a line is what merges and answers leave behind, and no language has.
fn is_debris(line: &str) -> bool {
    const DEBRIS: [&str; 4] = ["<<<<<<<", "=======", ">>>>>>>", "```"];
    DEBRIS.iter().any(|debris| line.trim_start().starts_with(debris))
}

/// Whether a line is `#if`, `#else` or their like.
fn is_conditional(line: &str) -> bool {
    let directive = line.trim_start().strip_prefix('#').map_or("", str::trim_start);
    ["if", "el", "endif"].iter().any(|start| directive.starts_with(start))
}

fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| word.len() > 1)
}

/// Whether a name is written as macros are: all in capitals.
fn is_macro(word: &str) -> bool {
    const CONSTANTS: [&str; 4] = ["NULL", "EOF", "TRUE", "FALSE"];
    word.contains(|c: char| c.is_ascii_uppercase())
        && !word.contains(|c: char| c.is_ascii_lowercase())
        && !CONSTANTS.contains(&word)
}

/// Whether a name may be a macro's though it is not in capitals: it has an underscore, and is no
/// type such as `size_t`.
fn is_unusual(word: &str) -> bool {
    word.contains('_') && !word.ends_with("_t")
}

/// What stands anywhere in a text of a dialect that the grammar does not know.
fn dialect(language: Language) -> &'static [&'static str] {
    if language == Language::JavaScript {
        &["@flow"]
    } else if language == Language::Html {
        // A part of a page may close what another part opens.
        &["{{", "{%", "<%", "<?php"]
    } else {
        &[]
    }
}

/// What stands on lines that a grammar misreads.
fn misread(language: Language) -> &'static [&'static str] {
    match language {
        Language::Bash => &["`", "((", "for ", "~", "case ", "test "],
        Language::CSharp => &["#if", "#else", "#endif", "{{"],
        Language::Css => &["url(", "\\", "%", "progid:", "! important", "{{", "{%", "<%"],
        // A `>` in text is fine for browsers, but not for the grammar.
        Language::Html => &["{{", "{%", "{#", "<%", "<?", "%}", "}}", " > ", " >= "],
        Language::Yaml | Language::Json | Language::Toml => &["{{", "{%", "<%"],
        // `str!` is a macro like any other, except to the grammar.
        Language::Rust => &["str!"],
        Language::TypeScript | Language::Tsx => &["import(", "<in ", "<out ", "export type *"],
        Language::C
        | Language::CHeader
        | Language::Cpp
        | Language::Go
        | Language::Java
        | Language::JavaScript
        | Language::JsonWithComments
        | Language::Kotlin
        | Language::Php
        | Language::Python
        | Language::Ruby => &[],
    }
}
