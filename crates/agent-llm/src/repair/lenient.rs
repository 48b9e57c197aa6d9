//! A reader of values that are nearly JSON.

use serde_json::{Map, Number, Value};

use super::{Mend, Mended, Unclear};

/// Deeper than this nobody nests arguments.
const DEEPEST: usize = 64;

/// Reads the first object or array of `text`, with words around it or not.
pub(super) fn read(text: &str) -> Result<Mended, Unclear> {
    let start = text.find(['{', '[']);
    let quote = text.starts_with('"').then_some(0);
    let start = quote.or(start).ok_or(Unclear::NoJson)?;
    let mut reader = Reader { text, at: start, mends: Vec::new(), depth: 0 };
    if start > 0 {
        reader.mend(Mend::Words);
    }
    let value = reader.value()?;
    reader.end(&value)?;
    Ok(Mended { value, mends: reader.mends })
}

/// Reads one value at the beginning of `text`, and tells how long it is.
pub(super) fn prefix(text: &str) -> Result<(Mended, usize), Unclear> {
    let mut reader = Reader { text, at: 0, mends: Vec::new(), depth: 0 };
    let value = reader.value()?;
    Ok((Mended { value, mends: reader.mends }, reader.at))
}

pub(super) struct Reader<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    mends: Vec<Mend>,
    depth: usize,
}

