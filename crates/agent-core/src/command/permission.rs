//! Which commands are permitted without asking: those that begin with words that a person named.

use std::fmt;

use super::words::{self, Part, Redirect, Uncertain, Word};

/// The beginning of the commands that are permitted, as parsed words: `cargo test`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    assignments: Vec<(String, Word)>,
    words: Vec<String>,
}

/// Text that is no pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPattern {
    /// It can't be read.
    #[error(transparent)]
    Uncertain(#[from] Uncertain),
    /// It is not the beginning of one command.
    #[error("give the first words of one command, such as `cargo test`")]
    NotOneCommand,
}

/// A command that a run wants to start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Execution {
    /// As it was asked for.
    pub line: String,
    /// Every command in it.
    pub parts: Result<Vec<Part>, Uncertain>,
}

/// Why a command is not among the permitted ones. It reads after "because".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotPermitted {
    /// It can't be read.
    #[error(transparent)]
    Uncertain(#[from] Uncertain),
    /// There is no command in it.
    #[error("it is empty")]
    Empty,
    /// No pattern covers one of its parts.
    #[error("nothing permits `{0}`")]
    Part(String),
    /// It writes to a file by redirection.
    #[error("it writes to `{0}` by redirection")]
    Redirect(String),
    /// It sets a variable that may change what the program does.
    #[error("it sets the variable {0}")]
    Assignment(String),
}

/// Variables that change nothing but what a program says.
const HARMLESS: [&str; 14] = [
    "CI",
    "NO_COLOR",
    "FORCE_COLOR",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "TERM",
    "LANG",
    "TZ",
    "COLUMNS",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "CARGO_TERM_COLOR",
    "PYTHONUNBUFFERED",
    "PYTHONDONTWRITEBYTECODE",
];

impl Pattern {
    /// Reads a pattern. `*` as the last word says what holds anyway: anything may follow.
    ///
    /// # Errors
    ///
    /// [`BadPattern`].
    pub fn parse(text: &str) -> Result<Self, BadPattern> {
        let mut parts = words::parse(text)?;
        let (Some(mut part), true) = (parts.pop(), parts.is_empty()) else {
            return Err(BadPattern::NotOneCommand);
        };
        if part.words.last() == Some(&Word::Expanded("*".to_owned())) {
            part.words.pop();
        }
        let words: Option<Vec<String>> = part.words.into_iter().map(literal).collect();
        match words {
            Some(words) if !words.is_empty() && part.redirects.is_empty() => {
                Ok(Self { text: text.to_owned(), assignments: part.assignments, words })
            }
            Some(_) | None => Err(BadPattern::NotOneCommand),
        }
    }

    /// Whether a command consists of one part that begins so, whatever else it does.
    pub fn begins(&self, execution: &Execution) -> bool {
        matches!(execution.parts.as_deref(), Ok([part]) if self.covers(part))
    }

    fn covers(&self, part: &Part) -> bool {
        self.words.len() <= part.words.len()
            && self.words.iter().zip(&part.words).all(|(wanted, word)| match word {
                Word::Literal(text) => text == wanted,
                Word::Expanded(_) => false,
            })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Execution {
    /// Every part as a command of its own; the whole where it can't be read.
    pub fn split(&self) -> Vec<Self> {
        match &self.parts {
            Ok(parts) if parts.len() > 1 => parts.iter().map(Self::of_part).collect(),
            Ok(_) | Err(_) => vec![self.clone()],
        }
    }

    /// The beginning of the command as a pattern: the program, and the word behind it where that
    /// names what the program is to do. A command of several parts has none.
    pub fn prefix(&self) -> Option<Pattern> {
        let [part] = self.parts.as_deref().ok()? else { return None };
        let word = |index: usize| match part.words.get(index) {
            Some(Word::Literal(text)) => Some(text.as_str()),
            Some(Word::Expanded(_)) | None => None,
        };
        let program = word(0)?;
        // An option or a file says nothing about what else begins like this.
        let verb =
            word(1).filter(|word| word.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'));
        let verb = verb.filter(|word| !word.starts_with('-'));
        let begin = match verb {
            Some(verb) => format!("{} {}", quoted(program), quoted(verb)),
            None if part.words.len() == 1 => quoted(program),
            // All that is left is this very command.
            None => self.line.clone(),
        };
        let pattern = Pattern::parse(&begin).ok()?;
        self.permitted_by(std::slice::from_ref(&pattern)).is_ok().then_some(pattern)
    }

    fn of_part(part: &Part) -> Self {
        let words: Vec<String> = part.words.iter().map(written).collect();
        Self { line: words.join(" "), parts: Ok(vec![part.clone()]) }
    }

    /// A line for the shell.
    pub fn line(line: &str) -> Self {
        Self { line: line.to_owned(), parts: words::parse(line) }
    }

    /// A program with its arguments, without a shell.
    pub fn arguments(arguments: &[String]) -> Self {
        let words = arguments.iter().cloned().map(Word::Literal).collect();
        let line = arguments.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
        Self { line, parts: Ok(vec![Part { words, ..Part::default() }]) }
    }

    /// Whether `patterns` permit every part of it.
    ///
    /// # Errors
    ///
    /// [`NotPermitted`], with the first part that they don't.
    pub fn permitted_by(&self, patterns: &[Pattern]) -> Result<(), NotPermitted> {
        let parts = self.parts.clone()?;
        if parts.iter().all(|part| part.words.is_empty()) {
            return Err(NotPermitted::Empty);
        }
        parts.iter().try_for_each(|part| permitted(part, patterns))
    }
}

fn permitted(part: &Part, patterns: &[Pattern]) -> Result<(), NotPermitted> {
    for redirect in &part.redirects {
        match redirect {
            Redirect::Write(Word::Literal(target)) if target == "/dev/null" => {}
            Redirect::Write(target) => return Err(NotPermitted::Redirect(written(target))),
            Redirect::Read(_) | Redirect::Duplicate => {}
        }
    }
    let pattern = patterns.iter().find(|pattern| pattern.covers(part));
    if pattern.is_none() && !goes_down(part) {
        let shown: Vec<String> = part.words.iter().map(written).collect();
        return Err(NotPermitted::Part(shown.join(" ")));
    }
    let set = part.assignments.iter().find(|assignment| {
        let named = pattern.is_some_and(|pattern| pattern.assignments.contains(assignment));
        !named && !HARMLESS.contains(&assignment.0.as_str())
    });
    set.map_or(Ok(()), |(name, _)| Err(NotPermitted::Assignment(name.clone())))
}

/// `cd` into a directory below changes nothing by itself.
fn goes_down(part: &Part) -> bool {
    let [Word::Literal(cd), Word::Literal(directory)] = part.words.as_slice() else {
        return false;
    };
    let climbs = directory.split('/').any(|name| name == "..");
    cd == "cd" && !directory.starts_with(['/', '-']) && !climbs
}

fn literal(word: Word) -> Option<String> {
    match word {
        Word::Literal(text) => Some(text),
        Word::Expanded(_) => None,
    }
}

fn written(word: &Word) -> String {
    match word {
        Word::Literal(text) => quoted(text),
        Word::Expanded(raw) => raw.clone(),
    }
}

/// A word as a shell would have to be told it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,@%+^".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests;
