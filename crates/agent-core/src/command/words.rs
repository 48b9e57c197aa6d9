//! What a shell line consists of: every command in it, with the words that it is called with.
//!
//! This is no shell. It reads the plain part of the language (words, quotes, lists, pipes,
//! redirections, substitutions) and knows where that ends: a line that it can't read for certain is
//! [`Uncertain`], and nothing that rests on its words is decided then.

use std::{iter::Peekable, str::Chars};

/// One command of a line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Part {
    /// Variables that are set for it alone: `CI=1 make`.
    pub assignments: Vec<(String, Word)>,
    /// The program and its arguments.
    pub words: Vec<Word>,
    /// Where its streams lead.
    pub redirects: Vec<Redirect>,
}

/// A word as the shell sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word {
    /// It means exactly this.
    Literal(String),
    /// What it means is only known when it runs: it holds a variable, a pattern or a substitution.
    /// This is how it is written.
    Expanded(String),
}

/// A redirection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Redirect {
    /// From a file.
    Read(Word),
    /// To a file.
    Write(Word),
    /// To another stream of the same command: `2>&1`.
    Duplicate,
}

/// A line that is not read for certain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the line is not read for certain: {0}")]
pub struct Uncertain(pub &'static str);

/// Words that begin something other than a plain command.
const RESERVED: [&str; 21] = [
    "if", "then", "else", "elif", "fi", "for", "while", "until", "do", "done", "case", "esac",
    "select", "function", "time", "coproc", "!", "{", "}", "[[", "]]",
];

/// Nested substitutions are read this deep.
const DEEPEST: usize = 8;

/// The commands of `line`, inner ones first.
///
/// # Errors
///
/// [`Uncertain`] for everything but the plain part of the language.
pub fn parse(line: &str) -> Result<Vec<Part>, Uncertain> {
    let strange = |c: char| (c.is_control() && !matches!(c, '\n' | '\t')) || is_odd_space(c);
    if line.chars().any(strange) {
        return Err(Uncertain("it holds a control character or an unusual space"));
    }
    let mut reader = Reader { rest: line.chars().peekable(), parts: Vec::new(), depth: 0 };
    reader.list(None)?;
    Ok(reader.parts)
}

fn is_odd_space(c: char) -> bool {
    c.is_whitespace() && !matches!(c, ' ' | '\t' | '\n')
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    parts: Vec<Part>,
    depth: usize,
}

/// A word on its way.
#[derive(Default)]
struct Draft {
    text: String,
    raw: String,
    expanded: bool,
    quoted: bool,
}

impl Draft {
    fn finish(self) -> Word {
        if self.expanded { Word::Expanded(self.raw) } else { Word::Literal(self.text) }
    }

    fn literal(&mut self, c: char) {
        self.text.push(c);
    }
}

impl Reader<'_> {
    fn next(&mut self, draft: &mut Draft) -> Option<char> {
        self.rest.next().inspect(|c| draft.raw.push(*c))
    }

    fn eat(&mut self, wanted: char) -> bool {
        self.rest.next_if_eq(&wanted).is_some()
    }

    /// Commands up to `end`, or up to the end of the text.
    fn list(&mut self, end: Option<char>) -> Result<(), Uncertain> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(Uncertain("its substitutions are nested too deep"));
        }
        loop {
            match self.rest.peek().copied() {
                None if end.is_none() => break,
                None => return Err(Uncertain("a substitution is not closed")),
                Some(c) if Some(c) == end => {
                    self.rest.next();
                    break;
                }
                Some(' ' | '\t' | '\n' | ';' | '&' | '|') => {
                    self.rest.next();
                }
                Some('#') => while self.rest.next_if(|c| *c != '\n').is_some() {},
                Some(_) => self.command(end)?,
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn command(&mut self, end: Option<char>) -> Result<(), Uncertain> {
        let mut part = Part::default();
        loop {
            match self.rest.peek().copied() {
                None | Some('\n' | ';' | '|') => break,
                Some(c) if Some(c) == end => break,
                Some('&') => {
                    // `&>` sends both streams to a file; any other `&` ends the command.
                    let mut ahead = self.rest.clone();
                    ahead.next();
                    if ahead.next() != Some('>') {
                        break;
                    }
                    self.rest.next();
                    let redirect = self.redirect()?;
                    part.redirects.push(redirect);
                }
                Some(' ' | '\t') => {
                    self.rest.next();
                }
                Some('#') => break,
                Some('<' | '>') => {
                    let redirect = self.redirect()?;
                    part.redirects.push(redirect);
                }
                Some('(' | ')') => return Err(Uncertain("it groups commands in parentheses")),
                Some(_) => self.word_of(&mut part)?,
            }
        }
        self.parts.push(part);
        Ok(())
    }

    /// The next word, to where it belongs in `part`.
    fn word_of(&mut self, part: &mut Part) -> Result<(), Uncertain> {
        let mut draft = Draft::default();
        let mut name = None;
        while let Some(c) = self.rest.peek().copied() {
            match c {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | ')' => break,
                '(' => return Err(Uncertain("it groups commands in parentheses")),
                '=' if part.words.is_empty() && name.is_none() && is_name(&draft.raw) => {
                    name = Some(std::mem::take(&mut draft).text);
                    self.rest.next();
                }
                _ => self.piece(&mut draft)?,
            }
        }
        if draft.raw.replace("\\\n", "").is_empty() && name.is_none() {
            return Ok(()); // The line goes on below.
        }
        if let Some(name) = name {
            part.assignments.push((name, draft.finish()));
            return Ok(());
        }
        let before_redirect = matches!(self.rest.peek(), Some('<' | '>'));
        if before_redirect && !draft.raw.is_empty() && draft.raw.chars().all(|c| c.is_ascii_digit())
        {
            return Ok(()); // The number of the stream that is redirected.
        }
        if before_redirect && draft.raw.starts_with('{') {
            return Err(Uncertain("it opens a stream under a name"));
        }
        if part.words.is_empty() {
            if !draft.quoted && RESERVED.contains(&draft.raw.as_str()) {
                return Err(Uncertain("it holds a loop, a condition or another compound command"));
            }
            if draft.raw.contains('=') && draft.raw.contains('[') {
                return Err(Uncertain("it may set an element of an array"));
            }
            if draft.raw.contains("+=") {
                return Err(Uncertain("it may add to a variable"));
            }
        }
        part.words.push(draft.finish());
        Ok(())
    }

    /// One piece of a word: a character, something quoted, or an expansion.
    fn piece(&mut self, draft: &mut Draft) -> Result<(), Uncertain> {
        let at_start = draft.raw.is_empty();
        let Some(c) = self.next(draft) else { return Ok(()) };
        match c {
            '\'' => {
                draft.quoted = true;
                loop {
                    match self.next(draft) {
                        Some('\'') => return Ok(()),
                        Some(c) => draft.literal(c),
                        None => return Err(Uncertain("a quotation mark is not closed")),
                    }
                }
            }
            '"' => self.double_quoted(draft),
            '\\' => {
                draft.quoted = true;
                match self.next(draft) {
                    Some('\n') => Ok(()),
                    Some(c) => {
                        draft.literal(c);
                        Ok(())
                    }
                    None => Err(Uncertain("it ends in a backslash")),
                }
            }
            '$' | '`' => self.expansion(c, draft),
            '*' | '?' | '[' | '{' => {
                draft.expanded = true;
                Ok(())
            }
            '~' if at_start => {
                draft.expanded = true;
                Ok(())
            }
            other => {
                draft.literal(other);
                Ok(())
            }
        }
    }

    fn double_quoted(&mut self, draft: &mut Draft) -> Result<(), Uncertain> {
        draft.quoted = true;
        loop {
            match self.next(draft) {
                Some('"') => return Ok(()),
                Some('\\') => match self.next(draft) {
                    Some('\n') => {}
                    Some(c @ ('$' | '`' | '"' | '\\')) => draft.literal(c),
                    Some(c) => {
                        draft.literal('\\');
                        draft.literal(c);
                    }
                    None => return Err(Uncertain("a quotation mark is not closed")),
                },
                Some(c @ ('$' | '`')) => self.expansion(c, draft)?,
                Some(c) => draft.literal(c),
                None => return Err(Uncertain("a quotation mark is not closed")),
            }
        }
    }

    /// What follows `$` or a backtick that was just read.
    fn expansion(&mut self, sign: char, draft: &mut Draft) -> Result<(), Uncertain> {
        if sign == '`' {
            draft.expanded = true;
            return self.backticks();
        }
        match self.rest.peek().copied() {
            Some('(') => {
                self.rest.next();
                if self.rest.peek() == Some(&'(') {
                    return Err(Uncertain("it calculates"));
                }
                draft.expanded = true;
                draft.raw.push_str("(…)");
                self.list(Some(')'))
            }
            Some('{') => {
                self.next(draft);
                draft.expanded = true;
                let start = draft.raw.len();
                while self.rest.peek().is_some_and(|c| c.is_ascii_alphanumeric() || *c == '_') {
                    self.next(draft);
                }
                if draft.raw.len() == start || self.next(draft) != Some('}') {
                    return Err(Uncertain("it expands a variable in a special way"));
                }
                Ok(())
            }
            Some('\'' | '"') => Err(Uncertain("it quotes with `$`")),
            Some('[') => Err(Uncertain("it calculates")),
            Some(c) if c.is_ascii_alphanumeric() || "_@*#?-$!".contains(c) => {
                draft.expanded = true;
                self.next(draft);
                Ok(())
            }
            Some(_) | None => {
                draft.literal('$');
                Ok(())
            }
        }
    }

    /// The text up to the closing backtick is a line of its own.
    fn backticks(&mut self) -> Result<(), Uncertain> {
        let mut inner = String::new();
        loop {
            match self.rest.next() {
                Some('`') => break,
                Some('\\') => return Err(Uncertain("it quotes within backticks")),
                Some(c) => inner.push(c),
                None => return Err(Uncertain("a substitution is not closed")),
            }
        }
        let mut reader =
            Reader { rest: inner.chars().peekable(), parts: Vec::new(), depth: self.depth };
        reader.list(None)?;
        self.parts.append(&mut reader.parts);
        Ok(())
    }

    fn redirect(&mut self) -> Result<Redirect, Uncertain> {
        let reads = self.eat('<');
        if reads && matches!(self.rest.peek(), Some('<')) {
            return Err(Uncertain("it brings its input along"));
        }
        let both = reads && self.eat('>');
        if !reads {
            self.eat('>');
            let _appends = self.eat('>') || self.eat('|');
        }
        let duplicates = self.eat('&');
        while self.rest.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
        if matches!(self.rest.peek(), Some('(')) {
            return Err(Uncertain("it takes a command for a file"));
        }
        let mut draft = Draft::default();
        while let Some(c) = self.rest.peek().copied() {
            match c {
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')' => break,
                _ => self.piece(&mut draft)?,
            }
        }
        if draft.raw.is_empty() {
            return Err(Uncertain("a redirection leads nowhere"));
        }
        let is_stream = draft.raw == "-" || draft.raw.chars().all(|c| c.is_ascii_digit());
        if duplicates && is_stream {
            return Ok(Redirect::Duplicate);
        }
        let target = draft.finish();
        Ok(if reads && !both { Redirect::Read(target) } else { Redirect::Write(target) })
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests;