impl Reader<'_> {
    pub(super) fn mend(&mut self, mend: Mend) {
        if !self.mends.contains(&mend) {
            self.mends.push(mend);
        }
    }

    pub(super) fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn take(&mut self, wanted: &str) -> bool {
        let is_next = self.rest().starts_with(wanted);
        if is_next {
            self.at += wanted.len();
        }
        is_next
    }

    pub(super) fn bump(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn near(&self) -> String {
        let from = self.text.floor_char_boundary(self.at.saturating_sub(20));
        let to = self.text.ceil_char_boundary((self.at + 20).min(self.text.len()));
        self.text.get(from..to).unwrap_or_default().to_owned()
    }

    pub(super) fn wrong<T>(&self, problem: &'static str) -> Result<T, Unclear> {
        let near = self.near();
        if self.rest().is_empty() {
            return Err(Unclear::Cut { near });
        }
        Err(Unclear::Syntax { problem, near })
    }

    /// Passes over white space and comments.
    fn space(&mut self) {
        loop {
            let rest = self.rest();
            let solid = rest.trim_start();
            self.at += rest.len() - solid.len();
            let rest = self.rest();
            let length = if rest.starts_with("//") || rest.starts_with('#') {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                return;
            };
            self.at += length;
            self.mend(Mend::Comment);
        }
    }

    fn value(&mut self) -> Result<Value, Unclear> {
        self.space();
        match self.peek() {
            Some('{') => self.nested(Self::object),
            Some('[') => self.nested(Self::array),
            Some('"' | '\'' | '“' | '‘' | '`') => self.string().map(Value::String),
            Some('-' | '0'..='9') => self.number(),
            Some(letter) if letter.is_alphabetic() => self.literal(),
            Some(_) | None => self.wrong("a value should stand here"),
        }
    }

    fn nested(
        &mut self,
        read: impl Fn(&mut Self) -> Result<Value, Unclear>,
    ) -> Result<Value, Unclear> {
        if self.depth == DEEPEST {
            return self.wrong("it is nested too deeply");
        }
        self.depth += 1;
        self.bump();
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Result<Value, Unclear> {
        let mut members = Map::new();
        loop {
            if self.closes('}')? {
                return Ok(Value::Object(members));
            }
            let key = self.key()?;
            self.space();
            if !self.take(":") {
                return self.wrong("a colon should stand behind a name");
            }
            let value = self.value()?;
            match members.get(&key) {
                Some(known) if *known != value => return Err(Unclear::TwoValues { key }),
                Some(_) | None => {}
            }
            members.insert(key, value);
            self.separator('}')?;
        }
    }

    fn array(&mut self) -> Result<Value, Unclear> {
        let mut items = Vec::new();
        loop {
            if self.closes(']')? {
                return Ok(Value::Array(items));
            }
            items.push(self.value()?);
            self.separator(']')?;
        }
    }

    /// Whether the bracket closes here. An object may also end with the text, behind a member that
    /// is whole.
    fn closes(&mut self, bracket: char) -> Result<bool, Unclear> {
        self.space();
        match self.peek() {
            Some(next) if next == bracket => {
                self.bump();
                Ok(true)
            }
            None if self.text.trim_end().ends_with(['{', '[', ':', ',']) => {
                self.wrong("it ends where more should come")
            }
            // A list may have had more items, and a part of an edit is another edit.
            // Two quotes may be the first of three.
            None if ["\"\"", "''"].iter().any(|two| self.text.trim_end().ends_with(two)) => {
                self.wrong("it ends where more may come")
            }
            None if bracket == ']' => self.wrong("a list is not closed"),
            None => {
                self.mend(Mend::Unclosed);
                Ok(true)
            }
            Some('`') if self.rest().starts_with("```") => {
                self.mend(Mend::Unclosed);
                Ok(true)
            }
            Some(_) => Ok(false),
        }
    }

    /// Passes over what stands between two members, or before the end.
    fn separator(&mut self, bracket: char) -> Result<(), Unclear> {
        self.space();
        if self.take(",") {
            self.space();
            if self.peek() == Some(bracket) {
                self.mend(Mend::TrailingComma);
            }
            return Ok(());
        }
        match self.peek() {
            Some(next) if next == bracket => Ok(()),
            None => Ok(()),
            Some('`') if self.rest().starts_with("```") => Ok(()),
            // Only where the next line begins with a member it is clear that a comma is missing.
            Some('"') if bracket == '}' && self.is_at_line_start() => {
                self.mend(Mend::MissingComma);
                Ok(())
            }
            Some(_) => self.wrong("a comma should stand between members"),
        }
    }

    fn is_at_line_start(&self) -> bool {
        let before = self.text.get(..self.at).unwrap_or_default();
        before.trim_end_matches([' ', '\t']).ends_with('\n')
    }

    fn key(&mut self) -> Result<String, Unclear> {
        match self.peek() {
            Some('"' | '\'' | '“' | '‘') => self.string(),
            Some(first) if first.is_alphabetic() || first == '_' => {
                self.mend(Mend::BareKeys);
                Ok(self.word())
            }
            Some(_) | None => self.wrong("a name should stand here"),
        }
    }

    fn word(&mut self) -> String {
        let rest = self.rest();
        let is_end = |char: char| !char.is_alphanumeric() && !matches!(char, '_' | '-' | '$');
        let word = rest[..rest.find(is_end).unwrap_or(rest.len())].to_owned();
        self.at += word.len();
        word
    }

    fn literal(&mut self) -> Result<Value, Unclear> {
        let start = self.at;
        let word = self.word();
        let value = match word.as_str() {
            "true" | "True" | "TRUE" => Value::Bool(true),
            "false" | "False" | "FALSE" => Value::Bool(false),
            "null" | "None" | "undefined" => Value::Null,
            _ => {
                let is_end = self.rest().is_empty();
                if !is_end {
                    self.at = start;
                }
                return self.wrong("text should stand in quotes");
            }
        };
        if !matches!(word.as_str(), "true" | "false" | "null") {
            self.mend(Mend::PythonLiteral);
        }
        Ok(value)
    }

    fn number(&mut self) -> Result<Value, Unclear> {
        let rest = self.rest();
        let is_end = |char: char| !matches!(char, '0'..='9' | '-' | '+' | '.' | 'e' | 'E');
        let length = rest.find(is_end).unwrap_or(rest.len());
        let number = serde_json::from_str::<Number>(&rest[..length]);
        let is_cut = length == rest.len();
        match number {
            // Whatever ends with a number may have had more digits.
            Ok(number) if !is_cut => {
                self.at += length;
                Ok(Value::Number(number))
            }
            Ok(_) | Err(_) => {
                self.at += if is_cut { length } else { 0 };
                self.wrong("this is no number")
            }
        }
    }

    /// What may stand behind the value.
    fn end(&mut self, value: &Value) -> Result<(), Unclear> {
        loop {
            self.space();
            if self.take("```") {
                let rest = self.rest();
                if !rest.trim().is_empty() {
                    let has_more = rest.contains('{');
                    self.mend(Mend::Words);
                    return if has_more { Err(Unclear::Several) } else { Ok(()) };
                }
                continue;
            }
            match self.peek() {
                None => return Ok(()),
                Some('}' | ']') => {
                    self.bump();
                    self.mend(Mend::ExtraClosers);
                }
                Some('{' | '[') => {
                    if self.value()? != *value {
                        return Err(Unclear::Several);
                    }
                    self.mend(Mend::Repeated);
                }
                Some(';' | ',') => {
                    self.bump();
                }
                Some(_) => {
                    self.mend(Mend::Words);
                    return if self.rest().contains('{') { Err(Unclear::Several) } else { Ok(()) };
                }
            }
        }
    }
}
