//! Texts that the C code of the parser and its grammars would not survive, or not in time.
//!
//! Grammars bring scanners written by hand, and some of them end the process on unusual texts. The
//! parser itself takes quadratic time, and does not call back, when it gives up at the end of a
//! text in which everything is open. Neither ever sees such a text.

use std::borrow::Cow;

use super::Language;

/// A text that the grammar of its language survives and that has the same faults in the same
/// bytes, or nothing if there is none.
pub(super) fn defused(language: Language, text: &str) -> Option<Cow<'_, str>> {
    if unclosed(text) > MAX_UNCLOSED {
        return None;
    }
    let has_hazard = match language {
        Language::Ruby => has_long_heredoc(text),
        Language::Yaml => is_nested_deeply(text),
        Language::Bash => return Some(without_wide_characters(text)),
        Language::C
        | Language::CHeader
        | Language::Cpp
        | Language::CSharp
        | Language::Css
        | Language::Go
        | Language::Html
        | Language::Java
        | Language::JavaScript
        | Language::Json
        | Language::JsonWithComments
        | Language::Kotlin
        | Language::Php
        | Language::Python
        | Language::Rust
        | Language::Toml
        | Language::Tsx
        | Language::TypeScript => false,
    };
    (!has_hazard).then_some(Cow::Borrowed(text))
}

/// No text of any use opens so many brackets more than it closes.
const MAX_UNCLOSED: usize = 500;

fn unclosed(text: &str) -> usize {
    let count = |bracket| text.bytes().filter(|byte| *byte == bracket).count();
    let pairs = [(b'(', b')'), (b'[', b']'), (b'{', b'}')];
    pairs.into_iter().map(|(open, close)| count(open).saturating_sub(count(close))).sum()
}

/// Bash's scanner asks `isdigit`, which knows no character above 255. To the shell all of these
/// are parts of words.
fn without_wide_characters(text: &str) -> Cow<'_, str> {
    let is_wide = |c: char| u32::from(c) > 255;
    if !text.contains(is_wide) {
        return Cow::Borrowed(text);
    }
    let mut narrow = String::with_capacity(text.len());
    for c in text.chars() {
        if is_wide(c) {
            narrow.extend(std::iter::repeat_n('x', c.len_utf8()));
        } else {
            narrow.push(c);
        }
    }
    Cow::Owned(narrow)
}

/// Ruby's scanner keeps the length of a heredoc's name in one byte, and asserts that it fits.
fn has_long_heredoc(text: &str) -> bool {
    const LONGEST: usize = 200;
    text.match_indices("<<").any(|(at, marker)| {
        let name = text[at + marker.len()..].trim_start_matches(['~', '-']);
        let end = match name.chars().next() {
            Some(quote @ ('"' | '\'' | '`')) => name[1..].find(quote).unwrap_or(name.len()),
            _ => name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len()),
        };
        end > LONGEST
    })
}

/// YAML's scanner keeps four bytes for each level in a buffer of 1,024, and asserts that they fit.
/// A column can begin two levels.
fn is_nested_deeply(text: &str) -> bool {
    const DEEPEST: usize = 120;
    let is_content = |c| !matches!(c, ' ' | '-' | '?' | ':');
    text.lines().any(|line| line.find(is_content).unwrap_or(line.len()) > DEEPEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_characters_keep_their_place() {
        assert_eq!(defused(Language::Bash, "echo 'ä€😀'"), Some("echo 'äxxxxxxx'".into()));
        assert_eq!(defused(Language::Rust, "\"€\""), Some("\"€\"".into()));
    }

    #[test]
    fn a_heredoc_with_a_long_name_is_not_parsed() {
        let name = "A".repeat(300);
        for text in
            [format!("x = <<~{name}\n"), format!("x = <<-'{name}'\n"), format!("<<\"{name}")]
        {
            assert_eq!(defused(Language::Ruby, &text), None);
        }
        for text in ["x = <<~SQL\n", "list << name\n", "<<"] {
            assert_eq!(defused(Language::Ruby, text), Some(text.into()));
        }
    }

    #[test]
    fn what_nests_too_deeply_is_not_parsed() {
        assert_eq!(defused(Language::Yaml, &"- ".repeat(300)), None);
        assert_eq!(defused(Language::Yaml, "- - a\n"), Some("- - a\n".into()));
        assert_eq!(defused(Language::C, &"f({[".repeat(200)), None);
        assert_eq!(
            defused(Language::C, &"f({[]})".repeat(200)),
            Some("f({[]})".repeat(200).into())
        );
    }
}
